//! The sums of all workers' reports, one interval after the other.

use std::collections::{BTreeMap, VecDeque};

use crate::fault::FaultTally;
use crate::recorder::{FaultKey, Recorder};
use crate::report::Report;
use crate::snapshot::{Interval, Snapshot};
use crate::times::Times;

/// The first report of each interval of a worker, as far back as users refer to them.
#[derive(Debug, Clone, Default)]
struct Beginnings {
    /// Reports taken.
    reports: u64,
    /// (number of the report, when the interval began in ns), in order.
    intervals: VecDeque<(u64, u64)>,
}

impl Beginnings {
    /// Takes the worker's next report, which belongs to an interval that began at `from_ns`.
    fn take(&mut self, report: &Report, from_ns: u64) {
        let last = self.intervals.back();
        if last.is_none_or(|(_, began_ns)| *began_ns != from_ns) {
            self.intervals.push_back((self.reports, from_ns));
        }
        self.reports += 1;
        let earliest = report
            .completed
            .first()
            .map_or(self.reports, |first| first.0);
        while self
            .intervals
            .get(1)
            .is_some_and(|(first, _)| *first <= earliest)
        {
            self.intervals.pop_front();
        }
    }

    /// When the interval of the report with this number began, in ns.
    fn interval_of(&self, report: u64) -> u64 {
        let later = self
            .intervals
            .partition_point(|(first, _)| *first <= report);
        later
            .checked_sub(1)
            .map_or(0, |index| self.intervals[index].1)
    }
}

/// Adds up reports. Each counts what its worker did since the one before, so none may be skipped,
/// and those of a worker must come in order.
#[derive(Debug, Clone)]
pub struct Intervals {
    /// The last report of each worker that has made one, without its counts.
    last: BTreeMap<usize, Report>,
    /// The first report of each interval, by worker.
    first: BTreeMap<usize, Beginnings>,
    /// When the last interval ended.
    ended_ns: u64,
    /// CPU time of each worker's thread at that moment.
    cpu_ns: BTreeMap<usize, u64>,
    /// The first messages of each kind of fault in the whole run.
    faults: BTreeMap<FaultKey, FaultTally>,
    scenarios: usize,
    steps: usize,
}

impl Intervals {
    /// From the beginning of a run with this many scenarios and names of steps.
    #[must_use]
    pub const fn new(scenarios: usize, steps: usize) -> Self {
        Self {
            last: BTreeMap::new(),
            first: BTreeMap::new(),
            ended_ns: 0,
            cpu_ns: BTreeMap::new(),
            faults: BTreeMap::new(),
            scenarios,
            steps,
        }
    }

    /// What happened between the reports of the last call and these; `None` before the first
    /// report. `give_back` gets the recorder of each report, with the number of its worker.
    pub fn next(
        &mut self,
        reports: impl IntoIterator<Item = Report>,
        mut give_back: impl FnMut(usize, Recorder),
    ) -> Option<Interval> {
        let from_ns = self.ended_ns;
        let mut counted = Recorder::new(self.scenarios, self.steps);
        for mut report in reports {
            let first = self.first.entry(report.worker).or_default();
            first.take(&report, from_ns);
            counted.add(&report.counted);
            give_back(report.worker, std::mem::take(&mut report.counted));
            self.last.insert(report.worker, report);
        }
        self.remember_faults(&mut counted);
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
            logging_on: 0,
            completed: BTreeMap::new(),
            unserved_ns: Vec::new(),
            worker_cpu_ns,
            counted,
            pending: vec![Times::new(); self.scenarios],
            overdue: vec![0; self.scenarios],
            backlog: Times::new(),
            backlog_overdue: 0,
        };
        for (worker, report) in &self.last {
            add_state(&mut interval, report);
            for (reports, users) in &report.completed {
                let began_ns = self.first[worker].interval_of(*reports);
                *interval.completed.entry(began_ns).or_default() += users;
            }
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

    /// Gives each kind of fault its first messages of the run as examples.
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

/// Adds the state of a worker at its last report.
fn add_state(interval: &mut Interval, report: &Report) {
    interval.users += report.users;
    interval.logging_on += report.logging_on;
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
            logging_on: interval.logging_on,
            completed: interval.completed,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn report(worker: usize, tick: u64, completed: &[(u64, u32)]) -> Report {
        Report {
            worker,
            tick,
            at_ns: tick * 1_000 + worker as u64,
            users: 4,
            logging_on: 1,
            completed: completed.to_vec(),
            unserved_ns: Vec::new(),
            cpu_ns: 0,
            counted: Recorder::new(0, 0),
            pending: Vec::new(),
            overdue: Vec::new(),
            backlog: Times::new(),
            backlog_overdue: 0,
        }
    }

    #[test]
    fn users_count_in_the_interval_of_the_report_that_counted_them() {
        let mut intervals = Intervals::new(0, 0);
        let mut next = |reports: Vec<Report>| intervals.next(reports, |_, _| {}).unwrap();
        let first = next(vec![report(0, 1, &[(0, 3)]), report(1, 1, &[])]);
        assert_eq!((first.from_ns, first.to_ns), (0, 1_001));
        assert_eq!(first.completed, BTreeMap::from([(0, 3)]));
        // The reader was late: two reports of a worker make up one interval.
        let two = vec![
            report(0, 2, &[(0, 1), (1, 2)]),
            report(0, 3, &[(0, 1), (2, 2)]),
        ];
        let second = next([two, vec![report(1, 3, &[(1, 4)])]].concat());
        assert_eq!(second.completed, BTreeMap::from([(0, 1), (1_001, 6)]));
        let third = next(vec![
            report(0, 4, &[(2, 3)]),
            report(1, 4, &[(1, 1), (2, 3)]),
        ]);
        assert_eq!(third.completed, BTreeMap::from([(1_001, 4), (3_001, 3)]));
        // A worker that has ended keeps its last state.
        let fourth = next(vec![report(0, 5, &[(4, 4)])]);
        assert_eq!(
            fourth.completed,
            BTreeMap::from([(1_001, 1), (3_001, 3), (4_001, 4)])
        );
        assert_eq!(fourth.logging_on, 2);
    }
}
