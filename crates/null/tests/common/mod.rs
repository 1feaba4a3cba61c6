//! Plans for rehearsals.
#![allow(dead_code, missing_docs, reason = "each test file uses its part")]

use headcount_load::pace::Pace;
use headcount_load::plan::{LogOn, Plan, ScenarioPlan, StepPlan};
use headcount_load::worker::{Command, Order};
use serde_json::{Value, json};

pub const SECOND: u64 = 1_000_000_000;

pub fn step(name: &str, options: Value) -> StepPlan {
    StepPlan {
        name: name.into(),
        options,
    }
}

pub fn scenario(name: &str, weight: f64, steps: Vec<StepPlan>) -> ScenarioPlan {
    ScenarioPlan {
        name: name.into(),
        weight,
        limit_ms: 1000.0,
        limit_per_mib_ms: 0.0,
        late_ms: 1000.0,
        pause: None,
        setup: Vec::new(),
        steps,
        teardown: Vec::new(),
    }
}

pub fn plan(pace: Pace, scenarios: Vec<ScenarioPlan>) -> Plan {
    Plan {
        seed: 7,
        workers: 1,
        pace,
        part: None,
        local_addresses: Vec::new(),
        lines: Vec::new(),
        step_timeout_ms: 60_000,
        report_every_ms: 60_000,
        slot_ms: None,
        log_on: LogOn::FirstScenario,
        script: None,
        variables: Vec::new(),
        trace: false,
        files: headcount_load::Files::default(),
        setup: Vec::new(),
        scenarios,
    }
}

/// One scenario of one step that takes no time.
pub fn nothing() -> Vec<ScenarioPlan> {
    vec![scenario(
        "nothing",
        1.0,
        vec![step("nothing", json!({"op": "nothing"}))],
    )]
}

/// Orders for this many users at once, for this many seconds.
pub fn steady(users: u32, seconds: u64) -> Vec<Order> {
    let stop = Command::Stop {
        drain_ns: 10 * SECOND,
    };
    vec![
        (
            0,
            Command::Users {
                target: users,
                over_ns: 0,
            },
        ),
        (seconds * SECOND, stop),
    ]
}
