//! A protocol whose users say something, and a plan of one user played with it.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a helper of tests, of which each file uses a part"
)]

use std::sync::{Arc, Mutex};

use headcount_load::rehearsal::rehearse;
use headcount_load::worker::Command;
use headcount_load::{
    Compile, Fault, FaultKind, Moved, Plan, Protocol, RollBack, Session, Snapshot, User,
};
use headcount_script::{Names, Template};
use serde_json::{Value, json};

type Heard = Arc<Mutex<Vec<String>>>;

/// Users say something; `heard` has it with the time in ms since the first.
struct Talk {
    heard: Heard,
}

/// When the only user begins: users join with part of their think time already spent.
const BEGIN_MS: u64 = 744;

struct Speaker {
    heard: Heard,
    conflicts: u64,
    is_in_transaction: bool,
}

/// What a user says, whether it fails, and whether the session is lost with it.
#[derive(Debug)]
pub struct Say {
    text: Template,
    fails: bool,
    ends: bool,
    /// How often the commit fails before it succeeds.
    conflicts: u64,
}

impl Compile for Say {
    fn compile(_: &Value) -> Result<Self, String> {
        Err("it needs the names of the plan".into())
    }

    fn compile_with(options: &Value, names: &mut Names) -> Result<Self, String> {
        let text = options["say"].as_str().or(options["op"].as_str());
        let text = text.ok_or("say must be a text")?;
        Ok(Self {
            text: Template::parse(text, names)?,
            fails: options.get("fails").is_some(),
            ends: options.get("ends").is_some(),
            conflicts: options["conflicts"].as_u64().unwrap_or_default(),
        })
    }
}

impl Protocol for Talk {
    type Step = Say;
    type Session = Speaker;

    async fn open(&self, _: &mut User) -> Result<Speaker, Fault> {
        self.heard.lock().unwrap().push("opened".into());
        Ok(Speaker {
            heard: Arc::clone(&self.heard),
            conflicts: 0,
            is_in_transaction: false,
        })
    }
}

impl Session for Speaker {
    type Step = Say;

    async fn play(&mut self, step: &Say, user: &mut User) -> Result<Moved, Fault> {
        let text = step.text.render(user.scope());
        let text = text.map_err(|missing| Fault::step(FaultKind::Refused, missing.to_string()))?;
        let at_ms = user.now_ns() / 1_000_000 - BEGIN_MS;
        self.heard.lock().unwrap().push(format!("{text}@{at_ms}"));
        match &*text {
            "begin" => self.is_in_transaction = true,
            "commit" => self.is_in_transaction = false,
            _ => {}
        }
        if self.conflicts < step.conflicts {
            self.conflicts += 1;
            return Err(Fault::step(FaultKind::Refused, "a conflict"));
        }
        if step.ends {
            return Err(Fault::session(FaultKind::Disconnected, "as asked"));
        }
        if step.fails {
            return Err(Fault::step(FaultKind::Refused, "as asked"));
        }
        Ok(Moved::default())
    }

    fn may_retry(&self, fault: &Fault) -> bool {
        &*fault.message == "a conflict"
    }

    fn is_in_transaction(&self) -> bool {
        self.is_in_transaction
    }

    async fn roll_back(&mut self, end: RollBack) -> Result<(), Fault> {
        self.is_in_transaction = false;
        self.heard.lock().unwrap().push(format!("{end:?}@"));
        Ok(())
    }
}

/// What one user says within 2.5 s of its first word, a scenario each second, and the last report.
pub fn play(plan: &Value) -> (Vec<String>, Snapshot) {
    let mut whole = json!({
        "seed": 1, "workers": 1, "step_timeout_ms": 60_000, "report_every_ms": 1000,
        "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 1.0}},
    });
    let mut scenario = json!({
        "name": "talk", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0,
        "steps": plan["steps"],
    });
    for (key, given) in [("setup", "before"), ("teardown", "after")] {
        if let Some(steps) = plan.get(given) {
            scenario[key] = steps.clone();
        }
    }
    whole["scenarios"] = json!([scenario]);
    for key in ["variables", "setup"] {
        if let Some(value) = plan.get(key) {
            whole[key] = value.clone();
        }
    }
    let heard = Heard::default();
    let talk = Talk {
        heard: Arc::clone(&heard),
    };
    let users = |target| Command::Users { target, over_ns: 0 };
    let orders = [
        (0, users(1)),
        ((BEGIN_MS + 2_500) * 1_000_000, users(0)),
        (9_000_000_000, Command::Stop { drain_ns: 0 }),
    ];
    let plan = Plan::from_json(&whole.to_string()).unwrap();
    let last = rehearse(plan, talk, &orders).unwrap().pop().unwrap();
    let heard = heard.lock().unwrap().clone();
    (heard, last)
}

/// The words without times and without the openings.
pub fn words(plan: &Value) -> Vec<String> {
    without_times(&play(plan).0)
}

pub fn without_times(heard: &[String]) -> Vec<String> {
    let words = heard.iter().filter_map(|text| text.split_once('@'));
    words.map(|(text, _)| text.to_owned()).collect()
}

pub fn mistake(plan: &Value) -> String {
    let whole = json!({
        "seed": 1, "workers": 1, "step_timeout_ms": 1000, "report_every_ms": 1000,
        "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 1.0}},
        "variables": plan.get("variables").cloned().unwrap_or(json!([])),
        "scenarios": [{"name": "talk", "weight": 1.0, "limit_ms": 1.0, "late_ms": 1.0,
                       "steps": plan["steps"]}],
    });
    let plan = Plan::from_json(&whole.to_string()).unwrap();
    plan.compile::<Say>().unwrap_err().to_string()
}

pub fn say(text: &str) -> Value {
    json!({"name": text, "say": text})
}
