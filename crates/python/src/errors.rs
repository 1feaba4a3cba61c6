//! Engine errors as the exceptions of `headcount.errors`.

use headcount_load::{Blame, Blamed};
use pyo3::PyErr;

pyo3::import_exception!(headcount.errors, EngineError);
pyo3::import_exception!(headcount.errors, InputError);
pyo3::import_exception!(headcount.errors, PlanError);
pyo3::import_exception!(headcount.errors, SystemLimitError);
pyo3::import_exception!(headcount.errors, TargetError);

/// The exception for an error, with its text.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn raised(error: impl Blamed) -> PyErr {
    let text = error.to_string();
    match error.blame() {
        Blame::Plan => PlanError::new_err(text),
        Blame::Input => InputError::new_err(text),
        Blame::Target => TargetError::new_err(text),
        Blame::System => SystemLimitError::new_err(text),
        Blame::Engine => EngineError::new_err(text),
    }
}
