//! A histogram in the form that is kept: only the buckets that hold something.
//!
//! A dense histogram takes 92 KiB whatever is in it; a run keeps thousands, one for each second,
//! scenario and kind of time. The buckets are the dense histogram's own, so nothing is lost.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

use crate::times::Times;

/// Durations in µs, with three significant digits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The highest duration of each bucket that holds something, and how many it holds; ascending.
    buckets: Vec<(u64, u64)>,
    count: u64,
}

/// Why bytes are not a histogram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an HdrHistogram in V2 form: {0}")]
pub struct DecodeError(String);

impl Distribution {
    /// Keeps the buckets of `dense` that hold something.
    #[must_use]
    pub fn of(dense: &Histogram<u32>) -> Self {
        let bucket = |value: u64, count: u32| (dense.highest_equivalent(value), u64::from(count));
        let buckets: Vec<_> = dense
            .iter_recorded()
            .map(|step| bucket(step.value_iterated_to(), step.count_at_value()))
            .collect();
        Self {
            buckets,
            count: dense.len(),
        }
    }

    /// All durations of all parts.
    #[must_use]
    pub fn merge<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum: BTreeMap<u64, u64> = BTreeMap::new();
        for (value, count) in parts.into_iter().flat_map(|part| &part.buckets) {
            *sum.entry(*value).or_default() += count;
        }
        Self {
            count: sum.values().sum(),
            buckets: sum.into_iter().collect(),
        }
    }

    /// How many durations.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The duration that a share `quantile` of all does not exceed, in µs; 0 when there are none.
    ///
    /// As in `HdrHistogram`, the highest value of the bucket in which the ceiling of
    /// `quantile * count` falls.
    #[must_use]
    pub fn quantile_us(&self, quantile: f64) -> u64 {
        let rank = ((quantile.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (value, count) in &self.buckets {
            seen += count;
            if seen >= rank {
                return *value;
            }
        }
        0
    }

    /// How many durations are in the bucket of `limit_us` above it, or in a higher one: those whose
    /// bucket's highest value exceeds the limit, as it does for the quantiles.
    #[must_use]
    pub fn count_above(&self, limit_us: u64) -> u64 {
        let first = self
            .buckets
            .partition_point(|(value, _)| *value <= limit_us);
        self.buckets[first..].iter().map(|(_, count)| count).sum()
    }

    /// The mean, each duration taken as the middle of its bucket, in µs; 0 when there are none.
    #[must_use]
    pub fn mean_us(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        self.dense().mean()
    }

    /// The greatest duration, in µs; 0 when there are none.
    #[must_use]
    pub fn max_us(&self) -> u64 {
        self.buckets.last().map_or(0, |(value, _)| *value)
    }

    /// The buckets: highest duration in µs, count; ascending.
    #[must_use]
    pub fn buckets(&self) -> &[(u64, u64)] {
        &self.buckets
    }

    /// The bytes of `HdrHistogram`'s V2 form, deflated: what its own tools read.
    ///
    /// # Panics
    ///
    /// Never: writing to memory cannot fail.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        #[expect(clippy::unwrap_used, reason = "writing to memory cannot fail")]
        V2DeflateSerializer::new()
            .serialize(&*self.dense(), &mut bytes)
            .unwrap();
        bytes
    }

    /// Reads what [`Distribution::encode`] or another `HdrHistogram` wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let dense: Histogram<u32> = Deserializer::new()
            .deserialize(&mut std::io::Cursor::new(bytes))
            .map_err(|error| DecodeError(error.to_string()))?;
        Ok(Self::of(&dense))
    }

    fn dense(&self) -> Times {
        let mut dense = Times::new();
        for (value, count) in &self.buckets {
            dense.record_us(*value, u32::try_from(*count).unwrap_or(u32::MAX));
        }
        dense
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The dense histogram of the hdrhistogram crate is the oracle.
        #[test]
        fn agrees_with_the_dense_histogram(
            one in prop::collection::vec(1u64..4_000_000_000, 0..200),
            two in prop::collection::vec(1u64..100_000, 1..200),
            quantile in 0.0f64..=1.0,
            limit in 1u64..10_000_000,
        ) {
            let fill = |values: &[u64]| {
                let mut dense = Times::new();
                for value in values {
                    dense.record_us(*value, 1);
                }
                dense
            };
            let (a, b) = (fill(&one), fill(&two));
            let mut both = a.clone();
            both.add(&b);
            let merged = Distribution::merge([&Distribution::of(&a), &Distribution::of(&b)]);
            prop_assert_eq!(merged.count(), both.len());
            prop_assert_eq!(merged.quantile_us(quantile), both.value_at_quantile(quantile));
            prop_assert_eq!(merged.max_us(), both.max());
            prop_assert!((merged.mean_us() - both.mean()).abs() <= 1e-9 * both.mean());
            prop_assert_eq!(&Distribution::decode(&merged.encode()).unwrap(), &merged);
            let above = both.count_between(both.next_non_equivalent(limit), u64::MAX);
            prop_assert!(merged.count_above(limit) >= above);
            prop_assert!(merged.count_above(limit) <= both.count_between(limit, u64::MAX));
        }

        #[test]
        fn garbage_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(Distribution::decode(&bytes).is_err());
        }
    }
}
