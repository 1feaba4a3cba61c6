//! Data sets below a folder of this machine, for the side that prepares a run.

use headcount_files::FilesOptions;
use headcount_files::provision::{self, Order};
use pyo3::prelude::*;

use crate::errors::of_files_provision;
use crate::json::json;
use crate::progress_hook::ProgressHook;
use crate::protocol::read;

/// Looks at the folder of the target (JSON) and says how calls are made there: engine, why not with
/// `io_uring` if so, threads, free space (JSON).
#[pyfunction]
pub fn files_hello(py: Python<'_>, target: &str) -> PyResult<String> {
    let options: FilesOptions = read(target)?;
    py.detach(|| provision::hello(options))
        .map(|hello| json(&hello))
        .map_err(|error| of_files_provision(&error))
}

/// Makes what is missing of the files of users `first` to `last` of the run; says what was done
/// (JSON). `progress` is called with the progress (JSON) a few times a second; Ctrl-C cancels it.
/// With `read_through` files that are there are read whole and made anew where they are damaged.
#[pyfunction]
#[pyo3(signature = (target, first, last, progress, read_through = false))]
pub fn files_prepare(
    py: Python<'_>,
    target: &str,
    first: u32,
    last: u32,
    progress: &Bound<'_, PyAny>,
    read_through: bool,
) -> PyResult<String> {
    let options: FilesOptions = read(target)?;
    let order = Order {
        first,
        last,
        read_through,
    };
    let mut hook = ProgressHook::new(progress);
    let prepared = py.detach(|| provision::prepare(options, &order, &mut |far| hook.tell(&far)));
    hook.answer(prepared, of_files_provision)
}

/// Deletes the data set below the folder of the target, and nothing else; says what was deleted
/// (JSON).
#[pyfunction]
pub fn files_cleanup(
    py: Python<'_>,
    target: &str,
    progress: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let options: FilesOptions = read(target)?;
    let mut hook = ProgressHook::new(progress);
    let cleaned = py.detach(|| provision::cleanup(options, &mut |far| hook.tell(&far)));
    hook.answer(cleaned, of_files_provision)
}
