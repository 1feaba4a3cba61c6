//! Sets of messages, as commands name them (RFC 9051, `sequence-set`).

use std::fmt;
use std::ops::RangeInclusive;

/// A set of UIDs, kept as ranges in ascending order that neither touch nor overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uids(Vec<(u32, u32)>);

impl Uids {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// One message.
    #[must_use]
    pub fn one(uid: u32) -> Self {
        Self::range(uid..=uid)
    }

    /// All messages in the folder (`1:*`).
    #[must_use]
    pub fn all() -> Self {
        Self::range(1..=u32::MAX)
    }

    /// A range; an end of [`u32::MAX`] is written as `*`.
    #[must_use]
    pub fn range(uids: RangeInclusive<u32>) -> Self {
        if uids.is_empty() {
            return Self::new();
        }
        Self(vec![(*uids.start(), *uids.end())])
    }

    /// Whether the set is empty. Commands for an empty set are not sent.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of UIDs.
    #[must_use]
    pub fn count(&self) -> u64 {
        let lengths = self.0.iter().map(|(first, last)| u64::from(last - first));
        lengths.sum::<u64>() + self.0.len() as u64
    }

    /// Whether the set contains a UID.
    #[must_use]
    pub fn contains(&self, uid: u32) -> bool {
        let after = self.0.partition_point(|(first, _)| *first <= uid);
        after > 0 && uid <= self.0[after - 1].1
    }

    /// The UIDs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// Appends the set as commands write it.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        use std::io::Write;
        let _ = write!(out, "{self}"); // writing to a vector cannot fail
    }
}

impl FromIterator<u32> for Uids {
    fn from_iter<I: IntoIterator<Item = u32>>(uids: I) -> Self {
        let mut uids: Vec<u32> = uids.into_iter().collect();
        if !uids.is_sorted() {
            uids.sort_unstable();
        }
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for uid in uids {
            match ranges.last_mut() {
                Some((_, last)) if uid <= last.saturating_add(1) => *last = uid.max(*last),
                _ => ranges.push((uid, uid)),
            }
        }
        Self(ranges)
    }
}

impl From<&[u32]> for Uids {
    fn from(uids: &[u32]) -> Self {
        uids.iter().copied().collect()
    }
}

impl fmt::Display for Uids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            match (*first, *last) {
                (u32::MAX, u32::MAX) => f.write_str("*")?,
                (first, u32::MAX) => write!(f, "{first}:*")?,
                (first, last) if first == last => write!(f, "{first}")?,
                (first, last) => write!(f, "{first}:{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sets_are_written_as_ranges() {
        let text = |uids: &[u32]| Uids::from(uids).to_string();
        assert_eq!(text(&[]), "");
        assert_eq!(text(&[7]), "7");
        assert_eq!(text(&[9, 1, 2, 3, 5, 3]), "1:3,5,9");
        assert_eq!(Uids::all().to_string(), "1:*");
        assert_eq!(Uids::range(4..=9).to_string(), "4:9");
        assert_eq!(Uids::one(u32::MAX).to_string(), "*");
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
        let none = Uids::range(4..=3);
        assert!(none.is_empty());
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_added(uids in prop::collection::btree_set(1u32..60, 0..40), other in 1u32..60) {
            let set: Uids = uids.iter().copied().collect();
            prop_assert_eq!(&set.iter().collect::<BTreeSet<_>>(), &uids);
            prop_assert_eq!(set.count(), uids.len() as u64);
            prop_assert_eq!(set.contains(other), uids.contains(&other));
            // Parse what the server gets.
            let mut read = BTreeSet::new();
            for part in set.to_string().split(',').filter(|part| !part.is_empty()) {
                let (first, last) = part.split_once(':').unwrap_or((part, part));
                read.extend(first.parse::<u32>().unwrap()..=last.parse().unwrap());
            }
            prop_assert_eq!(read, uids);
        }
    }
}
