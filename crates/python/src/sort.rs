//! Making, sorting and verifying data.

use std::path::{Path, PathBuf};

use headcount_sort::{
    Budget, Field, Kind, Order, Shape, end_with, least_bytes, make, need_bytes, sort, verify,
    warm_up,
};
use pyo3::prelude::*;

use crate::errors::{InputError, raised};
use crate::progress_hook::ProgressHook;

/// A key: bytes before it, and its length.
type Key = (usize, usize);

/// Memory in bytes with which `records` are sorted without a temporary file, and the least with
/// which a sort can work at all.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "comes from Python")]
pub fn sort_memory(
    record_bytes: usize,
    keys: Vec<Key>,
    records: u64,
    threads: usize,
) -> PyResult<(u64, usize)> {
    let shape = shape(record_bytes, &keys)?;
    Ok((
        need_bytes(&shape, records, threads),
        least_bytes(&shape, threads),
    ))
}

/// How many runs a sort of `records` writes with so much memory, and how many it merges at a time.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "comes from Python")]
pub fn sort_runs(
    record_bytes: usize,
    keys: Vec<Key>,
    records: u64,
    threads: usize,
    sortsize_bytes: usize,
) -> PyResult<(u64, usize)> {
    let shape = shape(record_bytes, &keys)?;
    let budget = Budget::new(&shape, records, threads, sortsize_bytes).map_err(raised)?;
    Ok((budget.runs, budget.fan_in))
}

/// Makes records from a seed in a file that exists; their number and checksum (JSON). `kind` is
/// `observations` or `records`. `progress` is called with the progress (JSON); Ctrl-C cancels it.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "named by the Python caller")]
#[expect(clippy::needless_pass_by_value, reason = "comes from Python")]
pub fn sort_make(
    py: Python<'_>,
    path: &str,
    record_bytes: usize,
    keys: Vec<Key>,
    kind: &str,
    records: u64,
    seed: u64,
    progress: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let shape = shape(record_bytes, &keys)?;
    let kind = match kind {
        "observations" => Kind::Observations,
        "records" => Kind::Records,
        other => {
            let message = format!("\"{other}\" is not a kind of data; use observations or records");
            return Err(InputError::new_err(message));
        }
    };
    let mut hook = ProgressHook::new(progress);
    let made = py.detach(|| {
        make(Path::new(path), &shape, kind, records, seed, &mut |far| {
            hook.tell(&far)
        })
    });
    hook.answer(made)
}

/// Sorts a file into another one that exists; what it took (JSON). The process should do nothing
/// else meanwhile. `progress` is called with the progress (JSON); Ctrl-C cancels it.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "named by the Python caller")]
#[expect(clippy::needless_pass_by_value, reason = "comes from Python")]
pub fn sort_file(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    record_bytes: usize,
    keys: Vec<Key>,
    records: u64,
    sortsize_bytes: usize,
    threads: usize,
    work: Vec<PathBuf>,
    cold: bool,
    progress: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let shape = shape(record_bytes, &keys)?;
    let (input, output) = (source, target);
    let order = Order {
        input,
        output,
        records,
        shape,
        sortsize_bytes,
        threads,
        work,
        cold,
    };
    let mut hook = ProgressHook::new(progress);
    let sorted = py.detach(|| {
        warm_up(&order)?;
        sort(&order, &mut |far| hook.tell(&far))
    });
    hook.answer(sorted)
}

/// Reads a file of records: their number and checksum, and the first that is out of order (JSON).
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "comes from Python")]
pub fn sort_verify(
    py: Python<'_>,
    path: &str,
    record_bytes: usize,
    keys: Vec<Key>,
    progress: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let shape = shape(record_bytes, &keys)?;
    let mut hook = ProgressHook::new(progress);
    let found = py.detach(|| verify(Path::new(path), &shape, &mut |far| hook.tell(&far)));
    hook.answer(found)
}

/// Has the system kill this process when its parent, of the number given, ends. False if it has
/// ended already.
#[pyfunction]
pub fn end_with_parent(parent: u32) -> bool {
    end_with(parent)
}

fn shape(record_bytes: usize, keys: &[Key]) -> PyResult<Shape> {
    let fields = keys
        .iter()
        .map(|&(offset, bytes)| Field { offset, bytes })
        .collect();
    Shape::new(record_bytes, fields).map_err(raised)
}
