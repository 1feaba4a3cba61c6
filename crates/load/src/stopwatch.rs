//! What a session keeps of its user, to time and count what it does.

use std::rc::Rc;

use crate::context::{Offset, WorkerContext};

/// The engine's clock, and where a session counts what it does.
#[derive(Clone)]
pub struct Stopwatch {
    context: Rc<WorkerContext>,
    offset: Offset,
}

impl Stopwatch {
    /// One of this worker, for a protocol whose kinds begin there.
    #[must_use]
    pub const fn new(context: Rc<WorkerContext>, offset: Offset) -> Self {
        Self { context, offset }
    }

    /// The engine's clock, in ns since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.context.timers.now_ns()
    }

    /// Notes a task that began at `began_ns` and has ended just now.
    pub fn note<T, E>(&self, kind: usize, began_ns: u64, ended: &Result<T, E>) {
        match ended {
            Ok(_) => self.completed(kind, self.now_ns().saturating_sub(began_ns)),
            Err(_) => self.failed(kind),
        }
    }

    /// Notes a task that ended well and took so long.
    pub fn completed(&self, kind: usize, took_ns: u64) {
        let tasks = &self.context.tasks;
        tasks.completed(self.offset.tasks + kind, took_ns);
    }

    /// Notes a task that failed.
    pub fn failed(&self, kind: usize) {
        self.context.tasks.failed(self.offset.tasks + kind);
    }

    /// Counts a request of this kind.
    pub fn sent(&self, kind: usize) {
        self.context.requests.sent(self.offset.requests + kind);
    }
}

impl std::fmt::Debug for Stopwatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stopwatch").finish_non_exhaustive()
    }
}
