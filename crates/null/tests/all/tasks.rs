//! What sessions time inside their steps, and the number of users that they see.

use std::sync::{Arc, Mutex};

use crate::common::{SECOND, nothing, plan, scenario, steady, step};
use headcount_load::pace::{Draw, Pace};
use headcount_load::rehearsal::rehearse;
use headcount_load::tasks::TaskTally;
use headcount_load::worker::Command;
use headcount_load::{Fault, Moved, Protocol, Session, User};
use headcount_null::{Null, NullStep, NullTask};
use serde_json::json;

const THINK_1S: Pace = Pace::Closed {
    think: Draw::Fixed { s: 1.0 },
};

/// The count, sum and sum of squares of task times, each pair being a count and a time in ms.
fn sums(times_ms: &[(u64, f64)]) -> (u64, f64, f64) {
    let add = |power: i32| {
        let each = times_ms.iter().map(|(n, ms)| *n as f64 * ms.powi(power));
        each.sum::<f64>()
    };
    (times_ms.iter().map(|(n, _)| n).sum(), add(1), add(2))
}

fn figures(tally: &TaskTally) -> (u64, f64, f64) {
    let sum_ms = tally.service_ns as f64 / 1e6;
    (tally.completed, sum_ms, tally.squares_ms2)
}

fn assert_close(found: (u64, f64, f64), wanted: (u64, f64, f64)) {
    assert_eq!(found.0, wanted.0);
    assert!(
        (found.1 - wanted.1).abs() < 1e-6 * wanted.1.max(1.0),
        "{found:?}"
    );
    assert!(
        (found.2 - wanted.2).abs() < 1e-6 * wanted.2.max(1.0),
        "{found:?}"
    );
}

#[test]
fn tasks_of_all_workers_are_reported_by_interval() {
    // Each round is a look of 250 ms, one of 750 ms and a change that fails; with the pause it
    // lasts 2 s.
    let serve =
        |s: f64| json!({"op": "serve", "service": {"draw": "fixed", "s": s}, "task": "look"});
    let fail = json!({"op": "fail", "ends_session": false, "task": "change"});
    let steps = vec![
        step("short", serve(0.25)),
        step("long", serve(0.75)),
        step("fail", fail),
    ];
    let mut plan = plan(THINK_1S, vec![scenario("round", 1.0, steps)]);
    (plan.workers, plan.report_every_ms) = (3, 1000);
    let snapshots = rehearse(plan, Null::default(), &steady(30, 60)).unwrap();
    let names = <Null as Protocol>::tasks();
    assert_eq!(names, NullTask::NAMES);
    let mut rounds = 0;
    for pair in snapshots.windows(2) {
        let counted = pair[1].since(&pair[0]).counted;
        let tally = &counted.scenarios[0];
        let [short, long, _] = &counted.steps[..] else {
            panic!("three steps")
        };
        // Each interval's own sums, whatever came before it.
        assert_close(
            figures(&counted.tasks[0]),
            sums(&[(short.completed, 250.0), (long.completed, 750.0)]),
        );
        assert_eq!(
            counted.tasks[0].service.len(),
            short.completed + long.completed
        );
        assert_close(figures(&counted.tasks[1]), (0, 0.0, 0.0));
        assert_eq!(counted.tasks[1].failed, tally.failed);
        rounds += tally.failed;
    }
    assert!(rounds > 800, "{rounds}");
}

/// Notes the population that each user sees.
struct Asking(Arc<Mutex<Vec<(u64, u32)>>>);

struct AskingSession(Arc<Mutex<Vec<(u64, u32)>>>);

impl Protocol for Asking {
    type Step = NullStep;
    type Session = AskingSession;

    async fn open(&self, _user: &mut User) -> Result<AskingSession, Fault> {
        Ok(AskingSession(Arc::clone(&self.0)))
    }
}

impl Session for AskingSession {
    type Step = NullStep;

    async fn play(&mut self, _step: &NullStep, user: &mut User) -> Result<Moved, Fault> {
        let asked = (user.now_ns(), user.population());
        if let Ok(mut seen) = self.0.lock() {
            seen.push(asked);
        }
        Ok(Moved::default())
    }
}

#[test]
fn users_of_all_workers_know_the_ordered_number_of_users() {
    let mut plan = plan(THINK_1S, nothing());
    plan.workers = 3;
    let users = |target| Command::Users { target, over_ns: 0 };
    let script = [
        (0, users(10)),
        (20 * SECOND, users(25)),
        (40 * SECOND, users(4)),
        (60 * SECOND, Command::Stop { drain_ns: SECOND }),
    ];
    let asked = Arc::new(Mutex::new(Vec::new()));
    rehearse(plan, Asking(Arc::clone(&asked)), &script).unwrap();
    let asked = asked.lock().unwrap();
    assert!(asked.len() > 700);
    for (at_ns, population) in asked.iter() {
        // A user who leaves has finished a second after the order.
        let wanted: &[u32] = match at_ns / SECOND {
            0..20 => &[10],
            20 => &[10, 25],
            21..40 => &[25],
            40 => &[25, 4],
            _ => &[4],
        };
        assert!(wanted.contains(population), "{population} at {at_ns}");
    }
}
