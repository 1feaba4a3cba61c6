//! How fast the server is at a given time: run-to-run effect, effects and pauses.

use crate::draw::Draw;
use crate::effect::Running;
use crate::pauses::Timeline;
use crate::system::System;

/// Step of the effects, seconds: a twentieth of the shortest memory used, so the steps do not
/// matter.
const STEP_S: f64 = 1.0;

/// The server's speed as a function of simulated time. Times must be asked for in order.
#[derive(Debug, Clone)]
pub(crate) struct Speed {
    run_deviation: f64,
    /// Log of the speed factor of the whole level.
    run: f64,
    effects: Vec<Running>,
    until_s: f64,
    /// exp(run + effects).
    factor: f64,
    pub(crate) pauses: Timeline,
}

impl Speed {
    pub(crate) fn new(system: &System, draw: &mut Draw) -> Self {
        let run = system.run_deviation * draw.normal();
        let effects = system.effects.iter();
        let effects: Vec<Running> = effects.map(|effect| Running::new(effect, draw)).collect();
        let mut speed = Self {
            run_deviation: system.run_deviation,
            run,
            effects,
            until_s: STEP_S,
            factor: 1.0,
            pauses: Timeline::new(&system.pauses, draw),
        };
        speed.evaluate(0.0);
        speed
    }

    /// Draws what stays constant for a level.
    pub(crate) fn start_level(&mut self, now_s: f64, draw: &mut Draw) {
        self.run = self.run_deviation * draw.normal();
        for effect in &mut self.effects {
            effect.start_level(draw);
        }
        self.evaluate(now_s);
    }

    /// Advances the effects to `now_s`; `waiting` counts the requests in queues.
    pub(crate) fn advance(
        &mut self,
        now_s: f64,
        draw: &mut Draw,
        mut waiting: impl FnMut() -> usize,
    ) {
        if self.effects.is_empty() {
            return;
        }
        while now_s >= self.until_s {
            let waiting = waiting();
            for effect in &mut self.effects {
                effect.step(self.until_s, STEP_S, waiting, draw);
            }
            self.evaluate(self.until_s);
            self.until_s += STEP_S;
        }
    }

    /// Speed now, relative to the nominal one; between pauses.
    pub(crate) fn factor(&self) -> f64 {
        self.factor
    }

    fn evaluate(&mut self, now_s: f64) {
        let effects = self.effects.iter().map(|effect| effect.log_speed(now_s));
        self.factor = (self.run + effects.sum::<f64>()).exp();
    }
}
