//! Data sets on SMB servers, for the side that prepares a run.

use headcount_smb::SmbOptions;
use headcount_smb::client::provision::{self, Order};
use pyo3::prelude::*;

use crate::errors::of_provision;
use crate::json::json;
use crate::progress_hook::ProgressHook;
use crate::protocol::read;

/// Logs on as the first user of the target (JSON) and says on which terms: dialect, signing,
/// encryption, largest read and write, share, free space (JSON).
#[pyfunction]
pub fn smb_hello(py: Python<'_>, target: &str) -> PyResult<String> {
    let options: SmbOptions = read(target)?;
    py.detach(|| provision::hello(options))
        .map(|hello| json(&hello))
        .map_err(|error| of_provision(&error))
}

/// Makes what is missing of the files of users `first` to `last` of the run; says what was done
/// (JSON). `progress` is called with the progress (JSON) a few times a second; Ctrl-C cancels it.
/// With `read_through` files that are there are read whole and made anew where they are damaged.
#[pyfunction]
#[pyo3(signature = (target, first, last, progress, read_through = false))]
pub fn smb_prepare(
    py: Python<'_>,
    target: &str,
    first: u32,
    last: u32,
    progress: &Bound<'_, PyAny>,
    read_through: bool,
) -> PyResult<String> {
    let options: SmbOptions = read(target)?;
    let order = Order {
        first,
        last,
        read_through,
    };
    let mut hook = ProgressHook::new(progress);
    let prepared = py.detach(|| provision::prepare(options, &order, &mut |far| hook.tell(&far)));
    hook.answer(prepared, of_provision)
}

/// Deletes the data set on every share of the target, and nothing else; says what was deleted
/// (JSON).
#[pyfunction]
pub fn smb_cleanup(py: Python<'_>, target: &str, progress: &Bound<'_, PyAny>) -> PyResult<String> {
    let options: SmbOptions = read(target)?;
    let mut hook = ProgressHook::new(progress);
    let cleaned = py.detach(|| provision::cleanup(options, &mut |far| hook.tell(&far)));
    hook.answer(cleaned, of_provision)
}
