//! Which of a worker's users are busy, and sums over all of them: a report looks only at the busy
//! ones, however many others think.

use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::pace::Schedule;
use crate::seat::Seat;

/// One user of a worker.
#[derive(Debug, Clone)]
pub struct Member {
    /// What worker and user share.
    pub seat: Rc<Seat>,
    /// When scenarios are due; the worker looks ahead in it for the backlog.
    pub schedule: Rc<RefCell<Schedule>>,
}

/// Pauses under way.
#[derive(Debug, Clone, Copy, Default)]
struct Pauses {
    number: u64,
    /// The sum of the moments at which they began.
    began_ns: u128,
}

/// A worker's users, including those who are leaving.
#[derive(Debug, Default)]
pub struct Roster {
    /// Users who do more than wait for their next scenario, or whose last one failed.
    busy: RefCell<Vec<Member>>,
    pauses: Cell<Pauses>,
    /// How many reports the worker has made.
    reports: Cell<u64>,
    /// The number of users who stay, by how many reports there were when they last completed a
    /// scenario.
    completed: RefCell<BTreeMap<u64, u32>>,
}

impl Roster {
    /// Updates a member whose activity has changed.
    pub fn update(&self, member: &Member) {
        let seat = &member.seat;
        let mut busy = self.busy.borrow_mut();
        match (seat.is_busy(), seat.place()) {
            (true, None) => {
                seat.set_place(Some(busy.len()));
                busy.push(member.clone());
            }
            (false, Some(place)) => {
                busy.swap_remove(place);
                if let Some(moved) = busy.get(place) {
                    moved.seat.set_place(Some(place));
                }
                seat.set_place(None);
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Notes that the user has completed a scenario.
    pub fn completes(&self, seat: &Seat) {
        let now = self.reports.get();
        if seat.is_leaving() || seat.completed_in() == Some(now) {
            return;
        }
        self.forget(seat);
        *self.completed.borrow_mut().entry(now).or_default() += 1;
        seat.set_completed_in(Some(now));
    }

    /// Begins a pause of this length, except for a user who is leaving.
    pub fn pauses(&self, seat: &Seat, began_ns: u64, pause_ns: u64) {
        if pause_ns == 0 || seat.is_leaving() {
            return;
        }
        seat.pauses(began_ns, pause_ns);
        let before = self.pauses.get();
        self.pauses.set(Pauses {
            number: before.number + 1,
            began_ns: before.began_ns + u128::from(began_ns),
        });
    }

    /// Ends the user's pause, if there is one; returns how long it was, in ns.
    pub fn ends_pause(&self, seat: &Seat) -> u64 {
        self.taken_pause(seat).map_or(0, |(_, pause_ns)| pause_ns)
    }

    /// Asks the user to leave; returns how much of its pause has passed, in ns.
    pub fn leaves(&self, member: &Member, now_ns: u64) -> u64 {
        let seat = &member.seat;
        self.forget(seat);
        let pause = self.taken_pause(seat);
        seat.ask_to_leave();
        self.update(member); // its failures do not count any more
        pause.map_or(0, |(began_ns, pause_ns)| {
            pause_ns.min(now_ns.saturating_sub(began_ns))
        })
    }
    /// How long users have thought, or waited for news, in pauses and scenarios under way at
    /// `now_ns`. A pause whose timer is late counts too long until it ends.
    pub fn thought_ns(&self, now_ns: u64) -> u64 {
        let Pauses { number, began_ns } = self.pauses.get();
        let paused_ns = (u128::from(number) * u128::from(now_ns)).saturating_sub(began_ns);
        let busy = self.busy.borrow();
        let idle_ns: u64 = busy.iter().map(|one| one.seat.idled_ns(now_ns)).sum();
        paused_ns as u64 + idle_ns
    }

    /// Those who are busy, in no order.
    pub fn busy(&self) -> Ref<'_, [Member]> {
        Ref::map(self.busy.borrow(), Vec::as_slice)
    }

    /// Begins the next report. Returns (reports made until they last completed a scenario, number
    /// of users); users who have completed none, or are leaving, are left out.
    pub fn report(&self) -> Vec<(u64, u32)> {
        self.reports.set(self.reports.get() + 1);
        let completed = self.completed.borrow();
        completed
            .iter()
            .map(|(after, users)| (*after, *users))
            .collect()
    }

    /// Ends the user's pause, if it has one; returns when it began, and its planned length.
    fn taken_pause(&self, seat: &Seat) -> Option<(u64, u64)> {
        let pause = seat.ends_pause()?;
        let Pauses { number, began_ns } = self.pauses.get();
        self.pauses.set(Pauses {
            number: number - 1,
            began_ns: began_ns - u128::from(pause.0),
        });
        Some(pause)
    }

    /// Removes the user from the counts of completed scenarios.
    fn forget(&self, seat: &Seat) {
        let Some(before) = seat.completed_in() else {
            return;
        };
        seat.set_completed_in(None);
        let mut completed = self.completed.borrow_mut();
        if let Some(users) = completed.get_mut(&before) {
            *users -= 1;
            if *users == 0 {
                completed.remove(&before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::pace::{Draw, Pace};
    use crate::seat::Playing;

    use super::*;

    fn member() -> Member {
        let think = Draw::Fixed { s: 1.0 };
        let schedule = Schedule::new(Pace::Closed { think }, None, 1, 0, 0);
        Member {
            seat: Rc::new(Seat::new(0)),
            schedule: Rc::new(RefCell::new(schedule)),
        }
    }

    fn plays(roster: &Roster, member: &Member, now_ns: u64) {
        let playing = Playing {
            scenario: 0,
            due_ns: now_ns,
            late: false,
        };
        member.seat.plays(playing, now_ns);
        roster.update(member);
    }

    fn has_played(roster: &Roster, member: &Member, now_ns: u64, failed: bool) {
        member.seat.has_played(now_ns, failed);
        roster.update(member);
        if !failed {
            roster.completes(&member.seat);
        }
    }

    /// What one user does, as the test tracks it beside the roster.
    #[derive(Debug, Clone, Default)]
    struct Known {
        plays: bool,
        failing: bool,
        leaves: bool,
        paused: Option<u64>,
        completed: Option<u64>,
    }

    proptest! {
        #[test]
        fn the_roster_agrees_with_a_look_at_each_user(
            acts in proptest::collection::vec((0usize..5, 0u8..6), 1..120),
        ) {
            const PAUSE_NS: u64 = 1_000_000;
            let roster = Roster::default();
            let members: Vec<Member> = (0..5).map(|_| member()).collect();
            let mut known = vec![Known::default(); 5];
            let mut reports = 0;
            for (now_ns, (who, act)) in acts.into_iter().enumerate() {
                let (now_ns, member, user) = (now_ns as u64, &members[who], &mut known[who]);
                match act {
                    0 if !user.plays => {
                        let pause_ns = roster.ends_pause(&member.seat);
                        prop_assert_eq!(pause_ns, user.paused.take().map_or(0, |_| PAUSE_NS));
                        plays(&roster, member, now_ns);
                        user.plays = true;
                    }
                    1 | 2 if user.plays => {
                        let failed = act == 2;
                        has_played(&roster, member, now_ns, failed);
                        roster.pauses(&member.seat, now_ns, PAUSE_NS);
                        (user.plays, user.failing) = (false, failed);
                        user.paused = (!user.leaves).then_some(now_ns);
                        if !failed && !user.leaves {
                            user.completed = Some(reports);
                        }
                    }
                    3 if !user.leaves => {
                        let paused_ns = roster.leaves(member, now_ns);
                        let expected_ns = user.paused.take().map_or(0, |from_ns| now_ns - from_ns);
                        prop_assert_eq!(paused_ns, expected_ns);
                        (user.leaves, user.completed) = (true, None);
                    }
                    4 => {
                        let mut expected = BTreeMap::new();
                        for after in known.iter().filter_map(|user| user.completed) {
                            *expected.entry(after).or_default() += 1;
                        }
                        prop_assert_eq!(roster.report(), expected.into_iter().collect::<Vec<_>>());
                        reports += 1;
                    }
                    _ => {}
                }
                let is_busy = |user: &Known| user.plays || (user.failing && !user.leaves);
                for (member, user) in members.iter().zip(&known) {
                    let found = roster.busy().iter().filter(|one| Rc::ptr_eq(&one.seat, &member.seat)).count();
                    prop_assert_eq!(found, usize::from(is_busy(user)));
                }
                let thought_ns: u64 = known.iter().filter_map(|user| user.paused).map(|from_ns| now_ns - from_ns).sum();
                prop_assert_eq!(roster.thought_ns(now_ns), thought_ns);
            }
        }
    }

    #[test]
    fn no_pause_counts_for_users_without_one() {
        let (roster, member) = (Roster::default(), member());
        roster.pauses(&member.seat, 5, 0);
        assert_eq!(roster.thought_ns(1_000), 0);
        assert_eq!(roster.ends_pause(&member.seat), 0);
    }

    #[test]
    fn rest_counts_as_thinking_while_a_scenario_is_under_way() {
        let (roster, member) = (Roster::default(), member());
        plays(&roster, &member, 100);
        member.seat.rests(|| 150);
        assert_eq!(roster.thought_ns(400), 250);
        has_played(&roster, &member, 400, false);
        assert_eq!(roster.thought_ns(500), 0, "the scenario has counted it");
    }
}
