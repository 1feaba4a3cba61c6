//! Engine errors as the exceptions of `headcount.errors`: one place, no catch-all.

use headcount_app::control::ControlError;
use headcount_app::server::ServeError;
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

/// The exception for a call to an application server that failed.
pub fn of_control(error: &ControlError) -> PyErr {
    let text = error.to_string();
    match error {
        ControlError::Options(_) | ControlError::Address { .. } | ControlError::Token { .. } => {
            InputError::new_err(text)
        }
        ControlError::NoSpace(_) => SystemLimitError::new_err(text),
        ControlError::Unreachable { .. }
        | ControlError::Silent { .. }
        | ControlError::NotAppServer { .. }
        | ControlError::VersionMismatch { .. }
        | ControlError::Refused { .. }
        | ControlError::Lost { .. }
        | ControlError::CalledOff => TargetError::new_err(text),
    }
}

/// The exception for an application server that does not start.
pub fn of_serve(error: &ServeError) -> PyErr {
    let text = error.to_string();
    match error {
        ServeError::TokenRequired(_)
        | ServeError::Token
        | ServeError::NoThreads
        | ServeError::Folder(_) => InputError::new_err(text),
        ServeError::Listen { .. } | ServeError::Handles { .. } | ServeError::Thread(_) => {
            SystemLimitError::new_err(text)
        }
    }
}
