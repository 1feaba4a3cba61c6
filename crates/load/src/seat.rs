//! A user's seat: the few cells through which a worker and one of its users see each other.

use std::cell::{Cell, RefCell};
use std::task::Waker;

use crate::plan::Scenario;

/// What a user is doing, as far as its worker needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Thinking, or waiting for the next scenario to fall due.
    Waiting,
    /// Opening its session before anything is due.
    LoggingOn {
        /// When that began.
        began_ns: u64,
    },
    /// Playing a scenario.
    Playing {
        /// Index of the scenario in the plan.
        scenario: u32,
        /// When it was due, in ns of the run's clock.
        due_ns: u64,
        /// Whether it was begun later than the plan allows.
        late: bool,
        /// When the current step (or the opening of the session) began.
        step_began_ns: u64,
    },
}

/// Time of the scenario under way in which the user wanted nothing of the server but news.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Idle {
    /// What has passed.
    pub passed_ns: u64,
    /// Since when the user has been idle.
    pub since_ns: Option<u64>,
}

impl Idle {
    /// All of it until now.
    #[must_use]
    pub fn until(self, now_ns: u64) -> u64 {
        let lasting_ns = self
            .since_ns
            .map_or(0, |since_ns| now_ns.saturating_sub(since_ns));
        self.passed_ns + lasting_ns
    }
}

/// Shared by a worker and one of its users; never leaves the worker's thread.
#[derive(Debug)]
pub struct Seat {
    /// What the user is doing.
    pub doing: Cell<Doing>,
    /// Set by the worker to ask the user to leave after the current scenario.
    pub leaving: Cell<bool>,
    /// Set by the worker when the current step has exceeded its time limit.
    pub expired: Cell<bool>,
    /// The pause that the user is in: when it began, and how long it is. None while it plays.
    pub pause_ns: Cell<Option<(u64, u64)>>,
    /// Bytes that the scenario under way is known to move.
    pub bytes: Cell<u64>,
    /// How long the user was idle in the scenario under way.
    pub idle: Cell<Idle>,
    /// When the user last completed a scenario, in ns of the run's clock.
    pub completed_ns: Cell<Option<u64>>,
    /// When the user joined, in ns of the run's clock.
    pub joined_ns: Cell<u64>,
    /// Whether anything failed since the user last completed a scenario, or joined.
    pub failing: Cell<bool>,
    /// When the timer this user waits for is due; `u64::MAX` when it waits for none.
    pub alarm_ns: Cell<u64>,
    waker: RefCell<Option<Waker>>,
}

impl Seat {
    /// An empty seat for a user about to join.
    #[must_use]
    pub fn new() -> Self {
        Self {
            doing: Cell::new(Doing::Waiting),
            leaving: Cell::new(false),
            expired: Cell::new(false),
            pause_ns: Cell::new(None),
            bytes: Cell::new(0),
            idle: Cell::default(),
            completed_ns: Cell::new(None),
            joined_ns: Cell::new(0),
            failing: Cell::new(false),
            alarm_ns: Cell::new(u64::MAX),
            waker: RefCell::new(None),
        }
    }

    /// How much of the pause that the user is in has passed by `now_ns`.
    #[must_use]
    pub fn paused_ns(&self, now_ns: u64) -> u64 {
        let passed =
            |(began_ns, pause_ns): (u64, u64)| pause_ns.min(now_ns.saturating_sub(began_ns));
        self.pause_ns.get().map_or(0, passed)
    }

    /// How long the user was idle in the scenario under way, if there is one.
    #[must_use]
    pub fn idled_ns(&self, now_ns: u64) -> u64 {
        match self.doing.get() {
            Doing::Playing { .. } => self.idle.get().until(now_ns),
            Doing::Waiting | Doing::LoggingOn { .. } => 0,
        }
    }

    /// Since when the user has completed nothing, if something failed since or it waits over a limit
    /// (to log on: over the longest of them).
    pub fn unserved_since_ns<S>(&self, at_ns: u64, scenarios: &[Scenario<S>]) -> Option<u64> {
        let waits_too_long = match self.doing.get() {
            Doing::Waiting => false,
            Doing::LoggingOn { began_ns } => {
                let limits = scenarios.iter().map(|scenario| scenario.limit_ns);
                Some(at_ns.saturating_sub(began_ns)) > limits.max()
            }
            Doing::Playing {
                scenario, due_ns, ..
            } => {
                let age_ns = at_ns.saturating_sub(due_ns + self.idle.get().until(at_ns));
                age_ns > scenarios[scenario as usize].limit_for(self.bytes.get())
            }
        };
        let since_ns = self.completed_ns.get().unwrap_or(self.joined_ns.get());
        (waits_too_long || self.failing.get()).then_some(since_ns)
    }

    /// Remembers whom to wake, without cloning a waker that is already there.
    pub fn remember(&self, waker: &Waker) {
        let mut slot = self.waker.borrow_mut();
        match slot.as_ref() {
            Some(known) if known.will_wake(waker) => {}
            _ => *slot = Some(waker.clone()),
        }
    }

    /// Wakes the user, if it ever waited.
    pub fn wake(&self) {
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }
}

impl Default for Seat {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_news_counts_while_the_scenario_is_under_way_and_no_longer() {
        let seat = Seat::new();
        seat.idle.set(Idle {
            passed_ns: 300,
            since_ns: Some(1_000),
        });
        assert_eq!(seat.idled_ns(1_500), 0, "it is the scenario before");
        seat.doing.set(Doing::Playing {
            scenario: 0,
            due_ns: 0,
            late: false,
            step_began_ns: 0,
        });
        assert_eq!(seat.idled_ns(1_500), 800);
    }
}
