//! What a worker hands over at each tick: its counts since the last, and who waits right now.

use crate::recorder::Recorder;
use crate::times::Times;

/// One worker's state at one moment.
#[derive(Debug, Clone)]
pub struct Report {
    /// Which worker.
    pub worker: usize,
    /// Which tick of the common grid this report belongs to; the last report of a worker may repeat
    /// a tick.
    pub tick: u64,
    /// When it was made, in ns of the run's clock.
    pub at_ns: u64,
    /// Users present, leaving ones included.
    pub users: u32,
    /// Users, leaving ones excluded, who are opening their session before anything is due.
    pub logging_on: u32,
    /// For the users who stay, when they last completed a scenario: (reports of the worker until
    /// then, number of users), in order. Users who have completed none are left out.
    pub completed: Vec<(u64, u32)>,
    /// Since when each unserved user has completed nothing: a scenario has failed since or is over
    /// its limit, or the user has been logging on for too long.
    pub unserved_ns: Vec<u64>,
    /// CPU time of the worker's thread so far.
    pub cpu_ns: u64,
    /// What was counted since the worker's last report.
    pub counted: Recorder,
    /// For each scenario, the ages (µs since due) of those being played now.
    pub pending: Vec<Times>,
    /// For each scenario, how many of those being played are already over its limit.
    pub overdue: Vec<u64>,
    /// Ages (µs since due) of scenarios that are due and wait for their user (open pace).
    pub backlog: Times,
    /// How many of those are already over any scenario's limit, or late for any.
    pub backlog_overdue: u64,
}
