//! What users of a file server have and do, whatever protocol reaches it.
//!
//! * [`data_set`]: which files and folders each user has, and how large they are; [`block`]: what
//!   stands in them.
//! * [`step`], with its [`parts`] and [`query`]: what users do, compiled from a workload.
//! * [`program`]: long lists of operations that users play in order, such as a load file of dbench.
//! * [`pattern`]: names with a number in them.
//!
//! The protocols of file servers play the same steps on the same data set, so one workload runs on
//! each of them.

pub mod block;
pub mod data_set;
pub mod parts;
pub mod pattern;
pub mod program;
pub mod query;
pub mod step;
