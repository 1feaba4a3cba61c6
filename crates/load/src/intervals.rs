//! What the reports of all workers add up to, one interval after the other.

use std::collections::BTreeMap;

use crate::recorder::{FaultKey, FaultTally, Recorder};
use crate::report::Report;
use crate::snapshot::{Interval, Snapshot};
use crate::times::Times;

/// Adds up reports. Each counts what its worker did since the one before, so every report is taken,
/// in the order of its worker.
#[derive(Debug, Clone)]
pub struct Intervals {
    /// The last report of each worker that has made one, without its counts.
    last: BTreeMap<usize, Report>,
    /// When the last interval ended.
    ended_ns: u64,
    /// CPU time of each worker's thread up to then.
    cpu_ns: BTreeMap<usize, u64>,
    /// The first messages of each kind of fault in the whole run.
    faults: BTreeMap<FaultKey, FaultTally>,
    scenarios: usize,
    steps: usize,
}

impl Intervals {
    /// From the beginning of a run, of so many scenarios and names of steps.
    #[must_use]
    pub const fn new(scenarios: usize, steps: usize) -> Self {
        Self {
            last: BTreeMap::new(),
            ended_ns: 0,
            cpu_ns: BTreeMap::new(),
            faults: BTreeMap::new(),
            scenarios,
            steps,
        }
    }

    /// What happened between the reports that were taken before and these; `None` before the first.
    /// `give_back` gets the recorder of each report, with the number of its worker.
    pub fn next(
        &mut self,
        reports: impl IntoIterator<Item = Report>,
        mut give_back: impl FnMut(usize, Recorder),
    ) -> Option<Interval> {
        let mut counted = Recorder::new(self.scenarios, self.steps);
        for mut report in reports {
            counted.add(&report.counted);
            give_back(report.worker, std::mem::take(&mut report.counted));
            self.last.insert(report.worker, report);
        }
        self.remember_faults(&mut counted);
        let from_ns = self.ended_ns;
        self.ended_ns = self.last.values().map(|report| report.at_ns).max()?;
        let worker_cpu_ns = self
            .last
            .iter()
            .map(|(worker, report)| {
                let before_ns = self.cpu_ns.insert(*worker, report.cpu_ns).unwrap_or(0);
                report.cpu_ns.saturating_sub(before_ns)
            })
            .collect();
        let mut interval = Interval {
            from_ns,
            to_ns: self.ended_ns,
            users: 0,
            completed_ns: Vec::new(),
            unserved_ns: Vec::new(),
            worker_cpu_ns,
            counted,
            pending: vec![Times::new(); self.scenarios],
            overdue: vec![0; self.scenarios],
            backlog: Times::new(),
            backlog_overdue: 0,
        };
        for report in self.last.values() {
            stand(&mut interval, report);
        }
        Some(interval)
    }

    /// The tick that every worker has reached.
    #[must_use]
    pub fn tick(&self) -> u64 {
        let ticks = self.last.values().map(|report| report.tick);
        ticks.min().unwrap_or(0)
    }

    /// CPU time of each worker's thread up to the end of the last interval, in ns.
    fn worker_cpu_ns(&self) -> Vec<u64> {
        self.cpu_ns.values().copied().collect()
    }

    /// Gives each kind of fault the first messages of the run as its examples.
    fn remember_faults(&mut self, counted: &mut Recorder) {
        for (key, tally) in &mut counted.faults {
            let known = self.faults.entry(*key).or_default();
            tally
                .examples
                .iter()
                .for_each(|example| known.keep(example));
            tally.examples.clone_from(&known.examples);
        }
    }
}

/// Adds how things stood with a worker at its last report.
fn stand(interval: &mut Interval, report: &Report) {
    interval.users += report.users;
    interval.completed_ns.extend(&report.completed_ns);
    interval.unserved_ns.extend(&report.unserved_ns);
    for (mine, theirs) in interval.pending.iter_mut().zip(&report.pending) {
        mine.add(theirs);
    }
    for (mine, theirs) in interval.overdue.iter_mut().zip(&report.overdue) {
        *mine += theirs;
    }
    interval.backlog.add(&report.backlog);
    interval.backlog_overdue += report.backlog_overdue;
}

/// Everything counted since the run began, as a sum of its intervals.
#[derive(Debug, Clone, Default)]
pub struct Total(Recorder);

impl Total {
    /// Adds the last interval; returns how the run stands at its end.
    pub fn add(&mut self, interval: Interval, intervals: &Intervals) -> Snapshot {
        if self.0.scenarios.is_empty() {
            self.0 = Recorder::new(intervals.scenarios, intervals.steps);
        }
        self.0.add(&interval.counted);
        Snapshot {
            tick: intervals.tick(),
            at_ns: interval.to_ns,
            users: interval.users,
            completed_ns: interval.completed_ns,
            unserved_ns: interval.unserved_ns,
            worker_cpu_ns: intervals.worker_cpu_ns(),
            recorder: self.0.clone(),
            pending: interval.pending,
            overdue: interval.overdue,
            backlog: interval.backlog,
            backlog_overdue: interval.backlog_overdue,
        }
    }
}
