//! Orders to the workers of a run, from any thread, while another waits for what they report.

use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender};

use crate::clock::Origin;
use crate::worker::{Command, Order};

/// A handle that gives orders to a run's workers. It does not keep them running: once the run is
/// dropped, orders have no effect.
#[derive(Debug, Clone)]
pub struct Orders {
    origin: Origin,
    workers: Vec<WeakUnboundedSender<Order>>,
}

impl Orders {
    pub(crate) fn new(origin: Origin, workers: &[UnboundedSender<Order>]) -> Self {
        let workers = workers.iter().map(UnboundedSender::downgrade).collect();
        Self { origin, workers }
    }

    /// Nanoseconds since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.origin.elapsed_ns()
    }

    /// Brings the population to `target` users, evenly over `ramp`.
    pub fn set_users(&self, target: u32, ramp: Duration) {
        self.send(Command::Users {
            target,
            over_ns: ramp.as_nanos() as u64,
        });
    }

    /// Ends the run: scenarios under way may finish within `drain`.
    pub fn stop(&self, drain: Duration) {
        self.send(Command::Stop {
            drain_ns: drain.as_nanos() as u64,
        });
    }

    fn send(&self, command: Command) {
        for worker in &self.workers {
            // A worker that has ended needs no orders; its end shows in the mailbox.
            if let Some(worker) = worker.upgrade() {
                let _ = worker.send((0, command));
            }
        }
    }
}
