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
    Lua(Lua),
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

/// Lua code, the file that it came from, and the steps that it may play.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lua {
    #[serde(rename = "lua")]
    pub(crate) code: String,
    #[serde(default = "inline")]
    pub(crate) file: String,
    #[serde(default)]
    pub(crate) steps: Vec<StepPlan>,
}

impl StepPlan {
    /// The name by which Lua code plays it: that of a step, a page or a transaction.
    pub(crate) fn title(&self) -> Option<&str> {
        if !self.name.is_empty() {
            return Some(&self.name);
        }
        let titled = self.options.get("page").or(self.options.get("transaction"));
        titled?.as_str()
    }
}

/// The name of code without a file, in messages.
fn inline() -> String {
    "lua".into()
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
    /// Which of two protocols it belongs to.
    #[serde(default)]
    pub(crate) on: Option<Value>,
}

const fn one() -> f64 {
    1.0
}
