//! When each packet of one direction is due, from its arrival time and a random stream alone.

use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::conditions::Conditions;

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It never arrives.
    Lost,
    /// It is sent at once, ahead of earlier packets.
    Now,
    /// It is due at this time, in ns, after earlier packets.
    At(u64),
}

/// The fates of the packets of one direction.
pub struct Schedule {
    delay_ns: u64,
    spread_ns: u64,
    loss: f64,
    reorder: f64,
    random: Xoshiro256PlusPlus,
    /// When the last packet that was not reordered is due.
    last_ns: u64,
}

impl Schedule {
    /// A schedule before the first packet. The same seed gives the same fates.
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

    /// The fate of a packet that arrived at `now_ns`. Due times never decrease: a packet that
    /// jitter would send before the one ahead of it is due at the same time.
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

    /// A uniform integer from 0 to `most`.
    fn up_to(&mut self, most: u64) -> u64 {
        if most == 0 {
            return 0;
        }
        (self.unit() * (most + 1) as f64) as u64
    }

    /// A uniform number in [0, 1), with the 53 bits of precision that an `f64` has.
    fn unit(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
