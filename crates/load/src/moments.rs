//! What happened when, much finer than a second: for outages, of which users notice each tenth of a
//! second.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What happened within one slot of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Scenarios that ended in it without a fault.
    pub completed: u32,
    /// Of those, how many were slow or late.
    pub slow: u32,
    /// Scenarios that a fault ended in it.
    pub failed: u32,
    /// Scenarios that were due in it and completed within their limit.
    pub kept: u32,
    /// Scenarios that were due in it and failed, were slow or late.
    pub missed: u32,
    /// Sessions that were opened in it.
    pub opened: u32,
}

/// Slots of time in which something happened, counted since the last report. Off unless the plan
/// sets their length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moments {
    slot_ns: u64,
    slots: BTreeMap<u64, Moment>,
}

impl Moments {
    /// Nothing counted yet, in slots of `slot_ns`; 0 turns counting off.
    #[must_use]
    pub const fn new(slot_ns: u64) -> Self {
        Self {
            slot_ns,
            slots: BTreeMap::new(),
        }
    }

    /// Whether anything is counted.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.slot_ns > 0
    }

    /// Nothing counted yet, in slots of the same length.
    #[must_use]
    pub const fn emptied(&self) -> Self {
        Self::new(self.slot_ns)
    }

    /// Counts a scenario that was due and ended at these moments; `missed`: it failed, was slow or
    /// late.
    pub fn ended(&mut self, due_ns: u64, ended_ns: u64, completed: bool, missed: bool) {
        if !self.is_on() {
            return;
        }
        let end = self.at(ended_ns);
        if completed {
            end.completed += 1;
            end.slow += u32::from(missed);
        } else {
            end.failed += 1;
        }
        let due = self.at(due_ns);
        if missed {
            due.missed += 1;
        } else {
            due.kept += 1;
        }
    }

    /// Counts a session that was opened.
    pub fn opened(&mut self, at_ns: u64) {
        if self.is_on() {
            self.at(at_ns).opened += 1;
        }
    }

    fn at(&mut self, at_ns: u64) -> &mut Moment {
        self.slots.entry(at_ns / self.slot_ns).or_default()
    }

    /// Adds what others counted in slots of the same length.
    pub fn add(&mut self, other: &Self) {
        self.slot_ns = self.slot_ns.max(other.slot_ns);
        for (slot, theirs) in &other.slots {
            let mine = self.slots.entry(*slot).or_default();
            mine.combine(theirs, u32::saturating_add);
        }
    }

    /// Leaves what was counted after `earlier`, a former state of this.
    pub fn subtract(&mut self, earlier: &Self) {
        for (slot, theirs) in &earlier.slots {
            if let Some(mine) = self.slots.get_mut(slot) {
                mine.combine(theirs, u32::saturating_sub);
            }
        }
        self.slots.retain(|_, moment| *moment != Moment::default());
    }

    /// All moments shifted by `by_ns`, to half a slot.
    #[must_use]
    pub fn moved(self, by_ns: i64) -> Self {
        if !self.is_on() {
            return self;
        }
        let by = (by_ns as f64 / self.slot_ns as f64).round() as i64;
        let mut moved = self.emptied();
        for (slot, moment) in self.slots {
            let to = moved
                .slots
                .entry(slot.saturating_add_signed(by))
                .or_default();
            to.combine(&moment, u32::saturating_add);
        }
        moved
    }

    /// Where each slot begins, in ns of the run's clock, and what happened in it; in order.
    pub fn each(&self) -> impl Iterator<Item = (u64, Moment)> + '_ {
        let begin_ns = |slot: u64| slot * self.slot_ns;
        self.slots
            .iter()
            .map(move |(slot, one)| (begin_ns(*slot), *one))
    }
}

impl Moment {
    /// Applies `change` to every count of both; one list, so that none can be forgotten.
    fn combine(&mut self, other: &Self, change: impl Fn(u32, u32) -> u32) {
        self.completed = change(self.completed, other.completed);
        self.slow = change(self.slow, other.slow);
        self.failed = change(self.failed, other.failed);
        self.kept = change(self.kept, other.kept);
        self.missed = change(self.missed, other.missed);
        self.opened = change(self.opened, other.opened);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn counts(moments: &Moments) -> Vec<(u64, [u32; 6])> {
        let counts = |one: Moment| {
            [
                one.completed,
                one.slow,
                one.failed,
                one.kept,
                one.missed,
                one.opened,
            ]
        };
        moments
            .each()
            .map(|(at_ns, one)| (at_ns / MS, counts(one)))
            .collect()
    }

    #[test]
    fn a_scenario_counts_where_it_was_due_and_where_it_ended() {
        let mut moments = Moments::new(10 * MS);
        moments.ended(3 * MS, 9 * MS, true, false);
        moments.ended(12 * MS, 1999 * MS, true, true);
        moments.ended(19 * MS, 21 * MS, false, true);
        moments.opened(25 * MS);
        assert_eq!(
            counts(&moments),
            [
                (0, [1, 0, 0, 1, 0, 0]),
                (10, [0, 0, 0, 0, 2, 0]),
                (20, [0, 0, 1, 0, 0, 1]),
                (1990, [1, 1, 0, 0, 0, 0]),
            ]
        );
    }

    #[test]
    fn without_a_slot_length_nothing_is_counted() {
        let mut moments = Moments::default();
        moments.ended(3 * MS, 9 * MS, true, false);
        moments.opened(5 * MS);
        assert_eq!(moments.each().count(), 0);
        assert_eq!(moments.clone().moved(5), moments);
    }

    #[test]
    fn sums_and_differences_undo_each_other() {
        let mut first = Moments::new(10 * MS);
        first.ended(3 * MS, 9 * MS, true, false);
        let mut second = Moments::new(10 * MS);
        second.ended(8 * MS, 15 * MS, true, false);
        let mut sum = Moments::default();
        sum.add(&first);
        sum.add(&second);
        assert_eq!(
            counts(&sum),
            [(0, [1, 0, 0, 2, 0, 0]), (10, [1, 0, 0, 0, 0, 0])]
        );
        sum.subtract(&first);
        assert_eq!(sum, second);
    }

    #[test]
    fn another_clock_moves_whole_slots() {
        let mut moments = Moments::new(10 * MS);
        moments.opened(25 * MS);
        assert_eq!(counts(&moments.clone().moved(14_000_000))[0].0, 30);
        assert_eq!(counts(&moments.clone().moved(-16_000_000))[0].0, 0);
        assert_eq!(counts(&moments.moved(-99_000_000))[0].0, 0);
    }
}
