//! Draws that keep to given shares.

use headcount_load::stream::Stream;

/// How far draws may run ahead of their shares: the larger, the more random.
const SLACK: f64 = 200.0;

/// Draws with given shares: those that were drawn too rarely become more likely.
#[derive(Debug)]
pub(super) struct Quota {
    shares: Vec<f64>,
    counts: Vec<f64>,
    sum: f64,
}

impl Quota {
    /// Shares, which need not add up to 1.
    pub fn new(shares: &[f64]) -> Self {
        let whole: f64 = shares.iter().sum();
        Self {
            shares: shares.iter().map(|share| share / whole).collect(),
            counts: vec![0.0; shares.len()],
            sum: 0.0,
        }
    }

    /// Draws one of the possible ones, without counting it. If all of them are ahead of their
    /// shares, the one that is least ahead.
    pub fn draw(&self, stream: &mut Stream, possible: impl Fn(usize) -> bool) -> Option<usize> {
        let behind = |index: usize| self.shares[index] * (self.sum + SLACK) - self.counts[index];
        let all = || (0..self.shares.len()).filter(|index| possible(*index));
        let total: f64 = all().map(|index| behind(index).max(0.0)).sum();
        if total <= 0.0 {
            return all().max_by(|a, b| behind(*a).total_cmp(&behind(*b)));
        }
        let mut left = stream.unit() * total;
        let drawn = all().find(|index| {
            left -= behind(*index).max(0.0);
            left < 0.0
        });
        drawn.or_else(|| all().last())
    }

    /// Whether it has been counted more often than its share.
    pub fn is_ahead(&self, index: usize) -> bool {
        self.counts[index] > self.shares[index] * self.sum
    }

    /// Counts one, drawn or not.
    pub fn count(&mut self, index: usize) {
        self.counts[index] += 1.0;
        self.sum += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use headcount_load::stream::Purpose;

    use super::*;

    #[test]
    fn shares_are_kept_even_if_some_are_not_drawn() {
        let mut quota = Quota::new(&[0.5, 0.3, 0.2]);
        let mut stream = Stream::new(1, Purpose::Scenario, 0, 0);
        for _ in 0..2000 {
            quota.count(2); // one of ten that was not drawn
            for turn in 0..9 {
                let drawn = quota.draw(&mut stream, |index| turn > 0 || index > 0);
                quota.count(drawn.unwrap());
            }
        }
        for (count, share) in quota.counts.iter().zip([0.5, 0.3, 0.2]) {
            assert!(
                (count / 20_000.0 - share).abs() < 0.01,
                "{:?}",
                quota.counts
            );
        }
        assert_eq!(quota.draw(&mut stream, |_| false), None);
    }
}
