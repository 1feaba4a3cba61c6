//! A tree of losers: merges sorted sources with one comparison per level.
//!
//! Each inner node keeps the source that lost there; the overall winner is on top. When the winner
//! advances, only the path from its leaf to the top is played again (Knuth, The Art of Computer
//! Programming, volume 3, 5.4.1).

use crate::error::SortError;
use crate::key::Keys;
use crate::source::Source;

/// Merges sources; of equal records those of the earlier source come first.
#[derive(Debug)]
pub struct Tree<'k, S> {
    keys: &'k Keys,
    sources: Vec<S>,
    /// The first eight bytes of the keys of each head; the largest number at the end of a source.
    prefixes: Vec<u64>,
    /// Node 0 is the winner, node n > 0 has the children 2n and 2n + 1.
    nodes: Vec<u32>,
}

impl<'k, S: Source> Tree<'k, S> {
    /// Merges `sources`, at least one, in the order that equal records must keep.
    #[must_use]
    pub fn new(keys: &'k Keys, sources: Vec<S>) -> Self {
        let prefixes = sources.iter().map(|source| prefix(keys, source)).collect();
        let nodes = vec![0; sources.len().max(1)];
        let mut tree = Self {
            keys,
            sources,
            prefixes,
            nodes,
        };
        tree.nodes[0] = tree.play(1);
        tree
    }

    /// The least record of all; None at the end.
    #[inline]
    #[must_use]
    pub fn head(&self) -> Option<&[u8]> {
        self.sources.get(self.nodes[0] as usize)?.head()
    }

    /// Moves to the record after it.
    #[inline]
    pub fn advance(&mut self) -> Result<(), SortError> {
        let mut winner = self.nodes[0];
        let source = &mut self.sources[winner as usize];
        source.advance()?;
        self.prefixes[winner as usize] = prefix(self.keys, source);
        let mut node = (winner as usize + self.sources.len()) >> 1; // above the winner's leaf
        while node > 0 {
            let other = self.nodes[node];
            if self.before(other, winner) {
                self.nodes[node] = winner;
                winner = other;
            }
            node >>= 1;
        }
        self.nodes[0] = winner;
        Ok(())
    }

    /// Plays everything below a node for the first time; returns the winner.
    fn play(&mut self, node: usize) -> u32 {
        let leaves = self.sources.len();
        if node >= leaves {
            return (node - leaves) as u32;
        }
        let (one, other) = (self.play(2 * node), self.play(2 * node + 1));
        let (winner, loser) = if self.before(one, other) {
            (one, other)
        } else {
            (other, one)
        };
        self.nodes[node] = loser;
        winner
    }

    #[inline]
    fn before(&self, one: u32, other: u32) -> bool {
        let (a, b) = (self.prefixes[one as usize], self.prefixes[other as usize]);
        if a == b {
            self.before_in_full(one, other)
        } else {
            a < b
        }
    }

    #[inline(never)]
    fn before_in_full(&self, one: u32, other: u32) -> bool {
        match (
            self.sources[one as usize].head(),
            self.sources[other as usize].head(),
        ) {
            (Some(a), Some(b)) => self.keys.compare_rest(a, b).then(one.cmp(&other)).is_lt(),
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

#[inline]
fn prefix<S: Source>(keys: &Keys, source: &S) -> u64 {
    source.head().map_or(u64::MAX, |record| keys.prefix(record))
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
        fn merges_as_one_stable_sort_would(
            lists in prop::collection::vec(
                prop::collection::vec(prop::sample::select(vec![0_u8, 1, 254, 255]), 0..60), 1..9),
        ) {
            // Two bytes of key, then where it came from.
            let records: Vec<Vec<u8>> = lists.iter().enumerate().map(|(list, keys)| {
                keys.chunks_exact(2).enumerate()
                    .flat_map(|(at, key)| [key[0], key[1], list as u8, at as u8])
                    .collect()
            }).collect();
            let keys = Keys::of(&Shape::new(4, vec![Field { offset: 0, bytes: 2 }]).unwrap());
            let sorted: Vec<Vec<order::Entry>> = records.iter().map(|bytes| {
                let mut entries = vec![0; bytes.len() / 4];
                order::sort(&mut entries, bytes, 4, &keys);
                entries
            }).collect();
            let sources = sorted.iter().zip(&records)
                .map(|(entries, records)| Sorted { entries, records, record_bytes: 4 })
                .collect();
            let mut tree = Tree::new(&keys, sources);
            let mut found = Vec::new();
            while let Some(record) = tree.head() {
                found.push(record.to_vec());
                tree.advance().unwrap();
            }
            let mut expected: Vec<Vec<u8>> =
                records.iter().flat_map(|all| all.chunks_exact(4).map(<[u8]>::to_vec)).collect();
            expected.sort_by_key(|record| record[..2].to_vec());
            prop_assert_eq!(found, expected);
        }
    }
}
