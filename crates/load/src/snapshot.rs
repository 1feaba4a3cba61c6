//! The state of a run at a moment, and what happened between two such snapshots.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::recorder::Recorder;
use crate::times::Times;

/// Everything counted since the run began, at one moment, over all workers.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The tick that every worker has reached.
    pub tick: u64,
    /// When, in ns of the run's clock (the latest of the workers' moments).
    pub at_ns: u64,
    /// Users present.
    pub users: u32,
    /// Users who are opening their session before anything is due.
    pub logging_on: u32,
    /// See [`Interval::completed`].
    pub completed: BTreeMap<u64, u32>,
    /// Since when users have completed nothing of what was due; see [`Report::unserved_ns`].
    pub unserved_ns: Vec<u64>,
    /// CPU time of each worker's thread so far, in ns.
    pub worker_cpu_ns: Vec<u64>,
    /// Everything counted.
    pub recorder: Recorder,
    /// Ages of scenarios being played, by scenario.
    pub pending: Vec<Times>,
    /// How many of them are already over their limit.
    pub overdue: Vec<u64>,
    /// Ages of scenarios that are due and wait for their user.
    pub backlog: Times,
    /// How many of those are overdue, whatever their scenario.
    pub backlog_overdue: u64,
}

impl Snapshot {
    /// What happened after `earlier`, a former snapshot of the same run.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Interval {
        let cpu = self.worker_cpu_ns.iter().zip(&earlier.worker_cpu_ns);
        Interval {
            from_ns: earlier.at_ns,
            to_ns: self.at_ns,
            users: self.users,
            logging_on: self.logging_on,
            completed: self.completed.clone(),
            unserved_ns: self.unserved_ns.clone(),
            worker_cpu_ns: cpu.map(|(now, then)| now.saturating_sub(*then)).collect(),
            counted: self.recorder.since(&earlier.recorder),
            pending: self.pending.clone(),
            overdue: self.overdue.clone(),
            backlog: self.backlog.clone(),
            backlog_overdue: self.backlog_overdue,
        }
    }
}

/// What happened between two snapshots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Interval {
    /// Its beginning, in ns of the run's clock.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
    /// Users present at the end.
    pub users: u32,
    /// Users who, at the end, are opening their session before anything is due.
    pub logging_on: u32,
    /// The number of users who last completed a scenario in an interval, by its beginning in ns of
    /// the run's clock. Users who have completed none, or are leaving, are left out. A user who
    /// completed a scenario within a window, however long, is counted at its beginning or later.
    pub completed: BTreeMap<u64, u32>,
    /// Since when users, at the end, have completed nothing of what was due.
    pub unserved_ns: Vec<u64>,
    /// CPU time each worker used in it, in ns.
    pub worker_cpu_ns: Vec<u64>,
    /// What was counted in it.
    pub counted: Recorder,
    /// Ages of scenarios being played at the end, by scenario.
    pub pending: Vec<Times>,
    /// How many of them are already over their limit.
    pub overdue: Vec<u64>,
    /// Ages, at the end, of scenarios that are due and wait for their user.
    pub backlog: Times,
    /// How many of those are overdue, whatever their scenario.
    pub backlog_overdue: u64,
}
