//! Counts of one scenario, of the steps of one name, and of the users on one line.

use std::mem::take;

use serde::{Deserialize, Serialize};

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

/// Counts and times of all scenarios of the users on one line, or on none.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LineTally {
    /// Begun, whether ended or not.
    pub started: u64,
    /// Ended without a fault.
    pub completed: u64,
    /// Ended by a fault.
    pub failed: u64,
    /// Failed, slow or late: what overload counts, each scenario once.
    pub overloaded: u64,
    /// Response times of completed scenarios, in µs, from the due moment.
    pub response: Times,
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

impl ScenarioTally {
    pub(crate) fn clear(&mut self) {
        let (mut response, mut service) = (take(&mut self.response), take(&mut self.service));
        response.clear();
        service.clear();
        *self = Self {
            response,
            service,
            ..Self::new()
        };
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| *mine += theirs);
        self.response.add(&other.response);
        self.service.add(&other.service);
    }

    pub(crate) fn subtract(&mut self, earlier: &Self) {
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

impl LineTally {
    pub(crate) fn ended(&mut self, response_ns: u64, completed: bool, missed: bool) {
        if completed {
            self.completed += 1;
            self.response.record_ns(response_ns);
        } else {
            self.failed += 1;
        }
        self.overloaded += u64::from(missed);
    }

    pub(crate) fn clear(&mut self) {
        let mut response = take(&mut self.response);
        response.clear();
        *self = Self {
            response,
            ..Self::default()
        };
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| *mine += theirs);
        self.response.add(&other.response);
    }

    pub(crate) fn subtract(&mut self, earlier: &Self) {
        self.combine(earlier, |mine, theirs| *mine -= theirs);
        self.response.subtract(&earlier.response);
    }

    fn combine(&mut self, other: &Self, change: impl Fn(&mut u64, u64)) {
        change(&mut self.started, other.started);
        change(&mut self.completed, other.completed);
        change(&mut self.failed, other.failed);
        change(&mut self.overloaded, other.overloaded);
    }
}

impl StepTally {
    pub(crate) fn clear(&mut self) {
        let mut service = take(&mut self.service);
        service.clear();
        *self = Self {
            service,
            ..Self::new()
        };
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| *mine += theirs);
        self.service.add(&other.service);
    }

    pub(crate) fn subtract(&mut self, earlier: &Self) {
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
