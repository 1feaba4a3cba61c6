//! The event loop.
//!
//! Exponential think times have no memory, so the thinking users need no timers: together they send
//! at the rate (thinking users) / (think time). One exponential draw is spent along the integral of
//! that rate, which stays exact while the number of thinking users changes; only the few busy
//! servers stand in the event queue. An event costs the same for ten users as for ten thousand.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::draw::Draw;
use crate::level::{Batch, Level, LevelError, Measured};
use crate::noise::Speed;
use crate::station::{Job, Station};
use crate::system::System;

/// How long the users from before a level are simulated before it starts, seconds.
const BEFORE_S: f64 = 30.0;

/// Plays one level against a system.
///
/// # Errors
///
/// [`LevelError`] when the level is outside its limits.
pub fn simulate(system: &System, level: &Level) -> Result<Measured, LevelError> {
    level.check()?;
    let mut run = Run::new(system, level);
    let mut now_s = 0.0;
    if level.previous_users > 0 {
        now_s = BEFORE_S;
        run.until(now_s);
        run.change_users(level.users);
    }
    now_s += level.warmup_s;
    run.until(now_s);
    run.start_measuring();
    let overdue_before = run.overdue(now_s);
    let (count, length_s) = level.batches();
    let mut batches = Vec::with_capacity(count);
    for _ in 0..count {
        now_s += length_s;
        run.until(now_s);
        let overdue = run.overdue(now_s);
        batches.push(Batch {
            overdue,
            ..std::mem::take(&mut run.batch)
        });
    }
    Ok(Measured {
        batches,
        batch_s: length_s,
        overdue_before,
        percentiles_s: run.percentiles(),
    })
}

/// The end of a service. Ordered by time; non-negative floats order as their bits do.
#[derive(Debug, Clone, Copy)]
struct Departure {
    at_bits: u64,
    station: u32,
    job: Job,
}

impl PartialEq for Departure {
    fn eq(&self, other: &Self) -> bool {
        self.at_bits == other.at_bits
    }
}
impl Eq for Departure {}
impl PartialOrd for Departure {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Departure {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at_bits.cmp(&other.at_bits)
    }
}

/// The state of a level under way.
struct Run<'a> {
    system: &'a System,
    draw: Draw,
    speed: Speed,
    users: u32,
    thinking: u32,
    /// Users that leave as soon as their request is answered.
    leaving: u32,
    /// What is left of the exponential draw that decides the next sending.
    patience: f64,
    now_s: f64,
    stations: Vec<Station>,
    /// First station of each kind.
    first: Vec<usize>,
    departures: BinaryHeap<Reverse<Departure>>,
    batch: Batch,
    measuring: bool,
    responses_s: Vec<f32>,
}

impl<'a> Run<'a> {
    fn new(system: &'a System, level: &Level) -> Self {
        let mut draw = Draw::seeded(level.seed);
        let speed = Speed::new(system, &mut draw);
        let mut stations = Vec::new();
        let mut first = Vec::new();
        for spec in &system.stations {
            first.push(stations.len());
            stations.extend((0..spec.count).map(|_| Station::new(spec.servers)));
        }
        let users = if level.previous_users > 0 {
            level.previous_users
        } else {
            level.users
        };
        let patience = draw.exponential();
        Self {
            system,
            draw,
            speed,
            users,
            thinking: users,
            leaving: 0,
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

    fn send(&mut self) {
        self.thinking -= 1;
        let job = Job {
            sent_s: self.now_s,
            kind: 0,
            visits: self.visits(0),
        };
        self.visit(job);
    }

    /// Visits of one request to a kind of station: the whole part and a coin toss for the rest.
    fn visits(&mut self, kind: usize) -> u32 {
        let mean = self.system.visits(kind, self.users);
        let whole = mean.floor();
        if mean > whole && self.draw.uniform() <= mean - whole {
            return whole as u32 + 1;
        }
        whole as u32
    }

    /// Sends the request to its next station, or back to its user when it has made all its visits.
    fn visit(&mut self, mut job: Job) {
        while job.visits == 0 {
            job.kind += 1;
            if job.kind == self.system.stations.len() {
                return self.complete(job);
            }
            job.visits = self.visits(job.kind);
        }
        let count = self.system.stations[job.kind].count;
        let offset = if count == 1 {
            0
        } else {
            self.draw.index(count)
        };
        let station = self.first[job.kind] + offset as usize;
        if let Some(job) = self.stations[station].arrive(job) {
            self.serve(station, job);
        }
    }

    fn serve(&mut self, station: usize, job: Job) {
        let spec = &self.system.stations[job.kind];
        let mut work_s = spec.service_s * self.draw.erlang(spec.shape);
        if let Some(congested) = &self.system.congested {
            let beyond = self.stations[station]
                .waiting()
                .len()
                .saturating_sub(congested.free);
            work_s *= 1.0 + congested.growth * beyond as f64;
        }
        let at_bits = self
            .speed
            .end_of(self.now_s, work_s, &mut self.draw)
            .to_bits();
        self.departures.push(Reverse(Departure {
            at_bits,
            station: station as u32,
            job,
        }));
    }

    fn depart(&mut self) {
        let Some(Reverse(departure)) = self.departures.pop() else {
            return;
        };
        let Departure {
            station, mut job, ..
        } = departure;
        if let Some(next) = self.stations[station as usize].depart() {
            self.serve(station as usize, next);
        }
        job.visits -= 1;
        self.visit(job);
    }

    fn complete(&mut self, job: Job) {
        if self.leaving > 0 {
            self.leaving -= 1;
        } else {
            self.thinking += 1;
        }
        if self.measuring {
            let response_s = self.now_s - job.sent_s;
            self.batch.completed += 1;
            self.batch.slow += u64::from(response_s > self.system.limit_s);
            self.batch.response_sum_s += response_s;
            self.responses_s.push(response_s as f32);
        }
    }

    /// Adds users, thinking, or takes them away: the thinking first, the others once answered.
    fn change_users(&mut self, users: u32) {
        self.thinking += users.saturating_sub(self.users);
        let fewer = self.users.saturating_sub(users);
        let at_once = fewer.min(self.thinking);
        self.thinking -= at_once;
        self.leaving = fewer - at_once;
        self.users = users;
    }

    fn start_measuring(&mut self) {
        self.measuring = true;
        self.batch = Batch::default();
    }

    /// Requests under way that are older than the limit.
    fn overdue(&self, now_s: f64) -> u64 {
        let late = |job: &Job| now_s - job.sent_s > self.system.limit_s;
        let waiting = self.stations.iter().flat_map(Station::waiting);
        let served = self
            .departures
            .iter()
            .map(|Reverse(departure)| &departure.job);
        waiting.chain(served).filter(|job| late(job)).count() as u64
    }

    /// The 50th, 90th, 95th and 99th percentile of the response times, by nearest rank.
    fn percentiles(&mut self) -> [f64; 4] {
        let count = self.responses_s.len();
        [0.50, 0.90, 0.95, 0.99].map(|share| {
            if count == 0 {
                return 0.0;
            }
            let rank = ((share * count as f64).ceil() as usize).clamp(1, count) - 1;
            f64::from(
                *self
                    .responses_s
                    .select_nth_unstable_by(rank, f32::total_cmp)
                    .1,
            )
        })
    }
}
