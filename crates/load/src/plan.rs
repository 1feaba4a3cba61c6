//! What the users of a run do, as data; and its compiled form, which workers share.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lines::{check_shares, line_of};
use crate::pace::{Draw, Pace, Schedule};
use crate::plan_error::PlanError;
use crate::protocol::{Compile, Protocol};
use crate::share::Part;
use crate::turns::Turns;
use crate::user::User;

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
    /// The part of the users that is played here; all of them if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// What users connect from; the system chooses if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub local_addresses: Vec<IpAddr>,
    /// Shares of the users who reach the server over lines of their own, from 0 to 1, a line each.
    /// `local_addresses` are then what users connect from who are on no line, and on each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<f64>,
    /// How long one step, or the opening of a session, may take before it fails.
    pub step_timeout_ms: u64,
    /// How often workers report.
    pub report_every_ms: u64,
    /// How finely it is counted when scenarios were due and ended; by the report only if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_ms: Option<u32>,
    /// When users' sessions are opened.
    #[serde(default)]
    pub log_on: LogOn,
    /// The order in which users play scenarios, instead of drawing them by weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Turns>,
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
    /// For each MiB that it moves the limit is at least this, so that one scenario may move files
    /// of all sizes. 0: the limit is the same for all.
    #[serde(default)]
    pub limit_per_mib_ms: f64,
    /// A start later than this after the due moment counts as late.
    pub late_ms: f64,
    /// The think time after it, if not the pace's. Only with a closed pace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Draw>,
    /// What it consists of, in order.
    pub steps: Vec<StepPlan>,
}

/// One protocol operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepPlan {
    /// Its name in results. Steps of the same name are counted together.
    pub name: String,
    /// What the protocol needs to know.
    #[serde(flatten)]
    pub options: Value,
}

/// A plan whose steps are compiled for one protocol; shared by its workers.
#[derive(Debug)]
pub struct Compiled<S> {
    /// The plan it was made from.
    pub plan: Plan,
    /// The scenarios, in the plan's order.
    pub scenarios: Vec<Scenario<S>>,
    /// The names of all steps, each once, in order of appearance.
    pub step_names: Vec<String>,
    /// Upper bounds of the scenarios' shares in [0, 1].
    cumulative: Vec<f64>,
    /// The program that users follow instead of drawing.
    turns: Option<Turns>,
}

/// One compiled scenario.
#[derive(Debug)]
pub struct Scenario<S> {
    /// Response times above this count as slow, in ns.
    pub limit_ns: u64,
    /// The least limit for each MiB moved, in ns.
    pub limit_per_mib_ns: u64,
    /// Starts later than this count as late, in ns.
    pub late_ns: u64,
    /// The think time after it, if not the pace's.
    pub pause: Option<Draw>,
    /// The steps, each with its index in [`Compiled::step_names`].
    pub steps: Vec<(usize, S)>,
}

impl Plan {
    /// Reads a plan.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        serde_json::from_str(text).map_err(|error| PlanError::Form(error.to_string()))
    }

    /// Validates the plan and compiles it for a target, whose program its users follow if it has
    /// one.
    pub fn compile_for<P: Protocol>(self, protocol: &P) -> Result<Compiled<P::Step>, PlanError> {
        let mut compiled = self.compile()?;
        if let Some(turns) = protocol.turns() {
            if compiled.turns.is_some() {
                return Err(PlanError::TwoPrograms);
            }
            let names = compiled.plan.scenarios.iter().map(|s| s.name.as_str());
            compiled.turns = Some(turns.among(names)?);
        }
        Ok(compiled)
    }

    /// Validates the plan and compiles its steps for the protocol whose step type is `S`.
    pub fn compile<S: Compile>(self) -> Result<Compiled<S>, PlanError> {
        self.check()?;
        let mut step_names = Vec::new();
        let mut scenarios = Vec::with_capacity(self.scenarios.len());
        for scenario in &self.scenarios {
            scenarios.push(compile_scenario(scenario, &mut step_names)?);
        }
        let total: f64 = self.scenarios.iter().map(|scenario| scenario.weight).sum();
        let mut sum = 0.0;
        let cumulative = self
            .scenarios
            .iter()
            .map(|scenario| {
                sum += scenario.weight;
                sum / total
            })
            .collect();
        let names = self.scenarios.iter().map(|s| s.name.as_str());
        let turns = self.script.clone().map(|script| script.among(names));
        Ok(Compiled {
            turns: turns.transpose()?,
            plan: self,
            scenarios,
            step_names,
            cumulative,
        })
    }

    fn check(&self) -> Result<(), PlanError> {
        bounds("workers", f64::from(self.workers), 1.0, 1024.0)?;
        if let Some(part) = self.part {
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

impl<S> Compiled<S> {
    /// The line that `user` reaches the server by, from 1; 0 is none of its own.
    #[must_use]
    pub fn line_of(&self, user: u32) -> usize {
        line_of(user, &self.plan.lines)
    }

    /// The schedule of `user`, who joins at `joined_ns`.
    #[must_use]
    pub fn schedule(&self, user: u32, joined_ns: u64) -> Schedule {
        // A program of a target may be far longer than a run; a script's loops are what people do.
        let script = self.plan.script.as_ref().and(self.turns.as_ref());
        let before = script.map(|turns| Draw::Fixed {
            s: turns.loop_before(user).map(|kind| self.pause_s(kind)).sum(),
        });
        Schedule::new(self.plan.pace, before, self.plan.seed, user, joined_ns)
    }

    /// The mean pause after scenarios of this kind, in seconds.
    fn pause_s(&self, kind: u16) -> f64 {
        let (Pace::Closed { think: usual } | Pace::Open { every: usual }) = self.plan.pace;
        let own = self.scenarios[usize::from(kind)].pause;
        own.unwrap_or(usual).mean_s()
    }

    /// Tells `user`, who has begun nothing yet, at which turn it is going to begin.
    pub fn enter(&self, user: &mut User) {
        if let Some(turns) = &self.turns {
            user.take_turn(turns.turn(user.id(), 1));
        }
    }

    /// The index of the scenario that `user`, who has begun one, plays in it.
    pub fn next(&self, user: &mut User) -> usize {
        match &self.turns {
            None => self.choose(user.stream().unit()),
            Some(turns) => {
                let turn = turns.turn(user.id(), user.ordinal());
                user.take_turn(turn);
                usize::from(turns.order[turn as usize])
            }
        }
    }

    /// The index of the scenario chosen by a draw in [0, 1).
    #[must_use]
    pub fn choose(&self, unit: f64) -> usize {
        let last = self.cumulative.len() - 1;
        self.cumulative
            .iter()
            .position(|bound| unit < *bound)
            .unwrap_or(last)
    }
}

impl<S> Scenario<S> {
    /// The limit, in ns, of a scenario that moves so many bytes.
    #[must_use]
    pub fn limit_for(&self, bytes: u64) -> u64 {
        let grown_ns = (u128::from(self.limit_per_mib_ns) * u128::from(bytes)) >> 20;
        let grown_ns = u64::try_from(grown_ns).unwrap_or(u64::MAX);
        self.limit_ns.max(grown_ns)
    }
}

fn compile_scenario<S: Compile>(
    scenario: &ScenarioPlan,
    step_names: &mut Vec<String>,
) -> Result<Scenario<S>, PlanError> {
    let mut steps = Vec::with_capacity(scenario.steps.len());
    for step in &scenario.steps {
        let compiled = S::compile(&step.options).map_err(|reason| PlanError::Step {
            scenario: scenario.name.clone(),
            step: step.name.clone(),
            reason,
        })?;
        let known = step_names.iter().position(|name| *name == step.name);
        let index = known.unwrap_or_else(|| {
            step_names.push(step.name.clone());
            step_names.len() - 1
        });
        steps.push((index, compiled));
    }
    let to_ns = |ms: f64| (ms * 1e6) as u64;
    Ok(Scenario {
        limit_ns: to_ns(scenario.limit_ms),
        limit_per_mib_ns: to_ns(scenario.limit_per_mib_ms),
        late_ns: to_ns(scenario.late_ms),
        pause: scenario.pause,
        steps,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_grows_with_the_size_but_never_shrinks() {
        let scenario = Scenario::<()> {
            limit_ns: 1_000,
            limit_per_mib_ns: 5_000,
            late_ns: 1,
            pause: None,
            steps: Vec::new(),
        };
        assert_eq!(scenario.limit_for(0), 1_000);
        assert_eq!(scenario.limit_for(64 << 10), 1_000);
        assert_eq!(scenario.limit_for(1 << 20), 5_000);
        assert_eq!(scenario.limit_for(3 << 19), 7_500);
        assert_eq!(scenario.limit_for(u64::MAX), 87_960_930_222_079_999);
    }
}
