//! Making, checking and deleting the data sets of many users, for whoever prepares a run.
//!
//! * [`mod@prepare`]: makes what is missing; [`mod@cleanup`]: deletes it; [`mod@hello`]: who answers.
//! * `place`: one file or folder; `territory`: the folder that Headcount may write in, and the marker file that says so.
//! * `errand`: one user's session outside of a run, with a time limit on everything it does.
//! * [`hold`]: connections and open files that stay, for whoever measures what they cost the
//!   server; `holder`: all of them; `held`: one;
//!   `holding`: what is asked for, and how far it is.
//! * `records`: files beside those of the users, for whoever asks whether a server keeps what it
//!   acknowledged.
//!
//! Every user makes and deletes their own files under their own name, so that the server stores
//! them as theirs and a wrong password shows before the run, with the user's name.

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
