//! What one of several machines counted in an interval, as bytes; and the sum over all machines.

use std::collections::BTreeMap;
use std::mem::take;

use crate::recorder::Recorder;
use crate::snapshot::Interval;
use crate::times::Times;

/// Why bytes are not an interval of this run.
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
    /// The interval as bytes: a few KB per second.
    ///
    /// # Panics
    ///
    /// Never: counts and lists of them can always be written.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        #[expect(clippy::expect_used, reason = "see above")]
        postcard::to_stdvec(self).expect("counts and lists of them")
    }

    /// The interval with all moments shifted by `by_ns`: another machine's clock began at another
    /// moment. Moments before the run's beginning are moved to it.
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
        let moments = take(&mut self.counted.moments);
        self.counted.moments = moments.moved(by_ns);
        self
    }

    /// This and the interval of the same machine that follows it, as one.
    #[must_use]
    pub fn with_next(self, next: Self) -> Self {
        let mut counted = self.counted;
        counted.add(&next.counted);
        let mut worker_cpu_ns = next.worker_cpu_ns;
        for (later, earlier) in worker_cpu_ns.iter_mut().zip(self.worker_cpu_ns) {
            *later += earlier;
        }
        // Everything else is the state at the end.
        Self {
            from_ns: self.from_ns,
            counted,
            worker_cpu_ns,
            ..next
        }
    }
}

/// Adds up machines' counts, interval by interval.
#[derive(Debug)]
pub struct Gathering {
    scenarios: usize,
    steps: usize,
    /// When each sum ended, in order; the next begins at the last.
    ends_ns: Vec<u64>,
}

/// Machines report within this time of each other, in ns; moments that are further apart belong to
/// different intervals.
const SAME_NS: u64 = 400_000_000;

impl Gathering {
    /// From the beginning of a run with this many scenarios and names of steps.
    #[must_use]
    pub fn new(scenarios: usize, steps: usize) -> Self {
        Self {
            scenarios,
            steps,
            ends_ns: vec![0],
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

    /// The sum of what machines counted in the same interval, each moved to this clock; `None`
    /// without a machine. It begins where the last one ended.
    pub fn next(&mut self, parts: impl IntoIterator<Item = Interval>) -> Option<Interval> {
        let mut sum: Option<Interval> = None;
        for part in parts {
            let whole = sum.get_or_insert_with(|| self.nothing());
            whole.to_ns = whole.to_ns.max(part.to_ns);
            whole.users += part.users;
            whole.logging_on += part.logging_on;
            for (began_ns, users) in part.completed {
                let began_ns = self.begin_of(began_ns);
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
        self.ends_ns.push(sum.to_ns);
        Some(sum)
    }

    /// The beginning of the sum to which a machine's interval belongs: clocks of machines agree to
    /// a millisecond or so, and what was completed in a second counts in that second.
    fn begin_of(&self, began_ns: u64) -> u64 {
        let after = self.ends_ns.partition_point(|end_ns| *end_ns < began_ns);
        let near = self.ends_ns[after.saturating_sub(1)..].iter().take(2);
        near.copied()
            .min_by_key(|end_ns| end_ns.abs_diff(began_ns))
            .filter(|end_ns| end_ns.abs_diff(began_ns) <= SAME_NS)
            .unwrap_or(began_ns)
    }

    fn nothing(&self) -> Interval {
        let began_ns = self.ends_ns.last().copied().unwrap_or_default();
        Interval {
            from_ns: began_ns,
            to_ns: began_ns,
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
