//! Where workers leave their reports: one slot each, always the newest, never blocking them.

use std::time::Duration;

use crate::report::Report;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One slot for each worker.
#[derive(Debug)]
pub struct Mailbox {
    slots: Mutex<Vec<Slot>>,
    changed: Condvar,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    report: Option<Arc<Report>>,
    ended: bool,
    panic: Option<String>,
}

/// What a reader finds in the mailbox.
#[derive(Debug)]
pub enum Mail {
    /// A report of every worker, each newer than the tick asked for (or its last).
    Fresh(Vec<Arc<Report>>),
    /// The time ran out first.
    Nothing,
    /// All workers have ended; their last reports.
    Ended(Vec<Arc<Report>>),
    /// A worker panicked, with its message.
    Failed(String),
}

impl Mailbox {
    /// Empty slots for so many workers.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Self {
            slots: Mutex::new(vec![Slot::default(); workers]),
            changed: Condvar::new(),
        }
    }

    /// Replaces the worker's report.
    pub fn publish(&self, report: Report) {
        let worker = report.worker;
        let report = Arc::new(report);
        self.lock()[worker].report = Some(report);
        self.changed.notify_all();
    }

    /// The worker has ended, with the message of its panic if it did not end in peace.
    pub fn end(&self, worker: usize, panic: Option<String>) {
        let mut slots = self.lock();
        slots[worker].ended = true;
        slots[worker].panic = panic;
        drop(slots);
        self.changed.notify_all();
    }

    /// Waits for reports of ticks after `tick`, at most for `patience`.
    #[must_use]
    pub fn wait(&self, tick: u64, patience: Duration) -> Mail {
        let waiting = |slots: &mut Vec<Slot>| !ready(slots, tick);
        let (slots, _) = self
            .changed
            .wait_timeout_while(self.lock(), patience, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(panic) = slots.iter().find_map(|slot| slot.panic.clone()) {
            return Mail::Failed(panic);
        }
        if !ready(&slots, tick) {
            return Mail::Nothing;
        }
        let reports = slots
            .iter()
            .filter_map(|slot| slot.report.clone())
            .collect();
        if slots.iter().all(|slot| slot.ended) {
            return Mail::Ended(reports);
        }
        Mail::Fresh(reports)
    }

    /// Waits until every worker has ended, at most for `patience`; says whether they have.
    pub fn wait_for_end(&self, patience: Duration) -> bool {
        let running = |slots: &mut Vec<Slot>| !slots.iter().all(|slot| slot.ended);
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), patience, running);
        let (slots, _) = waited.unwrap_or_else(PoisonError::into_inner);
        slots.iter().all(|slot| slot.ended)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        // A panic while holding the lock is impossible (nothing in here panics between changes), and
        // a reader must get the reports in any case.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ready(slots: &[Slot], tick: u64) -> bool {
    let newer = |slot: &Slot| {
        slot.report
            .as_ref()
            .is_some_and(|report| report.tick > tick)
    };
    slots.iter().any(|slot| slot.panic.is_some()) || slots.iter().all(|s| s.ended || newer(s))
}
