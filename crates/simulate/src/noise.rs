//! How fast the server is at a given time: run-to-run effect, drift and freezes.

use crate::draw::Draw;
use crate::system::{Freezes, System};

/// Step of the drift, seconds: a twentieth of the memory used, so the steps are not felt.
const STEP_S: f64 = 1.0;

/// The server's speed as a function of simulated time. Times must be asked for in order.
#[derive(Debug, Clone)]
pub(crate) struct Speed {
    /// Log of the speed that holds for the whole run.
    run: f64,
    drift: Option<Drift>,
    freezes: Option<Stalls>,
    /// exp(run + drift).
    factor: f64,
}

#[derive(Debug, Clone)]
struct Drift {
    value: f64,
    keep: f64,
    innovation: f64,
    until_s: f64,
}

#[derive(Debug, Clone)]
struct Stalls {
    phase_s: f64,
    freezes: Freezes,
}

impl Speed {
    pub(crate) fn new(system: &System, draw: &mut Draw) -> Self {
        let run = system.run_deviation * draw.normal();
        let drift = system.noise.as_ref().map(|noise| {
            let keep = (-STEP_S / noise.memory_s).exp();
            Drift {
                value: noise.deviation * draw.normal(),
                keep,
                innovation: noise.deviation * (1.0 - keep * keep).sqrt(),
                until_s: STEP_S,
            }
        });
        let freezes = system.freezes.as_ref().map(|freezes| Stalls {
            phase_s: draw.uniform() * freezes.period_s,
            freezes: freezes.clone(),
        });
        let factor = (run + drift.as_ref().map_or(0.0, |drift| drift.value)).exp();
        Self {
            run,
            drift,
            freezes,
            factor,
        }
    }

    /// When a service of `work_s` seconds at nominal speed ends that starts at `start_s`.
    ///
    /// The speed at the start holds for the whole service (services are short against the drift).
    pub(crate) fn end_of(&mut self, start_s: f64, work_s: f64, draw: &mut Draw) -> f64 {
        if let Some(drift) = &mut self.drift {
            while start_s >= drift.until_s {
                drift.value = drift.keep * drift.value + drift.innovation * draw.normal();
                drift.until_s += STEP_S;
                self.factor = (self.run + drift.value).exp();
            }
        }
        let work_s = work_s / self.factor;
        self.freezes
            .as_ref()
            .map_or(start_s + work_s, |stalls| stalls.end_of(start_s, work_s))
    }
}

impl Stalls {
    /// End of `work_s` seconds of work from `start_s`, skipping the freezes in between.
    fn end_of(&self, start_s: f64, work_s: f64) -> f64 {
        let Freezes { period_s, length_s } = self.freezes;
        let since = (start_s + period_s - self.phase_s) % period_s;
        let (mut now, since) = if since < length_s {
            (start_s + length_s - since, length_s)
        } else {
            (start_s, since)
        };
        let mut left = work_s;
        let mut until_freeze = period_s - since;
        while left > until_freeze {
            now += until_freeze + length_s;
            left -= until_freeze;
            until_freeze = period_s - length_s;
        }
        now + left
    }
}

#[cfg(test)]
mod tests {
    use super::{Speed, Stalls};
    use crate::draw::Draw;
    use crate::system::{Freezes, System};

    #[test]
    fn a_freeze_delays_what_runs_into_it() {
        let freezes = Freezes {
            period_s: 10.0,
            length_s: 2.0,
        };
        let stalls = Stalls {
            phase_s: 0.0,
            freezes,
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(stalls.end_of(5.0, 1.0), 6.0);
        close(stalls.end_of(9.5, 1.0), 12.5);
        close(stalls.end_of(10.5, 1.0), 13.0);
        close(stalls.end_of(9.0, 10.0), 23.0);
    }

    #[test]
    fn drift_has_its_deviation_and_memory() {
        let system = System::named("noisy").expect("known");
        let system = System {
            freezes: None,
            run_deviation: 0.0,
            ..system
        };
        let mut draw = Draw::seeded(1);
        let mut speed = Speed::new(&system, &mut draw);
        let logs: Vec<f64> = (0..200_000)
            .map(|i| f64::from(i) + 0.5)
            .map(|now| -(speed.end_of(now, 1.0, &mut draw) - now).ln())
            .collect();
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
