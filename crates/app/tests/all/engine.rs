//! The load engine itself plays users against the server: all kinds of work at once, on two workers.

use std::time::Duration;

use crate::common;
use crate::common::{app, folder, prepare, start};
use headcount_load::clock::Origin;
use headcount_load::{Plan, Run};
use serde_json::json;

const USERS: u32 = 40;
/// Scenarios after which every user has played several, however long that takes.
const ENOUGH: u64 = 500;

#[test]
fn every_user_of_a_run_gets_right_answers() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, USERS - 1);
    let plan = json!({
        "seed": 3, "workers": 2, "step_timeout_ms": 10_000, "report_every_ms": 100,
        "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": 0.002}},
        "scenarios": [{
            "name": "mixed", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0,
            "steps": [
                {"name": "up", "op": "client-server", "request_bytes": [1000, 100_000]},
                {"name": "compute", "op": "processor", "rounds": 4},
                {"name": "down", "op": "server-client", "reply_bytes": [1000, 300_000]},
                {"name": "read", "op": "read", "bytes": [4096, 65536]},
                {"name": "write", "op": "write", "bytes": [4096, 65536]},
            ],
        }],
    });
    let plan = Plan::from_json(&plan.to_string()).unwrap();
    let mut run = Run::start(plan, app(server.address())).unwrap();
    run.set_users(USERS, Duration::from_millis(100));
    let origin = Origin::now();
    let (mut last, mut is_stopping) = (None, false);
    while !run.has_ended() {
        assert!(origin.elapsed_ns() < 60_000_000_000, "the run does not end");
        last = run.next(Duration::from_secs(1)).unwrap().or(last);
        let completed = last
            .as_ref()
            .map_or(0, |report| report.recorder.scenarios[0].completed);
        if !is_stopping && completed > ENOUGH {
            is_stopping = true;
            run.stop(Duration::from_secs(5));
        }
    }
    let counted = last.unwrap().recorder;
    let tally = &counted.scenarios[0];
    assert!(counted.faults.is_empty(), "{:?}", counted.faults);
    assert!(tally.completed > ENOUGH, "{}", tally.completed);
    common::eventually("all users have left", || {
        server.statistics().connections.now == 0
    });
    let statistics = server.statistics();
    assert_eq!(
        statistics.connections.total,
        u64::from(USERS) + 1,
        "one session for each user"
    );
    for (kind, requests) in &statistics.requests {
        // Users may leave in the middle of a scenario, so later steps were asked for a little less.
        assert!(
            requests.count >= tally.completed && requests.failed == 0,
            "{kind}: {requests:?}"
        );
    }
}
