//! The load engine plays users against a real nginx: on two workers, without errors; and while the
//! server stands still.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::time::Duration;

use crate::common::{Nginx, Way, http};
use headcount_http::{Http, HttpOptions};
use headcount_load::clock::Origin;
use headcount_load::recorder::Recorder;
use headcount_load::{Plan, Protocol, Run};
use rustix::process::Signal;
use serde_json::{Value, json};

const USERS: u32 = 12;

/// Steps after which every user has played several; how long that takes depends on the machine.
const ENOUGH: u64 = 100;

/// Plays until `watch`, which gets what was counted so far, returns true.
fn run(
    options: HttpOptions,
    steps: &Value,
    step_timeout_ms: u64,
    mut watch: impl FnMut(&Recorder) -> bool,
) -> Recorder {
    let plan = json!({
        "seed": 3, "workers": 2, "step_timeout_ms": step_timeout_ms, "report_every_ms": 100,
        "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": 0.005}},
        "scenarios": [{
            "name": "visit", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0, "steps": steps,
        }],
    });
    let plan = Plan::from_json(&plan.to_string()).unwrap();
    let mut run = Run::start(plan, http(options)).unwrap();
    run.set_users(USERS, Duration::from_millis(100));
    let origin = Origin::now();
    let (mut last, mut is_stopping) = (None, false);
    while !run.has_ended() {
        assert!(origin.elapsed_ns() < 60_000_000_000, "the run does not end");
        last = run.next(Duration::from_millis(100)).unwrap().or(last);
        if let (false, Some(report)) = (is_stopping, &last)
            && watch(&report.recorder)
        {
            is_stopping = true;
            run.stop(Duration::from_secs(20));
        }
    }
    last.unwrap().recorder
}

/// Whether every user has connected and enough steps have completed.
fn is_enough(counted: &Recorder) -> bool {
    let completed = counted.steps.iter().map(|step| step.completed).min();
    completed > Some(ENOUGH) && count(counted, "CONNECT") >= u64::from(USERS)
}

fn count(counted: &Recorder, kind: &str) -> u64 {
    let index = Http::requests()
        .iter()
        .position(|name| *name == kind)
        .unwrap();
    counted.requests[index]
}

#[test]
fn requests_of_a_run_match_the_servers_log() {
    for way in Way::ALL {
        let nginx = Nginx::start();
        let steps = json!([
            {"name": "page", "op": "get", "page": "any"},
            {"name": "head", "op": "head", "page": ["text"]},
        ]);
        let counted = run(nginx.options(way), &steps, 10_000, is_enough);
        assert!(counted.faults.is_empty(), "{way:?} {:?}", counted.faults);
        let (pages, heads) = (&counted.steps[0], &counted.steps[1]);
        assert!(pages.completed > ENOUGH, "{way:?} {}", pages.completed);
        assert_eq!(
            (pages.completed, heads.completed),
            (count(&counted, "GET"), count(&counted, "HEAD"))
        );
        assert_eq!(count(&counted, "CONNECT"), u64::from(USERS));
        let log = nginx.log_of((pages.completed + heads.completed) as usize);
        let gets = log.iter().filter(|line| line.starts_with("GET "));
        assert_eq!(gets.clone().count() as u64, pages.completed);
        // The bytes counted are those of the pages that the server logged.
        let path = |line: &String| line.split(' ').nth(1).unwrap().to_owned();
        let bytes: u64 = gets
            .map(|line| nginx.set.find(&path(line)).unwrap().bytes)
            .sum();
        assert_eq!(
            (counted.scenarios[0].read_bytes, heads.read_bytes),
            (bytes, 0)
        );
    }
}

#[test]
fn connecting_answering_and_receiving_are_timed_separately() {
    let nginx = Nginx::start();
    let options = HttpOptions {
        keep_alive: false,
        ..nginx.options(Way::Plain)
    };
    let steps = json!([
        {"name": "connect", "op": "connect"},
        {"name": "first byte", "op": "request", "page": "any"},
        {"name": "last byte", "op": "receive"},
        {"name": "disconnect", "op": "disconnect"},
    ]);
    let counted = run(options, &steps, 10_000, is_enough);
    assert!(counted.faults.is_empty(), "{:?}", counted.faults);
    let completed: Vec<_> = counted.steps.iter().map(|step| step.completed).collect();
    assert!(
        completed[0] > ENOUGH && completed.iter().all(|count| *count == completed[0]),
        "{completed:?}"
    );
    assert_eq!(counted.steps[2].read_bytes, counted.scenarios[0].read_bytes);
    assert_eq!(
        (count(&counted, "GET"), count(&counted, "CONNECT")),
        (completed[0], completed[0])
    );
    // The steps make up the whole scenario, except for setting up the user.
    let parts: u64 = counted.steps.iter().map(|step| step.service_ns).sum();
    let whole = counted.scenarios[0].service_ns;
    assert!(0 < parts && parts <= whole, "{parts} {whole}");
}

#[test]
fn steps_on_a_frozen_server_time_out() {
    let nginx = Nginx::start();
    let steps = json!([{"name": "page", "op": "get", "page": "any"}]);
    let mut is_frozen = false;
    let counted = run(nginx.options(Way::Plain), &steps, 300, |counted| {
        if !is_frozen && counted.scenarios[0].completed > 10 {
            is_frozen = true;
            nginx.signal(Signal::STOP);
        }
        !counted.faults.is_empty()
    });
    assert!(counted.scenarios[0].completed > 10);
    let shown = format!("{:?}", counted.faults);
    assert!(shown.contains("no answer within the time limit"), "{shown}");
}
