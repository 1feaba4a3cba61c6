//! The load engine plays users against a real smbd: on two workers without faults, and while the
//! server is stopped.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::time::Duration;

use crate::common::{Samba, smb};
use headcount_load::clock::Origin;
use headcount_load::recorder::Recorder;
use headcount_load::{Plan, Run, Snapshot};
use headcount_smb::{SigningPolicy, SmbOptions};
use rustix::process::Signal;
use serde_json::json;

const USERS: u32 = 12;

/// Scenarios to complete before half time, which comes later on a busy machine.
const ENOUGH: u64 = 10;

/// Plays for `seconds`, and does something at half time. Returns the counts.
fn run(samba: &Samba, step_timeout_ms: u64, seconds: u64, half_time: impl FnOnce()) -> Recorder {
    let plan = json!({
        "seed": 3, "workers": 2, "step_timeout_ms": step_timeout_ms, "report_every_ms": 100,
        "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": 0.01}},
        "scenarios": [{
            "name": "mixed", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0,
            "steps": [
                {"name": "probe", "op": "probe", "path": {"file": "missing"}},
                {"name": "create", "op": "open", "path": {"file": "new"}, "access": "all",
                 "how": "replace-or-create"},
                {"name": "write", "op": "write"},
                {"name": "read", "op": "read", "from": "start"},
                {"name": "delete", "op": "delete"},
                {"name": "close", "op": "close"},
                {"name": "logoff", "op": "logoff"},
                {"name": "logon", "op": "logon"},
            ],
        }],
    });
    let signing = SigningPolicy::Required;
    let smb = smb(SmbOptions {
        signing,
        ..samba.options()
    });
    let mut run = Run::start(Plan::from_json(&plan.to_string()).unwrap(), smb).unwrap();
    run.set_users(USERS, Duration::from_millis(100));
    let origin = Origin::now();
    let (mut last, mut half_time) = (None::<Snapshot>, Some(half_time));
    let mut stops_ms = None;
    while !run.has_ended() {
        let elapsed_ms = origin.elapsed_ns() / 1_000_000;
        assert!(elapsed_ms < 60_000, "the run does not end");
        last = run.next(Duration::from_millis(100)).unwrap().or(last);
        let completed = last
            .as_ref()
            .map_or(0, |last| last.recorder.scenarios[0].completed);
        if elapsed_ms > seconds * 500
            && completed > ENOUGH
            && let Some(action) = half_time.take()
        {
            action();
            stops_ms = Some(elapsed_ms + seconds * 500);
        }
        if stops_ms.is_some_and(|at_ms| elapsed_ms > at_ms) {
            stops_ms = None;
            run.stop(Duration::from_secs(5));
        }
    }
    last.unwrap().recorder
}

fn give_homes(samba: &Samba) {
    for user in 0..USERS {
        samba.give_home(&format!("user{user:05}"));
    }
}

#[test]
fn every_user_of_a_run_is_served() {
    let samba = Samba::start("auto");
    give_homes(&samba);
    let counted = run(&samba, 10_000, 2, || {});
    assert!(counted.faults.is_empty(), "{:?}", counted.faults);
    let tally = &counted.scenarios[0];
    assert!(tally.completed > ENOUGH, "{}", tally.completed);
    assert_eq!(counted.sessions_opened, u64::from(USERS));
    assert_eq!(tally.read_bytes, tally.written_bytes);
}

#[test]
fn steps_on_a_frozen_server_end_at_the_time_limit() {
    let samba = Samba::start("auto");
    give_homes(&samba);
    // Long enough for a logon on a busy machine, short compared with the wait at the end of the
    // run.
    let counted = run(&samba, 2_000, 3, || samba.signal(Signal::STOP));
    assert!(counted.scenarios[0].completed > ENOUGH);
    let shown = format!("{:?}", counted.faults);
    assert!(shown.contains("no answer within the time limit"), "{shown}");
}
