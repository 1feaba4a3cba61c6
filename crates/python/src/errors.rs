//! Engine errors as the exceptions of `headcount.errors`: one place, no catch-all.

use headcount_load::limits::LimitError;
use headcount_load::run::RunError;
use pyo3::PyErr;

pyo3::import_exception!(headcount.errors, EngineError);
pyo3::import_exception!(headcount.errors, InputError);
pyo3::import_exception!(headcount.errors, PlanError);
pyo3::import_exception!(headcount.errors, SystemLimitError);
pyo3::import_exception!(headcount.errors, TargetError);

/// The exception for a run that could not start or go on.
pub fn of_run(error: &RunError) -> PyErr {
    let text = error.to_string();
    match error {
        RunError::Plan(_) => PlanError::new_err(text),
        RunError::Thread(_) => SystemLimitError::new_err(text),
        RunError::Worker(_) => EngineError::new_err(text),
    }
}

/// The exception for a limit of this machine.
pub fn of_limit(error: &LimitError) -> PyErr {
    match error {
        LimitError::FileHandles { .. } | LimitError::Ports { .. } => {
            SystemLimitError::new_err(error.to_string())
        }
    }
}
