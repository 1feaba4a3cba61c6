//! Programs that users play, for the side that plans a run.

use headcount_tree::data_set::DataSet;
use headcount_tree::program::facts::Facts;
use headcount_tree::program::source::Source;
use pyo3::prelude::*;

use crate::errors::InputError;
use crate::json::json;
use crate::protocol::read;

/// What the program of a source (JSON) consists of, for a data set (JSON): operations by kind, those
/// of them that are to be refused, bytes, open files (JSON). Raises `InputError` for a load file that
/// cannot be read, with the line.
#[pyfunction]
pub fn program_facts(py: Python<'_>, source: &str, data_set: &str) -> PyResult<String> {
    let source: Source = read(source)?;
    let data_set: DataSet = read(data_set)?;
    py.detach(|| source.load(&data_set).map(|program| Facts::of(&program)))
        .map(|facts| json(&facts))
        .map_err(InputError::new_err)
}
