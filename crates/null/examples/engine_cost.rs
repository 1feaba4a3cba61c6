//! What the engine itself costs: CPU for a null step, memory for a user, lateness of its timers.
//!
//! `cargo run --release -p headcount-null --example engine_cost -- CASE` prints the figures of one
//! case as JSON, or without a case their names. One process a case: memory that a process has freed
//! but kept would make the next case look cheaper.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program for people"
)]

use std::time::Duration;

use headcount_load::distribution::Distribution;
use headcount_load::pace::{Draw, Pace};
use headcount_load::plan::{LogOn, Plan, ScenarioPlan, StepPlan};
use headcount_load::{Interval, Run, Snapshot};
use headcount_null::Null;
use serde_json::{Value, json};

/// One worker's users, at a closed pace with exponential think time.
struct Case {
    name: &'static str,
    users: u32,
    /// Scenarios that a user begins each second; infinity is no think time.
    per_s: f64,
    steps: usize,
    ramp_s: usize,
    measure_s: usize,
}

impl Case {
    /// Users without think time: a scenario's whole cost counts, and the worker never sleeps.
    const fn busy(name: &'static str, steps: usize) -> Self {
        Self {
            name,
            users: 1000,
            per_s: f64::INFINITY,
            steps,
            ramp_s: 0,
            measure_s: 4,
        }
    }

    /// Users who mostly think: what waking costs, and how punctual it is.
    const fn thinking(name: &'static str, users: u32, per_s: f64, steps: usize) -> Self {
        Self {
            name,
            users,
            per_s,
            steps,
            ramp_s: 10,
            measure_s: 15,
        }
    }
}

const CASES: [Case; 8] = [
    Case::busy("busy-1", 1),
    Case::busy("busy-14", 14),
    Case::busy("busy-1000", 1000),
    // Hardly any load: how late this machine wakes threads at the moment.
    Case::thinking("machine", 1000, 0.5, 1),
    Case::thinking("thinking-23000", 23_000, 0.233, 14),
    Case::thinking("thinking-100000", 100_000, 0.23, 1),
    // For comparisons with peers, which could not keep up with the cases above.
    Case::thinking("peer-1000", 1000, 1.0, 1),
    Case::thinking("peer-10000", 10_000, 1.0, 1),
];

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    match CASES.iter().find(|case| case.name == wanted) {
        Some(case) => println!("{}", measure(case)),
        None => println!("cases: {}", CASES.map(|case| case.name).join(", ")),
    }
}

fn measure(case: &Case) -> Value {
    let mut run = Run::start(plan(case), Null::default()).expect("a valid plan");
    // From the second report on, each replaces one before it, and only users need more memory.
    after(&mut run, 2);
    let before = resident_bytes();
    run.set_users(case.users, Duration::from_secs(case.ramp_s as u64));
    let first = after(&mut run, case.ramp_s + 2);
    let last = after(&mut run, case.measure_s);
    let bytes = resident_bytes().saturating_sub(before) as f64 / f64::from(case.users);
    figures(case, &last.since(&first), bytes)
}

fn plan(case: &Case) -> Plan {
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
        limit_per_mib_ms: 0.0,
        late_ms: 1000.0,
        pause: None,
        setup: Vec::new(),
        steps: vec![step; case.steps],
        teardown: Vec::new(),
    };
    Plan {
        seed: 1,
        workers: 1,
        pace: Pace::Closed { think },
        part: None,
        local_addresses: Vec::new(),
        lines: Vec::new(),
        step_timeout_ms: 60_000,
        report_every_ms: 1000,
        slot_ms: None,
        log_on: LogOn::FirstScenario,
        script: None,
        variables: Vec::new(),
        trace: false,
        files: headcount_load::Files::default(),
        setup: Vec::new(),
        scenarios: vec![scenario],
    }
}

/// The snapshot after this many seconds; the run reports once a second.
fn after(run: &mut Run, seconds: usize) -> Snapshot {
    let mut next = || {
        let patience = Duration::from_secs(5);
        let snapshot = run.next(patience).expect("a run without panics");
        snapshot.expect("a report a second")
    };
    (1..seconds).for_each(|_| drop(next()));
    next()
}

fn figures(case: &Case, interval: &Interval, bytes_per_user: f64) -> Value {
    let seconds = (interval.to_ns - interval.from_ns) as f64 / 1e9;
    let cpu_s = interval.worker_cpu_ns.iter().sum::<u64>() as f64 / 1e9;
    let scenarios = interval.counted.scenarios[0].completed as f64;
    let steps = interval.counted.steps[0].completed as f64;
    let lateness = Distribution::of(&interval.counted.timer_lateness);
    json!({
        "case": case.name,
        "users": interval.users,
        "scenarios_per_s": scenarios / seconds,
        "cpu_share_of_a_core": cpu_s / seconds,
        "cpu_us_per_scenario": cpu_s * 1e6 / scenarios,
        "cpu_us_per_step": cpu_s * 1e6 / steps,
        "lateness_p50_us": lateness.quantile_us(0.5),
        "lateness_p99_us": lateness.quantile_us(0.99),
        "lateness_max_us": lateness.max_us(),
        "bytes_per_user": bytes_per_user,
    })
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
