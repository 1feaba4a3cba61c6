//! A histogram of times whose memory grows with the number of times it holds.

use std::iter::repeat_n;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Times in µs, from 1 µs to an hour, with three significant digits.
///
/// The buckets are those of a dense `HdrHistogram` with these bounds, which takes 92 KiB. One of
/// thousands of histograms records at most a few hundred times in a second, so it lists the bucket
/// of each; only a histogram of many times counts by bucket.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// The bucket of each time, in no order, while they are few.
    sparse: Vec<u16>,
    /// How many times each bucket has; empty while they are few.
    dense: Vec<u32>,
    /// The sum of `dense`.
    counted: u64,
}

/// Times from which a histogram is dense: it then takes 92 KiB instead of 8.
const DENSE_FROM: usize = 4096;
/// Up to twice this, a bucket is one µs wide; each doubling above has this many buckets.
const HALF: u64 = 1 << HALF_BITS;
const HALF_BITS: u32 = 10;
/// An hour: times without a bucket count as this, as in the dense histogram.
pub(crate) const HOUR_US: u64 = 3_600_000_000;
/// Buckets up to 71 minutes.
pub(crate) const BUCKETS: usize = 23 << HALF_BITS;

impl Times {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            sparse: Vec::new(),
            dense: Vec::new(),
            counted: 0,
        }
    }

    /// Records a time. Times over 71 minutes count as an hour.
    #[inline]
    pub fn record_ns(&mut self, ns: u64) {
        self.note(bucket(ns / 1000));
    }

    /// Records a time `count` times.
    pub fn record_us(&mut self, us: u64, count: u32) {
        self.note_many(bucket(us), count);
    }

    /// Adds all of `other`.
    pub fn add(&mut self, other: &Self) {
        if other.counted > 0 {
            self.make_dense();
            for (mine, theirs) in self.dense.iter_mut().zip(&other.dense) {
                *mine = mine.saturating_add(*theirs);
            }
            self.counted += other.counted;
        }
        for bucket in &other.sparse {
            self.note(*bucket);
        }
    }

    /// Subtracts `earlier`, a former state of this histogram.
    ///
    /// # Panics
    ///
    /// If it is not a former state: all later results would be silently wrong.
    pub fn subtract(&mut self, earlier: &Self) {
        self.make_dense();
        for (bucket, count) in earlier.by_bucket() {
            #[expect(
                clippy::expect_used,
                reason = "a defect must not become a wrong figure"
            )]
            let left = self.dense[usize::from(bucket)]
                .checked_sub(count)
                .expect("a former state");
            self.dense[usize::from(bucket)] = left;
            self.counted -= u64::from(count);
        }
    }

    /// Empties the histogram and keeps its memory.
    pub fn clear(&mut self) {
        self.sparse.clear();
        if self.counted == 0 {
            self.dense = Vec::new();
        } else {
            self.dense.fill(0);
            self.counted = 0;
        }
    }

    /// How many.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.counted + self.sparse.len() as u64
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The non-empty buckets: the longest time of each in µs, and its count; ascending.
    #[must_use]
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        let found = self.by_bucket().into_iter();
        found
            .map(|(bucket, count)| (longest_us(bucket), u64::from(count)))
            .collect()
    }

    #[inline]
    fn note(&mut self, bucket: u16) {
        if self.dense.is_empty() {
            self.sparse.push(bucket);
            if self.sparse.len() >= DENSE_FROM {
                self.make_dense();
            }
        } else {
            let count = &mut self.dense[usize::from(bucket)];
            *count = count.saturating_add(1);
            self.counted += 1;
        }
    }

    fn note_many(&mut self, bucket: u16, count: u32) {
        if self.sparse.len() + count as usize >= DENSE_FROM {
            self.make_dense();
        }
        if self.dense.is_empty() {
            self.sparse.extend(repeat_n(bucket, count as usize));
        } else {
            let mine = &mut self.dense[usize::from(bucket)];
            *mine = mine.saturating_add(count);
            self.counted += u64::from(count);
        }
    }

    /// Counts by bucket from now on.
    #[cold]
    fn make_dense(&mut self) {
        if self.dense.is_empty() {
            self.dense = vec![0; BUCKETS];
        }
        self.counted += self.sparse.len() as u64;
        for bucket in std::mem::take(&mut self.sparse) {
            self.dense[usize::from(bucket)] += 1;
        }
    }

    fn by_bucket(&self) -> Vec<(u16, u32)> {
        if !self.dense.is_empty() {
            let counts = (0..).zip(&self.dense).filter(|(_, count)| **count > 0);
            return counts.map(|(bucket, count)| (bucket, *count)).collect();
        }
        let mut buckets = self.sparse.clone();
        buckets.sort_unstable();
        buckets
            .chunk_by(|one, other| one == other)
            .map(|same| (same[0], same.len() as u32))
            .collect()
    }
}

/// Serialises the non-empty buckets with their counts, ascending: the same times give the same
/// bytes, whether the histogram is sparse or dense.
impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.by_bucket().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut found = Self::new();
        let mut above = None;
        for (bucket, count) in Vec::<(u16, u32)>::deserialize(deserializer)? {
            if usize::from(bucket) >= BUCKETS || above >= Some(bucket) || count == 0 {
                return Err(D::Error::custom("no histogram has such buckets"));
            }
            above = Some(bucket);
            found.note_many(bucket, count);
        }
        Ok(found)
    }
}

/// The bucket of a time in µs.
#[inline]
pub(crate) fn bucket(us: u64) -> u16 {
    let us = if us > u64::from(u32::MAX) {
        HOUR_US
    } else {
        us
    };
    let doublings = (u64::BITS - (us | (2 * HALF - 1)).leading_zeros()) - (HALF_BITS + 1);
    ((u64::from(doublings) << HALF_BITS) + (us >> doublings)) as u16
}

/// The longest time of a bucket, in µs.
pub(crate) fn longest_us(bucket: u16) -> u64 {
    let bucket = u64::from(bucket);
    let doublings = (bucket >> HALF_BITS).saturating_sub(1);
    let place = bucket - (doublings << HALF_BITS);
    ((place + 1) << doublings) - 1
}

/// The middle of the bucket of a time, in µs.
pub(crate) fn middle_us(us: u64) -> u64 {
    let doublings = (u64::from(bucket(us)) >> HALF_BITS).saturating_sub(1);
    ((us >> doublings) << doublings) + (1 << doublings >> 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::distribution::Distribution;
    use crate::distribution::tests::dense;

    proptest! {
        /// The dense histogram of the hdrhistogram crate is the oracle.
        #[test]
        fn buckets_are_those_of_the_dense_histogram(
            times in prop::collection::vec(0u64..6_000_000_000, 0..300),
            small in prop::collection::vec(0u64..5_000, 0..300),
            many in (0u64..10_000_000, 1u32..9_000),
        ) {
            let (mut sparse, mut oracle) = (Times::new(), dense());
            for us in times.iter().chain(&small) {
                sparse.record_ns(us * 1000 + 999);
                oracle.saturating_record(*us);
            }
            sparse.record_us(many.0, many.1);
            oracle.saturating_record_n(many.0, many.1);
            prop_assert_eq!(sparse.len(), oracle.len());
            prop_assert_eq!(Distribution::of(&sparse), Distribution::of_dense(&oracle));
        }

        #[test]
        fn sparse_and_dense_add_up(
            one in prop::collection::vec(0u64..1_000_000, 0..6_000),
            two in prop::collection::vec(0u64..1_000_000, 0..6_000),
        ) {
            let fill = |times: &[u64]| {
                let mut found = Times::new();
                for us in times {
                    found.record_us(*us, 1);
                }
                found
            };
            let both = fill(&[one.clone(), two.clone()].concat());
            let (one, two) = (fill(&one), fill(&two));
            let mut sum = one.clone();
            sum.add(&two);
            prop_assert_eq!(sum.buckets(), both.buckets());
            prop_assert_eq!(sum.len(), both.len());
            sum.subtract(&one);
            prop_assert_eq!(sum.buckets(), two.buckets());
            prop_assert_eq!(sum.len(), two.len());
        }
    }

    #[test]
    fn times_above_an_hour_are_kept_as_at_least_an_hour() {
        let mut times = Times::new();
        times.record_ns(u64::MAX);
        assert!(times.buckets()[0].0 >= 3_600_000_000);
    }

    #[test]
    fn clearing_empties_it_and_frees_dense_memory_that_is_not_used() {
        let mut times = Times::new();
        times.record_us(7, 5_000);
        times.record_us(9, 1);
        times.clear();
        assert!(times.is_empty() && times.buckets().is_empty());
        assert_eq!(times.dense.len(), BUCKETS);
        times.record_us(9, 2);
        assert_eq!(times.buckets(), [(9, 2)]);
        times.clear();
        times.clear();
        assert_eq!(times.dense.capacity(), 0);
    }

    #[test]
    #[should_panic(expected = "a former state")]
    fn times_never_recorded_cannot_be_subtracted() {
        let mut other = Times::new();
        other.record_ns(1_000);
        Times::new().subtract(&other);
    }
}
