//! A plan as workers play it: its steps compiled for one protocol.

use std::sync::Arc;

use headcount_script::{Names, Variables};

use crate::flow::Flow;
use crate::lines::line_of;
use crate::pace::{Draw, Pace, Schedule};
use crate::plan::{Plan, ScenarioPlan, StepPlan};
use crate::plan_error::PlanError;
use crate::protocol::{Compile, Protocol};
use crate::trace::Trace;
use crate::turns::Turns;
use crate::user::User;

/// A plan whose steps are compiled for one protocol; shared by its workers.
#[derive(Debug)]
pub struct Compiled<S> {
    /// The plan it was made from.
    pub plan: Plan,
    /// The scenarios, in the plan's order.
    pub scenarios: Vec<Scenario<S>>,
    /// The names of all steps, each once, in order of appearance.
    pub step_names: Vec<String>,
    /// What users do when their session has been opened.
    pub setup: Flow<S>,
    /// What users did, if that is kept.
    pub trace: Option<Trace>,
    /// The variables that users have; None if they have none.
    pub variables: Option<Arc<Variables>>,
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
    /// Its steps, and which of them are played.
    pub flow: Flow<S>,
}

impl Plan {
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
        let mut names = Names::default();
        let workers = self.part.map_or(u32::from(self.workers), |part| part.of);
        let variables = Variables::compile(&self.variables, workers, &mut names);
        let variables = variables.map_err(PlanError::Variables)?;
        let mut flows = Flows {
            variables: &variables,
            step_names: Vec::new(),
            names,
        };
        let setup = flows.compile("setup", &self.setup)?;
        let mut scenarios = Vec::with_capacity(self.scenarios.len());
        for scenario in &self.scenarios {
            scenarios.push(flows.compile_scenario(scenario, &setup)?);
        }
        let Flows {
            step_names, names, ..
        } = flows;
        names.check().map_err(PlanError::Variables)?;
        let variables = names.has_any().then(|| variables.with_slots(&names));
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
            trace: self.trace.then(Trace::default),
            plan: self,
            scenarios,
            step_names,
            setup,
            variables,
            cumulative,
        })
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

/// What the flows of a plan have in common while they are compiled.
struct Flows<'a> {
    variables: &'a Variables,
    step_names: Vec<String>,
    names: Names,
}

impl Flows<'_> {
    fn compile<S: Compile>(
        &mut self,
        name: &str,
        steps: &[StepPlan],
    ) -> Result<Flow<S>, PlanError> {
        let flow = Flow::compile(steps, &mut self.step_names, &mut self.names);
        let mut flow = flow.map_err(|wrong| PlanError::Step {
            scenario: name.into(),
            step: wrong.entry,
            reason: wrong.reason,
        })?;
        flow.needed = self.variables.needed(&self.names.take_mentioned());
        Ok(flow)
    }

    /// A scenario, whose user may have to play the setup first.
    fn compile_scenario<S: Compile>(
        &mut self,
        scenario: &ScenarioPlan,
        setup: &Flow<S>,
    ) -> Result<Scenario<S>, PlanError> {
        let mut flow = self.compile(&scenario.name, &scenario.steps)?;
        flow.needed.extend(&setup.needed);
        flow.needed.sort_unstable();
        flow.needed.dedup();
        let to_ns = |ms: f64| (ms * 1e6) as u64;
        Ok(Scenario {
            limit_ns: to_ns(scenario.limit_ms),
            limit_per_mib_ns: to_ns(scenario.limit_per_mib_ms),
            late_ns: to_ns(scenario.late_ms),
            pause: scenario.pause,
            flow,
        })
    }
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
            flow: Flow::default(),
        };
        assert_eq!(scenario.limit_for(0), 1_000);
        assert_eq!(scenario.limit_for(64 << 10), 1_000);
        assert_eq!(scenario.limit_for(1 << 20), 5_000);
        assert_eq!(scenario.limit_for(3 << 19), 7_500);
        assert_eq!(scenario.limit_for(u64::MAX), 87_960_930_222_079_999);
    }
}
