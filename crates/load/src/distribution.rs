//! A histogram in the form that is stored: only the buckets that are not empty.
//!
//! A run keeps thousands, one for each second, scenario and kind of time. The buckets are those of
//! [`Times`], so nothing is lost.

use std::io::Cursor;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;

use crate::times::{Times, middle_us};
use crate::v2;
pub use crate::v2::DecodeError;

/// Durations in µs, with three significant digits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The highest duration of each non-empty bucket, and its count; ascending.
    buckets: Vec<(u64, u64)>,
    count: u64,
}

impl Distribution {
    /// What was recorded.
    #[must_use]
    pub fn of(times: &Times) -> Self {
        Self {
            buckets: times.buckets(),
            count: times.len(),
        }
    }

    /// Keeps the non-empty buckets of `dense`.
    pub(crate) fn of_dense(dense: &Histogram<u32>) -> Self {
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
        let mut all: Vec<(u64, u64)> = Vec::new();
        for part in parts {
            all.extend(&part.buckets);
        }
        all.sort_unstable_by_key(|(value, _)| *value);
        all.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        all.shrink_to_fit();
        Self {
            count: all.iter().map(|(_, count)| count).sum(),
            buckets: all,
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

    /// How many durations are in a bucket whose highest value exceeds `limit_us`, consistent with
    /// the quantiles.
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
        let sum: f64 = self
            .buckets
            .iter()
            .map(|(longest, count)| middle_us(*longest) as f64 * *count as f64)
            .sum();
        sum / self.count as f64
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
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        v2::encoded(&self.buckets)
    }

    /// Reads what [`Distribution::encode`] or another `HdrHistogram` wrote, with at most three
    /// significant digits.
    ///
    /// The bytes are not trusted: a length that they claim is checked first.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let plain = v2::plain(bytes)?;
        if let Some(buckets) = v2::buckets(&plain)? {
            let counts = buckets.iter().map(|(_, count)| *count);
            let count = counts.fold(0, u64::saturating_add);
            return Ok(Self { buckets, count });
        }
        let dense: Histogram<u32> = Deserializer::new()
            .deserialize(&mut Cursor::new(plain))
            .map_err(|error| DecodeError(error.to_string()))?;
        Ok(Self::of_dense(&dense))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};
    use proptest::prelude::*;

    use super::*;
    use crate::v2::{DEFLATED, ENDLESS, HEADER, MOST_COUNTS};

    /// An empty dense histogram for these times, of 92 KiB.
    pub fn dense() -> Histogram<u32> {
        Histogram::new_with_bounds(1, 3_600_000_000, 3).unwrap()
    }

    proptest! {
        /// The dense histogram of the hdrhistogram crate is the oracle.
        #[test]
        fn agrees_with_the_dense_histogram(
            one in prop::collection::vec(1u64..4_000_000_000, 0..200),
            two in prop::collection::vec(1u64..100_000, 1..200),
            quantile in 0.0f64..=1.0,
            limit in 1u64..10_000_000,
        ) {
            let mut both = dense();
            one.iter().chain(&two).for_each(|value| both.saturating_record(*value));
            let merged = Distribution::merge([&distribution(&one), &distribution(&two)]);
            prop_assert_eq!(merged.count(), both.len());
            prop_assert_eq!(merged.quantile_us(quantile), both.value_at_quantile(quantile));
            prop_assert_eq!(merged.max_us(), both.max());
            prop_assert!((merged.mean_us() - both.mean()).abs() <= 1e-9 * both.mean());
            prop_assert_eq!(&Distribution::decode(&merged.encode()).unwrap(), &merged);
            let (mut plain, mut deflated) = (Vec::new(), Vec::new());
            V2Serializer::new().serialize(&both, &mut plain).unwrap();
            prop_assert_eq!(plain_of(&merged), plain);
            V2DeflateSerializer::new().serialize(&both, &mut deflated).unwrap();
            prop_assert_eq!(&Distribution::decode(&deflated).unwrap(), &merged);
            let above = both.count_between(both.next_non_equivalent(limit), u64::MAX);
            prop_assert!(merged.count_above(limit) >= above);
            prop_assert!(merged.count_above(limit) <= both.count_between(limit, u64::MAX));
        }

        /// Other bounds or fewer digits make other buckets.
        #[test]
        fn histograms_with_other_buckets_are_read(
            values in prop::collection::vec(1u64..1_000_000, 0..100),
            (least, most, digits) in (1u64..1000, 2_000_000u64..8_000_000_000, 0u8..=3),
        ) {
            let mut theirs: Histogram<u64> = Histogram::new_with_bounds(least, most, digits).unwrap();
            for value in values {
                theirs.record(value).unwrap();
            }
            let mut bytes = Vec::new();
            V2DeflateSerializer::new().serialize(&theirs, &mut bytes).unwrap();
            let read = Distribution::decode(&bytes).unwrap();
            prop_assert_eq!(read.count(), theirs.len());
            prop_assert_eq!(read.quantile_us(0.5), theirs.value_at_quantile(0.5));
        }

        /// Reading altered bytes neither panics nor allocates without bound.
        #[test]
        fn altered_bytes_are_refused_or_read(
            values in prop::collection::vec(1u64..4_000_000_000, 1..50),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let mut plain = plain_of(&distribution(&values));
            for (place, byte) in changes {
                let at = place.index(plain.len());
                plain[at] = byte;
            }
            if let Ok(found) = Distribution::decode(&plain) {
                prop_assert!(found.buckets().len() <= MOST_COUNTS);
                let _ = (found.mean_us(), found.encode(), found.quantile_us(0.5));
            }
        }

        #[test]
        fn garbage_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(Distribution::decode(&bytes).is_err());
        }
    }

    fn plain_of(histogram: &Distribution) -> Vec<u8> {
        v2::plain(&histogram.encode()).unwrap().into_owned()
    }

    fn distribution(values: &[u64]) -> Distribution {
        let mut times = Times::new();
        for value in values {
            times.record_us(*value, 1);
        }
        Distribution::of(&times)
    }

    /// The plain form of a histogram, with one word of its header replaced.
    fn with_word(at: usize, word: u32) -> Vec<u8> {
        let mut plain = plain_of(&distribution(&[7, 7, 900]));
        plain[at..at + 4].copy_from_slice(&word.to_be_bytes());
        plain
    }

    fn refusal(bytes: &[u8]) -> String {
        Distribution::decode(bytes).unwrap_err().to_string()
    }

    #[test]
    fn the_plain_form_is_read_like_the_deflated_one() {
        let whole = distribution(&[7, 7, 900]);
        let plain = plain_of(&whole);
        assert_eq!(Distribution::decode(&plain).unwrap(), whole);
    }

    #[test]
    fn lengths_that_a_header_claims_are_not_believed() {
        assert!(refusal(&with_word(4, 0xffff_fff0)).contains("ends before its last count"));
        assert!(refusal(&with_word(12, 5)).contains("more than three significant digits"));
        assert!(refusal(&with_word(0, 7)).contains("something else"));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let mut packed = DEFLATED.to_be_bytes().to_vec();
        packed.extend([0, 0, 0, 0]);
        let mut encoder = flate2::write::ZlibEncoder::new(packed, flate2::Compression::best());
        let mut plain = with_word(4, 50_000_000);
        plain.resize(50_000_000, 2);
        std::io::Write::write_all(&mut encoder, &plain).unwrap();
        assert!(refusal(&encoder.finish().unwrap()).contains("more counts than there are buckets"));
    }

    #[test]
    fn an_endless_run_of_zeros_is_refused() {
        let mut plain = with_word(4, 9);
        plain.truncate(HEADER);
        plain.extend(ENDLESS);
        assert!(refusal(&plain).contains("a run of zeros"));
    }
}
