//! What happened when, in slots much finer than a report.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use crate::common::{SECOND, plan, scenario, steady, step};
use headcount_load::moments::Moment;
use headcount_load::pace::{Draw, Pace};
use headcount_load::plan::Plan;
use headcount_load::recorder::Recorder;
use headcount_load::rehearsal::rehearse;
use headcount_load::{Fault, FaultKind, Moved, Protocol, Session, User};
use headcount_null::{Null, NullStep};
use serde_json::json;

/// A server that is down for a while. A user who asks meanwhile loses the session.
#[derive(Debug, Clone, Copy)]
struct Outage {
    from_ns: u64,
    to_ns: u64,
}

impl Outage {
    fn answer(self, user: &User) -> Result<Moved, Fault> {
        if (self.from_ns..self.to_ns).contains(&user.now_ns()) {
            return Err(Fault::session(FaultKind::Connect, "away"));
        }
        Ok(Moved::default())
    }
}

impl Protocol for Outage {
    type Step = NullStep;
    type Session = Self;

    async fn open(&self, user: &mut User) -> Result<Self, Fault> {
        self.answer(user).map(|_| *self)
    }
}

impl Session for Outage {
    type Step = NullStep;

    async fn play(&mut self, _: &NullStep, user: &mut User) -> Result<Moved, Fault> {
        self.answer(user)
    }
}

fn rehearse_outage(slot_ms: Option<u32>, outage: Outage) -> Recorder {
    let every = Draw::Exponential { mean_s: 1.0 };
    let nothing = vec![step("nothing", json!({"op": "nothing"}))];
    let own = Plan {
        slot_ms,
        report_every_ms: 1000,
        ..plan(Pace::Open { every }, vec![scenario("a", 1.0, nothing)])
    };
    let snapshots = rehearse(own, outage, &steady(200, 30)).unwrap();
    snapshots.last().unwrap().recorder.clone()
}

const OUTAGE: Outage = Outage {
    from_ns: 10 * SECOND,
    to_ns: 10 * SECOND + 700_000_000,
};

#[test]
fn an_outage_is_seen_to_the_slot() {
    let recorder = rehearse_outage(Some(10), OUTAGE);
    let moments: Vec<(u64, Moment)> = recorder.moments.each().collect();
    let answered = moments.iter().filter(|(_, one)| one.completed > 0);
    let answered: Vec<u64> = answered.map(|(at_ns, _)| *at_ns).collect();
    let gap = answered.windows(2).max_by_key(|pair| pair[1] - pair[0]);
    let gap = gap.unwrap();
    // 200 answers a second: those around it are a slot or a few from its ends.
    assert!(
        (9_900_000_000..=10_000_000_000).contains(&gap[0]),
        "{gap:?}"
    );
    assert!(
        (10_700_000_000..=10_800_000_000).contains(&gap[1]),
        "{gap:?}"
    );
    for (at_ns, one) in &moments {
        let away = (OUTAGE.from_ns..OUTAGE.to_ns).contains(at_ns);
        assert!(one.failed == 0 || one.completed == 0, "{at_ns}");
        assert!(away || one.failed == 0, "{at_ns}");
    }
}

#[test]
fn moments_add_up_to_what_is_counted() {
    let recorder = rehearse_outage(Some(10), OUTAGE);
    let tally = &recorder.scenarios[0];
    let sum = |count: fn(&Moment) -> u32| -> u64 {
        let each = recorder.moments.each();
        each.map(|(_, one)| u64::from(count(&one))).sum()
    };
    assert!(tally.failed > 50);
    assert_eq!(sum(|one| one.completed), tally.completed);
    assert_eq!(sum(|one| one.failed), tally.failed);
    assert_eq!(sum(|one| one.missed), tally.overloaded);
    assert_eq!(
        sum(|one| one.kept + one.missed),
        tally.completed + tally.failed
    );
    assert_eq!(sum(|one| one.opened), recorder.sessions_opened);
    assert!(recorder.sessions_opened > 200);
    assert_eq!(rehearse_outage(None, OUTAGE).moments.each().count(), 0);
}

#[test]
fn a_scenario_whose_user_rested_counts_when_it_ended() {
    let rest = json!({"op": "rest", "lasting": {"draw": "fixed", "s": 5.0}});
    let steps = vec![step("rest", rest)];
    let think = Draw::Fixed { s: 60.0 };
    let own = Plan {
        slot_ms: Some(10),
        ..plan(Pace::Closed { think }, vec![scenario("a", 1.0, steps)])
    };
    let snapshots = rehearse(own, Null::default(), &steady(1, 120)).unwrap();
    let recorder = &snapshots.last().unwrap().recorder;
    let first = |is_it: fn(&Moment) -> bool| {
        let mut each = recorder.moments.each();
        each.find(|(_, one)| is_it(one)).unwrap().0
    };
    let due_ns = first(|one| one.kept > 0);
    let ended_ns = first(|one| one.completed > 0);
    let took_ns = ended_ns - due_ns;
    assert!(
        (4_990_000_000..=5_010_000_000).contains(&took_ns),
        "{took_ns}"
    );
}
