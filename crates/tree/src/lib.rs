//! What users of a file server have and do, whatever the protocol.
//!
//! * [`data_set`]: which files and folders each user has, and how large they are; [`library`]: files
//!   of classes; [`block`] and [`content`]: what they contain.
//! * [`step`], with its [`parts`], [`lock`], [`listing`] and [`query`]: what users do, compiled
//!   from a workload; [`named`] and [`name`]: what steps name; [`slot`]: the numbers of open files;
//!   [`mod@text`]: texts with a user's values; [`looks`]: captures and checks.
//! * [`file_tree`]: the files of all users of a target; [`session`]: one of its users. A protocol
//!   implements [`session::backend::FileBackend`].
//! * [`program`]: long lists of operations that users play in order, such as a load file of dbench.
//! * [`provision`]: whose files are made and deleted, and where.
//!
//! The protocols of file servers play the same steps on the same data set, so one workload runs on
//! each of them.

pub mod block;
pub mod content;
pub mod data_set;
pub mod file_tree;
pub mod library;
pub mod listing;
pub mod lock;
pub mod looks;
pub mod name;
pub mod named;
mod normal;
pub mod parts;
pub mod program;
pub mod provision;
pub mod query;
pub mod session;
pub mod slot;
mod splitmix;
pub mod step;
pub mod text;
