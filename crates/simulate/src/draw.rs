//! Random draws of the simulator, from one seeded stream.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Deserialize;

/// How the service times of a station spread around their mean.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// `k` exponential phases: squared coefficient of variation 1 / `k`; 1 is exponential.
    Erlang(u32),
    /// Always the mean.
    Constant,
    /// The logarithm is normal with this standard deviation.
    Lognormal(f64),
    /// A power law with this exponent, above 1; below 2 the variance is infinite.
    Pareto(f64),
}

impl Default for Spread {
    fn default() -> Self {
        Self::Erlang(1)
    }
}

/// A seeded stream of uniform, exponential, Erlang and normal numbers.
#[derive(Debug, Clone)]
pub(crate) struct Draw {
    bits: Xoshiro256PlusPlus,
}

impl Draw {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self {
            bits: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Uniform in (0, 1]: the high 53 bits of one draw, shifted by one step so that `ln` is finite.
    pub(crate) fn uniform(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        ((self.bits.next_u64() >> 11) + 1) as f64 * STEP
    }

    /// Index below `count`, by multiply-shift; its bias of `count` / 2^32 is far below the noise.
    pub(crate) fn index(&mut self, count: u32) -> u32 {
        ((u64::from(self.bits.next_u32()) * u64::from(count)) >> 32) as u32
    }

    /// Exponential with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Erlang with mean 1 and `shape` phases: squared coefficient of variation 1 / `shape`.
    pub(crate) fn erlang(&mut self, shape: u32) -> f64 {
        let product: f64 = (0..shape).map(|_| self.uniform()).product();
        -product.ln() / f64::from(shape)
    }

    /// A service time with mean 1.
    pub(crate) fn service(&mut self, spread: Spread) -> f64 {
        match spread {
            Spread::Erlang(phases) => self.erlang(phases),
            Spread::Constant => 1.0,
            Spread::Lognormal(sigma) => (sigma * self.normal() - sigma * sigma / 2.0).exp(),
            Spread::Pareto(tail) => (tail - 1.0) / tail * self.uniform().powf(-1.0 / tail),
        }
    }

    /// Standard normal, by the Box-Muller transform (one of the pair is discarded: normals are
    /// mostly drawn once per simulated second, not once per request).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::{Draw, Spread};

    fn moments(mut next: impl FnMut() -> f64) -> (f64, f64) {
        let draws: Vec<f64> = (0..200_000).map(|_| next()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        (mean, variance)
    }

    #[test]
    fn draws_have_the_moments_of_their_distributions() {
        let mut draw = Draw::seeded(7);
        let (mean, variance) = moments(|| draw.exponential());
        assert!(
            (mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
        let (mean, variance) = moments(|| draw.erlang(4));
        assert!(
            (mean - 1.0).abs() < 0.01 && (variance - 0.25).abs() < 0.01,
            "{mean} {variance}"
        );
        let (mean, variance) = moments(|| draw.normal());
        assert!(
            mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02,
            "{mean} {variance}"
        );
        let (mean, _) = moments(|| draw.service(Spread::Lognormal(1.0)));
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        let (mean, _) = moments(|| draw.service(Spread::Pareto(2.5)));
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        let (mean, _) = moments(|| f64::from(draw.index(12)));
        assert!((mean - 5.5).abs() < 0.03, "{mean}");
    }

    #[test]
    fn same_seed_same_stream() {
        let (mut a, mut b) = (Draw::seeded(3), Draw::seeded(3));
        assert!((0..100).all(|_| a.uniform().to_bits() == b.uniform().to_bits()));
    }
}
