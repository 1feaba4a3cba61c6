//! Databases and the schema in them, for the side that prepares a run.

use headcount_sql::SqlOptions;
use headcount_sql::provision;
use pyo3::prelude::*;

use crate::errors::of_sql_provision;
use crate::json::json;
use crate::progress_hook::ProgressHook;
use crate::protocol::read;

/// Logs on to the target (JSON) and says who answered: version, TLS, settings (JSON). Raises
/// `InputError` if a schema of Headcount's name is somebody else's.
#[pyfunction]
pub fn sql_hello(py: Python<'_>, target: &str) -> PyResult<String> {
    let options: SqlOptions = read(target)?;
    py.detach(|| provision::hello(options))
        .map(|hello| json(&hello))
        .map_err(|error| of_sql_provision(&error))
}

/// Has the rows of the data set as they were before the first run; says what was done (JSON).
/// `progress` is called with the progress (JSON) a few times a second; Ctrl-C cancels it. With
/// `verify` the server computes checksums of all rows, and those that are damaged are made anew.
#[pyfunction]
#[pyo3(signature = (target, progress, verify = false))]
pub fn sql_prepare(
    py: Python<'_>,
    target: &str,
    progress: &Bound<'_, PyAny>,
    verify: bool,
) -> PyResult<String> {
    let options: SqlOptions = read(target)?;
    let mut hook = ProgressHook::new(progress);
    let prepared = py.detach(|| provision::prepare(options, verify, &mut |far| hook.tell(&far)));
    hook.answer(prepared, of_sql_provision)
}

/// Drops the schema of Headcount's, and nothing else; says whether there was one, and its bytes
/// (JSON).
#[pyfunction]
pub fn sql_cleanup(py: Python<'_>, target: &str) -> PyResult<String> {
    let options: SqlOptions = read(target)?;
    py.detach(|| provision::cleanup(options))
        .map(|cleaned| json(&cleaned))
        .map_err(|error| of_sql_provision(&error))
}
