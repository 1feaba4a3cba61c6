//! The pages of web servers, for the side that prepares a run.

use std::path::Path;

use headcount_http::HttpOptions;
use headcount_http::client::inspect::{self, Extent};
use headcount_http::pages::sweep::sweep_tree;
use headcount_http::pages::tree::{Kept, write_tree};
use headcount_http::pages::{PageSet, Which};
use pyo3::prelude::*;

use crate::errors::raised;
use crate::json::json;
use crate::progress_hook::ProgressHook;
use crate::protocol::read;

/// Asks for pages that steps draw by `which` (a JSON list of what steps have as `page`) and checks
/// them whole: one of each class from the first and one from the last directory, or all. Says how many
/// were right (JSON); the first that is not raises `TargetError`.
#[pyfunction]
#[pyo3(signature = (target, which, progress, all = false))]
pub fn http_check(
    py: Python<'_>,
    target: &str,
    which: &str,
    progress: &Bound<'_, PyAny>,
    all: bool,
) -> PyResult<String> {
    let options: HttpOptions = read(target)?;
    let which: Vec<Which> = read(which)?;
    let extent = if all { Extent::All } else { Extent::Sample };
    let mut hook = ProgressHook::new(progress);
    let checked = py.detach(|| inspect::check(options, &which, extent, &mut |far| hook.tell(&far)));
    hook.answer(checked)
}

/// Writes the pages of a data set (JSON) and its CGI program into a folder of this machine; says what
/// was done (JSON). With `read_through` pages that are there are read, and made anew where they are
/// damaged.
#[pyfunction]
#[pyo3(signature = (folder, data_set, progress, read_through = false))]
pub fn http_write_tree(
    py: Python<'_>,
    folder: &str,
    data_set: &str,
    progress: &Bound<'_, PyAny>,
    read_through: bool,
) -> PyResult<String> {
    let set: PageSet = read(data_set)?;
    let kept = if read_through {
        Kept::Right
    } else {
        Kept::Long
    };
    let mut hook = ProgressHook::new(progress);
    let written =
        py.detach(|| write_tree(Path::new(folder), &set, kept, &mut |far| hook.tell(&far)));
    hook.answer(written)
}

/// Deletes what `http_write_tree` made in a folder, and nothing else; says what was deleted, or null
/// if there was nothing (JSON).
#[pyfunction]
pub fn http_sweep_tree(py: Python<'_>, folder: &str) -> PyResult<String> {
    py.detach(|| sweep_tree(Path::new(folder)))
        .map(|swept| json(&swept))
        .map_err(raised)
}
