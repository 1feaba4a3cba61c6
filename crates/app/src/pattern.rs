//! Contents derived from a seed, so that every byte can be checked with the seed.
//!
//! Word `i` (64 bits, little-endian) is the `i`-th output of `SplitMix64` started from the seed
//! (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014). It does not
//! compress, costs about half a nanosecond a byte at most, and can be computed at any position.

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Output number `index` (from 0) of `SplitMix64` started from `seed`.
#[must_use]
pub const fn word(seed: u64, index: u64) -> u64 {
    let z = seed.wrapping_add(GAMMA.wrapping_mul(index.wrapping_add(1)));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Fills `bytes` with the contents that belong to `seed`.
pub fn fill(seed: u64, bytes: &mut [u8]) {
    let mut words = 0..;
    let (chunks, tail) = bytes.as_chunks_mut::<8>();
    for (chunk, index) in chunks.iter_mut().zip(&mut words) {
        *chunk = word(seed, index).to_le_bytes();
    }
    let last = word(seed, chunks.len() as u64).to_le_bytes();
    tail.copy_from_slice(&last[..tail.len()]);
}

/// The position of the first byte that differs from what belongs to `seed`.
#[must_use]
pub fn first_difference(seed: u64, bytes: &[u8]) -> Option<usize> {
    let (chunks, tail) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let difference = u64::from_le_bytes(*chunk) ^ word(seed, index as u64);
        if difference != 0 {
            return Some(index * 8 + difference.trailing_zeros() as usize / 8);
        }
    }
    let last = word(seed, chunks.len() as u64).to_le_bytes();
    let within = tail
        .iter()
        .zip(last)
        .position(|(found, expected)| *found != expected)?;
    Some(chunks.len() * 8 + within)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_the_published_outputs_of_splitmix64() {
        // The vector for seed 1234567 that implementations of SplitMix64 are checked against.
        let outputs: Vec<u64> = (0..5).map(|index| word(1_234_567, index)).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(outputs, published);
    }

    proptest! {
        #[test]
        fn every_damaged_byte_is_found_at_its_offset(
            seed: u64, mut bytes in prop::collection::vec(0u8.., 1..200), at: prop::sample::Index, flip in 1u8..
        ) {
            fill(seed, &mut bytes);
            prop_assert_eq!(first_difference(seed, &bytes), None);
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            prop_assert_eq!(first_difference(seed, &bytes), Some(at));
        }
    }
}
