//! What is to be held, and how far that is.

use std::sync::atomic::{AtomicBool, AtomicU32};

use serde::{Deserialize, Serialize};

/// What is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Holding {
    /// TCP connections, each logged on as a user of its own.
    pub connections: u32,
    /// Connections to shares of each of them, the first included.
    pub trees: u32,
    /// Open files of each of them.
    pub files: u32,
}

/// What the thread and whoever waits for it share.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Set when the caller does not want to go on.
    pub(super) is_cancelled: AtomicBool,
    /// Connections that are as they should be.
    pub(super) done: AtomicU32,
}
