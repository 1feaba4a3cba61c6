//! All keys of a record as one string of bytes, read eight at a time.
//!
//! Comparing two records by their keys means comparing these strings. A group of eight bytes,
//! big-endian, is one number: the sort is fast because it sorts numbers, and looks at records only
//! where they are equal.

use std::cmp::Ordering;

use crate::shape::Shape;

/// Bytes of a group.
const GROUP: usize = 8;

/// Where one group of the string comes from.
#[derive(Debug, Clone)]
enum Place {
    /// Eight neighbouring bytes of the record.
    Whole(usize),
    /// Parts of the record one after the other: offset and length. Missing bytes are zero.
    Parts(Vec<(usize, usize)>),
}

/// The groups of the keys of a shape.
#[derive(Debug, Clone)]
pub struct Keys(Vec<Place>);

impl Keys {
    /// The groups of `shape`.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let mut groups: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut room = 0;
        for key in shape.keys() {
            let (mut offset, mut left) = (key.offset, key.bytes);
            while left > 0 {
                if room == 0 {
                    groups.push(Vec::new());
                    room = GROUP;
                }
                let taken = left.min(room);
                if let Some(parts) = groups.last_mut() {
                    match parts.last_mut() {
                        Some((at, bytes)) if *at + *bytes == offset => *bytes += taken,
                        _ => parts.push((offset, taken)),
                    }
                }
                offset += taken;
                left -= taken;
                room -= taken;
            }
        }
        Self(groups.into_iter().map(place).collect())
    }

    /// How many groups there are.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.0.len()
    }

    /// The first eight bytes of the keys as a number.
    #[inline]
    #[must_use]
    pub fn prefix(&self, record: &[u8]) -> u64 {
        self.group(record, 0)
    }

    /// The group `at` of a record as a number; zero beyond the last.
    #[inline]
    #[must_use]
    pub fn group(&self, record: &[u8], at: usize) -> u64 {
        match self.0.get(at) {
            Some(Place::Whole(offset)) => record
                .get(*offset..)
                .and_then(|rest| rest.first_chunk())
                .map_or(0, |bytes| u64::from_be_bytes(*bytes)),
            Some(Place::Parts(parts)) => gathered(record, parts),
            None => 0,
        }
    }

    /// Compares two records by what follows the prefix.
    #[must_use]
    pub fn compare_rest(&self, one: &[u8], other: &[u8]) -> Ordering {
        (1..self.groups())
            .map(|at| self.group(one, at).cmp(&self.group(other, at)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Compares two records by all of their keys.
    #[must_use]
    pub fn compare(&self, one: &[u8], other: &[u8]) -> Ordering {
        let first = self.prefix(one).cmp(&self.prefix(other));
        first.then_with(|| self.compare_rest(one, other))
    }
}

fn place(parts: Vec<(usize, usize)>) -> Place {
    match parts.as_slice() {
        [(offset, GROUP)] => Place::Whole(*offset),
        _ => Place::Parts(parts),
    }
}

fn gathered(record: &[u8], parts: &[(usize, usize)]) -> u64 {
    let mut bytes = [0; GROUP];
    let mut at = 0;
    for &(offset, length) in parts {
        bytes[at..at + length].copy_from_slice(&record[offset..offset + length]);
        at += length;
    }
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shape::Field;

    fn joined(record: &[u8], keys: &[Field]) -> Vec<u8> {
        let mut all = Vec::new();
        for key in keys {
            all.extend_from_slice(&record[key.offset..key.offset + key.bytes]);
        }
        all
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_the_joined_keys(
            records in prop::collection::vec(prop::collection::vec(0_u8..3, 40), 2),
            keys in prop::collection::vec((0_usize..20, 1_usize..=20), 1..5),
        ) {
            let keys: Vec<Field> =
                keys.into_iter().map(|(offset, bytes)| Field { offset, bytes }).collect();
            let plan = Keys::of(&Shape::new(40, keys.clone()).unwrap());
            let expected = joined(&records[0], &keys).cmp(&joined(&records[1], &keys));
            prop_assert_eq!(plan.compare(&records[0], &records[1]), expected);
        }
    }

    #[test]
    fn neighbouring_keys_are_read_together() {
        let keys = vec![
            Field {
                offset: 12,
                bytes: 9,
            },
            Field {
                offset: 21,
                bytes: 8,
            },
        ];
        let plan = Keys::of(&Shape::new(40, keys).unwrap());
        assert_eq!(plan.groups(), 3);
        assert!(matches!(plan.0[1], Place::Whole(20)));
    }
}
