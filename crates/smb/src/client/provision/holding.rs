//! What to hold, and how far the work is.

use std::sync::atomic::{AtomicBool, AtomicU32};

use serde::{Deserialize, Serialize};

/// How much is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Holding {
    /// TCP connections, each logged on as a user of its own.
    pub connections: u32,
    /// Connections to shares per TCP connection, the first included.
    pub trees: u32,
    /// Open files per TCP connection.
    pub files: u32,
}

/// State shared by the thread and the caller that waits for it.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Set when the caller cancels.
    pub(super) is_cancelled: AtomicBool,
    /// Connections done so far.
    pub(super) done: AtomicU32,
}
