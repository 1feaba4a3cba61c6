//! When each packet of one direction goes on: pure, of the time at which it came and of chance.

use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::conditions::Conditions;

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It never arrives.
    Lost,
    /// It goes on at once, past those before it.
    Now,
    /// It goes on at this moment, in ns, after those before it.
    At(u64),
}

/// The fates of the packets of one direction.
pub struct Schedule {
    delay_ns: u64,
    spread_ns: u64,
    loss: f64,
    reorder: f64,
    random: Xoshiro256PlusPlus,
    /// When the last packet that keeps its place goes on.
    last_ns: u64,
}

impl Schedule {
    /// No packet has come yet. The same seed gives the same fates.
    #[must_use]
    pub fn new(conditions: &Conditions, seed: u64) -> Self {
        let delay_ns = conditions.delay.as_nanos() as u64;
        Self {
            delay_ns,
            spread_ns: (conditions.spread.as_nanos() as u64).min(delay_ns),
            loss: conditions.loss,
            reorder: conditions.reorder,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            last_ns: 0,
        }
    }

    /// The fate of a packet that came at `now_ns`. Moments never go back: what jitter would send
    /// before the packet ahead of it goes together with that one.
    pub fn fate(&mut self, now_ns: u64) -> Fate {
        if self.happens(self.loss) {
            return Fate::Lost;
        }
        if self.happens(self.reorder) {
            return Fate::Now;
        }
        let least_ns = now_ns + self.delay_ns - self.spread_ns;
        let due_ns = least_ns + self.up_to(2 * self.spread_ns);
        self.last_ns = self.last_ns.max(due_ns);
        Fate::At(self.last_ns)
    }

    fn happens(&mut self, share: f64) -> bool {
        share > 0.0 && self.unit() < share
    }

    /// From 0 to this, uniformly.
    fn up_to(&mut self, most: u64) -> u64 {
        if most == 0 {
            return 0;
        }
        (self.unit() * (most + 1) as f64) as u64
    }

    /// From 0 to 1, uniformly, without 1: the 53 bits that an `f64` has.
    fn unit(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
