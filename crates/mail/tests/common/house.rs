//! A Dovecot with the mailboxes of a profile, and an engine that plays on it.

use std::ops::ControlFlow;
use std::time::Duration;

use headcount_load::clock::Origin;
use headcount_load::recorder::Recorder;
use headcount_load::{Plan, Run};
use headcount_mail::client::provision::{Order, Prepared, ProvisionError, prepare};
use headcount_mail::{Mail, MailOptions, task};
use serde_json::{Value, json};

use super::dovecot::{Dovecot, PASSWORD};

/// The options for users of this server with a profile.
pub fn options(dovecot: &Dovecot, run: u64, profile: &Value) -> MailOptions {
    read(&json!({
        "imap": {"address": format!("127.0.0.1:{}", dovecot.port())},
        "send": {"server": {"address": dovecot.lmtp_address().to_string()}, "language": "lmtp"},
        "user": "u{n:05}", "address": "u{n:05}@test.invalid", "password": PASSWORD,
        "run": run, "seed": 7, "lost_after_s": 0.5, "profile": profile,
    }))
}

pub fn read(options: &Value) -> MailOptions {
    serde_json::from_value(options.clone()).unwrap()
}

pub fn order(last: u32) -> Order {
    Order {
        first: 0,
        last,
        read_through: false,
    }
}

/// Prepares users 0 to `last`.
pub fn prepared(options: &MailOptions, order: &Order) -> Result<Prepared, ProvisionError> {
    let mut far = 0;
    let made = prepare(options.clone(), order, &mut |progress| {
        assert!(progress.users_done >= far && progress.users_done <= progress.users);
        far = progress.users_done;
        ControlFlow::Continue(())
    });
    if made.is_ok() {
        assert_eq!(far, order.last - order.first + 1);
    }
    made
}

/// Scenarios of one step each, with their weights.
pub fn scenarios(steps: &[(f64, Value)]) -> Value {
    let each = steps.iter().enumerate().map(|(index, (weight, step))| {
        let name = format!("{}-{index}", step["op"].as_str().unwrap());
        let mut step = step.clone();
        step["name"] = json!(name);
        json!({"name": name, "weight": weight, "limit_ms": 30_000.0, "late_ms": 30_000.0,
               "steps": [step]})
    });
    each.collect()
}

/// Plays scenarios, and does something at half time.
pub fn play_run(
    options: &MailOptions,
    scenarios: &Value,
    (users, seconds): (u32, u64),
    half_time: impl FnOnce(),
) -> Recorder {
    let plan = json!({
        "seed": 3, "workers": 2, "step_timeout_ms": 20_000, "report_every_ms": 100,
        "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": 0.05}},
        "scenarios": scenarios,
    });
    let plan = Plan::from_json(&plan.to_string()).unwrap();
    let mut run = Run::start(plan, Mail::new(options.clone()).unwrap()).unwrap();
    run.set_users(users, Duration::from_millis(100));
    let origin = Origin::now();
    let (mut last, mut half_time, mut is_stopping) = (None, Some(half_time), false);
    let mut end_ms = seconds * 1000;
    while !run.has_ended() {
        let elapsed_ms = origin.elapsed_ns() / 1_000_000;
        assert!(elapsed_ms < 60_000, "the run does not end");
        last = run.next(Duration::from_millis(100)).unwrap().or(last);
        if elapsed_ms > seconds * 500
            && let Some(action) = half_time.take()
        {
            action();
            // The users have the second half of the time afterwards, however long that took.
            end_ms = origin.elapsed_ns() / 1_000_000 + seconds * 500;
        }
        if !is_stopping && elapsed_ms > end_ms {
            is_stopping = true;
            run.stop(Duration::from_secs(10));
        }
    }
    last.unwrap().recorder
}

/// How often a task was completed, and how often it failed.
pub fn count(counted: &Recorder, task: task::Task) -> (u64, u64) {
    let tally = &counted.tasks[task as usize];
    (tally.completed, tally.failed)
}
