//! Scripts, pauses of scenarios and log-on at joining, on virtual time.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use crate::common::{SECOND, nothing, plan, scenario, steady, step};
use headcount_load::distribution::Distribution;
use headcount_load::pace::{Draw, Pace};
use headcount_load::plan::{LogOn, Plan, ScenarioPlan};
use headcount_load::rehearsal::rehearse;
use headcount_load::{Fault, FaultKind, Protocol, Turns, User};
use headcount_null::{Null, NullSession, NullStep};
use serde_json::json;

const NO_THINK: Pace = Pace::Closed {
    think: Draw::Fixed { s: 0.0 },
};

fn timed(name: &str, served_s: f64, pause: Draw) -> ScenarioPlan {
    let options = json!({"op": "serve", "service": {"draw": "fixed", "s": served_s}});
    ScenarioPlan {
        pause: Some(pause),
        ..scenario(name, 1.0, vec![step(name, options)])
    }
}

/// Two loops: read, read, rest; and read, write, rest.
fn loops() -> Plan {
    let script = Turns {
        names: vec!["read".into(), "write".into(), "rest".into()],
        order: [0, 0, 2, 0, 1, 2].into(),
        entries: [0, 3].into(),
    };
    let short = Draw::Uniform {
        low_s: 5.0,
        high_s: 10.0,
    };
    Plan {
        script: Some(script),
        report_every_ms: 60_000,
        ..plan(
            NO_THINK,
            vec![
                timed("rest", 0.5, Draw::Fixed { s: 900.0 }),
                timed("write", 2.0, Draw::Exponential { mean_s: 15.0 }),
                timed("read", 1.0, short),
            ],
        )
    }
}

#[test]
fn users_loop_through_a_script_at_the_pace_of_its_pauses() {
    let (users, hours) = (500, 10);
    let end = steady(users, hours * 3600);
    let snapshots = rehearse(loops(), Null::default(), &end).unwrap();
    let counted = &snapshots.last().unwrap().recorder.scenarios;
    let ended: Vec<f64> = counted.iter().map(|tally| tally.completed as f64).collect();
    // A round is six turns: three reads of 1 s, a write of 2 s, two rests of 0.5 s, and their mean
    // pauses.
    let round_s = 3.0 * (1.0 + 7.5) + (2.0 + 15.0) + 2.0 * (0.5 + 900.0);
    let times = f64::from(users) * hours as f64 * 3600.0 / round_s;
    for (ended, in_round) in ended.iter().zip([2.0, 1.0, 3.0]) {
        assert!(
            (ended / times / in_round - 1.0).abs() < 0.01,
            "{ended} instead of {}",
            times * in_round
        );
    }
}

#[test]
fn pauses_longer_than_a_window_count_for_the_part_within_it() {
    let snapshots = rehearse(loops(), Null::default(), &steady(40, 3600)).unwrap();
    // Users spend all of every minute either thinking or being served.
    for (from, to) in snapshots.iter().zip(&snapshots[1..]).skip(1) {
        if to.at_ns >= 3600 * SECOND {
            break;
        }
        let thought_ns = to.recorder.think_ns - from.recorder.think_ns;
        let spent = |snapshot: &headcount_load::Snapshot| -> f64 {
            let ended = snapshot.recorder.scenarios.iter().map(|t| t.response_ns);
            let waiting = snapshot.pending.iter().flat_map(|times| {
                let buckets = times.buckets().into_iter();
                buckets.map(|(age_us, users)| age_us as f64 * users as f64 * 1e3)
            });
            ended.sum::<u64>() as f64 + waiting.sum::<f64>()
        };
        let served_ns = spent(to) - spent(from);
        let whole_ns = 40.0 * (to.at_ns - from.at_ns) as f64;
        let error = (thought_ns as f64 + served_ns) / whole_ns - 1.0;
        assert!(error.abs() < 1e-3, "{error} at {} s", to.at_ns / SECOND);
    }
}

#[test]
fn users_who_join_a_script_together_are_spread_over_their_loop() {
    let snapshots = rehearse(loops(), Null::default(), &steady(1000, 4 * 919)).unwrap();
    let begun = |at: usize| -> u64 {
        let tallies = &snapshots[at].recorder.scenarios;
        tallies.iter().map(|tally| tally.started).sum()
    };
    // After half of a loop of 919 s half of the users have begun, each in the three or so turns
    // that take less than half a minute.
    let joined = snapshots[7].recorder.sessions_opened;
    assert!((430..=570).contains(&joined), "{joined} after 480 s");
    assert!(begun(7) > 2 * joined && begun(7) <= 3 * joined);
    // From then on each third of a loop has as many turns as the others: 1,000 users x 3 turns / 3.
    for third in 0..6 {
        let turns = begun(20 + 5 * (third + 1)) - begun(20 + 5 * third);
        assert!((850..=1100).contains(&turns), "{turns} in third {third}");
    }
}

#[test]
fn invalid_scripts_are_refused() {
    let open = Pace::Open {
        every: Draw::Fixed { s: 1.0 },
    };
    let refused = |plan: Plan| plan.compile::<NullStep>().unwrap_err().to_string();
    assert_eq!(
        refused(Plan {
            pace: open,
            ..loops()
        }),
        "the pause of \"rest\" is Fixed { s: 900.0 }; it must be absent with an open pace"
    );
    let mut endless = loops();
    endless.scenarios[0].pause = Some(Draw::Fixed { s: f64::INFINITY });
    assert!(refused(endless).starts_with("the pause of \"rest\" is Fixed { s: inf }"));
    let mut unknown = loops();
    unknown.scenarios.remove(0);
    assert!(refused(unknown).starts_with("a turn of the program is rest; it must be the name"));
    let two = loops().compile_for(&Scripted).unwrap_err().to_string();
    assert!(
        two.starts_with("the plan has a script, and the target has a program"),
        "{two}"
    );
}

/// The null protocol with a program.
#[derive(Debug)]
struct Scripted;

impl Protocol for Scripted {
    type Step = NullStep;
    type Session = NullSession;

    fn turns(&self) -> Option<Turns> {
        loops().script
    }

    async fn open(&self, user: &mut User) -> Result<NullSession, Fault> {
        Null::default().open(user).await
    }
}

/// The null protocol whose log-on takes a second, and fails the first time for every tenth user.
#[derive(Debug, Default)]
struct Slow(std::sync::Mutex<Vec<u32>>);

impl Slow {
    fn is_first(&self, user: u32) -> bool {
        let mut tried = self.0.lock().unwrap();
        let first = !tried.contains(&user);
        tried.push(user);
        first
    }
}

impl Protocol for Slow {
    type Step = NullStep;
    type Session = NullSession;

    async fn open(&self, user: &mut User) -> Result<NullSession, Fault> {
        user.sleep_until(user.now_ns() + SECOND).await;
        if user.id().is_multiple_of(10) && self.is_first(user.id()) {
            return Err(Fault::session(FaultKind::Login, "not yet"));
        }
        Null::default().open(user).await
    }
}

#[test]
fn users_log_on_when_they_join_and_again_if_that_failed() {
    let think = Draw::Fixed { s: 1000.0 };
    let plan = Plan {
        log_on: LogOn::Join,
        report_every_ms: 500,
        ..plan(Pace::Closed { think }, nothing())
    };
    let snapshots = rehearse(plan, Slow::default(), &steady(100, 1000)).unwrap();
    let at = |s: u64| {
        let due = snapshots.iter().find(|found| found.at_ns >= s * SECOND);
        due.unwrap().recorder.clone()
    };
    assert_eq!((snapshots[0].logging_on, snapshots[4].logging_on), (100, 0));
    let (early, last) = (at(2), at(1000));
    assert_eq!(early.sessions_opened, 90);
    assert_eq!(
        early.faults.values().map(|tally| tally.count).sum::<u64>(),
        10
    );
    let failed: u64 = last.scenarios.iter().map(|tally| tally.failed).sum();
    assert_eq!((last.sessions_opened, failed), (100, 0));
    // Only the ten whose scenario opened the session waited for it.
    let slow = Distribution::of(&last.scenarios[0].response).count_above(999_000);
    assert_eq!(slow, 10);
}

#[test]
fn users_who_leave_while_logging_on_are_gone_afterwards() {
    use headcount_load::worker::Command;
    let think = Draw::Fixed { s: 1000.0 };
    let users = |target| Command::Users { target, over_ns: 0 };
    let plan = Plan {
        log_on: LogOn::Join,
        report_every_ms: 500,
        ..plan(Pace::Closed { think }, nothing())
    };
    let orders = [
        (0, users(20)),
        (SECOND / 2, users(5)),
        (10 * SECOND, Command::Stop { drain_ns: 0 }),
    ];
    let snapshots = rehearse(plan, Slow::default(), &orders).unwrap();
    let present: Vec<u32> = snapshots.iter().map(|found| found.users).collect();
    assert_eq!((present[0], snapshots[0].logging_on), (20, 5)); // users who leave do not count
    assert_eq!(present[4], 5);
}
