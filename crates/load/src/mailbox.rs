//! Where workers leave their reports, in order, and get empty recorders in return. It never blocks
//! them.

use std::time::Duration;

use crate::recorder::Recorder;
use crate::report::Report;
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// One slot for each worker.
#[derive(Debug)]
pub struct Mailbox {
    slots: Mutex<Vec<Slot>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Slot {
    /// Reports that nobody has taken yet: a late reader misses none.
    reports: Vec<Report>,
    /// The tick of the last one.
    tick: u64,
    /// An empty recorder for the report to come.
    spare: Option<Recorder>,
    ended: bool,
    panic: Option<String>,
}

/// What a reader finds in the mailbox.
#[derive(Debug)]
pub enum Mail {
    /// All reports since the last call; the last one of every worker is newer than the tick asked
    /// for. A worker that has ended may have none.
    Fresh(Vec<Report>),
    /// The time ran out first.
    Nothing,
    /// All workers have ended; the last of their reports.
    Ended(Vec<Report>),
    /// A worker panicked, with its message.
    Failed(String),
}

impl Mailbox {
    /// Empty slots for this many workers.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Self {
            slots: Mutex::new((0..workers).map(|_| Slot::default()).collect()),
            changed: Condvar::new(),
        }
    }

    /// Leaves a worker's report. Returns an empty recorder, if there is one, for the next.
    pub fn publish(&self, report: Report) -> Option<Recorder> {
        let mut slots = self.lock();
        let slot = &mut slots[report.worker];
        slot.tick = report.tick;
        slot.reports.push(report);
        let spare = slot.spare.take();
        drop(slots);
        self.changed.notify_all();
        spare
    }

    /// Keeps an empty recorder for a worker.
    pub fn give_back(&self, worker: usize, empty: Recorder) {
        self.lock()[worker].spare = Some(empty);
    }

    /// Notes that the worker has ended, with the message of its panic if it panicked.
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
        let (mut slots, _) = self
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
            .iter_mut()
            .flat_map(|slot| std::mem::take(&mut slot.reports))
            .collect();
        if slots.iter().all(|slot| slot.ended) {
            return Mail::Ended(reports);
        }
        Mail::Fresh(reports)
    }

    /// Waits until every worker has ended, at most for `patience`; returns whether they have.
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
    slots.iter().any(|slot| slot.panic.is_some())
        || slots.iter().all(|slot| slot.ended || slot.tick > tick)
}
