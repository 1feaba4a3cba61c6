//! A plan as workers play it: its steps compiled for one protocol.

use std::sync::Arc;

use headcount_script::{Files, Names, Variables};

use crate::flow::Flow;
use crate::lines::line_of;
use crate::pace::{Draw, Pace, Schedule};
use crate::plan::{Plan, ScenarioPlan, StepPlan};
use crate::plan_error::{PlanError, PlanMistake};
use crate::protocol::{Compile, Protocol};
use crate::trace::Trace;
use crate::turns::Turns;
use crate::user::User;

/// Pause after a lost or refused connection for a user without think time, who would otherwise retry
/// as fast as the machine can refuse.
const REST_NS: u64 = 100_000_000;

/// Pause of a user who tries a plan and has played all of it: longer than anybody waits. Playing it
/// again before the run ends would place an order twice.
const TRIED_NS: u64 = 86_400_000_000_000;

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
    /// What users did, if the plan keeps a trace.
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
    /// What comes before it, and does not count in it.
    pub setup: Flow<S>,
    /// Its steps, and which of them are played.
    pub flow: Flow<S>,
    /// What comes after it, and does not count in it.
    pub teardown: Flow<S>,
}

impl Plan {
    /// Validates the plan and compiles it for a target. If the target has a program, users follow
    /// it.
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
        self.compile_all().map_err(|first| first.0.error)
    }

    /// All mistakes that a protocol whose step type is `S` finds; none if it can be played. The files
    /// that steps send need not be read.
    #[must_use]
    pub fn mistakes<S: Compile>(mut self) -> Vec<PlanMistake> {
        self.files = Files::Unread;
        match self.compile_all::<S>() {
            Ok(_) => Vec::new(),
            Err(all) => {
                let (first, rest) = *all;
                std::iter::once(first).chain(rest).collect()
            }
        }
    }

    /// Like [`Plan::compile`], but the error has all mistakes: the first and the rest.
    fn compile_all<S: Compile>(self) -> Result<Compiled<S>, Box<Mistakes>> {
        self.check().map_err(|error| Box::new(alone("", error)))?;
        let mut names = Names::with_files(self.files.clone());
        let variables = Variables::compile(&self.variables, self.all_workers(), &mut names)
            .map_err(|sentence| Box::new(alone("variables", PlanError::Variables(sentence))))?;
        let mut flows = Flows {
            variables: &variables,
            step_names: Vec::new(),
            names,
            mistakes: Vec::new(),
        };
        let setup = flows.compile("setup", "setup", &self.setup);
        let mut scenarios = Vec::with_capacity(self.scenarios.len());
        for (number, scenario) in self.scenarios.iter().enumerate() {
            scenarios.push(flows.compile_scenario(number, scenario, &setup));
        }
        let Flows {
            step_names,
            names,
            mut mistakes,
            ..
        } = flows;
        mistakes.extend(names.unset().map(|(name, sentence)| PlanMistake {
            place: format!("{{{name}}}"),
            error: PlanError::Variables(sentence),
        }));
        if !mistakes.is_empty() {
            return Err(Box::new((mistakes.remove(0), mistakes)));
        }
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
            turns: turns
                .transpose()
                .map_err(|error| Box::new(alone("script", error)))?,
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
    /// The line over which `user` reaches the server, from 1; 0 if the user is on no line.
    #[must_use]
    pub fn line_of(&self, user: u32) -> usize {
        line_of(user, &self.plan.lines)
    }

    /// The schedule of `user`, who joins at `joined_ns`.
    #[must_use]
    pub fn schedule(&self, user: u32, joined_ns: u64) -> Schedule {
        // A target's program may be far longer than a run; a script's loop is what people do.
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

    /// The shortest pause of `user` after a scenario, in ns. `is_lost`: whether it failed and the
    /// session was lost.
    #[must_use]
    pub fn least_pause_ns(&self, user: &User, is_lost: bool) -> u64 {
        let turns = self.turns.as_ref().map_or(u64::MAX, Turns::number);
        if self.trace.is_some() && user.ordinal() >= turns {
            return TRIED_NS;
        }
        if is_lost { REST_NS } else { 0 }
    }

    /// Sets the turn at which `user`, who has begun nothing yet, begins.
    pub fn enter(&self, user: &mut User) {
        if let Some(turns) = &self.turns {
            user.take_turn(turns.turn(user.id(), 1));
        }
    }

    /// The index of the scenario that `user` plays now; call it after [`User::begin_scenario`].
    pub fn next(&self, user: &mut User) -> usize {
        match &self.turns {
            None => self.choose(user.stream().unit()),
            Some(turns) => {
                let turn = turns.turn(user.id(), user.ordinal_since_joining());
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
    /// The limit of a scenario that moves `bytes`, in ns.
    #[must_use]
    pub fn limit_for(&self, bytes: u64) -> u64 {
        let grown_ns = (u128::from(self.limit_per_mib_ns) * u128::from(bytes)) >> 20;
        let grown_ns = u64::try_from(grown_ns).unwrap_or(u64::MAX);
        self.limit_ns.max(grown_ns)
    }
}

/// The first mistake of a plan, and the rest.
type Mistakes = (PlanMistake, Vec<PlanMistake>);

fn alone(place: &str, error: PlanError) -> Mistakes {
    let place = place.into();
    (PlanMistake { place, error }, Vec::new())
}

/// What the flows of a plan share while they are compiled.
struct Flows<'a> {
    variables: &'a Variables,
    step_names: Vec<String>,
    names: Names,
    mistakes: Vec<PlanMistake>,
}

impl Flows<'_> {
    /// The flow of these entries, which stand at `place`; an empty one if they have mistakes.
    fn compile<S: Compile>(&mut self, name: &str, place: &str, steps: &[StepPlan]) -> Flow<S> {
        let flow = Flow::compile(steps, &mut self.step_names, &mut self.names);
        let needed = self.variables.needed(&self.names.take_mentioned());
        match flow {
            Ok(flow) => Flow { needed, ..flow },
            Err(all) => {
                self.mistakes
                    .extend(all.into_iter().map(|wrong| PlanMistake {
                        place: format!("{place}.{}", wrong.place),
                        error: PlanError::Step {
                            scenario: name.into(),
                            step: wrong.entry,
                            reason: wrong.reason,
                        },
                    }));
                Flow::default()
            }
        }
    }

    /// A scenario, whose user may have to play the setup first.
    fn compile_scenario<S: Compile>(
        &mut self,
        number: usize,
        scenario: &ScenarioPlan,
        of_user: &Flow<S>,
    ) -> Scenario<S> {
        // In the order in which they are played: what one captures the next may send.
        let parts = [
            ("setup", &scenario.setup),
            ("steps", &scenario.steps),
            ("teardown", &scenario.teardown),
        ];
        let [setup, mut flow, teardown] = parts.map(|(key, steps)| {
            let place = format!("scenarios.{number}.{key}");
            self.compile(&scenario.name, &place, steps)
        });
        for more in [of_user, &setup, &teardown] {
            flow.needed.extend(&more.needed);
        }
        flow.needed.sort_unstable();
        flow.needed.dedup();
        let to_ns = |ms: f64| (ms * 1e6) as u64;
        Scenario {
            limit_ns: to_ns(scenario.limit_ms),
            limit_per_mib_ns: to_ns(scenario.limit_per_mib_ms),
            late_ns: to_ns(scenario.late_ms),
            pause: scenario.pause,
            setup,
            flow,
            teardown,
        }
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
            setup: Flow::default(),
            flow: Flow::default(),
            teardown: Flow::default(),
        };
        assert_eq!(scenario.limit_for(0), 1_000);
        assert_eq!(scenario.limit_for(64 << 10), 1_000);
        assert_eq!(scenario.limit_for(1 << 20), 5_000);
        assert_eq!(scenario.limit_for(3 << 19), 7_500);
        assert_eq!(scenario.limit_for(u64::MAX), 87_960_930_222_079_999);
    }

    /// A step that captures and sends values, like those of protocols with journeys.
    #[derive(Debug)]
    struct Sends;

    impl Compile for Sends {
        fn compile(options: &serde_json::Value) -> Result<Self, String> {
            Self::compile_with(options, &mut Names::default())
        }

        fn compile_with(options: &serde_json::Value, names: &mut Names) -> Result<Self, String> {
            if options.get("op").is_none() {
                return Err("it has no op".into());
            }
            for name in options
                .get("capture")
                .and_then(|table| table.as_object())
                .into_iter()
                .flat_map(|table| table.keys())
            {
                names.set(name)?;
            }
            if let Some(text) = options.get("text").and_then(|text| text.as_str()) {
                headcount_script::Template::parse(text, names)?;
            }
            Ok(Self)
        }
    }

    #[test]
    fn every_mistake_is_found_with_its_place() {
        let wrong = serde_json::json!({"name": "wrong", "capture": {"kept": {}}});
        let plan = serde_json::json!({
            "seed": 1, "workers": 1, "step_timeout_ms": 1000, "report_every_ms": 1000,
            "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 1.0}},
            "setup": [{"name": "right", "op": "a"}, wrong],
            "scenarios": [
                {"name": "one", "weight": 1, "limit_ms": 1, "late_ms": 1, "steps": [
                    {"if": {"value": "{kept}", "equals": 1}, "then": [wrong], "else": [{"name": "s", "op": "a"}, wrong]},
                    {"choose": [{"steps": []}, {"steps": [{"repeat": 2, "steps": [wrong]}]}]},
                    {"pause": {"draw": "fixed", "s": -1.0}},
                ]},
                {"name": "two", "weight": 1, "limit_ms": 1, "late_ms": 1, "steps": [
                    {"name": "s", "op": "a", "text": "{kept} {tokn} {user}"},
                ]},
            ],
        });
        let plan = Plan::from_json(&plan.to_string()).unwrap();
        let first = plan.clone().compile::<Sends>().unwrap_err();
        assert_eq!(
            first.to_string(),
            "scenario \"setup\", step \"wrong\": it has no op"
        );
        let places: Vec<_> = plan
            .mistakes::<Sends>()
            .into_iter()
            .map(|one| one.place)
            .collect();
        assert_eq!(
            places,
            [
                "setup.1",
                "scenarios.0.steps.0.then.0",
                "scenarios.0.steps.0.else.1",
                "scenarios.0.steps.1.choose.1.steps.0.steps.0",
                "scenarios.0.steps.2",
                "{tokn}",
                "{user}",
            ]
        );
    }
}
