//! One level to simulate, and its measurements.

/// Length of one batch of measurements, seconds; see [`Level::measure_s`].
const BATCH_S: f64 = 5.0;

/// Most users of a level: far above any simulated capacity, and low enough to bound the memory.
const USERS_MAX: u32 = 1_000_000;

/// Longest level, seconds: bounds the run time of one call to minutes.
const LEVEL_MAX_S: f64 = 1_000_000.0;

/// One level: a fixed number of users for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Users present while measuring, 1 to 1,000,000.
    pub users: u32,
    /// Users present before the level, for 30 simulated seconds: the state that the warm-up starts
    /// from. Zero: all users start thinking at the start of the warm-up.
    pub previous_users: u32,
    /// Time between the arrival of the users and the start of the measurement, seconds.
    pub warmup_s: f64,
    /// Time measured, seconds, divided into equal batches as close to 5 s as possible.
    pub measure_s: f64,
    /// Seed of all random draws of the level.
    pub seed: u64,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            users: 100,
            previous_users: 0,
            warmup_s: 30.0,
            measure_s: 60.0,
            seed: 0,
        }
    }
}

/// Why a level cannot be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelError {
    /// Users are zero or more than a million, now or before the level.
    Users,
    /// A time is negative, not finite, zero where something must be measured, or above 1,000,000 s.
    Seconds,
}

impl std::fmt::Display for LevelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Users => "users must be 1 to 1,000,000",
            Self::Seconds => "seconds must be finite, positive and at most 1,000,000",
        })
    }
}

impl std::error::Error for LevelError {}

impl Level {
    /// Batches of the level, and the length of each in seconds.
    pub(crate) fn batches(&self) -> (usize, f64) {
        let count = (self.measure_s / BATCH_S).round().max(1.0);
        (count as usize, self.measure_s / count)
    }
}

/// Refuses a number of users outside the limits.
pub(crate) fn check_users(users: u32) -> Result<(), LevelError> {
    if users == 0 || users > USERS_MAX {
        return Err(LevelError::Users);
    }
    Ok(())
}

/// Refuses a time outside the limits.
pub(crate) fn check_seconds(seconds: f64) -> Result<(), LevelError> {
    // NaN is not in any range.
    if (0.0..=LEVEL_MAX_S).contains(&seconds) {
        return Ok(());
    }
    Err(LevelError::Seconds)
}

/// What was measured in one batch of a level.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Batch {
    /// Requests completed or refused in the batch.
    pub completed: u64,
    /// Of these, slower than the limit or refused.
    pub slow: u64,
    /// Sum of the response times of the completed requests, seconds.
    pub response_sum_s: f64,
    /// Requests under way at the end of the batch that are already older than the limit.
    pub overdue: u64,
}

/// What was measured in one level.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The batches, in order.
    pub batches: Vec<Batch>,
    /// Length of each batch, seconds.
    pub batch_s: f64,
    /// Overdue requests when the measurement started.
    pub overdue_before: u64,
    /// Response times at the 50th, 90th, 95th and 99th percentile of the completed requests,
    /// seconds; zero when none completed.
    pub percentiles_s: [f64; 4],
}

impl Measured {
    /// Requests that became slow during the level: those that completed slow, and those that became
    /// overdue without completing. Each is counted when it crosses the limit.
    #[must_use]
    pub fn slow(&self) -> u64 {
        let completed: u64 = self.batches.iter().map(|batch| batch.slow).sum();
        completed + self.overdue_after() - self.overdue_before
    }

    /// Requests decided during the level: completed within the limit, or become slow.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.completed() + self.overdue_after() - self.overdue_before
    }

    /// Requests completed during the level.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.batches.iter().map(|batch| batch.completed).sum()
    }

    /// Mean response time of the completed requests, seconds; zero when none completed.
    #[must_use]
    pub fn response_mean_s(&self) -> f64 {
        let sum: f64 = self.batches.iter().map(|batch| batch.response_sum_s).sum();
        sum / (self.completed().max(1) as f64)
    }

    fn overdue_after(&self) -> u64 {
        self.batches
            .last()
            .map_or(self.overdue_before, |batch| batch.overdue)
    }
}
