//! A server under load, and the loop over its events.
//!
//! Exponential think times have no memory, so the thinking users need no timers: together they send
//! at the rate (thinking users) / (think time). One exponential draw is spent along the integral of
//! that rate, which stays exact while the number of thinking users changes; only the few busy
//! servers stand in the event queue. An event costs the same for ten users as for ten thousand.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::draw::Draw;
use crate::event::{Departure, Who};
use crate::job::Job;
use crate::level::{Batch, Level, LevelError, Measured, check_seconds, check_users};
use crate::shared::Shared;
use crate::speed::Speed;
use crate::station::{Queue, Station};
use crate::system::System;

/// How long the users from before a level are simulated before it starts, seconds.
const BEFORE_S: f64 = 30.0;

/// A simulated server: its queues, caches and clock carry over from level to level.
#[derive(Debug, Clone)]
pub struct Server {
    pub(crate) system: System,
    pub(crate) draw: Draw,
    pub(crate) speed: Speed,
    pub(crate) users: u32,
    pub(crate) thinking: u32,
    /// Users that leave as soon as their request is answered.
    pub(crate) leaving: u32,
    /// Share of new users when the number of users last changed, and when that was.
    pub(crate) new: (f64, f64),
    /// Tokens of the limiter, and when they were counted.
    pub(crate) tokens: (f64, f64),
    /// The rest of the exponential draw that decides the next sending.
    pub(crate) patience: f64,
    pub(crate) now_s: f64,
    pub(crate) stations: Vec<Station>,
    /// First station of each kind.
    pub(crate) first: Vec<usize>,
    pub(crate) departures: BinaryHeap<Reverse<Departure>>,
    pub(crate) batch: Batch,
    pub(crate) measuring: bool,
    pub(crate) responses_s: Vec<f32>,
}

impl Server {
    /// A server without users, whose random draws follow from `seed`.
    #[must_use]
    pub fn new(system: System, seed: u64) -> Self {
        let mut draw = Draw::seeded(seed);
        let pace = Speed::new(&system, &mut draw);
        let mut stations = Vec::new();
        let mut first = Vec::new();
        for spec in &system.stations {
            first.push(stations.len());
            stations.extend((0..spec.count).map(|_| {
                if spec.shared {
                    Station::Shared(Shared::new(spec.servers))
                } else {
                    Station::Queue(Queue::new(spec.servers))
                }
            }));
        }
        let patience = draw.exponential();
        Self {
            tokens: (system.limiter.as_ref().map_or(0.0, |l| l.burst), 0.0),
            system,
            draw,
            speed: pace,
            users: 0,
            thinking: 0,
            leaving: 0,
            new: (0.0, 0.0),
            patience,
            now_s: 0.0,
            stations,
            first,
            departures: BinaryHeap::new(),
            batch: Batch::default(),
            measuring: false,
            responses_s: Vec::new(),
        }
    }

    /// The description it was made from.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Simulated seconds since it started.
    #[must_use]
    pub fn now_s(&self) -> f64 {
        self.now_s
    }

    /// Starts a level: draws what stays constant in it, and clears the measurements.
    ///
    /// The first level begins with the server itself.
    pub fn start_level(&mut self) {
        if self.users > 0 {
            self.speed.start_level(self.now_s, &mut self.draw);
        }
        self.measuring = false;
        self.responses_s.clear();
    }

    /// Makes the server stand still once, `after_s` from now, for `length_s`.
    pub fn stall(&mut self, after_s: f64, length_s: f64) {
        self.speed.pauses.add(self.now_s + after_s, length_s);
    }

    /// Changes the number of users at once: new ones begin by thinking; those with a request under
    /// way leave when it is answered.
    ///
    /// # Errors
    ///
    /// [`LevelError::Users`].
    pub fn users(&mut self, users: u32) -> Result<(), LevelError> {
        check_users(users)?;
        if users >= self.users {
            let more = users - self.users;
            let cold = self.new_share() * f64::from(self.users) + f64::from(more);
            self.new = (cold / f64::from(users), self.now_s);
            let stay = more.min(self.leaving);
            self.leaving -= stay;
            self.thinking += more - stay;
        } else {
            let fewer = self.users - users;
            let at_once = fewer.min(self.thinking);
            self.thinking -= at_once;
            self.leaving += fewer - at_once;
        }
        self.users = users;
        Ok(())
    }

    /// Lets time pass without measuring.
    ///
    /// # Errors
    ///
    /// [`LevelError::Seconds`].
    pub fn pass(&mut self, seconds: f64) -> Result<(), LevelError> {
        check_seconds(seconds)?;
        self.measuring = false;
        self.until(self.now_s + seconds);
        Ok(())
    }

    /// Measures for a while.
    ///
    /// # Errors
    ///
    /// [`LevelError::Seconds`].
    pub fn measure(&mut self, seconds: f64) -> Result<Batch, LevelError> {
        check_seconds(seconds)?;
        if seconds <= 0.0 {
            return Err(LevelError::Seconds);
        }
        self.measuring = true;
        self.batch = Batch::default();
        self.until(self.now_s + seconds);
        Ok(Batch {
            overdue: self.overdue(),
            ..std::mem::take(&mut self.batch)
        })
    }

    /// Requests under way that are older than the limit.
    #[must_use]
    pub fn overdue(&self) -> u64 {
        let late = |job: &Job| self.now_s - job.sent_s > self.system.limit_s;
        let waiting = self.stations.iter().flat_map(Station::jobs);
        let served = self
            .departures
            .iter()
            .filter_map(|Reverse(d)| match &d.who {
                Who::One(job) => Some(job),
                Who::First(_) => None,
            });
        waiting.chain(served).filter(|job| late(job)).count() as u64
    }

    /// The 50th, 90th, 95th and 99th percentile of the response times measured in this level, by
    /// nearest rank; zeros when there are none.
    pub fn percentiles(&mut self) -> [f64; 4] {
        let count = self.responses_s.len();
        [0.50, 0.90, 0.95, 0.99].map(|share| {
            if count == 0 {
                return 0.0;
            }
            let rank = ((share * count as f64).ceil() as usize).clamp(1, count) - 1;
            let (_, found, _) = self
                .responses_s
                .select_nth_unstable_by(rank, f32::total_cmp);
            f64::from(*found)
        })
    }

    /// Advances the simulation to `end_s`.
    fn until(&mut self, end_s: f64) {
        loop {
            let departs_s = match self.departures.peek() {
                Some(Reverse(departure)) => f64::from_bits(departure.at_bits),
                None => f64::INFINITY,
            };
            let rate = f64::from(self.thinking) / self.system.think_s;
            let sends_s = self.now_s + self.patience / rate;
            let next_s = departs_s.min(sends_s);
            if next_s > end_s {
                self.patience -= (end_s - self.now_s) * rate;
                self.now_s = end_s;
                return;
            }
            if sends_s < departs_s {
                self.now_s = sends_s;
                self.patience = self.draw.exponential();
                self.send();
            } else {
                self.patience -= (departs_s - self.now_s) * rate;
                self.now_s = departs_s;
                self.depart();
            }
        }
    }
}

/// Plays one level against a fresh server.
///
/// # Errors
///
/// [`LevelError`] when the level is outside its limits.
pub fn simulate(system: &System, level: &Level) -> Result<Measured, LevelError> {
    check_seconds(level.measure_s)?;
    let mut server = Server::new(system.clone(), level.seed);
    if level.previous_users > 0 {
        server.users(level.previous_users)?;
        server.pass(BEFORE_S)?;
    }
    server.users(level.users)?;
    server.pass(level.warmup_s)?;
    let overdue_before = server.overdue();
    let (count, batch_s) = level.batches();
    let measured: Result<Vec<Batch>, LevelError> =
        (0..count).map(|_| server.measure(batch_s)).collect();
    Ok(Measured {
        batches: measured?,
        batch_s,
        overdue_before,
        percentiles_s: server.percentiles(),
    })
}
