//! What happened between two snapshots, as Python sees it: plain figures and histograms.

use std::collections::BTreeMap;

use headcount_load::distribution::Distribution;
use headcount_load::recorder::At;
use headcount_load::times::Times;
use pyo3::prelude::*;

use crate::histogram::Histogram;

/// What happened between two snapshots of a run.
#[pyclass(frozen, get_all, module = "headcount._engine")]
#[derive(Debug)]
pub struct Interval {
    /// Its beginning, in seconds of the run's clock.
    from_s: f64,
    /// Its end.
    to_s: f64,
    /// Users present at the end.
    users: u32,
    /// Users who, at the end, are opening their session before anything is due.
    logging_on: u32,
    /// How many users last completed a scenario in which interval: (its `from_s`, users), in order.
    /// Whoever never did, or is leaving, is left out.
    completed: Vec<(f64, u32)>,
    /// Users who, at the end, have completed nothing since a moment of the run's clock, and have had
    /// a failure or waited over a limit since: (that moment in s, rounded up to a tenth; how many),
    /// in order.
    unserved: Vec<(f64, u64)>,
    /// CPU seconds each worker used.
    worker_cpu_s: Vec<f64>,
    /// Think times (or intervals of an open pace) drawn, in seconds, summed.
    think_s: f64,
    /// Sessions opened.
    sessions_opened: u64,
    /// Requests sent, in the order of `Engine.request_names`.
    requests: Vec<u64>,
    /// In the plan's order.
    scenarios: Vec<Py<ScenarioCount>>,
    /// In the order of `Engine.step_names`.
    steps: Vec<Py<StepCount>>,
    /// In the order of `Engine.task_names`.
    tasks: Vec<Py<TaskCount>>,
    /// By line, first of users on none; empty where the plan has no lines.
    lines: Vec<Py<LineCount>>,
    /// Faults that struck.
    faults: Vec<Py<FaultCount>>,
    /// What happened when, if the plan has `slot_ms`: where each slot of time begins in s; how many
    /// scenarios completed in it, how many of those were slow or late, and how many failed; how many
    /// that were due in it were kept (completed within their limit) and missed; and how many sessions
    /// were opened in it. In order, without empty slots.
    moments: Vec<(f64, u32, u32, u32, u32, u32, u32)>,
    /// How late the engine's own timers were.
    timer_lateness: Py<Histogram>,
    /// How late scenarios began after they were due.
    start_lateness: Py<Histogram>,
    /// Ages, at the end, of scenarios that are due and wait for their user (open pace).
    backlog: Py<Histogram>,
    /// How many of those are overdue whichever scenario they will be.
    backlog_overdue: u64,
}

/// One scenario between two snapshots.
#[pyclass(frozen, get_all, module = "headcount._engine")]
#[derive(Debug)]
pub struct ScenarioCount {
    /// Begun.
    started: u64,
    /// Ended without a fault.
    completed: u64,
    /// Ended by a fault.
    failed: u64,
    /// Completed over the limit.
    slow: u64,
    /// Begun too late.
    late: u64,
    /// Failed, slow or late, each once.
    overloaded: u64,
    /// Response times of all that ended, summed, in seconds.
    response_s: f64,
    /// Service times of all that ended, summed, in seconds.
    service_s: f64,
    /// Payload received.
    read_bytes: u64,
    /// Payload sent.
    written_bytes: u64,
    /// Response times of the completed.
    response: Py<Histogram>,
    /// Service times of the completed.
    service: Py<Histogram>,
    /// Ages, at the end, of those being played.
    pending: Py<Histogram>,
    /// How many of those are over their limit already.
    overdue: u64,
}

/// All steps of one name between two snapshots.
#[pyclass(frozen, get_all, module = "headcount._engine")]
#[derive(Debug)]
pub struct StepCount {
    /// Ended without a fault.
    completed: u64,
    /// Ended by a fault.
    failed: u64,
    /// Service times of all that ended, summed, in seconds.
    service_s: f64,
    /// Payload received.
    read_bytes: u64,
    /// Payload sent.
    written_bytes: u64,
    /// Service times of the completed.
    service: Py<Histogram>,
}

/// All tasks of one name between two snapshots.
#[pyclass(frozen, get_all, module = "headcount._engine")]
#[derive(Debug)]
pub struct TaskCount {
    /// Ended without a fault.
    completed: u64,
    /// Ended by a fault.
    failed: u64,
    /// Times of the completed, summed, in seconds.
    service_s: f64,
    /// Squares of the times of the completed, in ms, summed.
    squares_ms2: f64,
    /// Times of the completed.
    service: Py<Histogram>,
}

/// All scenarios of the users on one line between two snapshots.
#[pyclass(frozen, get_all, module = "headcount._engine")]
#[derive(Debug)]
pub struct LineCount {
    /// Begun.
    started: u64,
    /// Ended without a fault.
    completed: u64,
    /// Ended by a fault.
    failed: u64,
    /// Failed, slow or late, each once.
    overloaded: u64,
    /// Response times of the completed.
    response: Py<Histogram>,
}

/// Faults of one kind at one step with messages that differ only in names and figures.
#[pyclass(frozen, get_all, module = "headcount._engine")]
#[derive(Debug)]
pub struct FaultCount {
    /// Index in `Engine.step_names`; None for the opening of a session.
    step: Option<usize>,
    /// The kind's name.
    kind: &'static str,
    /// A number of their message; 0 for those of which there were too many different ones.
    group: u64,
    /// How many.
    count: u64,
    /// The first different messages of the run.
    examples: Vec<String>,
}

impl Interval {
    /// Converts an interval of the engine.
    pub fn new(py: Python<'_>, interval: &headcount_load::Interval) -> PyResult<Self> {
        let counted = &interval.counted;
        let waiting = interval.pending.iter().zip(&interval.overdue);
        let scenarios = counted.scenarios.iter().zip(waiting);
        Ok(Self {
            from_s: seconds(interval.from_ns),
            to_s: seconds(interval.to_ns),
            users: interval.users,
            logging_on: interval.logging_on,
            completed: interval
                .completed
                .iter()
                .map(|(from_ns, users)| (seconds(*from_ns), *users))
                .collect(),
            unserved: unserved(&interval.unserved_ns),
            worker_cpu_s: interval
                .worker_cpu_ns
                .iter()
                .map(|ns| seconds(*ns))
                .collect(),
            think_s: seconds(counted.think_ns),
            sessions_opened: counted.sessions_opened,
            requests: counted.requests.clone(),
            scenarios: scenarios
                .map(|(t, (p, o))| scenario(py, t, p, *o))
                .collect::<PyResult<_>>()?,
            steps: counted
                .steps
                .iter()
                .map(|t| step(py, t))
                .collect::<PyResult<_>>()?,
            tasks: counted
                .tasks
                .iter()
                .map(|t| task(py, t))
                .collect::<PyResult<_>>()?,
            lines: counted
                .lines
                .iter()
                .map(|t| line(py, t))
                .collect::<PyResult<_>>()?,
            faults: counted
                .faults
                .iter()
                .map(|f| fault(py, f))
                .collect::<PyResult<_>>()?,
            moments: counted
                .moments
                .each()
                .map(|(at_ns, m)| {
                    let at_s = seconds(at_ns);
                    (
                        at_s,
                        m.completed,
                        m.slow,
                        m.failed,
                        m.kept,
                        m.missed,
                        m.opened,
                    )
                })
                .collect(),
            timer_lateness: histogram(py, &counted.timer_lateness)?,
            start_lateness: histogram(py, &counted.start_lateness)?,
            backlog: histogram(py, &interval.backlog)?,
            backlog_overdue: interval.backlog_overdue,
        })
    }
}

fn scenario(
    py: Python<'_>,
    tally: &headcount_load::recorder::ScenarioTally,
    pending: &Times,
    overdue: u64,
) -> PyResult<Py<ScenarioCount>> {
    let count = ScenarioCount {
        started: tally.started,
        completed: tally.completed,
        failed: tally.failed,
        slow: tally.slow,
        late: tally.late,
        overloaded: tally.overloaded,
        response_s: seconds(tally.response_ns),
        service_s: seconds(tally.service_ns),
        read_bytes: tally.read_bytes,
        written_bytes: tally.written_bytes,
        response: histogram(py, &tally.response)?,
        service: histogram(py, &tally.service)?,
        pending: histogram(py, pending)?,
        overdue,
    };
    Py::new(py, count)
}

fn step(py: Python<'_>, tally: &headcount_load::recorder::StepTally) -> PyResult<Py<StepCount>> {
    let count = StepCount {
        completed: tally.completed,
        failed: tally.failed,
        service_s: seconds(tally.service_ns),
        read_bytes: tally.read_bytes,
        written_bytes: tally.written_bytes,
        service: histogram(py, &tally.service)?,
    };
    Py::new(py, count)
}

fn task(py: Python<'_>, tally: &headcount_load::tasks::TaskTally) -> PyResult<Py<TaskCount>> {
    let count = TaskCount {
        completed: tally.completed,
        failed: tally.failed,
        service_s: seconds(tally.service_ns),
        squares_ms2: tally.squares_ms2,
        service: histogram(py, &tally.service)?,
    };
    Py::new(py, count)
}

fn line(py: Python<'_>, tally: &headcount_load::recorder::LineTally) -> PyResult<Py<LineCount>> {
    let count = LineCount {
        started: tally.started,
        completed: tally.completed,
        failed: tally.failed,
        overloaded: tally.overloaded,
        response: histogram(py, &tally.response)?,
    };
    Py::new(py, count)
}

fn fault(
    py: Python<'_>,
    (key, tally): (
        &headcount_load::recorder::FaultKey,
        &headcount_load::fault::FaultTally,
    ),
) -> PyResult<Py<FaultCount>> {
    let count = FaultCount {
        step: match key.0 {
            At::Step(index) => Some(index),
            At::Opening => None,
        },
        kind: key.1.name(),
        group: key.2,
        count: tally.count,
        examples: tally.examples.iter().map(ToString::to_string).collect(),
    };
    Py::new(py, count)
}

fn unserved(since_ns: &[u64]) -> Vec<(f64, u64)> {
    let mut users = BTreeMap::new();
    for ns in since_ns {
        *users.entry(ns.div_ceil(100_000_000)).or_default() += 1;
    }
    let tenths = users.into_iter();
    tenths.map(|(at, many)| (at as f64 / 10.0, many)).collect()
}

fn histogram(py: Python<'_>, times: &Times) -> PyResult<Py<Histogram>> {
    Py::new(py, Histogram(Distribution::of(times)))
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
