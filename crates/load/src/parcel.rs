//! What one of several machines counted in an interval, as bytes; and what those of all add up to.

use std::collections::BTreeMap;

use crate::recorder::Recorder;
use crate::snapshot::Interval;
use crate::times::Times;

/// Why bytes are no interval of this run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParcelError {
    /// They cannot be read, or are of another version.
    #[error("an agent sent figures that cannot be read: {0}")]
    Form(String),
    /// They are of a run with other scenarios or steps.
    #[error("an agent sent figures of another run: {scenarios} scenarios and {steps} steps")]
    OtherRun {
        /// Scenarios in them.
        scenarios: usize,
        /// Names of steps in them.
        steps: usize,
    },
}

impl Interval {
    /// The interval as bytes: a few KB a second.
    ///
    /// # Panics
    ///
    /// Never: counts and lists of them can always be written.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        #[expect(clippy::expect_used, reason = "see above")]
        postcard::to_stdvec(self).expect("counts and lists of them")
    }

    /// The interval with all moments later by so much (earlier, if negative): another machine's
    /// clock began at another moment. What was before a run's beginning is at its beginning.
    #[must_use]
    pub fn moved(mut self, by_ns: i64) -> Self {
        let moved = |at_ns: u64| at_ns.saturating_add_signed(by_ns);
        self.from_ns = moved(self.from_ns);
        self.to_ns = moved(self.to_ns);
        let mut completed = BTreeMap::new();
        for (began_ns, users) in &self.completed {
            *completed.entry(moved(*began_ns)).or_default() += users;
        }
        self.completed = completed;
        for since_ns in &mut self.unserved_ns {
            *since_ns = moved(*since_ns);
        }
        self
    }
}

/// Adds up what machines counted, interval by interval.
#[derive(Debug)]
pub struct Gathering {
    scenarios: usize,
    steps: usize,
    ended_ns: u64,
}

impl Gathering {
    /// From the beginning of a run, of so many scenarios and names of steps.
    #[must_use]
    pub const fn new(scenarios: usize, steps: usize) -> Self {
        Self {
            scenarios,
            steps,
            ended_ns: 0,
        }
    }

    /// Reads an interval of this run.
    pub fn read(&self, bytes: &[u8]) -> Result<Interval, ParcelError> {
        let found: Interval =
            postcard::from_bytes(bytes).map_err(|error| ParcelError::Form(error.to_string()))?;
        let Recorder {
            scenarios, steps, ..
        } = &found.counted;
        let (scenarios, steps) = (scenarios.len(), steps.len());
        let per_scenario = [scenarios, found.pending.len(), found.overdue.len()];
        if per_scenario != [self.scenarios; 3] || steps != self.steps {
            return Err(ParcelError::OtherRun { scenarios, steps });
        }
        Ok(found)
    }

    /// What machines counted in the same interval, each moved to this clock; `None` of no machine.
    /// It begins where the last one ended.
    pub fn next(&mut self, parts: impl IntoIterator<Item = Interval>) -> Option<Interval> {
        let mut sum: Option<Interval> = None;
        for part in parts {
            let whole = sum.get_or_insert_with(|| self.nothing());
            whole.to_ns = whole.to_ns.max(part.to_ns);
            whole.users += part.users;
            whole.logging_on += part.logging_on;
            for (began_ns, users) in part.completed {
                *whole.completed.entry(began_ns).or_default() += users;
            }
            whole.unserved_ns.extend(part.unserved_ns);
            whole.worker_cpu_ns.extend(part.worker_cpu_ns);
            whole.counted.add(&part.counted);
            for (mine, theirs) in whole.pending.iter_mut().zip(&part.pending) {
                mine.add(theirs);
            }
            for (mine, theirs) in whole.overdue.iter_mut().zip(part.overdue) {
                *mine += theirs;
            }
            whole.backlog.add(&part.backlog);
            whole.backlog_overdue += part.backlog_overdue;
        }
        let sum = sum?;
        self.ended_ns = sum.to_ns;
        Some(sum)
    }

    fn nothing(&self) -> Interval {
        Interval {
            from_ns: self.ended_ns,
            to_ns: self.ended_ns,
            users: 0,
            logging_on: 0,
            completed: BTreeMap::new(),
            unserved_ns: Vec::new(),
            worker_cpu_ns: Vec::new(),
            counted: Recorder::new(self.scenarios, self.steps),
            pending: vec![Times::new(); self.scenarios],
            overdue: vec![0; self.scenarios],
            backlog: Times::new(),
            backlog_overdue: 0,
        }
    }
}
