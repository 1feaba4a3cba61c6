//! The one place that picks a protocol by name; everything below it is compiled for that protocol.

use headcount_load::{Plan, Run};
use headcount_null::Null;
use pyo3::PyResult;

use crate::errors::{PlanError, of_run};

/// Starts a run of `plan` against a target described by `target`, a JSON object.
pub fn start(plan: Plan, protocol: &str, target: &str) -> PyResult<Run> {
    let _ = target;
    match protocol {
        "null" => Run::start(plan, Null::default()),
        other => {
            let message = format!("the engine has no protocol \"{other}\"; it has null, app");
            return Err(PlanError::new_err(message));
        }
    }
    .map_err(|error| of_run(&error))
}
