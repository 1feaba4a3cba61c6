//! Servers of known behaviour, for testing the search.

use headcount_simulate::{Level, System, simulate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Overdue at the start, batches, percentiles 50, 90, 95 and 99 in seconds.
type LevelTuple = (u64, Vec<BatchTuple>, (f64, f64, f64, f64));

/// One batch: completed, slow among them, sum of responses in seconds, overdue at its end.
type BatchTuple = (u64, u64, f64, u64);

/// Plays one level against one of the simulated servers.
///
/// ``system`` is one of cpu, disk, noisy, thrash and memcliff. With ``previous_users`` the warm-up
/// starts from the state that this number of users left behind; with 0 it starts with all users
/// thinking.
///
/// Returns the overdue requests at the start, the batches (length 5 s, or all of a shorter level)
/// as tuples (completed, slow, `response_sum_s`, overdue at the end), and the response times in
/// seconds at the 50th, 90th, 95th and 99th percentile.
///
/// Raises `ValueError` when the system is unknown or the level outside the simulator's limits.
#[pyfunction]
#[pyo3(signature = (system, users, warmup_s, measure_s, seed, previous_users = 0))]
pub fn simulate_level(
    py: Python<'_>,
    system: &str,
    users: u32,
    warmup_s: f64,
    measure_s: f64,
    seed: u64,
    previous_users: u32,
) -> PyResult<LevelTuple> {
    let Some(known) = System::named(system) else {
        let names = System::NAMES.join(", ");
        return Err(PyValueError::new_err(format!(
            "unknown system {system:?}; known: {names}"
        )));
    };
    let level = Level {
        users,
        previous_users,
        warmup_s,
        measure_s,
        seed,
    };
    let measured = py
        .detach(|| simulate(&known, &level))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let batches = measured
        .batches
        .iter()
        .map(|batch| {
            (
                batch.completed,
                batch.slow,
                batch.response_sum_s,
                batch.overdue,
            )
        })
        .collect();
    Ok((
        measured.overdue_before,
        batches,
        measured.percentiles_s.into(),
    ))
}
