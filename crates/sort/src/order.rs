//! Sorting records in memory: only their entries move, the records stay.

use crate::key::Keys;

/// Eight bytes of the keys in the upper half, the number of the record in the lower.
pub type Entry = u128;

const PREFIX_BITS: u32 = u64::BITS;

/// The entry of the record with number `index`.
#[inline]
#[must_use]
pub const fn entry(group: u64, index: usize) -> Entry {
    ((group as u128) << PREFIX_BITS) | index as u128
}

/// The number of the record of an entry.
#[inline]
#[must_use]
pub const fn index(entry: Entry) -> usize {
    entry as u64 as usize
}

#[inline]
const fn group(entry: Entry) -> u64 {
    (entry >> PREFIX_BITS) as u64
}

/// Makes an entry for each record and sorts them; equal records keep their order.
///
/// `records` holds as many records of `record_bytes` as there are entries.
pub fn sort(entries: &mut [Entry], records: &[u8], record_bytes: usize, keys: &Keys) {
    let each = records.chunks_exact(record_bytes);
    for (index, (place, record)) in entries.iter_mut().zip(each).enumerate() {
        *place = entry(keys.prefix(record), index);
    }
    refine(entries, records, record_bytes, keys, 0);
}

/// Sorts entries that hold group `at`; equal ones are then sorted by the following groups.
///
/// Recursion is as deep as the number of groups: the keys of a record are a few hundred bytes.
fn refine(entries: &mut [Entry], records: &[u8], record_bytes: usize, keys: &Keys, at: usize) {
    if at + 1 == keys.groups() {
        entries.sort_unstable(); // the number of the record breaks ties: input order
        return;
    }
    entries.sort_unstable_by_key(|&entry| group(entry));
    for equal in entries.chunk_by_mut(|&one, &other| group(one) == group(other)) {
        if equal.len() > 1 {
            for place in equal.iter_mut() {
                let start = index(*place) * record_bytes;
                let record = &records[start..start + record_bytes];
                *place = entry(keys.group(record, at + 1), index(*place));
            }
            refine(equal, records, record_bytes, keys, at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shape::{Field, Shape};

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(
            record_bytes in 1_usize..40,
            bytes in prop::collection::vec(0_u8..3, 0..2000),
            places in prop::collection::vec((0_usize..40, 1_usize..40), 1..4),
        ) {
            let keys: Vec<Field> = places
                .into_iter()
                .map(|(offset, bytes)| {
                    let offset = offset % record_bytes;
                    Field { offset, bytes: bytes.min(record_bytes - offset) }
                })
                .collect();
            let records: Vec<&[u8]> = bytes.chunks_exact(record_bytes).collect();
            let mut expected: Vec<usize> = (0..records.len()).collect();
            expected.sort_by_key(|&at| {
                keys.iter()
                    .map(|key| &records[at][key.offset..key.offset + key.bytes])
                    .collect::<Vec<_>>()
            });
            let plan = Keys::of(&Shape::new(record_bytes, keys).unwrap());
            let mut entries = vec![0; records.len()];
            let whole = &bytes[..records.len() * record_bytes];
            sort(&mut entries, whole, record_bytes, &plan);
            let found: Vec<usize> = entries.iter().map(|&entry| index(entry)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
