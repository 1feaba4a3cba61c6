//! What the engine itself costs: CPU for a null step, memory for a user, lateness of its timers.
//!
//! `cargo run --release -p headcount-null --example engine_cost` prints one JSON object a case.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program for people"
)]

use std::time::Duration;

use headcount_load::pace::{Draw, Pace};
use headcount_load::plan::{Plan, ScenarioPlan, StepPlan};
use headcount_load::{Run, Snapshot};
use headcount_null::Null;
use serde_json::json;

struct Case {
    name: &'static str,
    users: u32,
    per_s: f64,
    steps: usize,
    ramp_s: u64,
    measure_s: u64,
}

const CASES: [Case; 3] = [
    Case {
        name: "null step",
        users: 1000,
        per_s: f64::INFINITY,
        steps: 1000,
        ramp_s: 0,
        measure_s: 4,
    },
    Case {
        name: "100,000 users",
        users: 100_000,
        per_s: 0.23,
        steps: 1,
        ramp_s: 10,
        measure_s: 15,
    },
    Case {
        name: "23,000 users",
        users: 23_000,
        per_s: 0.233,
        steps: 14,
        ramp_s: 5,
        measure_s: 15,
    },
];

fn main() {
    let wanted = std::env::args().nth(1);
    for case in CASES
        .iter()
        .filter(|case| wanted.as_ref().is_none_or(|name| name == case.name))
    {
        let (before, during) = measure(case);
        let interval = during.1.since(&during.0);
        let seconds = (interval.to_ns - interval.from_ns) as f64 / 1e9;
        let cpu_s = interval.worker_cpu_ns.iter().sum::<u64>() as f64 / 1e9;
        let scenarios = interval.counted.scenarios[0].completed;
        let steps = interval.counted.steps[0].completed;
        let lateness = &interval.counted.timer_lateness;
        let bytes = (during.2 - before) as f64 / f64::from(case.users);
        println!(
            "{}",
            json!({
                "case": case.name,
                "users": interval.users,
                "scenarios_per_s": (scenarios as f64 / seconds).round(),
                "cpu_share_of_a_core": cpu_s / seconds,
                "cpu_us_per_step": cpu_s * 1e6 / steps as f64,
                "lateness_us": {
                    "p50": lateness.value_at_quantile(0.5),
                    "p99": lateness.value_at_quantile(0.99),
                    "max": lateness.max(),
                },
                "bytes_per_user": bytes.round(),
            })
        );
    }
}

/// Resident bytes before the users joined; snapshots around the measurement, resident bytes after.
fn measure(case: &Case) -> (u64, (Snapshot, Snapshot, u64)) {
    let think = Draw::Exponential {
        mean_s: 1.0 / case.per_s,
    };
    let step = StepPlan {
        name: "nothing".into(),
        options: json!({"op": "nothing"}),
    };
    let scenario = ScenarioPlan {
        name: "nothing".into(),
        weight: 1.0,
        limit_ms: 1000.0,
        late_ms: 1000.0,
        steps: vec![step; case.steps],
    };
    let plan = Plan {
        seed: 1,
        workers: 1,
        pace: Pace::Closed { think },
        step_timeout_ms: 60_000,
        report_every_ms: 1000,
        scenarios: vec![scenario],
    };
    let mut run = Run::start(plan, Null::default()).expect("a valid plan");
    let mut next = || loop {
        if let Some(snapshot) = run
            .next(Duration::from_secs(5))
            .expect("a run without panics")
        {
            return (snapshot, resident_bytes());
        }
    };
    let (_, before) = next();
    let (_, _) = next();
    run.set_users(case.users, Duration::from_secs(case.ramp_s));
    let mut snapshots = Vec::new();
    for _ in 0..=(case.ramp_s + 1 + case.measure_s) {
        let snapshot = run
            .next(Duration::from_secs(5))
            .expect("a run without panics");
        snapshots.extend(snapshot.map(|snapshot| (snapshot, resident_bytes())));
    }
    let (last, after) = snapshots.pop().expect("a snapshot a second");
    let (first, _) = snapshots.swap_remove(case.ramp_s as usize + 1);
    (before, (first, last, after))
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("a resident size");
    let kib = line
        .split_whitespace()
        .nth(1)
        .and_then(|figure| figure.parse::<u64>().ok());
    kib.expect("a number of KiB") * 1024
}
