//! What several machines counted, added up, as Python sees it.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::errors::EngineError;
use crate::interval::Interval;

/// The sum of what the engines of several machines count in one run, interval by interval.
#[pyclass(frozen, module = "headcount._engine")]
#[derive(Debug)]
pub struct Gathering(Mutex<headcount_load::Gathering>);

#[pymethods]
impl Gathering {
    /// From the beginning of a run, of so many scenarios and names of steps.
    #[new]
    fn new(scenarios: usize, steps: usize) -> Self {
        Self(Mutex::new(headcount_load::Gathering::new(scenarios, steps)))
    }

    /// What `Engine.next_bytes` gave on each machine, as one interval that begins where the last one
    /// ended; None of no machine. Each with what its clock is to be moved by, in seconds. A machine
    /// may give several that follow each other. Raises `EngineError` for bytes that are of no such
    /// run.
    fn next(
        &self,
        py: Python<'_>,
        machines: Vec<(Vec<PyBackedBytes>, f64)>,
    ) -> PyResult<Option<Interval>> {
        let sum = py.detach(move || {
            let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let mut parts = Vec::with_capacity(machines.len());
            for (sent, by_s) in machines {
                let mut whole: Option<headcount_load::Interval> = None;
                for bytes in sent {
                    let next = inner.read(&bytes)?;
                    whole = Some(match whole {
                        Some(earlier) => earlier.with_next(next),
                        None => next,
                    });
                }
                parts.extend(whole.map(|one| one.moved((by_s * 1e9) as i64)));
            }
            Ok(inner.next(parts))
        });
        let sum = sum.map_err(|error: headcount_load::ParcelError| {
            EngineError::new_err(error.to_string())
        })?;
        sum.map(|one| Interval::new(py, &one)).transpose()
    }
}
