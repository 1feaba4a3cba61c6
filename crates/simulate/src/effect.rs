//! Effects that make a server faster or slower for a while.

use serde::Deserialize;

use crate::draw::Draw;

/// A change of the server's speed with time, levels or load. Several multiply.
///
/// Each `speed` is relative: 0.8 is a fifth slower.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Effect {
    /// The log of the speed drifts: an AR(1) process, stepped each second, whose autocorrelation
    /// falls to 1/e in `memory_s`.
    Drift {
        /// Standard deviation of the log of the speed.
        deviation: f64,
        /// Seconds.
        memory_s: f64,
    },
    /// The server loses this share of its speed each minute, for good.
    Leak {
        /// Share, such as 0.01.
        per_minute: f64,
    },
    /// Starts at `speed` and gains the rest evenly over `seconds`.
    WarmUp {
        /// Seconds since the server started.
        seconds: f64,
        /// At the start.
        speed: f64,
    },
    /// The speed follows a sine of the time; the phase is random.
    Cycle {
        /// Seconds.
        period_s: f64,
        /// Amplitude, a share of the speed.
        swing: f64,
    },
    /// A job that runs for `length_s` in each `period_s`; the phase is random.
    Background {
        /// From start to start, seconds.
        period_s: f64,
        /// Seconds.
        length_s: f64,
        /// While it runs.
        speed: f64,
    },
    /// Neighbours that come and go at random, with exponential stays.
    Neighbours {
        /// Mean time without them, seconds.
        calm_s: f64,
        /// Mean time with them, seconds.
        busy_s: f64,
        /// While they are present.
        speed: f64,
    },
    /// A share of the levels, drawn for each, is slower from its first user on.
    SlowLevels {
        /// Share of the levels.
        share: f64,
        /// In these levels.
        speed: f64,
    },
    /// A long queue tires the server; it recovers once the queue is short.
    Fatigue {
        /// From this many waiting requests it tires.
        waiting: usize,
        /// Time constant of tiring, seconds.
        rise_s: f64,
        /// Time constant of recovering, seconds.
        recover_s: f64,
        /// When fully tired.
        speed: f64,
    },
}

/// An effect under way.
#[derive(Debug, Clone)]
pub(crate) struct Running {
    effect: Effect,
    /// The drift's value, or the phase, the coin or the fatigue, which are from 0 to 1.
    value: f64,
    /// When it changes next, simulated seconds.
    until_s: f64,
}

impl Running {
    pub(crate) fn new(effect: &Effect, draw: &mut Draw) -> Self {
        let value = match effect {
            Effect::Drift { deviation, .. } => deviation * draw.normal(),
            Effect::Cycle { .. } | Effect::Background { .. } => draw.uniform(),
            _ => 0.0,
        };
        let until_s = match effect {
            Effect::Neighbours { calm_s, .. } => calm_s * draw.exponential(),
            _ => f64::INFINITY,
        };
        let mut running = Self {
            effect: effect.clone(),
            value,
            until_s,
        };
        running.start_level(draw);
        running
    }

    /// Draws what stays constant for one level.
    pub(crate) fn start_level(&mut self, draw: &mut Draw) {
        if let Effect::SlowLevels { share, .. } = self.effect {
            self.value = f64::from(u8::from(draw.uniform() <= share));
        }
    }

    /// Advances by `step_s` to `now_s`, with `waiting` requests in queues.
    pub(crate) fn step(&mut self, now_s: f64, step_s: f64, waiting: usize, draw: &mut Draw) {
        let towards = |value: f64, goal: f64, constant_s: f64| {
            value + (goal - value) * (1.0 - (-step_s / constant_s).exp())
        };
        match self.effect {
            Effect::Drift {
                deviation,
                memory_s,
            } => {
                let keep = (-step_s / memory_s).exp();
                let innovation = deviation * (1.0 - keep * keep).sqrt();
                self.value = keep * self.value + innovation * draw.normal();
            }
            Effect::Neighbours { calm_s, busy_s, .. } => {
                while now_s >= self.until_s {
                    self.value = 1.0 - self.value;
                    let stay_s = if self.value > 0.5 { busy_s } else { calm_s };
                    self.until_s += stay_s * draw.exponential();
                }
            }
            Effect::Fatigue {
                waiting: from,
                rise_s,
                recover_s,
                ..
            } => {
                self.value = if waiting >= from {
                    towards(self.value, 1.0, rise_s)
                } else {
                    towards(self.value, 0.0, recover_s)
                };
            }
            _ => {}
        }
    }

    /// Log of the factor by which it changes the speed.
    pub(crate) fn log_speed(&self, now_s: f64) -> f64 {
        match self.effect {
            Effect::Drift { .. } => self.value,
            Effect::Leak { per_minute } => (1.0 - per_minute).ln() * now_s / 60.0,
            Effect::WarmUp { seconds, speed } => {
                (speed + (1.0 - speed) * (now_s / seconds).min(1.0)).ln()
            }
            Effect::Cycle { period_s, swing } => {
                let turns = now_s / period_s + self.value;
                (1.0 + swing * (std::f64::consts::TAU * turns).sin()).ln()
            }
            Effect::Background {
                period_s,
                length_s,
                speed,
            } => {
                let since_s = (now_s / period_s + self.value).fract() * period_s;
                if since_s < length_s { speed.ln() } else { 0.0 }
            }
            Effect::Neighbours { speed, .. }
            | Effect::SlowLevels { speed, .. }
            | Effect::Fatigue { speed, .. } => (1.0 - (1.0 - speed) * self.value).ln(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Running};
    use crate::draw::Draw;

    fn speeds(effect: &Effect, waiting: usize, seconds: u32) -> Vec<f64> {
        let mut draw = Draw::seeded(5);
        let mut running = Running::new(effect, &mut draw);
        (1..=seconds)
            .map(|second| {
                running.step(f64::from(second), 1.0, waiting, &mut draw);
                running.log_speed(f64::from(second)).exp()
            })
            .collect()
    }

    #[test]
    fn a_leak_slows_the_server_by_its_share_each_minute() {
        let speeds = speeds(&Effect::Leak { per_minute: 0.01 }, 0, 120);
        assert!((speeds[59] - 0.99).abs() < 1e-12 && (speeds[119] - 0.99 * 0.99).abs() < 1e-12);
    }

    #[test]
    fn a_warm_up_ends_at_full_speed() {
        let effect = Effect::WarmUp {
            seconds: 400.0,
            speed: 0.6,
        };
        let speeds = speeds(&effect, 0, 500);
        assert!((speeds[199] - 0.8).abs() < 1e-12 && (speeds[499] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_job_runs_its_share_of_the_time_and_neighbours_theirs() {
        let share = |speeds: Vec<f64>| {
            speeds.iter().filter(|speed| **speed < 0.9).count() as f64 / speeds.len() as f64
        };
        let job = Effect::Background {
            period_s: 480.0,
            length_s: 30.0,
            speed: 0.5,
        };
        assert!((share(speeds(&job, 0, 48_000)) - 0.0625).abs() < 0.002);
        let neighbours = Effect::Neighbours {
            calm_s: 90.0,
            busy_s: 30.0,
            speed: 0.8,
        };
        assert!((share(speeds(&neighbours, 0, 400_000)) - 0.25).abs() < 0.02);
    }

    #[test]
    fn a_long_queue_slows_the_server_and_a_short_one_does_not() {
        let effect = Effect::Fatigue {
            waiting: 100,
            rise_s: 5.0,
            recover_s: 120.0,
            speed: 0.7,
        };
        assert!((speeds(&effect, 200, 100)[99] - 0.7).abs() < 0.001);
        assert!(speeds(&effect, 20, 100).iter().all(|speed| *speed > 0.999));
    }

    #[test]
    fn drift_has_its_deviation_and_memory() {
        let effect = Effect::Drift {
            deviation: 0.1,
            memory_s: 20.0,
        };
        let logs: Vec<f64> = speeds(&effect, 0, 200_000).iter().map(|s| s.ln()).collect();
        let variance = logs.iter().map(|x| x * x).sum::<f64>() / logs.len() as f64;
        let lagged = logs
            .iter()
            .zip(&logs[20..])
            .map(|(a, b)| a * b)
            .sum::<f64>();
        let correlation = lagged / (logs.len() - 20) as f64 / variance;
        assert!((variance.sqrt() - 0.1).abs() < 0.005, "{variance}");
        assert!(
            (correlation - (-1.0_f64).exp()).abs() < 0.05,
            "{correlation}"
        );
    }
}
