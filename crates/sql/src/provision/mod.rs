//! Making, checking and deleting the schema `headcount`, which holds all data of a run.
//!
//! * [`hello`]: who answers; [`prepare`]: the rows are what they were before the first run;
//!   [`cleanup`]: the schema goes.
//!
//! Nothing outside the schema is written or deleted, and a schema of that name without Headcount's
//! marker is left alone.

mod cleanup;
mod error;
mod hello;
mod patience;
mod prepare;
mod question;
mod rows;
mod schema;

pub use cleanup::{Cleaned, cleanup};
pub use error::ProvisionError;
pub use hello::{Hello, hello};
pub use prepare::{Prepared, prepare};

use serde::Serialize;

/// Progress of preparing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Rows that are as they must be.
    pub rows_done: u64,
    /// Rows of the data set.
    pub rows: u64,
}
