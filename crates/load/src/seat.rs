//! A user's seat: what a worker and one of its users share.

use std::cell::{Cell, RefCell};
use std::task::Waker;

use crate::idle::Idle;

/// A scenario under way, as its worker sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Playing {
    /// Index of the scenario in the plan.
    pub scenario: u32,
    /// When it was due, in ns of the run's clock.
    pub due_ns: u64,
    /// Whether it was begun later than the plan allows.
    pub late: bool,
}

/// What a user is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// Thinking, or waiting for the next scenario to fall due.
    Waiting,
    /// Opening its session before anything is due.
    LoggingOn,
    /// Playing what comes before or after a scenario, since then.
    Around(u64),
    /// Playing a scenario.
    Playing(Playing),
}

/// Shared by a worker and one of its users; never leaves the worker's thread.
///
/// The user says what it does; the worker asks it to leave and ends steps that take too long.
#[derive(Debug)]
pub struct Seat {
    doing: Cell<Doing>,
    /// When the step under way, or the opening of the session, began, less the idle time before.
    step_began_ns: Cell<u64>,
    is_leaving: Cell<bool>,
    /// Whether it thinks within a scenario.
    is_pausing: Cell<bool>,
    has_expired: Cell<bool>,
    /// The pause that the user is in: when it began, and how long it is. None while it plays.
    pause_ns: Cell<Option<(u64, u64)>>,
    /// Bytes that the scenario under way is known to move.
    bytes: Cell<u64>,
    idle: Cell<Idle>,
    completed_ns: Cell<Option<u64>>,
    /// By how many reports of the worker there were when the user last completed a scenario.
    completed_in: Cell<Option<u64>>,
    joined_ns: u64,
    is_failing: Cell<bool>,
    /// Its index among the busy users of [`crate::roster`].
    place: Cell<Option<u32>>,
    /// When the timer that the user waits for is due; `u64::MAX` when it waits for none.
    alarm_ns: Cell<u64>,
    waker: RefCell<Option<Waker>>,
}

impl Seat {
    /// The seat of a user who joins at this moment of the run's clock.
    #[must_use]
    pub fn new(joined_ns: u64) -> Self {
        Self {
            doing: Cell::new(Doing::Waiting),
            step_began_ns: Cell::new(0),
            is_leaving: Cell::new(false),
            is_pausing: Cell::new(false),
            has_expired: Cell::new(false),
            pause_ns: Cell::new(None),
            bytes: Cell::new(0),
            idle: Cell::default(),
            completed_ns: Cell::new(None),
            completed_in: Cell::new(None),
            joined_ns,
            is_failing: Cell::new(false),
            place: Cell::new(None),
            alarm_ns: Cell::new(u64::MAX),
            waker: RefCell::new(None),
        }
    }

    // What the user says.

    /// The user opens its session before anything is due.
    pub fn logs_on(&self, began_ns: u64) {
        self.doing.set(Doing::LoggingOn);
        self.begins_step(began_ns);
    }

    /// The user plays what comes before or after a scenario.
    pub fn plays_around(&self, began_ns: u64) {
        self.doing.set(Doing::Around(began_ns));
        self.begins_step(began_ns);
    }

    /// What came after a scenario has ended.
    pub fn has_played_around(&self) {
        self.doing.set(Doing::Waiting);
    }

    /// The user has opened its session, or failed to.
    pub fn has_logged_on(&self, failed: bool) {
        self.doing.set(Doing::Waiting);
        self.is_failing.set(self.is_failing.get() || failed);
    }

    /// The user plays a scenario.
    pub fn plays(&self, playing: Playing, began_ns: u64) {
        self.doing.set(Doing::Playing(playing));
        self.begins_step(began_ns);
    }

    /// A step begins. How long the user was idle before it does not extend its limit.
    pub fn begins_step(&self, began_ns: u64) {
        let idle_ns = self.idle_ns(began_ns);
        self.step_began_ns.set(began_ns.saturating_sub(idle_ns));
    }

    /// The scenario has ended.
    pub fn has_played(&self, ended_ns: u64, failed: bool) {
        self.doing.set(Doing::Waiting);
        if !failed {
            self.completed_ns.set(Some(ended_ns));
        }
        self.is_failing.set(failed);
    }

    /// A new scenario begins: resets the bytes moved and the idle time.
    pub fn begins_scenario(&self) {
        self.bytes.set(0);
        self.idle.take();
    }

    /// The scenario under way moves this many bytes more.
    pub fn expects_bytes(&self, bytes: u64) {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
    }

    /// The user only waits for news, until [`Self::resumes`].
    pub fn rests(&self, now_ns: impl FnOnce() -> u64) {
        self.idle.set(self.idle.get().begun(now_ns));
    }

    /// The user wants something again. The clock is read only if the user rested.
    pub fn resumes(&self, now_ns: impl FnOnce() -> u64) {
        self.idle.set(self.idle.get().ended(now_ns));
    }

    /// The user thinks within a scenario, or goes on.
    pub fn set_pausing(&self, is_pausing: bool) {
        self.is_pausing.set(is_pausing);
    }

    /// A pause of this length has begun.
    pub fn pauses(&self, began_ns: u64, pause_ns: u64) {
        self.pause_ns.set(Some((began_ns, pause_ns)));
    }

    /// The pause is over, if there was one: when it began, and how long it was.
    #[must_use]
    pub fn ends_pause(&self) -> Option<(u64, u64)> {
        self.pause_ns.take()
    }

    // What the worker asks for.

    /// Asks the user to leave: at once if it waits, after the scenario if it plays one, with few of
    /// the pauses that are left in it.
    pub fn ask_to_leave(&self) {
        self.is_leaving.set(true);
        if self.is_waiting() || self.is_pausing.get() {
            self.alarm_ns.set(u64::MAX);
            self.wake();
        }
    }

    /// Ends the step under way if it has taken longer than this, idle time excluded.
    pub fn expire_after(&self, limit_ns: u64, now_ns: u64) {
        if self.is_waiting() {
            return;
        }
        let began_ns = self.step_began_ns.get() + self.idle.get().until(now_ns);
        if now_ns.saturating_sub(began_ns) > limit_ns {
            self.has_expired.set(true);
            self.wake();
        }
    }

    /// Whether the step under way has just been ended; asked at each poll of it.
    #[must_use]
    pub fn take_expiry(&self) -> bool {
        self.has_expired.replace(false)
    }

    /// Whether the user was asked to leave.
    #[must_use]
    pub const fn is_leaving(&self) -> bool {
        self.is_leaving.get()
    }

    // What both look at.

    /// Whether the user thinks, or waits for the next scenario to fall due.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.doing.get() == Doing::Waiting
    }

    /// The scenario under way.
    #[must_use]
    pub const fn playing(&self) -> Option<Playing> {
        match self.doing.get() {
            Doing::Playing(playing) => Some(playing),
            Doing::Waiting | Doing::LoggingOn | Doing::Around(_) => None,
        }
    }

    /// Whether the user opens its session before anything is due.
    #[must_use]
    pub fn is_logging_on(&self) -> bool {
        self.doing.get() == Doing::LoggingOn
    }

    /// Whether the user does more than wait, or stays after a scenario that failed.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.is_waiting() || (self.is_failing.get() && !self.is_leaving())
    }

    /// How many reports of the worker there were when the user last completed a scenario, if ever.
    #[must_use]
    pub const fn completed_in(&self) -> Option<u64> {
        self.completed_in.get()
    }

    /// Sets that.
    pub fn set_completed_in(&self, reports: Option<u64>) {
        self.completed_in.set(reports);
    }

    /// The user's index among the busy ones.
    #[must_use]
    pub fn place(&self) -> Option<usize> {
        self.place.get().map(|place| place as usize)
    }

    /// Sets that.
    pub fn set_place(&self, place: Option<usize>) {
        self.place.set(place.map(|place| place as u32));
    }

    /// Bytes that the scenario under way, or the last one, is known to move.
    #[must_use]
    pub const fn expected_bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// How long the user has been idle since the last scenario began.
    #[must_use]
    pub fn idle_ns(&self, now_ns: u64) -> u64 {
        self.idle.get().until(now_ns)
    }

    /// How long the user has been idle in the scenario under way, or has played setup or teardown.
    #[must_use]
    pub fn idled_ns(&self, now_ns: u64) -> u64 {
        match self.doing.get() {
            Doing::Playing(_) => self.idle_ns(now_ns),
            Doing::Around(began_ns) => now_ns.saturating_sub(began_ns),
            Doing::Waiting | Doing::LoggingOn => 0,
        }
    }

    /// Since when the user has completed nothing, if something failed since or it waits over a
    /// limit: its scenario's for the bytes it moves or, while it logs on, the longest of all.
    pub fn unserved_since_ns(
        &self,
        at_ns: u64,
        limit_ns: impl Fn(u32, u64) -> u64,
        longest_ns: u64,
    ) -> Option<u64> {
        let waits_too_long = match self.doing.get() {
            Doing::Waiting => false,
            Doing::LoggingOn | Doing::Around(_) => {
                at_ns.saturating_sub(self.step_began_ns.get() + self.idle_ns(at_ns)) > longest_ns
            }
            Doing::Playing(Playing {
                scenario, due_ns, ..
            }) => {
                let age_ns = at_ns.saturating_sub(due_ns + self.idle_ns(at_ns));
                age_ns > limit_ns(scenario, self.bytes.get())
            }
        };
        let since_ns = self.completed_ns.get().unwrap_or(self.joined_ns);
        (waits_too_long || self.is_failing.get()).then_some(since_ns)
    }

    // How it waits.

    /// Sets the timer that the user waits for.
    pub fn set_alarm(&self, due_ns: u64) {
        self.alarm_ns.set(due_ns);
    }

    /// Whether this timer is still the one that the user waits for.
    #[must_use]
    pub fn awaits_alarm(&self, due_ns: u64) -> bool {
        self.alarm_ns.get() == due_ns
    }

    /// The timer is due: the user goes on.
    pub fn ring_alarm(&self) {
        self.alarm_ns.set(u64::MAX);
        self.wake();
    }

    /// Stores the waker, without cloning one that is already stored.
    pub fn remember(&self, waker: &Waker) {
        let mut slot = self.waker.borrow_mut();
        match slot.as_ref() {
            Some(known) if known.will_wake(waker) => {}
            _ => *slot = Some(waker.clone()),
        }
    }

    /// Wakes the user, if it ever waited.
    fn wake(&self) {
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }
}

impl Default for Seat {
    /// The seat of a user outside a run.
    fn default() -> Self {
        Self::new(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_news_counts_only_while_the_scenario_is_under_way() {
        let seat = Seat::default();
        seat.rests(|| 700);
        seat.resumes(|| 1_000);
        seat.resumes(|| unreachable!("nobody rested"));
        seat.rests(|| 1_000);
        seat.rests(|| unreachable!("since 1,000"));
        assert_eq!(seat.idled_ns(1_500), 0, "it is the scenario before");
        let playing = Playing {
            scenario: 0,
            due_ns: 0,
            late: false,
        };
        seat.plays(playing, 0);
        assert_eq!(seat.idled_ns(1_500), 800);
    }

    #[test]
    fn the_limit_of_a_step_excludes_the_time_its_user_rested() {
        let seat = Seat::default();
        seat.expire_after(10, 1_000);
        assert!(!seat.take_expiry(), "nobody plays");
        seat.logs_on(100);
        seat.expire_after(10, 110);
        assert!(!seat.take_expiry());
        seat.expire_after(10, 111);
        assert!(seat.take_expiry() && !seat.take_expiry());
        seat.rests(|| 105);
        seat.expire_after(10, 1_000);
        assert!(!seat.take_expiry(), "it has worked for 5 ns");
    }

    #[test]
    fn users_who_fail_or_wait_too_long_are_unserved_since_their_last_success() {
        let seat = Seat::new(5);
        let unserved = |at_ns| seat.unserved_since_ns(at_ns, |_, bytes| 10 + bytes, 50);
        assert_eq!(unserved(1_000), None);
        seat.logs_on(100);
        assert_eq!((unserved(150), unserved(151)), (None, Some(5)));
        seat.has_logged_on(true);
        assert_eq!(unserved(151), Some(5), "it failed");
        seat.has_played(200, false);
        assert_eq!(unserved(900), None);
        let playing = Playing {
            scenario: 0,
            due_ns: 300,
            late: false,
        };
        seat.plays(playing, 300);
        seat.expects_bytes(7);
        assert_eq!((unserved(317), unserved(318)), (None, Some(200)));
    }
}
