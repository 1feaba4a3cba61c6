//! What a user has besides whose pages have resources.

use super::cache::Cache;
use crate::connection::Connection;

/// What a user has besides whose pages have resources.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Connections beside the main one, which wait for the next page.
    pub(super) idle: Vec<Connection>,
    pub(super) cache: Cache,
}

impl Pool {
    /// Ends its connections.
    pub(super) fn disconnect(&mut self) {
        self.idle = Vec::new();
    }
}
