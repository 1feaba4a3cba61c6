//! Making, checking and deleting the data sets of many users.
//!
//! * [`mod@prepare`]: makes what is missing; [`mod@cleanup`]: deletes it; [`mod@hello`]: which folder
//!   it is, and what works there.
//! * `territory`: the folder that Headcount may write in, and the marker file that says so; `place`:
//!   one file or folder.
//! * `crew`: several users' errands at a time.
//!
//! Names and contents are those of the SMB client: a data set that one of them prepared on a
//! server's disk, the other finds complete.

pub mod cleanup;
mod crew;
mod error;
pub mod hello;
mod place;
pub mod prepare;
mod territory;

pub use cleanup::cleanup;
pub use error::ProvisionError;
pub use headcount_tree::provision::{Cleaned, OnProgress, Order, Prepared, Progress};
pub use hello::{Hello, hello};
pub use prepare::prepare;
