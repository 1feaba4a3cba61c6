//! Makes, checks and deletes the data sets of many users, before and after a run.
//!
//! * [`mod@prepare`]: makes what is missing; [`mod@cleanup`]: deletes it; [`mod@hello`]: what the
//!   server agrees to.
//! * `place`: one file or folder; `territory`: the folder that Headcount may write in, and the
//!   marker file that says so.
//! * `errand`: one user's session outside of a run, with a time limit on everything it does.
//! * [`hold`]: connections and open files that stay open, to measure what they cost the server;
//!   `holder`: all of them; `held`: one; `holding`: how many, and how far the work is.
//! * `records`: files beside those of the users, to check that a server keeps what it acknowledged.
//!
//! Every user makes and deletes their own files under their own name. So the server stores the
//! files as theirs, and a wrong password shows before the run, with the user's name.

pub mod cleanup;
mod errand;
mod error;
mod held;
pub mod hello;
pub mod hold;
mod holder;
mod holding;
mod place;
pub mod prepare;
mod records;
mod territory;

pub use cleanup::cleanup;
pub use error::ProvisionError;
pub use headcount_tree::provision::{Cleaned, OnProgress, Order, Prepared, Progress};
pub use hello::{Hello, hello};
pub use hold::Hold;
pub use holding::Holding;
pub use prepare::prepare;
pub use records::Records;
