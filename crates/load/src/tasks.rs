//! What sessions time inside their steps.
//!
//! A step may consist of many things that people would time separately: the commands it sends, or
//! the dozen messages that a user reads, answers and deletes when looking into an inbox. A protocol
//! names them in [`crate::Protocol::tasks`]; its sessions note each as it ends.

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::times::Times;

/// Counts and times of one kind of task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskTally {
    /// Succeeded.
    pub completed: u64,
    /// Failed.
    pub failed: u64,
    /// Sum of the times of those that succeeded.
    pub service_ns: u64,
    /// Sum of the squares of those times, in ms², for their standard deviation.
    pub squares_ms2: f64,
    /// Times of those that succeeded, in µs.
    pub service: Times,
}

/// The tasks of a worker's users since its last report, by index in the protocol's `tasks`.
/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Tasks(Rc<RefCell<Vec<TaskTally>>>);

impl Tasks {
    /// Nothing noted yet, with this many kinds.
    #[must_use]
    pub fn new(kinds: usize) -> Self {
        Self(Rc::new(RefCell::new(vec![TaskTally::new(); kinds])))
    }

    /// Notes a task that succeeded. Kinds that the protocol does not name are not counted.
    pub fn completed(&self, kind: usize, took_ns: u64) {
        if let Some(tally) = self.0.borrow_mut().get_mut(kind) {
            tally.completed += 1;
            tally.service_ns += took_ns;
            tally.squares_ms2 += (took_ns as f64 / 1e6).powi(2);
            tally.service.record_ns(took_ns);
        }
    }

    /// Notes a task that failed.
    pub fn failed(&self, kind: usize) {
        if let Some(tally) = self.0.borrow_mut().get_mut(kind) {
            tally.failed += 1;
        }
    }

    /// How many kinds there are.
    #[must_use]
    pub fn kinds(&self) -> usize {
        self.0.borrow().len()
    }

    /// Returns what was noted and continues with `empty`, extended to all kinds.
    #[must_use]
    pub fn hand_over(&self, mut empty: Vec<TaskTally>) -> Vec<TaskTally> {
        empty.resize_with(self.kinds(), TaskTally::new);
        self.0.replace(empty)
    }

    /// What was noted since the last [`Self::hand_over`].
    #[must_use]
    pub fn tallies(&self) -> Vec<TaskTally> {
        self.0.borrow().clone()
    }
}

impl TaskTally {
    /// Nothing noted yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            completed: 0,
            failed: 0,
            service_ns: 0,
            squares_ms2: 0.0,
            service: Times::new(),
        }
    }

    /// Empties the tally and keeps its memory.
    pub fn clear(&mut self) {
        let mut service = std::mem::take(&mut self.service);
        service.clear();
        *self = Self {
            service,
            ..Self::new()
        };
    }

    /// Adds what another worker noted.
    pub fn add(&mut self, other: &Self) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.service_ns += other.service_ns;
        self.squares_ms2 += other.squares_ms2;
        self.service.add(&other.service);
    }

    /// Subtracts `earlier`, a former state of this tally.
    pub fn subtract(&mut self, earlier: &Self) {
        self.completed -= earlier.completed;
        self.failed -= earlier.failed;
        self.service_ns -= earlier.service_ns;
        self.squares_ms2 = (self.squares_ms2 - earlier.squares_ms2).max(0.0);
        self.service.subtract(&earlier.service);
    }
}

impl Default for TaskTally {
    fn default() -> Self {
        Self::new()
    }
}

/// The kinds of tasks of a protocol, each with its name in results: an enum `Task` with the
/// attributes given, whose values note tasks, and `NAMES` in its order, for
/// [`crate::Protocol::tasks`].
#[macro_export]
macro_rules! tasks {
    ($(#[$attribute:meta])* $($variant:ident = $name:literal,)*) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Task { $($variant,)* }

        /// The names of all kinds, in the order of [`Task`].
        pub const NAMES: &[&str] = &[$($name,)*];

        impl Task {
            /// Notes a task that began at `began_ns` and ends now.
            pub fn note<T, E>(
                self,
                stopwatch: &$crate::Stopwatch,
                began_ns: u64,
                ended: &::std::result::Result<T, E>,
            ) {
                stopwatch.note(self as usize, began_ns, ended);
            }

            /// Its name in results.
            #[must_use]
            pub fn name(self) -> &'static str {
                NAMES[self as usize]
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    mod named {
        crate::tasks! {
            /// Two kinds.
            First = "first",
            Second = "second-one",
        }
    }

    #[test]
    fn kinds_have_their_names_in_order_and_note_themselves() {
        use crate::context::WorkerContext;
        use crate::stopwatch::Stopwatch;
        use named::{NAMES, Task};
        assert_eq!(NAMES, ["first", "second-one"]);
        assert_eq!([Task::First, Task::Second].map(Task::name), *NAMES);
        let context = Rc::new(WorkerContext::outside(0, NAMES.len()));
        let stopwatch = Stopwatch::new(Rc::clone(&context), context.kinds());
        Task::Second.note(&stopwatch, 0, &Ok::<(), ()>(()));
        Task::First.note(&stopwatch, 0, &Err::<(), ()>(()));
        let ended = context.tasks.tallies();
        let ended = ended.iter().map(|task| (task.completed, task.failed));
        assert_eq!(ended.collect::<Vec<_>>(), [(0, 1), (1, 0)]);
    }

    #[test]
    fn tallies_can_be_added_and_subtracted() {
        let tasks = Tasks::new(2);
        tasks.completed(0, 3_000_000);
        tasks.failed(1);
        tasks.completed(7, 1);
        let before = tasks.tallies();
        tasks.completed(0, 4_000_000);
        let mut now = tasks.tallies();
        assert_eq!((now[0].completed, now[0].service_ns), (2, 7_000_000));
        assert!((now[0].squares_ms2 - 25.0).abs() < 1e-9);
        assert_eq!((now[1].completed, now[1].failed), (0, 1));
        now[0].subtract(&before[0]);
        assert_eq!((now[0].completed, now[0].service_ns), (1, 4_000_000));
        assert_eq!(now[0].service.buckets(), [(4_001, 1)]);
        now[0].add(&before[0]);
        assert_eq!(now[0].service.len(), 2);
    }
}
