//! Scripts: Lua that decides which steps a user plays, and computes what they send.
//!
//! A script is a coroutine that yields what the engine does for it: play a step of the workload, or
//! pause. It reads and sets the user's variables and can reach nothing else: no files, no network,
//! no other code. Its steps are those of the workload, compiled and checked before the run.

mod host;
mod library;
mod machine;
mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Mistake;
use crate::names::{Names, Slot, nearest};
use crate::scope::Scope;
use crate::template::Template;
use machine::Machine;

/// The ID of the next program.
static IDS: AtomicU64 = AtomicU64::new(0);

/// A longer text is not a script.
const MOST_BYTES: usize = 1 << 20;

/// A script whose syntax and names have been checked. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Program(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Distinguishes programs within a process.
    id: u64,
    /// Its name in messages.
    name: Box<str>,
    source: Box<str>,
    steps: Box<[Box<str>]>,
    variables: Box<[Variable]>,
    /// Whether it may go on for ever.
    may_loop: bool,
}

/// A variable that a script may use.
#[derive(Debug)]
struct Variable {
    name: Box<str>,
    /// The template that reads it.
    value: Template,
    /// The slot, if the script sets it.
    slot: Option<Slot>,
}

/// The engine's answer to a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<'a> {
    /// What it asked for has been done.
    Done,
    /// The step failed, with this message.
    Failed(&'a str),
}

/// What a script wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The step with this index is played.
    Play {
        /// The step's index among those that the program was compiled with.
        step: usize,
        /// Whether the script goes on if the step fails.
        may_fail: bool,
    },
    /// The user thinks for this many seconds.
    Pause(f64),
    /// The script has ended.
    End,
    /// The scenario fails with this sentence.
    Fail(String),
}

/// A script that a user plays. It belongs to the thread that began it.
#[derive(Debug)]
pub struct Running {
    program: Program,
    /// `None` once it has ended.
    coroutine: Option<mlua::Thread>,
}

impl Program {
    /// Reads a script that may play these steps. The error says where it is wrong.
    pub fn compile(
        name: &str,
        source: &str,
        steps: &[&str],
        names: &mut Names,
    ) -> Result<Self, Mistake> {
        if source.len() > MOST_BYTES {
            return Err(format!("{name} has more than {MOST_BYTES} bytes"));
        }
        Machine::check(name, source)?;
        let mentioned = words::mentioned(source);
        for (step, line) in mentioned.played {
            if !steps.contains(&step) {
                return Err(format!("{name}:{line}: {}", unknown_step(step, steps)));
            }
        }
        let at = |line: usize| move |mistake| format!("{name}:{line}: {mistake}");
        let mut variables = Vec::<Variable>::new();
        for (variable, line) in mentioned.set {
            let slot = names.set(variable).map_err(at(line))?;
            variables.push(Variable::new(variable, Some(slot), names).map_err(at(line))?);
        }
        for (variable, line) in mentioned.read {
            if variables.iter().all(|known| *known.name != *variable) {
                variables.push(Variable::new(variable, None, names).map_err(at(line))?);
                names.mention_at(variable, &format!("{name}:{line}"));
            }
        }
        Ok(Self(Arc::new(Inner {
            id: IDS.fetch_add(1, Ordering::Relaxed),
            name: name.into(),
            source: source.into(),
            steps: steps.iter().map(|step| Box::from(*step)).collect(),
            variables: variables.into(),
            may_loop: mentioned.may_loop,
        })))
    }

    /// The message about an unknown step that it asks for.
    fn unknown_step(&self, step: &str) -> String {
        let Inner { name, steps, .. } = &*self.0;
        let steps: Vec<&str> = steps.iter().map(|step| &**step).collect();
        format!("{name}: {}", unknown_step(step, &steps))
    }

    /// Starts it for a user. The error says why it cannot start.
    pub fn begin(&self) -> Result<Running, String> {
        Ok(Running {
            coroutine: Some(Machine::coroutine(self)?),
            program: self.clone(),
        })
    }
}

impl Variable {
    fn new(name: &str, slot: Option<Slot>, names: &mut Names) -> Result<Self, Mistake> {
        Ok(Self {
            name: name.into(),
            value: Template::parse(&format!("{{{name}}}"), names)?,
            slot,
        })
    }
}

impl Running {
    /// Resumes it with this answer until it wants something. What it prints goes to `printed`.
    pub fn go_on(
        &mut self,
        answer: Answer<'_>,
        scope: &mut Scope,
        printed: &mut dyn FnMut(String),
    ) -> Next {
        let Some(coroutine) = &self.coroutine else {
            return Next::End;
        };
        let (wanted, lines) =
            host::lend(&self.program, scope, || machine::go_on(coroutine, answer));
        for line in lines {
            printed(line);
        }
        match wanted {
            Ok(machine::Wanted::Play(step, may_fail)) => Next::Play { step, may_fail },
            Ok(machine::Wanted::Pause(seconds)) if (0.0..=MOST_PAUSE_S).contains(&seconds) => {
                Next::Pause(seconds)
            }
            Ok(machine::Wanted::Pause(seconds)) => Next::Fail(format!(
                "pause({seconds}): give seconds from 0 to {MOST_PAUSE_S}"
            )),
            Ok(machine::Wanted::End) => {
                if let Some(coroutine) = self.coroutine.take() {
                    Machine::take_back(&self.program, coroutine);
                }
                Next::End
            }
            Ok(machine::Wanted::Fail(sentence)) => Next::Fail(format!("check failed: {sentence}")),
            Err(sentence) => Next::Fail(format!("Lua failed: {sentence}")),
        }
    }
}

/// A longer pause is a mistake.
const MOST_PAUSE_S: f64 = 86_400.0;

fn unknown_step(step: &str, steps: &[&str]) -> String {
    let meant = nearest(step, steps).map_or_else(
        || format!("its steps are {}", steps.join(", ")),
        |near| format!("do you mean \"{near}\"?"),
    );
    format!("there is no step \"{}\"; {meant}", step.escape_default())
}

#[cfg(test)]
mod tests;
