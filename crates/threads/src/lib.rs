//! The code that Headcount's threads share, compiled against a scheduler that tries many
//! interleavings.
//!
//! The files are those of the crates that use them. They name locks and threads through
//! `crate::sync`, which is the standard library there and shuttle here. `tests/orders.rs` plays them.

#[path = "../../files/src/io/pool.rs"]
pub mod job_pool;
#[path = "../../load/src/mailbox.rs"]
pub mod mailbox;
pub mod server;

/// What the mailbox carries back to a worker: here, which one.
pub mod recorder {
    /// A recorder of nothing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Recorder(pub u64);
}

/// What the mailbox carries: only the fields of a report that it looks at.
pub mod report {
    /// A report of a worker at a tick.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Report {
        /// Which worker.
        pub worker: usize,
        /// Which tick.
        pub tick: u64,
    }
}

use headcount_app::statistics;

/// Shuttle's locks and threads, in place of the standard library's.
mod sync {
    pub(crate) use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard};
    pub(crate) use shuttle::thread;
    pub(crate) use std::sync::PoisonError;
}
