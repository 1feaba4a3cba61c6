//! The engine on virtual time: what users do, when, and what is counted.

use crate::common::{SECOND, nothing, plan, scenario, steady, step};
use headcount_load::distribution::Distribution;
use headcount_load::pace::{Draw, Pace};
use headcount_load::recorder::At;
use headcount_load::rehearsal::rehearse;
use headcount_load::worker::Command;
use headcount_load::{Fault, Moved, Protocol, Session, User};
use headcount_null::{Null, NullStep};
use serde_json::json;

const THINK_4S: Pace = Pace::Closed {
    think: Draw::Exponential { mean_s: 4.0 },
};

#[test]
fn a_virtual_hour_of_a_thousand_users_obeys_littles_law() {
    let service = json!({"op": "serve", "service": {"draw": "exponential", "mean_s": 1.0}});
    let plan = plan(
        THINK_4S,
        vec![scenario("work", 1.0, vec![step("work", service)])],
    );
    let snapshots = rehearse(plan, Null::default(), &steady(1000, 3600)).unwrap();
    let end = &snapshots[58];
    let hour = end.since(&snapshots[4]); // after five minutes, the common start no longer shows
    let tally = &hour.counted.scenarios[0];
    let seconds = (hour.to_ns - hour.from_ns) as f64 / 1e9;
    let rate = tally.completed as f64 / seconds;
    let response_s = tally.response_ns as f64 / 1e9 / tally.completed as f64;
    let think_s = hour.counted.think_ns as f64 / 1e9 / tally.completed as f64;
    assert_eq!(end.users, 1000);
    assert!((response_s - 1.0).abs() < 0.01 && (think_s - 4.0).abs() < 0.03);
    let users = rate * (response_s + think_s);
    assert!((users - 1000.0).abs() < 5.0, "{users}");
    // A thousand users, a fifth of them being served at any moment.
    let pending = end.pending[0].len() as f64;
    assert!((pending - 200.0).abs() < 60.0, "{pending}");
}

#[test]
fn users_who_only_wait_for_news_are_neither_slow_nor_stuck() {
    let served = json!({"op": "serve", "service": {"draw": "fixed", "s": 0.5}});
    let rest = json!({"op": "rest", "lasting": {"draw": "fixed", "s": 300.0}});
    let steps = vec![
        step("ask", served.clone()),
        step("rest", rest),
        step("ask", served),
    ];
    let plan = plan(THINK_4S, vec![scenario("watch", 1.0, steps)]);
    // Each lasts five minutes; the limit of a scenario is 1 s, that of a step a minute.
    let snapshots = rehearse(plan, Null::default(), &steady(500, 3600)).unwrap();
    let end = &snapshots[58];
    let hour = end.since(&snapshots[4]);
    let tally = &hour.counted.scenarios[0];
    assert!(tally.completed > 5000, "{}", tally.completed);
    assert_eq!((tally.failed, tally.slow), (0, 0));
    assert_eq!(tally.response_ns / tally.completed / 1_000_000, 1000);
    assert_eq!(end.overdue, [0]);
    let rested = &hour.counted.steps[1];
    assert_eq!(rested.service_ns, 0);
    // Little's law holds, since waiting for news counts as thinking; at the edges of the window
    // each user's scenario of 305 s may fall in or out.
    let seconds = (hour.to_ns - hour.from_ns) as f64 / 1e9;
    let all_s = (tally.response_ns + hour.counted.think_ns) as f64 / 1e9;
    assert!(
        (all_s / seconds - 500.0).abs() < 500.0 * 305.0 / seconds,
        "{}",
        all_s / seconds
    );
}

#[test]
fn open_schedules_offer_their_rate_whatever_the_server_does() {
    let pace = Pace::Open {
        every: Draw::Fixed { s: 2.0 },
    };
    // Each takes 3 s: the user falls behind by 1 s with each scenario.
    let service = json!({"op": "serve", "service": {"draw": "fixed", "s": 3.0}});
    let plan = plan(
        pace,
        vec![scenario("work", 1.0, vec![step("work", service)])],
    );
    let snapshots = rehearse(plan, Null::default(), &steady(50, 600)).unwrap();
    let at = &snapshots[8]; // 540 s
    let tally = &at.recorder.scenarios[0];
    let due = tally.started + at.backlog.len();
    assert!((13_450..=13_550).contains(&due), "{due}"); // 50 users, one every 2 s
    assert!(
        (8_900..=9_050).contains(&tally.started),
        "{}",
        tally.started
    );
    // The k-th response is 3 s + (k - 1) * 1 s late: after 540 s the last took about 180 s.
    let longest_s = Distribution::of(&tally.response).max_us() as f64 / 1e6;
    assert!((175.0..=185.0).contains(&longest_s), "{longest_s}");
    assert_eq!(Distribution::of(&tally.service).max_us() / 1000, 3_000); // what a closed-loop tool would have seen
}

#[test]
fn users_join_and_leave_evenly_while_the_run_goes_on() {
    let mut plan = plan(THINK_4S, nothing());
    plan.workers = 3;
    plan.report_every_ms = 1000;
    let users = |target, seconds| Command::Users {
        target,
        over_ns: seconds * SECOND,
    };
    let script = [
        (0, users(100, 10)),
        (20 * SECOND, users(40, 10)),
        (40 * SECOND, Command::Stop { drain_ns: SECOND }),
    ];
    let snapshots = rehearse(plan, Null::default(), &script).unwrap();
    let present: Vec<u32> = snapshots.iter().map(|snapshot| snapshot.users).collect();
    assert!((48..=52).contains(&present[4]), "{present:?}"); // 5 s into the ramp
    assert_eq!(present[14], 100);
    assert!((68..=72).contains(&present[24]), "{present:?}");
    assert_eq!(present[34], 40);
    assert_eq!(*present.last().unwrap(), 0);
}

/// A server that never answers a goodbye.
struct Unmannerly;

impl Protocol for Unmannerly {
    type Step = NullStep;
    type Session = Self;

    async fn open(&self, _: &mut User) -> Result<Self, Fault> {
        Ok(Self)
    }
}

impl Session for Unmannerly {
    type Step = NullStep;

    async fn play(&mut self, _: &NullStep, _: &mut User) -> Result<Moved, Fault> {
        Ok(Moved::default())
    }

    async fn close(self, _: &mut User) {
        std::future::pending::<()>().await;
    }
}

#[test]
fn users_leave_a_server_that_never_answers_their_goodbye() {
    let mut plan = plan(THINK_4S, nothing());
    (plan.step_timeout_ms, plan.report_every_ms) = (5_000, 1000);
    let users = |target| Command::Users { target, over_ns: 0 };
    let script = [
        (0, users(10)),
        (60 * SECOND, users(0)),
        (90 * SECOND, Command::Stop { drain_ns: SECOND }),
    ];
    let snapshots = rehearse(plan, Unmannerly, &script).unwrap();
    let present: Vec<u32> = snapshots.iter().map(|snapshot| snapshot.users).collect();
    assert_eq!((present[62], present[70]), (10, 0), "{present:?}");
}

#[test]
fn the_same_seed_gives_the_same_work_whatever_the_number_of_workers() {
    let run = |workers: u16, seed: u64| {
        let service = |mean_s: f64| json!({"op": "serve", "service": {"draw": "exponential", "mean_s": mean_s}});
        let scenarios = vec![
            scenario("a", 3.0, vec![step("a", service(0.1))]),
            scenario(
                "b",
                1.0,
                vec![step("b1", service(0.2)), step("b2", service(0.3))],
            ),
        ];
        let mut plan = plan(THINK_4S, scenarios);
        (plan.workers, plan.seed) = (workers, seed);
        let last = rehearse(plan, Null::default(), &steady(97, 300))
            .unwrap()
            .pop()
            .unwrap();
        let sums: Vec<_> = last
            .recorder
            .scenarios
            .iter()
            .map(|t| (t.completed, t.response_ns))
            .collect();
        sums
    };
    assert_eq!(run(1, 7), run(1, 7));
    assert_eq!(run(1, 7), run(2, 7));
    assert_eq!(run(1, 7), run(5, 7));
    assert_ne!(run(1, 7), run(1, 8));
    let counts = run(1, 7);
    let share = counts[0].0 as f64 / (counts[0].0 + counts[1].0) as f64;
    assert!((share - 0.75).abs() < 0.02, "{share}");
}

#[test]
fn a_step_over_its_time_limit_is_a_timeout_and_ends_the_session() {
    let service = json!({"op": "serve", "service": {"draw": "fixed", "s": 1000.0}});
    let mut plan = plan(
        THINK_4S,
        vec![scenario("work", 1.0, vec![step("work", service)])],
    );
    plan.step_timeout_ms = 5_000;
    let last = rehearse(plan, Null::default(), &steady(10, 300))
        .unwrap()
        .pop()
        .unwrap();
    let tally = &last.recorder.scenarios[0];
    assert_eq!(tally.completed, 0);
    assert!(tally.failed > 250, "{}", tally.failed); // 10 users, one failure every 9 s or so
    assert_eq!(tally.overloaded, tally.failed);
    assert!(last.recorder.sessions_opened >= tally.failed);
    let mean_s = tally.response_ns as f64 / 1e9 / tally.failed as f64;
    assert!((5.0..5.6).contains(&mean_s), "{mean_s}");
    let (key, faults) = last.recorder.faults.first_key_value().unwrap();
    assert_eq!(
        (key.0, key.1.name(), faults.count),
        (At::Step(0), "timeout", tally.failed)
    );
}

#[test]
fn rest_before_a_step_does_not_extend_its_time_limit() {
    let rest = json!({"op": "rest", "lasting": {"draw": "fixed", "s": 300.0}});
    let stuck = json!({"op": "serve", "service": {"draw": "fixed", "s": 1000.0}});
    let steps = vec![step("rest", rest), step("stuck", stuck)];
    let mut plan = plan(THINK_4S, vec![scenario("work", 1.0, steps)]);
    plan.step_timeout_ms = 5_000;
    let last = rehearse(plan, Null::default(), &steady(10, 3600))
        .unwrap()
        .pop()
        .unwrap();
    let tally = &last.recorder.scenarios[0];
    assert_eq!(tally.completed, 0);
    let mean_s = tally.response_ns as f64 / 1e9 / tally.failed as f64;
    assert!((5.0..5.6).contains(&mean_s), "{mean_s}");
}

#[test]
fn stuck_users_do_not_count_as_active() {
    const THINK_S: u64 = 4;
    let pace = Pace::Closed {
        think: Draw::Fixed { s: THINK_S as f64 },
    };
    for workers in [1, 3] {
        let forever = json!({"op": "serve", "service": {"draw": "fixed", "s": 80_000.0}});
        let scenarios = vec![
            scenario(
                "nothing",
                0.995,
                vec![step("nothing", json!({"op": "nothing"}))],
            ),
            scenario("stuck", 0.005, vec![step("stuck", forever)]),
        ];
        let mut plan = plan(pace, scenarios);
        (plan.workers, plan.step_timeout_ms) = (workers, 3_600_000);
        let snapshots = rehearse(plan, Null::default(), &steady(200, 900)).unwrap();
        let mut seen = Vec::new();
        for (start, end) in [(2, 3), (3, 4), (2, 5), (4, 9), (9, 13)] {
            let (start, end) = (&snapshots[start], &snapshots[end]);
            let window_ns = end.at_ns - start.at_ns;
            let window = end.since(start);
            let active: u32 = window
                .completed
                .range(start.at_ns..)
                .map(|found| found.1)
                .sum();
            // The age of a stuck scenario says how long its user has been silent: it began a think
            // time after the user last completed anything.
            let least_us = (window_ns - THINK_S * SECOND) / 1000;
            let stuck = window.pending[1].buckets().into_iter();
            let silent: u64 = stuck
                .filter(|(age_us, _)| *age_us >= least_us)
                .map(|(_, users)| users)
                .sum();
            assert_eq!(u64::from(active), 200 - silent, "{workers} workers");
            seen.push(active);
        }
        // More and more users are stuck, in the end nearly all.
        assert!(seen[0] > 140 && seen[4] < 100, "{seen:?}");
    }
}

#[test]
fn users_who_never_complete_anything_are_not_counted() {
    let fail = json!({"op": "fail", "ends_session": true});
    let plan = plan(
        THINK_4S,
        vec![scenario("bad", 1.0, vec![step("bad", fail)])],
    );
    let snapshots = rehearse(plan, Null::default(), &steady(10, 120)).unwrap();
    assert_eq!(snapshots[1].users, 10);
    assert!(snapshots[1].completed.is_empty());
    // All ten have failed by then, and have had no answer since they joined.
    assert_eq!(snapshots[0].unserved_ns.len(), 10);
}

#[test]
fn users_are_unserved_only_until_they_are_answered() {
    // A service of 20 s with a limit of a second: over it most of the time, then answered.
    let slow = json!({"op": "serve", "service": {"draw": "fixed", "s": 20.0}});
    let mut plan = plan(
        THINK_4S,
        vec![scenario("slow", 1.0, vec![step("slow", slow)])],
    );
    plan.step_timeout_ms = 3_600_000;
    let snapshots = rehearse(plan, Null::default(), &steady(10, 900)).unwrap();
    for snapshot in &snapshots[2..10] {
        let answered: u32 = snapshot.completed.values().sum();
        let unserved = &snapshot.unserved_ns;
        assert!(
            answered as usize + unserved.len() >= 10,
            "nobody is left out"
        );
        for since_ns in unserved {
            let interval = snapshot.completed.range(..since_ns).next_back();
            let (began_ns, _) = interval.expect("it was answered once");
            assert!(since_ns - began_ns < 61 * SECOND, "since its last answer");
        }
    }
    let quick = json!({"op": "nothing"});
    let plan = self::plan(
        THINK_4S,
        vec![scenario("quick", 1.0, vec![step("quick", quick)])],
    );
    let snapshots = rehearse(plan, Null::default(), &steady(10, 120)).unwrap();
    assert!(snapshots[..2].iter().all(|one| one.unserved_ns.is_empty()));
}

#[test]
fn failures_are_never_fast_successes() {
    let fail = json!({"op": "fail", "ends_session": false});
    let steps = vec![step("ok", json!({"op": "nothing"})), step("bad", fail)];
    let plan = plan(THINK_4S, vec![scenario("work", 1.0, steps)]);
    let last = rehearse(plan, Null::default(), &steady(10, 120))
        .unwrap()
        .pop()
        .unwrap();
    let tally = &last.recorder.scenarios[0];
    assert!(tally.failed > 200);
    assert_eq!((tally.completed, tally.response.len()), (0, 0));
    assert_eq!(last.recorder.sessions_opened, 10); // a refused step leaves the session usable
    assert_eq!(last.recorder.steps[1].failed, tally.failed);
}
