//! Makes, checks and empties the mailboxes of many users, before and after a run.
//!
//! * [`mod@prepare`]: makes what is missing and undoes what a run has changed; [`mod@cleanup`]:
//!   deletes all of it; [`mod@hello`]: what the servers say about themselves.
//! * [`plan`]: what a mailbox holds at the start, and the text of its marker.
//! * `place`: one folder; `territory`: whether a mailbox may be written to at all.
//! * `errand`: one user's session outside of a run, with a time limit.
//!
//! A mailbox belongs to Headcount if it has a folder with a marker message. A mailbox without it
//! that holds any mail belongs to somebody else and is never changed.

pub mod cleanup;
mod errand;
mod error;
pub mod hello;
mod place;
pub mod plan;
pub mod prepare;
mod territory;

use serde::Serialize;

pub use cleanup::cleanup;
pub use error::ProvisionError;
pub use headcount_load::provision::{OnProgress, Progress};
pub use headcount_load::target::Order;
pub use hello::{Hello, hello, hello_within};
pub use prepare::prepare;

/// What was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Prepared {
    /// Users whose mailboxes were made or repaired.
    pub created: u32,
    /// Users whose mailboxes existed; changes by runs were undone.
    pub kept: u32,
    /// Messages written.
    pub messages: u64,
    /// Their bytes.
    pub written_bytes: u64,
}

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Users whose mailboxes were emptied.
    pub users: u32,
    /// Messages deleted.
    pub messages: u64,
    /// Users whose mailboxes lack the marker; they were left as they are.
    pub left: u32,
}
