//! What the users of a worker share: its clock, and where it counts.

use std::cell::Cell;
use std::rc::Rc;

use crate::clock::VirtualClock;
use crate::requests::{Requests, Span};
use crate::tasks::Tasks;
use crate::timers::Timers;

/// What the users of a worker share.
#[derive(Debug)]
pub struct WorkerContext {
    /// The clock, and the users who wait for it.
    pub timers: Rc<Timers>,
    /// What was sent.
    pub requests: Requests,
    /// What sessions timed.
    pub tasks: Tasks,
    /// How many users the whole run has been asked to have.
    pub population: Cell<u32>,
}

impl WorkerContext {
    /// Nothing counted yet, with this many kinds of requests and tasks.
    #[must_use]
    pub fn new(timers: Rc<Timers>, requests: usize, tasks: usize) -> Self {
        Self {
            timers,
            requests: Requests::new(requests),
            tasks: Tasks::new(tasks),
            population: Cell::new(0),
        }
    }

    /// All kinds of the worker.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        Kinds {
            requests: Span::first(self.requests.kinds()),
            tasks: Span::first(self.tasks.kinds()),
        }
    }

    /// The context of users outside a run: no time passes for them.
    #[must_use]
    pub fn outside(requests: usize, tasks: usize) -> Self {
        let timers = Timers::new(Rc::new(VirtualClock::default()));
        Self::new(Rc::new(timers), requests, tasks)
    }
}

/// Which of a worker's kinds belong to a protocol, where users play several protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    /// Of requests.
    pub requests: Span,
    /// Of tasks.
    pub tasks: Span,
}
