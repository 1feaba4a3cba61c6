//! Entries of a scenario, compiled to the moves of its flow.

use std::sync::Arc;

use headcount_script::{Condition, Names, Program, Template};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::entry::{Choose, Entry, If, Lua, Pause, Repeat, Rounds, Set, Transaction, Until};
use crate::flow::{Flow, Move};
use crate::plan::StepPlan;
use crate::protocol::Compile;
use crate::scripted::Scripted;

/// How deep flows may be nested.
const DEEPEST: usize = 32;

/// More moves than a person would write. Loops are not unrolled, so they need few.
const MOST_MOVES: usize = 20_000;

/// The most retries of a transaction.
const MOST_RETRIES: u32 = 1_000;

/// The most rounds of a loop.
const MOST_ROUNDS: u64 = 1_000_000;

/// What is wrong with an entry: where it is, and a sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct WrongEntry {
    /// Where it is among the entries: `2.then.0`.
    pub place: String,
    /// The name of a step, or what the entry does.
    pub entry: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Compiles the entries of one scenario.
struct Compiler<'a, S> {
    moves: Vec<Move<S>>,
    counters: usize,
    is_in_transaction: bool,
    is_in_script: bool,
    step_names: &'a mut Vec<String>,
    names: &'a mut Names,
    /// The keys and numbers that lead to the entry.
    place: Vec<String>,
    wrong: Vec<WrongEntry>,
}

impl<S: Compile> Flow<S> {
    /// Compiles the entries of a scenario; the error has all of its mistakes.
    pub fn compile(
        entries: &[StepPlan],
        step_names: &mut Vec<String>,
        names: &mut Names,
    ) -> Result<Self, Vec<WrongEntry>> {
        let mut compiler = Compiler {
            moves: Vec::with_capacity(entries.len()),
            counters: 0,
            is_in_transaction: false,
            is_in_script: false,
            step_names,
            names,
            place: Vec::new(),
            wrong: Vec::new(),
        };
        compiler.all(entries, 0);
        if compiler.moves.len() > MOST_MOVES {
            let reason = format!("the scenario has more than {MOST_MOVES} steps");
            compiler.wrong.push(wrong("steps", reason));
        }
        if !compiler.wrong.is_empty() {
            return Err(compiler.wrong);
        }
        Ok(Self {
            moves: compiler.moves.into(),
            counters: compiler.counters,
            needed: Vec::new(),
        })
    }
}

fn wrong(entry: &str, reason: impl Into<String>) -> WrongEntry {
    WrongEntry {
        place: String::new(),
        entry: entry.into(),
        reason: reason.into(),
    }
}

impl<S: Compile> Compiler<'_, S> {
    /// Compiles entries, and collects their mistakes.
    fn all(&mut self, entries: &[StepPlan], depth: usize) {
        if depth > DEEPEST {
            let reason = format!("it is nested more than {DEEPEST} deep");
            self.keep(wrong("steps", reason));
            return;
        }
        for (number, entry) in entries.iter().enumerate() {
            self.numbered(number, entry, depth);
        }
    }

    /// Compiles the entry with this number in a list, and collects its mistakes.
    fn numbered(&mut self, number: usize, entry: &StepPlan, depth: usize) {
        self.place.push(number.to_string());
        if let Err(mistake) = self.one(entry, depth) {
            self.keep(mistake);
        }
        self.place.pop();
    }

    /// Compiles the entries nested under this key.
    fn within(&mut self, key: String, entries: &[StepPlan], depth: usize) {
        self.place.push(key);
        self.all(entries, depth + 1);
        self.place.pop();
    }

    fn keep(&mut self, mistake: WrongEntry) {
        let place = self.place.join(".");
        self.wrong.push(WrongEntry { place, ..mistake });
    }

    fn one(&mut self, entry: &StepPlan, depth: usize) -> Result<(), WrongEntry> {
        if !entry.name.is_empty() {
            return self.step(entry);
        }
        let mistake = |_| {
            let keys = entry.options.as_object().map(|options| {
                let keys: Vec<_> = options.keys().map(String::as_str).collect();
                keys.join(", ")
            });
            wrong(
                "steps",
                format!(
                    "an entry must be a step with a name, or one of if (with then), repeat (with \
                     steps), pause, choose, set, page, transaction and lua (with steps); it has {}",
                    keys.unwrap_or_default()
                ),
            )
        };
        match Entry::deserialize(&entry.options).map_err(mistake)? {
            Entry::If(entry) => self.branch(&entry, depth),
            Entry::Repeat(entry) => self.repeat(&entry, depth),
            Entry::Pause(Pause { pause }) if pause.is_valid() => {
                self.moves.push(Move::Pause(pause));
                Ok(())
            }
            Entry::Pause(_) => Err(wrong("pause", "it must be from 0 to 86400 s")),
            Entry::Choose(entry) => self.choose(&entry, depth),
            Entry::Set(entry) => self.set(&entry),
            Entry::Page(entry) => {
                self.within("steps".into(), &entry.steps, depth);
                Ok(())
            }
            Entry::Lua(entry) => self.lua(&entry, depth),
            Entry::Transaction(entry) => self.transaction(&entry, depth),
        }
    }

    fn step(&mut self, step: &StepPlan) -> Result<(), WrongEntry> {
        let compiled = S::compile_with(&step.options, self.names);
        let compiled = compiled.map_err(|reason| {
            self.set_anyway(&step.options);
            wrong(&step.name, reason)
        })?;
        let known = self.step_names.iter().position(|name| *name == step.name);
        let index = known.unwrap_or_else(|| {
            self.step_names.push(step.name.clone());
            self.step_names.len() - 1
        });
        self.moves.push(Move::Step(index, compiled));
        Ok(())
    }

    /// Declares what a step with a mistake captures, so that its uses are not reported as well.
    fn set_anyway(&mut self, options: &Value) {
        let captured = options.get("capture").and_then(Value::as_object);
        for name in captured.into_iter().flat_map(|table| table.keys()) {
            // An invalid name is reported as a mistake of the step itself.
            let _ = self.names.set(name);
        }
    }

    /// Emits a jump whose target is not known yet; [`Self::land`] sets it.
    fn leave(&mut self, jump: Move<S>) -> usize {
        self.moves.push(jump);
        self.moves.len() - 1
    }

    /// Makes the jump at `from` lead to the next move.
    fn land(&mut self, from: usize) {
        let here = self.moves.len();
        match &mut self.moves[from] {
            Move::Unless(_, place) | Move::Go(place) | Move::Round(_, place) => *place = here,
            _ => {}
        }
    }

    fn condition(&mut self, entry: &str, table: &Value) -> Result<Condition, WrongEntry> {
        Condition::compile(table, self.names).map_err(|reason| wrong(entry, reason))
    }

    fn branch(&mut self, entry: &If, depth: usize) -> Result<(), WrongEntry> {
        let condition = self.condition("if", &entry.condition)?;
        let past = self.leave(Move::Unless(condition, 0));
        self.within("then".into(), &entry.then, depth);
        if entry.otherwise.is_empty() {
            self.land(past);
            return Ok(());
        }
        let end = self.leave(Move::Go(0));
        self.land(past);
        self.within("else".into(), &entry.otherwise, depth);
        self.land(end);
        Ok(())
    }

    fn repeat(&mut self, entry: &Repeat, depth: usize) -> Result<(), WrongEntry> {
        let (low, high) = match entry.repeat {
            Rounds::Times(times) => (times, times),
            Rounds::Between(low, high) => (low, high),
            Rounds::Until(Until { at_most, .. }) => (at_most, at_most),
        };
        if low > high || high > MOST_ROUNDS {
            let reason = format!(
                "the rounds must be from 0 to {MOST_ROUNDS}, the lower first; they are {low} to {high}"
            );
            return Err(wrong("repeat", reason));
        }
        let counter = self.counters;
        self.counters += 1;
        self.moves.push(Move::Rounds(counter, low, high));
        let top = self.moves.len();
        let end = self.leave(Move::Round(counter, 0));
        self.within("steps".into(), &entry.steps, depth);
        let Rounds::Until(Until { until, at_most }) = &entry.repeat else {
            self.moves.push(Move::Go(top));
            self.land(end);
            return Ok(());
        };
        let condition = self.condition("repeat", until)?;
        self.moves.push(Move::Unless(condition, top));
        let done = self.leave(Move::Go(0));
        self.land(end);
        let sentence =
            format!("after {at_most} rounds its condition was still not met: until {until}");
        self.moves.push(Move::Fail(sentence.into()));
        self.land(done);
        Ok(())
    }

    fn choose(&mut self, entry: &Choose, depth: usize) -> Result<(), WrongEntry> {
        let weights = entry.choose.iter().map(|branch| branch.weight);
        let total: f64 = weights.clone().sum();
        if weights.clone().any(|weight| !(0.0..=1e9).contains(&weight)) || total <= 0.0 {
            let reason = "weights must be from 0 to 1e9, and one of them above 0";
            return Err(wrong("choose", reason));
        }
        let choice = self.leave(Move::Choose(Box::default()));
        let mut sum = 0.0;
        let (mut places, mut ends) = (Vec::new(), Vec::new());
        for (number, branch) in entry.choose.iter().enumerate() {
            sum += branch.weight;
            places.push((sum / total, self.moves.len()));
            self.within(format!("choose.{number}.steps"), &branch.steps, depth);
            ends.push(self.leave(Move::Go(0)));
        }
        for end in ends {
            self.land(end);
        }
        self.moves[choice] = Move::Choose(places.into());
        Ok(())
    }

    fn set(&mut self, entry: &Set) -> Result<(), WrongEntry> {
        for (name, value) in &entry.set {
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let reason = |reason| wrong("set", format!("{name}: {reason}"));
            let template = Template::parse(&text, self.names).map_err(reason)?;
            let slot = self.names.set(name).map_err(reason)?;
            self.moves.push(Move::Set(slot, template));
        }
        Ok(())
    }

    fn lua(&mut self, entry: &Lua, depth: usize) -> Result<(), WrongEntry> {
        let here = |reason: String| wrong("lua", reason);
        let mut steps = Vec::with_capacity(entry.steps.len());
        for step in &entry.steps {
            let name = step.title().ok_or_else(|| {
                here(
                    "each of its steps needs a name to be played by: a step, a page, or a \
                     transaction"
                        .into(),
                )
            })?;
            if steps.contains(&name) {
                return Err(here(format!("it has two steps \"{name}\"")));
            }
            steps.push(name);
        }
        if self.is_in_transaction {
            return Err(here(
                "it cannot be in a transaction; put the transaction among its steps, and play \
                 that by its name"
                    .into(),
            ));
        }
        if self.is_in_script {
            return Err(here(
                "it cannot be among the steps of other Lua code".into(),
            ));
        }
        let program = Program::compile(&entry.file, &entry.code, &steps, self.names);
        let program = program.map_err(here)?;
        let from = self.leave(Move::Return); // replaced by the code itself below
        let mut starts = Vec::with_capacity(steps.len());
        self.is_in_script = true;
        self.place.push("steps".into());
        for (number, step) in entry.steps.iter().enumerate() {
            starts.push(self.moves.len());
            self.numbered(number, step, depth + 1);
            self.moves.push(Move::Return);
        }
        self.place.pop();
        self.is_in_script = false;
        // Code that only pauses needs a place to come back to.
        let back = self.leave(Move::Return);
        self.moves[from] = Move::Script(Arc::new(Scripted {
            program,
            starts: starts.into(),
            back,
            end: self.moves.len(),
        }));
        Ok(())
    }

    /// Its beginning and its end are steps of the protocol: `NAME.begin` and `NAME.commit`.
    fn transaction(&mut self, entry: &Transaction, depth: usize) -> Result<(), WrongEntry> {
        if self.is_in_transaction {
            let reason = "a transaction cannot be in another; write its steps into the outer one";
            return Err(wrong(&entry.name, reason));
        }
        if entry.retries > MOST_RETRIES {
            let reason = format!("retries must be from 0 to {MOST_RETRIES}");
            return Err(wrong(&entry.name, reason));
        }
        let edge = |op: &str| {
            let mut options = Map::from_iter([("op".to_owned(), op.into())]);
            options.extend(entry.on.clone().map(|on| ("on".to_owned(), on)));
            let name = format!("{}.{op}", entry.name);
            (name, options)
        };
        let (name, mut options) = edge("begin");
        let isolation = entry.isolation.clone();
        options.extend(isolation.map(|level| ("isolation".to_owned(), level)));
        let begin = StepPlan {
            name,
            options: options.into(),
        };
        let (name, options) = edge("commit");
        let commit = StepPlan {
            name,
            options: options.into(),
        };
        self.moves.push(Move::Enter(entry.retries));
        self.step(&begin)?;
        self.is_in_transaction = true;
        self.within("steps".into(), &entry.steps, depth);
        self.is_in_transaction = false;
        self.step(&commit)?;
        self.moves.push(Move::Leave);
        Ok(())
    }
}
