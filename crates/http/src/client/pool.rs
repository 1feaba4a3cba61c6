//! The further state of a user whose pages have resources.

use super::cache::Cache;
use super::digest::SharedChallenge;
use crate::connection::Connection;

/// A connection that waits for the next page.
#[derive(Debug)]
pub(super) struct Idle {
    pub(super) connection: Connection,
    /// The challenge that is answered on it alone, if any.
    pub(super) challenge: Option<SharedChallenge>,
}

/// The further state of a user whose pages have resources.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Connections beside the main one, which wait for the next page.
    pub(super) idle: Vec<Idle>,
    pub(super) cache: Cache,
}

impl Pool {
    /// Closes its connections.
    pub(super) fn disconnect(&mut self) {
        self.idle = Vec::new();
    }
}
