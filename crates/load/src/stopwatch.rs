//! The part of a user that its session keeps, to time and count what it does.

use std::rc::Rc;

use crate::context::{Kinds, WorkerContext};

/// The engine's clock, and where a session counts what it does.
#[derive(Clone)]
pub struct Stopwatch {
    context: Rc<WorkerContext>,
    kinds: Kinds,
}

impl Stopwatch {
    /// A stopwatch of this worker, for the protocol with these kinds.
    #[must_use]
    pub const fn new(context: Rc<WorkerContext>, kinds: Kinds) -> Self {
        Self { context, kinds }
    }

    /// The engine's clock, in ns since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.context.timers.now_ns()
    }

    /// Notes a task that began at `began_ns` and ends now.
    pub fn note<T, E>(&self, kind: usize, began_ns: u64, ended: &Result<T, E>) {
        match ended {
            Ok(_) => self.completed(kind, self.now_ns().saturating_sub(began_ns)),
            Err(_) => self.failed(kind),
        }
    }

    /// Notes a task that succeeded within `took_ns`. Kinds that the protocol does not name are not
    /// counted, here and below.
    pub fn completed(&self, kind: usize, took_ns: u64) {
        if let Some(kind) = self.kinds.tasks.index(kind) {
            self.context.tasks.completed(kind, took_ns);
        }
    }

    /// Notes a task that failed.
    pub fn failed(&self, kind: usize) {
        if let Some(kind) = self.kinds.tasks.index(kind) {
            self.context.tasks.failed(kind);
        }
    }

    /// Counts a request of this kind.
    pub fn sent(&self, kind: usize) {
        if let Some(kind) = self.kinds.requests.index(kind) {
            self.context.requests.sent(kind);
        }
    }
}

impl std::fmt::Debug for Stopwatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stopwatch").finish_non_exhaustive()
    }
}
