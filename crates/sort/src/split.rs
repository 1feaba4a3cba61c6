//! Cutting sorted sources into ranges that can be merged independently.

use std::cmp::Ordering;

use crate::error::SortError;
use crate::key::Keys;
use crate::source::Lookup;

/// Samples looked at for each range: ranges then differ by a tenth or so in length.
const SAMPLES: usize = 32;

/// All samples together take at most this much of the reserve for tables.
const MOST_BYTES: usize = 32 << 10;

/// The fractional part of the golden ratio: its multiples are spread evenly, however many are
/// taken, and do not coincide with the lengths of runs.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The cuts of each source: for each range of the output, the record of each source at which it
/// begins, and a last row with their ends.
///
/// Equal records are never separated, so that merging the ranges one after the other is merging
/// all. With many equal records ranges may be of very different length.
pub fn cuts<L: Lookup>(
    keys: &Keys,
    sources: &[L],
    record_bytes: usize,
    ranges: usize,
) -> Result<Vec<Vec<u64>>, SortError> {
    let mut rows = vec![vec![0; sources.len()]];
    if ranges > 1 {
        let samples = sampled(keys, sources, record_bytes, ranges)?;
        let mut scratch = vec![0; record_bytes];
        for range in 1..ranges {
            let at = samples.len() * range / ranges;
            let Some(sample) = samples.get(at) else { break };
            let mut row = Vec::with_capacity(sources.len());
            for source in sources {
                row.push(first_not_below(keys, source, sample, &mut scratch)?);
            }
            rows.push(row);
        }
    }
    rows.push(sources.iter().map(Lookup::records).collect());
    Ok(rows)
}

/// Records from evenly spread places of all sources, in order.
fn sampled<L: Lookup>(
    keys: &Keys,
    sources: &[L],
    record_bytes: usize,
    ranges: usize,
) -> Result<Vec<Vec<u8>>, SortError> {
    let total: u64 = sources.iter().map(Lookup::records).sum();
    let wanted = (SAMPLES * ranges)
        .min(MOST_BYTES / record_bytes)
        .max(ranges);
    let mut samples = Vec::with_capacity(wanted);
    for sample in 1..=wanted as u64 {
        let mut at = ((u128::from(GOLDEN.wrapping_mul(sample)) * u128::from(total)) >> 64) as u64;
        for source in sources {
            if at < source.records() {
                let mut record = vec![0; record_bytes];
                source.look(at, &mut record)?;
                samples.push(record);
                break;
            }
            at -= source.records();
        }
    }
    samples.sort_by(|one, other| keys.compare(one, other));
    Ok(samples)
}

/// The number of the first record of a source that is not below `limit`.
fn first_not_below<L: Lookup>(
    keys: &Keys,
    source: &L,
    limit: &[u8],
    scratch: &mut [u8],
) -> Result<u64, SortError> {
    let (mut low, mut high) = (0, source.records());
    while low < high {
        let middle = low.midpoint(high);
        source.look(middle, scratch)?;
        if keys.compare(scratch, limit) == Ordering::Less {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::order;
    use crate::shape::{Field, Shape};
    use crate::source::Sorted;

    proptest! {
        #[test]
        fn ranges_hold_everything_and_do_not_overlap(
            lists in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..6),
            ranges in 1_usize..9,
        ) {
            let keys = Keys::of(&Shape::new(1, vec![Field { offset: 0, bytes: 1 }]).unwrap());
            let entries: Vec<Vec<order::Entry>> = lists.iter().map(|list| {
                let mut entries = vec![0; list.len()];
                order::sort(&mut entries, list, 1, &keys);
                entries
            }).collect();
            let sources: Vec<Sorted<'_>> = entries.iter().zip(&lists)
                .map(|(entries, records)| Sorted { entries, records, record_bytes: 1 })
                .collect();
            let rows = cuts(&keys, &sources, 1, ranges).unwrap();
            let value = |source: usize, at: u64| lists[source][order::index(entries[source][at as usize])];
            let mut highest = None;
            for (from, to) in rows.iter().zip(&rows[1..]) {
                let mut range = Vec::new();
                for source in 0..sources.len() {
                    prop_assert!(from[source] <= to[source]);
                    range.extend((from[source]..to[source]).map(|at| value(source, at)));
                }
                if let (Some(least), Some(before)) = (range.iter().min(), highest) {
                    prop_assert!(*least > before);
                }
                highest = range.iter().max().copied().or(highest);
            }
            let ends: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
            prop_assert_eq!(rows.last().unwrap(), &ends);
        }
    }
}
