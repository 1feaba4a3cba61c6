//! Times of many things, as a histogram.

use std::ops::Deref;

use hdrhistogram::Histogram;

/// Times in µs, from 1 µs to an hour, with three significant digits: 92 KiB.
///
/// It reads like the histogram that it is. All have the same bounds, so that any two add up.
#[derive(Debug, Clone, PartialEq)]
pub struct Times(Histogram<u32>);

impl Times {
    /// None yet.
    ///
    /// # Panics
    ///
    /// Never: the bounds are constants that the histogram accepts.
    #[must_use]
    pub fn new() -> Self {
        #[expect(clippy::unwrap_used, reason = "constant bounds, covered by every test")]
        Self(Histogram::new_with_bounds(1, 3_600_000_000, 3).unwrap())
    }

    /// One more. What is longer than an hour counts as an hour.
    pub fn record_ns(&mut self, ns: u64) {
        self.0.saturating_record(ns / 1000);
    }

    /// So many more that took the same.
    pub fn record_us(&mut self, us: u64, count: u32) {
        self.0.saturating_record_n(us, count);
    }

    /// Adds all of `other`.
    ///
    /// # Panics
    ///
    /// Never: both have the same bounds.
    pub fn add(&mut self, other: &Self) {
        #[expect(clippy::expect_used, reason = "bounds are the same")]
        self.0.add(&other.0).expect("histograms of equal bounds");
    }

    /// Takes out all of `earlier`, a former state of this same histogram.
    ///
    /// # Panics
    ///
    /// If it is no former state: what follows would be wrong, and nobody would see it.
    pub fn subtract(&mut self, earlier: &Self) {
        #[expect(
            clippy::expect_used,
            reason = "a defect must not become a wrong figure"
        )]
        let () = self.0.subtract(&earlier.0).expect("a former state");
    }
}

impl Default for Times {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Times {
    type Target = Histogram<u32>;

    fn deref(&self) -> &Histogram<u32> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up_and_a_former_state_is_taken_out_again() {
        let mut times = Times::new();
        times.record_ns(1_500_000);
        let before = times.clone();
        times.record_ns(u64::MAX);
        times.record_us(7, 2);
        assert_eq!(times.len(), 4);
        assert!(times.max() >= 3_600_000_000);
        times.subtract(&before);
        assert_eq!((times.len(), times.min()), (3, 7));
        times.add(&before);
        assert_eq!(times.len(), 4);
    }

    #[test]
    #[should_panic(expected = "a former state")]
    fn what_was_never_recorded_cannot_be_taken_out() {
        let mut other = Times::new();
        other.record_ns(1_000);
        Times::new().subtract(&other);
    }
}
