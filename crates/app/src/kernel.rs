//! The processor request: a fixed computation whose result proves that it was done.
//!
//! One round fills 256 words from the check value so far, sorts them, and hashes the sorted words
//! (as little-endian bytes) with FNV-1a into the next check value. It stays in the first-level cache
//! and mixes branches, multiplications and loads, as an application's own code does. The computation
//! of `ServerBench`'s processor request was never published: this one is ours.

use crate::pattern;

/// Words sorted and hashed in a round.
const WORDS: usize = 256;
/// Most rounds in one request: some 40 ms of a current processor.
pub const MAX_ROUNDS: u32 = 4096;
/// How many different seeds clients use, so that all results can be computed before the run.
pub const SEEDS: usize = 16;

/// Seed number `index % SEEDS`.
#[must_use]
pub const fn seed(index: usize) -> u64 {
    pattern::word(0x4865_6164, (index % SEEDS) as u64)
}

/// The check value after `rounds` rounds from `seed`.
#[must_use]
pub fn work(seed: u64, rounds: u32) -> u64 {
    let mut words = [0; WORDS];
    let mut check = seed;
    for _ in 0..rounds {
        for (slot, index) in words.iter_mut().zip(0..) {
            *slot = pattern::word(check, index);
        }
        words.sort_unstable();
        check = words
            .iter()
            .fold(FNV_BASIS, |hash, word| fnv1a(hash, &word.to_le_bytes()));
    }
    check
}

/// The results of all [`SEEDS`] seeds.
#[must_use]
pub fn expected(rounds: u32) -> [u64; SEEDS] {
    std::array::from_fn(|index| work(seed(index), rounds))
}

/// Offset basis of 64-bit FNV-1a (Fowler, Noll, Vo; RFC 9923).
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv1a() {
        // Vectors published with the algorithm.
        assert_eq!(fnv1a(FNV_BASIS, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(FNV_BASIS, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(FNV_BASIS, b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn results_match_an_independent_implementation() {
        assert_eq!(work(1, 1), PYTHON_ONE_ROUND);
        assert_eq!(work(42, 64), PYTHON_64_ROUNDS);
    }
    // Computed by a separate implementation in Python (arbitrary-precision integers, list.sort).
    const PYTHON_ONE_ROUND: u64 = 0x9488_df44_a7c0_b189;
    const PYTHON_64_ROUNDS: u64 = 0x9243_2cc9_0c63_be8a;

    #[test]
    fn seeds_and_their_results_differ() {
        let mut results = expected(3).to_vec();
        results.sort_unstable();
        results.dedup();
        assert_eq!(results.len(), SEEDS);
    }
}
