//! Seeded random streams: the same seed gives the same draws on every machine and version.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a stream is for; streams of different purposes never share draws.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// When a user's scenarios are due.
    Pace,
    /// What a user's n-th scenario is and does.
    Scenario,
    /// The values of a user's variables in its n-th scenario (with ordinal 0: those it keeps).
    Variables,
}

/// A reproducible stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of `user`'s `ordinal`-th scenario (or of the user's whole pace, with ordinal 0).
    ///
    /// Mixing uses the finalizer of `SplitMix64`, so neighbouring users get unrelated streams.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, user: u32, ordinal: u64) -> Self {
        let salt = match purpose {
            Purpose::Pace => 0x5041_4345,
            Purpose::Scenario => 0x5343_454e,
            Purpose::Variables => 0x5641_5253,
        };
        let key = mix(mix(mix(seed ^ salt).wrapping_add(u64::from(user))).wrapping_add(ordinal));
        Self(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `0..bound`; 0 when `bound` is 0. Uses Lemire's multiply-shift: its bias, at most
    /// `bound / 2^64`, is far below anything a run could show.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Exponential with the given mean (inverse transform).
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }
}

/// Finalizer of `SplitMix64` (Steele, Lea, Flood 2014).
const fn mix(key: u64) -> u64 {
    let key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_repeatable_and_distinct() {
        let draw = |user, ordinal, purpose| Stream::new(7, purpose, user, ordinal).bits();
        assert_eq!(draw(1, 2, Purpose::Scenario), draw(1, 2, Purpose::Scenario));
        assert_ne!(draw(1, 2, Purpose::Scenario), draw(2, 2, Purpose::Scenario));
        assert_ne!(draw(1, 2, Purpose::Scenario), draw(1, 3, Purpose::Scenario));
        assert_ne!(draw(1, 0, Purpose::Scenario), draw(1, 0, Purpose::Pace));
    }

    #[test]
    fn the_first_draws_of_a_seed_never_change() {
        // A change here would silently make every published plan do something else.
        let mut stream = Stream::new(42, Purpose::Scenario, 3, 5);
        assert_eq!([stream.bits(), stream.bits()], FIRST_DRAWS);
    }
    const FIRST_DRAWS: [u64; 2] = [77_723_275_921_714_754, 861_385_217_629_699_221];

    #[test]
    fn means_agree_with_the_distributions() {
        let mut stream = Stream::new(1, Purpose::Pace, 0, 0);
        let n = 200_000;
        let mean = (0..n).map(|_| stream.exponential(3.0)).sum::<f64>() / f64::from(n);
        assert!((mean - 3.0).abs() < 0.03, "{mean}"); // 4 standard errors of the mean
        let mean = (0..n).map(|_| stream.below(10) as f64).sum::<f64>() / f64::from(n);
        assert!((mean - 4.5).abs() < 0.03, "{mean}");
    }
}
