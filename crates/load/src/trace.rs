//! What a user did, step by step: for people who try a workload with one user.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// Entries kept at most: a trace is not for runs with many users.
const MOST_ENTRIES: usize = 10_000;

/// The steps that were played, in order. Cheap to clone; clones share the entries.
#[derive(Debug, Clone, Default)]
pub struct Trace(Arc<Mutex<Vec<Value>>>);

/// A step that has been played.
#[derive(Debug)]
pub struct Traced<'a> {
    /// The scenario; None for the setup.
    pub scenario: Option<&'a str>,
    /// The step.
    pub step: &'a str,
    /// When it began, in ns of the run's clock.
    pub began_ns: u64,
    /// How long it took, in ns.
    pub took_ns: u64,
    /// Why it failed.
    pub fault: Option<&'a str>,
    /// What the protocol noted: its requests and replies.
    pub notes: Vec<Value>,
    /// The variables that have values now.
    pub values: Vec<(&'a str, &'a str)>,
}

impl Trace {
    /// Adds a step.
    pub fn add(&self, step: &Traced<'_>) {
        let values: serde_json::Map<String, Value> = step
            .values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()))
            .collect();
        self.push(json!({
            "scenario": step.scenario,
            "step": step.step,
            "began_ms": step.began_ns as f64 / 1e6,
            "took_ms": step.took_ns as f64 / 1e6,
            "fault": step.fault,
            "notes": step.notes,
            "values": values,
        }));
    }

    /// Adds a fault outside any step: a session that could not be opened, or an endless loop.
    pub fn fail(&self, fault: &str) {
        self.push(json!({"fault": fault}));
    }

    /// Adds what a script printed.
    pub fn note(&self, note: Value) {
        self.push(note);
    }

    /// Adds the end of a scenario.
    pub fn end(&self, scenario: &str, failed: bool) {
        self.push(json!({"end": scenario, "failed": failed}));
    }

    /// Takes what was added since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, entry: Value) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() < MOST_ENTRIES {
            entries.push(entry);
        }
    }
}
