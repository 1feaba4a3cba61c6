//! A run, driven from Python.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use headcount_load::clock::Origin;
use headcount_load::run::RunError;
use headcount_load::{Files, Orders, Plan, Run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::errors::{EngineError, raised};
use crate::interval::Interval;
use crate::protocol;

/// A run under way. Users are played by threads of the engine; Python pulls what they counted.
#[pyclass(frozen, module = "headcount._engine")]
pub struct Engine {
    /// `None` once closed. Locked by who waits for a report.
    state: Mutex<Option<State>>,
    /// An order must not wait for a report.
    orders: Mutex<Option<Orders>>,
    step_names: Vec<String>,
    request_names: Vec<&'static str>,
    task_names: Vec<&'static str>,
}

struct State {
    run: Run,
}

/// How long a wait may go without looking for signals: Ctrl-C is noticed within this.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

#[pymethods]
impl Engine {
    /// Starts a plan (JSON) for a protocol against a target (JSON); no users yet. Its clock begins
    /// now, or at `begin_s` of `time.monotonic`: earlier or later than now, as long as the engines of
    /// several machines begin at the same moment. Users connect from `local_addresses` of this
    /// machine, in turn; where the plan has lines, those on none from the first, and those on each
    /// line from one of the others. `files` are those that steps send, by the paths that they name.
    #[new]
    #[pyo3(signature = (plan, protocol, target, begin_s = None, local_addresses = Vec::new(), files = BTreeMap::new()))]
    fn new(
        py: Python<'_>,
        plan: &str,
        protocol: &str,
        target: &str,
        begin_s: Option<f64>,
        local_addresses: Vec<IpAddr>,
        files: BTreeMap<String, PyBackedBytes>,
    ) -> PyResult<Self> {
        let plan = Plan::from_json(plan).map_err(|error| raised(RunError::Plan(error)))?;
        let plan = Plan {
            local_addresses,
            files: Files::read(files.into_iter().map(|(path, held)| (path, (*held).into()))),
            ..plan
        };
        let begin = begin_s.map(|one| span("begin_s", one)).transpose()?;
        let origin = begin.map(|one| Origin::at(one.as_nanos() as u64));
        let run = py.detach(|| protocol::start(plan, protocol, target, origin))?;
        let step_names = run.step_names().to_vec();
        let request_names = run.request_names().to_vec();
        let task_names = run.task_names().to_vec();
        Ok(Self {
            orders: Mutex::new(Some(run.orders())),
            state: Mutex::new(Some(State { run })),
            step_names,
            request_names,
            task_names,
        })
    }

    /// The names of the plan's steps, in the order in which they are counted.
    #[getter]
    fn step_names(&self) -> Vec<String> {
        self.step_names.clone()
    }

    /// The names of the kinds of requests that the protocol counts; none if its steps are its
    /// requests.
    #[getter]
    fn request_names(&self) -> Vec<&'static str> {
        self.request_names.clone()
    }

    /// The names of what the protocol's sessions time inside their steps; none if they time nothing.
    #[getter]
    fn task_names(&self) -> Vec<&'static str> {
        self.task_names.clone()
    }

    /// The steps that users have played since the last call, and their scenarios' ends, each a JSON
    /// object; none unless the plan has `trace`.
    fn take_trace(&self) -> PyResult<Vec<String>> {
        let entries = self.with(|state| state.run.take_trace())?;
        Ok(entries.iter().map(ToString::to_string).collect())
    }

    /// Seconds since the run began.
    fn now_s(&self) -> PyResult<f64> {
        self.order(|orders| orders.now_ns() as f64 / 1e9)
    }

    /// Brings the population to `users`, joins or leaves spread evenly over `ramp_s`.
    fn set_users(&self, users: u32, ramp_s: f64) -> PyResult<()> {
        let ramp = span("ramp_s", ramp_s)?;
        self.order(|orders| orders.set_users(users, ramp))
    }

    /// Ends the run; scenarios under way may finish within `drain_s`.
    fn stop(&self, drain_s: f64) -> PyResult<()> {
        let drain = span("drain_s", drain_s)?;
        self.order(|orders| orders.stop(drain))
    }

    /// What happened since the last call (since the run began, in the first), when the next report
    /// is in; None when `patience_s` ran out first or the run has ended. Other Python threads run
    /// meanwhile; Ctrl-C interrupts.
    fn next(&self, py: Python<'_>, patience_s: f64) -> PyResult<Option<Interval>> {
        let found = self.wait(py, patience_s)?;
        found.map(|one| Interval::new(py, &one)).transpose()
    }

    /// The same as bytes, for a `Gathering` on another machine.
    fn next_bytes<'py>(
        &self,
        py: Python<'py>,
        patience_s: f64,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = self.wait(py, patience_s)?;
        Ok(found.map(|one| PyBytes::new(py, &one.to_bytes())))
    }

    /// Whether the run has ended and its last interval was taken.
    #[getter]
    fn ended(&self) -> PyResult<bool> {
        self.with(|state| state.run.has_ended())
    }

    /// Ends the run at once, dropping whatever is under way. Further calls fail.
    fn close(&self, py: Python<'_>) {
        self.lock_orders().take();
        let state = self.lock().take();
        py.detach(|| drop(state));
    }
}

impl Engine {
    fn wait(&self, py: Python<'_>, patience_s: f64) -> PyResult<Option<headcount_load::Interval>> {
        let mut left = span("patience_s", patience_s)?;
        loop {
            let wait = left.min(SIGNAL_CHECK);
            let found = py.detach(|| self.pull(wait))?;
            if found.is_some() {
                return Ok(found);
            }
            py.check_signals()?;
            left = left.saturating_sub(wait);
            if left.is_zero() || self.ended()? {
                return Ok(None);
            }
        }
    }

    fn pull(&self, wait: Duration) -> PyResult<Option<headcount_load::Interval>> {
        let mut guard = self.lock();
        let state = guard.as_mut().ok_or_else(closed)?;
        state.run.next_interval(wait).map_err(raised)
    }

    fn order<T>(&self, act: impl FnOnce(&Orders) -> T) -> PyResult<T> {
        self.lock_orders().as_ref().map(act).ok_or_else(closed)
    }

    fn lock_orders(&self) -> std::sync::MutexGuard<'_, Option<Orders>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, act: impl FnOnce(&State) -> T) -> PyResult<T> {
        self.lock().as_ref().map(act).ok_or_else(closed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest span of time accepted, in seconds: 31 years, far below what nanoseconds can hold.
const LONGEST_S: f64 = 1e9;

fn span(name: &str, seconds: f64) -> PyResult<Duration> {
    if (0.0..=LONGEST_S).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    let message = format!("{name} is {seconds}; it must be from 0 to {LONGEST_S} seconds");
    Err(PyValueError::new_err(message))
}

fn closed() -> PyErr {
    EngineError::new_err("this run of the engine has been closed")
}

/// Makes sure that so many users can have `each` connections open at a time, one of them to the same
/// address, from so many addresses of this machine; raises `SystemLimitError` with the fix if not.
#[pyfunction]
#[pyo3(signature = (users, each, addresses = 1))]
pub fn ensure_connections(users: u64, each: u64, addresses: u64) -> PyResult<()> {
    headcount_load::limits::ensure_connections(users, each, addresses).map_err(raised)
}

/// How many of the first `users` are on no line, and on each of those with these shares.
#[pyfunction]
pub fn users_by_line(py: Python<'_>, users: u32, shares: Vec<f64>) -> Vec<u32> {
    py.detach(move || headcount_load::lines::users_by_line(users, &shares))
}

/// Makes sure that so many users can have `each` files open at a time; raises `SystemLimitError` with
/// the fix if not.
#[pyfunction]
pub fn ensure_open_files(users: u64, each: u64) -> PyResult<()> {
    headcount_load::limits::ensure_open_files(users, each).map_err(raised)
}
