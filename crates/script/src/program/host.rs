//! What the running script sees of its user.

use std::cell::RefCell;

use super::{Program, Variable};
use crate::names::nearest;
use crate::scope::Scope;
use crate::values::{Missing, Values};

/// The most lines that are kept of what one script prints before it continues.
const MOST_LINES: usize = 100;

/// A user whose script is running.
struct Lent {
    program: Program,
    scope: Scope,
    printed: Vec<String>,
}

thread_local! {
    static LENT: RefCell<Option<Lent>> = const { RefCell::new(None) };
}

/// Gives `run` access to the values of a user. Returns its result, and what was printed.
pub(super) fn lend<T>(
    program: &Program,
    scope: &mut Scope,
    run: impl FnOnce() -> T,
) -> (T, Vec<String>) {
    let lent = Lent {
        program: program.clone(),
        scope: std::mem::take(scope),
        printed: Vec::new(),
    };
    LENT.set(Some(lent));
    let result = run();
    match LENT.take() {
        Some(lent) => {
            *scope = lent.scope;
            (result, lent.printed)
        }
        None => (result, Vec::new()),
    }
}

/// Calls `act` with the user. The error is for the script's author.
fn with<T>(act: impl FnOnce(&mut Lent) -> Result<T, String>) -> Result<T, String> {
    LENT.with_borrow_mut(|lent| match lent {
        Some(lent) => act(lent),
        None => Err("nobody plays it".into()),
    })
}

/// The value of the variable with this index; `None` if it has none yet.
pub(super) fn value(variable: usize) -> Result<Option<String>, String> {
    with(|lent| {
        let variable = &lent.program.0.variables[variable];
        match variable.value.render(&mut lent.scope) {
            Ok(text) => Ok(Some(text)),
            Err(Missing::Value(_)) => Ok(None),
            Err(missing) => Err(missing.to_string()),
        }
    })
}

/// Sets the variable with this index, or removes its value. An error in `value` says what cannot be
/// a value.
pub(super) fn set(
    variable: usize,
    value: Result<Option<Box<str>>, &'static str>,
) -> Result<(), String> {
    with(|lent| {
        let Variable { name, slot, .. } = &lent.program.0.variables[variable];
        let Some(slot) = *slot else {
            return Err(format!(
                "it sets \"{name}\" without naming it; write: vars.{name} = ..."
            ));
        };
        match value {
            Ok(Some(value)) => lent.scope.put(slot, value),
            Ok(None) => lent.scope.unset(slot),
            Err(what) => {
                return Err(format!(
                    "vars.{name} must be a text, a number or true or false, not a {what}"
                ));
            }
        }
        Ok(())
    })
}

/// Random bits of the scenario.
pub(super) fn bits() -> Result<u64, String> {
    with(|lent| Ok(lent.scope.bits()))
}

/// Keeps a line for a user who tries out the workload.
pub(super) fn print(line: String) -> Result<(), String> {
    with(|lent| {
        if lent.printed.len() < MOST_LINES {
            lent.printed.push(line);
        }
        Ok(())
    })
}

/// The message about an unknown variable. Names are collected before the run, so one that is
/// computed later is unknown.
pub(super) fn unknown_variable(name: &str) -> String {
    let near = with(|lent| {
        let variables = lent.program.0.variables.iter();
        let known: Vec<&str> = variables.map(|variable| &*variable.name).collect();
        Ok(nearest(name, &known).map(str::to_owned))
    });
    let meant = near.ok().flatten().map_or_else(
        || "write its name into the script as it is: vars.name".to_owned(),
        |near| format!("do you mean \"{near}\"?"),
    );
    format!("it has no variable \"{}\"; {meant}", name.escape_default())
}

/// The same for a step.
pub(super) fn unknown_step(name: &str) -> String {
    let sentence = with(|lent| Ok(lent.program.unknown_step(name)));
    sentence.unwrap_or_else(|nobody| nobody)
}
