//! What the users of a run do, as data.

use std::net::IpAddr;

use headcount_script::Files;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lines::check_shares;
use crate::pace::{Draw, Pace};
use crate::plan_error::PlanError;
use crate::share::Part;
use crate::turns::Turns;

/// What the users of a run do. Read from JSON; validated by [`Plan::compile`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Everything random in the run derives from it.
    pub seed: u64,
    /// Worker threads.
    pub workers: u16,
    /// When scenarios are due.
    pub pace: Pace,
    /// The part of the users that is played here; None plays all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The addresses that users connect from; if empty, the system chooses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub local_addresses: Vec<IpAddr>,
    /// For each line, the share of the users on it, from 0 to 1. `local_addresses` then has the
    /// address of users on no line, followed by that of each line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<f64>,
    /// How long one step, or the opening of a session, may take before it fails.
    pub step_timeout_ms: u64,
    /// How often workers report.
    pub report_every_ms: u64,
    /// The resolution at which due and end times of scenarios are counted; only per report if
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_ms: Option<u32>,
    /// When users' sessions are opened.
    #[serde(default)]
    pub log_on: LogOn,
    /// The order in which users play scenarios, instead of drawing them by weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Turns>,
    /// The variables of the workload, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Value>,
    /// The files that steps send; they are not part of the plan's JSON.
    #[serde(skip)]
    pub files: Files,
    /// Whether to keep each step with what was sent and received: for one user who tries the plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trace: bool,
    /// What users do first when their session has been opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<StepPlan>,
    /// What users do.
    pub scenarios: Vec<ScenarioPlan>,
}

/// When a user's session is opened first. Lost sessions are always opened by the next scenario.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogOn {
    /// By the user's first scenario, as a part of it.
    #[default]
    FirstScenario,
    /// As soon as the user joins, before anything is due.
    Join,
}

/// One thing a person does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioPlan {
    /// Its name in results.
    pub name: String,
    /// How often it is chosen, relative to the others.
    pub weight: f64,
    /// Response times above this count as slow.
    pub limit_ms: f64,
    /// The limit is at least this for each MiB that the scenario moves, so that one scenario can
    /// move files of all sizes. 0: the same limit for all.
    #[serde(default)]
    pub limit_per_mib_ms: f64,
    /// A start later than this after the due moment counts as late.
    pub late_ms: f64,
    /// The think time after it, if not the pace's. Only with a closed pace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Draw>,
    /// What comes before it each time, and does not count in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<StepPlan>,
    /// What it consists of, in order.
    pub steps: Vec<StepPlan>,
    /// What comes after it each time, also if it failed, and does not count in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teardown: Vec<StepPlan>,
}

/// One protocol operation, or what decides which are played ([`crate::flow`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepPlan {
    /// Its name in results. Steps of the same name are counted together. Empty for what is not an
    /// operation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What the protocol needs to know.
    #[serde(flatten)]
    pub options: Value,
}

impl Plan {
    /// Reads a plan.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        serde_json::from_str(text).map_err(|error| PlanError::Form(error.to_string()))
    }

    /// Workers of all machines that play the run.
    pub(crate) fn all_workers(&self) -> u32 {
        let part = self.part.as_ref();
        part.map_or(u32::from(self.workers), |part| part.of)
    }

    pub(crate) fn check(&self) -> Result<(), PlanError> {
        bounds("workers", f64::from(self.workers), 1.0, 1024.0)?;
        if let Some(part) = &self.part {
            part.check(self.workers)?;
        }
        bounds(
            "step_timeout_ms",
            self.step_timeout_ms as f64,
            1.0,
            3_600_000.0,
        )?;
        bounds(
            "report_every_ms",
            self.report_every_ms as f64,
            10.0,
            60_000.0,
        )?;
        check_shares(&self.lines)?;
        let addresses = self.local_addresses.len() as f64;
        if !self.lines.is_empty() && addresses > 0.0 {
            let wanted = self.lines.len() as f64 + 1.0;
            bounds("the number of lines' addresses", addresses, wanted, wanted)?;
        }
        if let Some(slot_ms) = self.slot_ms {
            bounds("slot_ms", f64::from(slot_ms), 1.0, 60_000.0)?;
        }
        bounds(
            "the number of scenarios",
            self.scenarios.len() as f64,
            1.0,
            2000.0,
        )?;
        self.check_pauses()?;
        for scenario in &self.scenarios {
            let name = &scenario.name;
            bounds(
                &format!("the weight of \"{name}\""),
                scenario.weight,
                1e-9,
                1e9,
            )?;
            bounds(
                &format!("limit_ms of \"{name}\""),
                scenario.limit_ms,
                1e-3,
                3_600_000.0,
            )?;
            bounds(
                &format!("limit_per_mib_ms of \"{name}\""),
                scenario.limit_per_mib_ms,
                0.0,
                3_600_000.0,
            )?;
            bounds(
                &format!("late_ms of \"{name}\""),
                scenario.late_ms,
                1e-3,
                3_600_000.0,
            )?;
            let steps = scenario.steps.len() as f64;
            bounds(
                &format!("the number of steps of \"{name}\""),
                steps,
                1.0,
                1000.0,
            )?;
        }
        Ok(())
    }

    fn check_pauses(&self) -> Result<(), PlanError> {
        let wrong = |what: &str, draw: Draw, bounds: &str| PlanError::Bounds {
            what: what.into(),
            value: format!("{draw:?}"),
            bounds: bounds.into(),
        };
        let (Pace::Closed { think: draw } | Pace::Open { every: draw }) = self.pace;
        let open = matches!(self.pace, Pace::Open { .. });
        if !draw.is_valid() || (open && draw.mean_s() <= 0.0) {
            let bounds = "finite, from 0 to 86400 s, low before high; above 0 if open";
            return Err(wrong("the pace", draw, bounds));
        }
        for scenario in &self.scenarios {
            let what = format!("the pause of \"{}\"", scenario.name);
            match scenario.pause {
                Some(draw) if open => {
                    return Err(wrong(&what, draw, "absent with an open pace"));
                }
                Some(draw) if !draw.is_valid() => {
                    let bounds = "finite, from 0 to 86400 s, low before high";
                    return Err(wrong(&what, draw, bounds));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn bounds(what: &str, value: f64, low: f64, high: f64) -> Result<(), PlanError> {
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(());
    }
    Err(PlanError::Bounds {
        what: what.into(),
        value: value.to_string(),
        bounds: format!("from {low} to {high}"),
    })
}
