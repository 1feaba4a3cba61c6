//! Pseudo-random numbers derived from others, for bytes and choices.

/// Output of `SplitMix64` (Steele, Lea, Flood 2014) for one state.
#[must_use]
pub const fn splitmix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
