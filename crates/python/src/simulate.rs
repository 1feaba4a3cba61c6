//! Servers of known behaviour, for testing the search.

use headcount_simulate::{Batch, Level, LevelError, Server, System, simulate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Overdue at the start, batches, percentiles 50, 90, 95 and 99 in seconds.
type LevelTuple = (u64, Vec<BatchTuple>, (f64, f64, f64, f64));

/// One batch: completed, slow among them, sum of responses in seconds, overdue at its end.
type BatchTuple = (u64, u64, f64, u64);

/// Plays one level against one of the simulated servers.
///
/// ``system`` is one of those that :meth:`SimulatedServer.systems` names. With ``previous_users``
/// the warm-up starts from the state that this number of users left behind; with 0 it starts with
/// all users thinking.
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
    let known = named(system)?;
    let level = Level {
        users,
        previous_users,
        warmup_s,
        measure_s,
        seed,
    };
    let measured = py.detach(|| simulate(&known, &level)).map_err(refused)?;
    Ok((
        measured.overdue_before,
        measured.batches.iter().map(tuple).collect(),
        measured.percentiles_s.into(),
    ))
}

/// A simulated server that keeps its queues, caches and clock from level to level.
///
/// ``system`` is one of those that :meth:`systems` names; all random draws follow from ``seed``.
/// A level is :meth:`start_level`, then :meth:`users` and :meth:`run` for the ramp and the warm-up,
/// then :meth:`measure` as often as wanted.
#[pyclass(module = "headcount._engine")]
pub struct SimulatedServer {
    server: Server,
}

#[pymethods]
impl SimulatedServer {
    /// Raises `ValueError` when the system is unknown.
    #[new]
    fn new(system: &str, seed: u64) -> PyResult<Self> {
        Ok(Self {
            server: Server::new(named(system)?, seed),
        })
    }

    /// The names of the systems, in order.
    #[staticmethod]
    fn systems() -> Vec<&'static str> {
        System::names().collect()
    }

    /// Response time above which a request is slow, seconds.
    #[getter]
    fn limit_s(&self) -> f64 {
        self.server.system().limit_s
    }

    /// Share of the requests that may be slow at the capacity.
    #[getter]
    fn allowed(&self) -> f64 {
        self.server.system().allowed
    }

    /// Mean think time, seconds.
    #[getter]
    fn think_s(&self) -> f64 {
        self.server.system().think_s
    }

    /// Simulated seconds since the server started.
    #[getter]
    fn now_s(&self) -> f64 {
        self.server.now_s()
    }

    /// Starts a level: draws what holds for it.
    fn start_level(&mut self) {
        self.server.start_level();
    }

    /// Changes the number of users at once.
    ///
    /// Raises `ValueError` for none and for more than a million.
    fn users(&mut self, users: u32) -> PyResult<()> {
        self.server.users(users).map_err(refused)
    }

    /// Lets time pass without measuring. Returns the requests under way that are overdue then.
    ///
    /// Raises `ValueError` for seconds that are negative or above a million.
    fn run(&mut self, py: Python<'_>, seconds: f64) -> PyResult<u64> {
        py.detach(|| self.server.pass(seconds)).map_err(refused)?;
        Ok(self.server.overdue())
    }

    /// Measures for a while. Returns (completed, slow, `response_sum_s`, overdue at the end).
    ///
    /// Raises `ValueError` for seconds that are not positive or above a million.
    fn measure(&mut self, py: Python<'_>, seconds: f64) -> PyResult<BatchTuple> {
        let batch = py
            .detach(|| self.server.measure(seconds))
            .map_err(refused)?;
        Ok(tuple(&batch))
    }

    /// Lets the server stand still once, ``after_s`` from now, for ``length_s``.
    fn stall(&mut self, after_s: f64, length_s: f64) {
        self.server.stall(after_s, length_s);
    }
}

fn named(system: &str) -> PyResult<System> {
    System::named(system).ok_or_else(|| {
        let names: Vec<&str> = System::names().collect();
        let names = names.join(", ");
        PyValueError::new_err(format!("unknown system {system:?}; known: {names}"))
    })
}

fn refused(error: LevelError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn tuple(batch: &Batch) -> BatchTuple {
    (
        batch.completed,
        batch.slow,
        batch.response_sum_s,
        batch.overdue,
    )
}
