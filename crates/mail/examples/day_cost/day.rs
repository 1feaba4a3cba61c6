//! The day of `LoadSim`'s medium user ("Using Load Simulator", Microsoft `BackOffice` Resource
//! Kit): the workload `mail-medium` as a plan for the engine.

use std::net::SocketAddr;

use serde_json::{Value, json};

/// Mean time between two scenarios of a user, in s: 41 in 8 hours.
const EVERY_S: f64 = 8.0 * 3600.0 / 41.0;

/// What users do, and how often per day.
const DAY: [(&str, f64); 6] = [
    ("process-inbox", 15.0),
    ("read-old", 12.0),
    ("send", 6.0),
    ("schedule-change", 5.0),
    ("empty-deleted", 1.0),
    ("delivery", 2.0),
];

/// The plan, with the day compressed by this factor.
pub fn plan(compress: f64) -> Value {
    let scenarios: Vec<Value> = DAY
        .iter()
        .map(|(op, weight)| {
            json!({"name": op, "weight": weight, "limit_ms": 60_000.0, "late_ms": 1000.0,
                   "steps": [{"name": op, "op": op}]})
        })
        .collect();
    json!({
        "seed": 1, "workers": 1, "step_timeout_ms": 90_000, "report_every_ms": 1000, "log_on": "join",
        "pace": {"pace": "open", "every": {"draw": "exponential", "mean_s": EVERY_S / compress}},
        "scenarios": scenarios,
    })
}

/// Users of the stand-in.
pub fn of_the_stand_in(imap: SocketAddr, smtp: SocketAddr) -> Value {
    let start = json!({"folders": 40, "messages": 5, "inbox": 4, "deleted": 1});
    json!({
        "imap": {"address": imap.to_string()},
        "send": {"server": {"address": smtp.to_string()}},
        "user": "u{n:05}", "address": "u{n:05}@stand-in.invalid", "password": "any", "run": 1,
        "profile": profile(&start),
    })
}

/// Users of a lab server, with one folder of old mail each: making 40 would take an hour.
pub fn of_a_server(imap: &str, lmtp: &str, password: &str) -> Value {
    let start = json!({"folders": 1, "messages": 1});
    json!({
        "imap": {"address": imap},
        "send": {"server": {"address": lmtp}, "language": "lmtp"},
        "user": "u{n:05}", "address": "u{n:05}@test.invalid", "password": password, "run": 1,
        "profile": profile(&start),
    })
}

fn profile(start: &Value) -> Value {
    json!({
        "handled": 0.91, "replied": 0.15, "replied_to_all": 0.05, "forwarded": 0.07, "moved": 0.2,
        "deleted": 0.4, "attachments_loaded": 0.25, "inbox_cap": 125, "recipients": {"mean": 4},
        "mix": [
            {"weight": 7, "text_bytes": 1024},
            {"weight": 2, "text_bytes": 2048},
            {"weight": 1, "text_bytes": 1024, "attached_bytes": 10_240, "attached": "word"},
        ],
        "start": start,
    })
}
