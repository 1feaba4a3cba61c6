//! What a worker counts from one report to the next, and sums of it.

use std::collections::BTreeMap;
use std::mem::{replace, swap, take};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, FaultKind, FaultTally, group};
use crate::moments::Moments;
use crate::tasks::TaskTally;
use crate::times::Times;

/// Counts and times of one scenario.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ScenarioTally {
    /// Begun, whether ended or not.
    pub started: u64,
    /// Ended without a fault.
    pub completed: u64,
    /// Ended by a fault.
    pub failed: u64,
    /// Completed, but over the scenario's limit.
    pub slow: u64,
    /// Started later after the due moment than the plan allows.
    pub late: u64,
    /// Failed, slow or late: what overload counts, each scenario once.
    pub overloaded: u64,
    /// Sum of response times (from due) of all that ended, failed ones too.
    pub response_ns: u64,
    /// Sum of service times (from start) of all that ended, failed ones too.
    pub service_ns: u64,
    /// Payload received and sent.
    pub read_bytes: u64,
    /// Payload sent.
    pub written_bytes: u64,
    /// Response times of completed scenarios, in µs, from the due moment.
    pub response: Times,
    /// Service times of completed scenarios, in µs, from the actual start.
    pub service: Times,
}

/// Counts and times of all steps of one name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepTally {
    /// Ended without a fault.
    pub completed: u64,
    /// Ended by a fault.
    pub failed: u64,
    /// Sum of service times of all that ended.
    pub service_ns: u64,
    /// Payload received.
    pub read_bytes: u64,
    /// Payload sent.
    pub written_bytes: u64,
    /// Service times of completed steps, in µs.
    pub service: Times,
}

/// Where a fault struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum At {
    /// In the step with this index among the names of steps.
    Step(usize),
    /// While a session was opened.
    Opening,
}

/// Where a fault struck, its kind, and the group of its message: see [`crate::fault::group`].
pub type FaultKey = (At, FaultKind, u64);

/// Groups a worker keeps of each kind of fault at each step; what comes later is in [`OTHERS`].
pub const FAULT_GROUPS: usize = 16;

/// The group of messages of which there were too many different ones.
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
    /// How late after its due moment each timer woke its user, in µs: the engine's own lateness.
    pub timer_lateness: Times,
    /// How late after its due moment each scenario started, in µs, for whatever reason.
    pub start_lateness: Times,
    /// Think times drawn after scenarios that ended, summed.
    pub think_ns: u64,
    /// Sessions opened.
    pub sessions_opened: u64,
    /// Requests sent, by index of the protocol's `requests`; empty before the first report.
    pub requests: Vec<u64>,
    /// What sessions timed, by index of the protocol's `tasks`; empty before the first report.
    pub tasks: Vec<TaskTally>,
    /// What happened when, where the plan asks for it.
    pub moments: Moments,
    /// The groups of faults of the whole run, of which only so many are kept apart.
    #[serde(skip)]
    groups: BTreeMap<(At, FaultKind), Vec<u64>>,
}

/// One scenario's end, as the recorder is told of it.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Index of the scenario.
    pub scenario: usize,
    /// When it was due, began and ended, in ns of the run's clock.
    pub due_ns: u64,
    /// When it began.
    pub began_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// Whether every step succeeded.
    pub completed: bool,
    /// The scenario's limit.
    pub limit_ns: u64,
    /// The greatest lateness that is not late.
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
            moments: Moments::default(),
            groups: BTreeMap::new(),
        }
    }

    /// Hands over what was counted, and goes on with `empty`: nothing is copied.
    #[must_use]
    pub fn hand_over(&mut self, mut empty: Self) -> Self {
        swap(&mut self.groups, &mut empty.groups);
        empty.moments = self.moments.emptied();
        replace(self, empty)
    }

    /// Takes out everything, and keeps the memory for as much again.
    pub fn clear(&mut self) {
        self.scenarios.iter_mut().for_each(ScenarioTally::clear);
        self.steps.iter_mut().for_each(StepTally::clear);
        self.tasks.iter_mut().for_each(TaskTally::clear);
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
        difference.moments.subtract(&earlier.moments);
        difference
    }

    /// A scenario has ended.
    pub fn ended(&mut self, ended: &Ended) {
        let tally = &mut self.scenarios[ended.scenario];
        let response_ns = ended.ended_ns - ended.due_ns;
        let service_ns = ended.ended_ns - ended.began_ns;
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
        self.moments
            .ended(ended.due_ns, ended.ended_ns, ended.completed, missed);
    }

    /// A session has been opened; `now_ns` is asked for only if it matters.
    pub fn opened(&mut self, now_ns: impl FnOnce() -> u64) {
        self.sessions_opened += 1;
        if self.moments.is_on() {
            self.moments.opened(now_ns());
        }
    }

    /// A step has ended without a fault.
    pub fn step_completed(&mut self, step: usize, service_ns: u64, moved: crate::Moved) {
        let tally = &mut self.steps[step];
        tally.completed += 1;
        tally.service_ns += service_ns;
        tally.read_bytes += moved.read_bytes;
        tally.written_bytes += moved.written_bytes;
        tally.service.record_ns(service_ns);
    }

    /// A step, or the opening of a session, has failed.
    pub fn fault(&mut self, at: At, fault: &Fault) {
        let tally = self.fault_tally(at, fault.kind, group(&fault.message));
        tally.count += 1;
        tally.keep(&fault.message);
    }

    /// The tally of a group of faults, or of the others where there is no room for one more.
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

impl ScenarioTally {
    fn clear(&mut self) {
        let (mut response, mut service) = (take(&mut self.response), take(&mut self.service));
        response.clear();
        service.clear();
        *self = Self {
            response,
            service,
            ..Self::new()
        };
    }

    fn add(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| *mine += theirs);
        self.response.add(&other.response);
        self.service.add(&other.service);
    }

    fn subtract(&mut self, earlier: &Self) {
        self.combine(earlier, |mine, theirs| *mine -= theirs);
        self.response.subtract(&earlier.response);
        self.service.subtract(&earlier.service);
    }

    /// Applies `change` to every plain count of both; one list, so that none can be forgotten.
    fn combine(&mut self, other: &Self, change: impl Fn(&mut u64, u64)) {
        change(&mut self.started, other.started);
        change(&mut self.completed, other.completed);
        change(&mut self.failed, other.failed);
        change(&mut self.slow, other.slow);
        change(&mut self.late, other.late);
        change(&mut self.overloaded, other.overloaded);
        change(&mut self.response_ns, other.response_ns);
        change(&mut self.service_ns, other.service_ns);
        change(&mut self.read_bytes, other.read_bytes);
        change(&mut self.written_bytes, other.written_bytes);
    }

    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            started: 0,
            completed: 0,
            failed: 0,
            slow: 0,
            late: 0,
            overloaded: 0,
            response_ns: 0,
            service_ns: 0,
            read_bytes: 0,
            written_bytes: 0,
            response: Times::new(),
            service: Times::new(),
        }
    }
}

impl Default for ScenarioTally {
    fn default() -> Self {
        Self::new()
    }
}

impl StepTally {
    fn clear(&mut self) {
        let mut service = take(&mut self.service);
        service.clear();
        *self = Self {
            service,
            ..Self::new()
        };
    }

    fn add(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| *mine += theirs);
        self.service.add(&other.service);
    }

    fn subtract(&mut self, earlier: &Self) {
        self.combine(earlier, |mine, theirs| *mine -= theirs);
        self.service.subtract(&earlier.service);
    }

    fn combine(&mut self, other: &Self, change: impl Fn(&mut u64, u64)) {
        change(&mut self.completed, other.completed);
        change(&mut self.failed, other.failed);
        change(&mut self.service_ns, other.service_ns);
        change(&mut self.read_bytes, other.read_bytes);
        change(&mut self.written_bytes, other.written_bytes);
    }

    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            completed: 0,
            failed: 0,
            service_ns: 0,
            read_bytes: 0,
            written_bytes: 0,
            service: Times::new(),
        }
    }
}

impl Default for StepTally {
    fn default() -> Self {
        Self::new()
    }
}
