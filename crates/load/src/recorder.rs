//! What a worker counts from one report to the next, and sums of such counts.

use std::collections::BTreeMap;
use std::mem::{replace, swap};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, FaultKind, FaultTally, group};
use crate::moments::Moments;
pub use crate::tallies::{LineTally, ScenarioTally, StepTally};
use crate::tasks::TaskTally;
use crate::times::Times;

/// Where a fault occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum At {
    /// In the step with this index among the names of steps.
    Step(usize),
    /// While a session was opened.
    Opening,
}

/// Where a fault occurred, its kind, and the group of its message: see [`crate::fault::group`].
pub type FaultKey = (At, FaultKind, u64);

/// Groups a worker keeps for each kind of fault at each step; further ones count in [`OTHERS`].
pub const FAULT_GROUPS: usize = 16;

/// The group of messages beyond [`FAULT_GROUPS`].
pub const OTHERS: u64 = 0;

/// What one worker has counted since its last report, or a sum of such counts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Recorder {
    /// By index of the scenario in the plan.
    pub scenarios: Vec<ScenarioTally>,
    /// By index of the step's name.
    pub steps: Vec<StepTally>,
    /// Faults by place, kind and group.
    pub faults: BTreeMap<FaultKey, FaultTally>,
    /// How long after its due moment each timer woke its user, in µs: the engine's own lateness.
    pub timer_lateness: Times,
    /// How long after its due moment each scenario started, in µs, for any reason.
    pub start_lateness: Times,
    /// Think times drawn after scenarios that ended, summed.
    pub think_ns: u64,
    /// Sessions opened.
    pub sessions_opened: u64,
    /// Requests sent, by index of the protocol's `requests`; empty before the first report.
    pub requests: Vec<u64>,
    /// What sessions timed, by index of the protocol's `tasks`; empty before the first report.
    pub tasks: Vec<TaskTally>,
    /// By line, index 0 for users on none; empty where the plan has no lines.
    pub lines: Vec<LineTally>,
    /// What happened when, where the plan asks for it.
    pub moments: Moments,
    /// The groups of faults that the whole run keeps apart, at most [`FAULT_GROUPS`] each.
    #[serde(skip)]
    groups: BTreeMap<(At, FaultKind), Vec<u64>>,
}

/// The end of one scenario.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Index of the scenario.
    pub scenario: usize,
    /// The line of its user, from 1; 0 is none.
    pub line: usize,
    /// When it was due, began and ended, in ns of the run's clock.
    pub due_ns: u64,
    /// When it began.
    pub began_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// For how long its user was idle in it, which is not response time.
    pub idle_ns: u64,
    /// Whether every step succeeded.
    pub completed: bool,
    /// The scenario's limit.
    pub limit_ns: u64,
    /// Starts later than this count as late.
    pub late_ns: u64,
}

impl Recorder {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(scenarios: usize, steps: usize) -> Self {
        Self {
            scenarios: vec![ScenarioTally::new(); scenarios],
            steps: vec![StepTally::new(); steps],
            faults: BTreeMap::new(),
            timer_lateness: Times::new(),
            start_lateness: Times::new(),
            think_ns: 0,
            sessions_opened: 0,
            requests: Vec::new(),
            tasks: Vec::new(),
            lines: Vec::new(),
            moments: Moments::default(),
            groups: BTreeMap::new(),
        }
    }

    /// From now on also counts by line, if there are any.
    pub fn keep_lines(&mut self, lines: usize) {
        if lines > 0 {
            self.lines.resize_with(lines + 1, LineTally::default);
        }
    }

    /// Returns what was counted and continues with `empty`, without copying.
    #[must_use]
    pub fn hand_over(&mut self, mut empty: Self) -> Self {
        swap(&mut self.groups, &mut empty.groups);
        empty.moments = self.moments.emptied();
        empty.keep_lines(self.lines.len().saturating_sub(1));
        replace(self, empty)
    }

    /// Empties the recorder and keeps its memory.
    pub fn clear(&mut self) {
        self.scenarios.iter_mut().for_each(ScenarioTally::clear);
        self.steps.iter_mut().for_each(StepTally::clear);
        self.tasks.iter_mut().for_each(TaskTally::clear);
        self.lines.iter_mut().for_each(LineTally::clear);
        self.faults.clear();
        self.timer_lateness.clear();
        self.start_lateness.clear();
        self.think_ns = 0;
        self.sessions_opened = 0;
        self.requests.clear();
        self.moments = self.moments.emptied();
    }

    /// Adds what another worker has counted.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.scenarios.iter_mut().zip(&other.scenarios) {
            mine.add(theirs);
        }
        for (mine, theirs) in self.steps.iter_mut().zip(&other.steps) {
            mine.add(theirs);
        }
        for (key, theirs) in &other.faults {
            let mine = self.faults.entry(*key).or_default();
            mine.count += theirs.count;
            theirs
                .examples
                .iter()
                .for_each(|example| mine.keep(example));
        }
        self.timer_lateness.add(&other.timer_lateness);
        self.start_lateness.add(&other.start_lateness);
        self.think_ns += other.think_ns;
        self.sessions_opened += other.sessions_opened;
        let kinds = self.requests.len().max(other.requests.len());
        self.requests.resize(kinds, 0);
        for (mine, theirs) in self.requests.iter_mut().zip(&other.requests) {
            *mine += theirs;
        }
        let kinds = self.tasks.len().max(other.tasks.len());
        self.tasks.resize_with(kinds, TaskTally::new);
        for (mine, theirs) in self.tasks.iter_mut().zip(&other.tasks) {
            mine.add(theirs);
        }
        let kinds = self.lines.len().max(other.lines.len());
        self.lines.resize_with(kinds, LineTally::default);
        for (mine, theirs) in self.lines.iter_mut().zip(&other.lines) {
            mine.add(theirs);
        }
        self.moments.add(&other.moments);
    }

    /// What was counted after `earlier`, a former state of this same recorder.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        for (mine, theirs) in difference.scenarios.iter_mut().zip(&earlier.scenarios) {
            mine.subtract(theirs);
        }
        for (mine, theirs) in difference.steps.iter_mut().zip(&earlier.steps) {
            mine.subtract(theirs);
        }
        difference.faults.retain(|key, mine| {
            mine.count -= earlier.faults.get(key).map_or(0, |theirs| theirs.count);
            mine.count > 0
        });
        difference.timer_lateness.subtract(&earlier.timer_lateness);
        difference.start_lateness.subtract(&earlier.start_lateness);
        difference.think_ns -= earlier.think_ns;
        difference.sessions_opened -= earlier.sessions_opened;
        for (mine, theirs) in difference.requests.iter_mut().zip(&earlier.requests) {
            *mine -= theirs;
        }
        for (mine, theirs) in difference.tasks.iter_mut().zip(&earlier.tasks) {
            mine.subtract(theirs);
        }
        for (mine, theirs) in difference.lines.iter_mut().zip(&earlier.lines) {
            mine.subtract(theirs);
        }
        difference.moments.subtract(&earlier.moments);
        difference
    }

    /// Counts a scenario that has begun, of a user on this line.
    pub fn started(&mut self, scenario: usize, line: usize) {
        self.scenarios[scenario].started += 1;
        if let Some(tally) = self.lines.get_mut(line) {
            tally.started += 1;
        }
    }

    /// Counts a scenario that has ended.
    pub fn ended(&mut self, ended: &Ended) {
        let tally = &mut self.scenarios[ended.scenario];
        let worked_until_ns = ended.ended_ns - ended.idle_ns;
        let response_ns = worked_until_ns - ended.due_ns;
        let service_ns = worked_until_ns - ended.began_ns;
        let slow = ended.completed && response_ns > ended.limit_ns;
        let late = ended.began_ns - ended.due_ns > ended.late_ns;
        tally.response_ns += response_ns;
        tally.service_ns += service_ns;
        if ended.completed {
            tally.completed += 1;
            tally.response.record_ns(response_ns);
            tally.service.record_ns(service_ns);
        } else {
            tally.failed += 1;
        }
        tally.slow += u64::from(slow);
        tally.late += u64::from(late);
        let missed = slow || late || !ended.completed;
        tally.overloaded += u64::from(missed);
        if let Some(tally) = self.lines.get_mut(ended.line) {
            tally.ended(response_ns, ended.completed, missed);
        }
        self.moments
            .ended(ended.due_ns, ended.ended_ns, ended.completed, missed);
    }

    /// Counts a session that was opened; `now_ns` is called only if it is needed.
    pub fn opened(&mut self, now_ns: impl FnOnce() -> u64) {
        self.sessions_opened += 1;
        if self.moments.is_on() {
            self.moments.opened(now_ns());
        }
    }

    /// Counts a step that ended without a fault.
    pub fn step_completed(&mut self, step: usize, service_ns: u64, moved: crate::Moved) {
        let tally = &mut self.steps[step];
        tally.completed += 1;
        tally.service_ns += service_ns;
        tally.read_bytes += moved.read_bytes;
        tally.written_bytes += moved.written_bytes;
        tally.service.record_ns(service_ns);
    }

    /// Counts the fault of a step, or of opening a session.
    pub fn fault(&mut self, at: At, fault: &Fault) {
        let tally = self.fault_tally(at, fault.kind, group(&fault.message));
        tally.count += 1;
        tally.keep(&fault.message);
    }

    /// The tally of a group of faults, or of [`OTHERS`] where there is no room for another group.
    fn fault_tally(&mut self, at: At, kind: FaultKind, group: u64) -> &mut FaultTally {
        let groups = self.groups.entry((at, kind)).or_default();
        let group = if groups.contains(&group) {
            group
        } else if groups.len() < FAULT_GROUPS {
            groups.push(group);
            group
        } else {
            OTHERS
        };
        self.faults.entry((at, kind, group)).or_default()
    }
}
