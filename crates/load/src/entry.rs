//! Entries of a scenario that are not steps, as plans have them.

use serde::Deserialize;
use serde_json::Value;

use crate::pace::Draw;
use crate::plan::StepPlan;

/// An entry of `steps` that is not a step.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Entry {
    If(If),
    Repeat(Repeat),
    Pause(Pause),
    Choose(Choose),
    Set(Set),
    Page(Page),
    Transaction(Transaction),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct If {
    #[serde(rename = "if")]
    pub(crate) condition: Value,
    pub(crate) then: Vec<StepPlan>,
    #[serde(default, rename = "else")]
    pub(crate) otherwise: Vec<StepPlan>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repeat {
    pub(crate) repeat: Rounds,
    pub(crate) steps: Vec<StepPlan>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Rounds {
    Times(u64),
    Between(u64, u64),
    Until(Until),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Until {
    pub(crate) until: Value,
    pub(crate) at_most: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pause {
    pub(crate) pause: Draw,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choose {
    pub(crate) choose: Vec<Branch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Branch {
    #[serde(default = "one")]
    pub(crate) weight: f64,
    pub(crate) steps: Vec<StepPlan>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Set {
    pub(crate) set: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    #[expect(dead_code, reason = "it names the steps for people")]
    pub(crate) page: String,
    pub(crate) steps: Vec<StepPlan>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transaction {
    #[serde(rename = "transaction")]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) retries: u32,
    pub(crate) steps: Vec<StepPlan>,
    /// What the protocol needs to know to begin it.
    #[serde(default)]
    pub(crate) isolation: Option<Value>,
    /// Which of two protocols it is of.
    #[serde(default)]
    pub(crate) on: Option<Value>,
}

const fn one() -> f64 {
    1.0
}
