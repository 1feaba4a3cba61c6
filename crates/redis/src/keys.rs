//! The keys: their names, and which of them users draw.

use headcount_load::stream::Stream;
use serde::Deserialize;

/// What all keys begin with. Nothing else on the server is read, written or deleted.
pub const PREFIX: &str = "headcount:";
/// The key that marks the others as Headcount's and describes their data set.
pub const MARKER: &str = "headcount:data-set";

/// Appends the name of a key.
pub fn append_name(out: &mut Vec<u8>, key: u32) {
    out.extend_from_slice(PREFIX.as_bytes());
    let mut digits = [b'0'; NAME_DIGITS];
    let mut rest = key;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits);
}

const NAME_DIGITS: usize = 9;
/// Bytes of a name.
pub const NAME_BYTES: usize = PREFIX.len() + NAME_DIGITS;

/// How keys are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Draw {
    /// Some far more often than others, as YCSB does: `ScrambledZipfianGenerator`.
    #[default]
    Zipfian,
    /// All equally often.
    Uniform,
}

/// The constants of YCSB's Zipf distribution (site.ycsb.generator, 0.17.0): items, exponent, and
/// the sum of the weights of all items.
const ITEMS: f64 = 1e10;
const THETA: f64 = 0.99;
const ZETA_ITEMS: f64 = 26.469_028_201_783_02;

impl Draw {
    /// Draws the number of a key, below `keys`.
    pub fn key(self, stream: &mut Stream, keys: u32) -> u32 {
        match self {
            Self::Uniform => stream.below(u64::from(keys)) as u32,
            Self::Zipfian => (scramble(rank(stream.unit())) % u64::from(keys)) as u32,
        }
    }
}

/// The rank of an item, 0 being the most frequent, from a number in [0, 1): Gray et al., "Quickly
/// generating billion-record synthetic databases" (SIGMOD 1994), section 4.
fn rank(unit: f64) -> u64 {
    let zeta_2 = 1.0 + 0.5_f64.powf(THETA);
    let alpha = 1.0 / (1.0 - THETA);
    let eta = (1.0 - (2.0 / ITEMS).powf(1.0 - THETA)) / (1.0 - zeta_2 / ZETA_ITEMS);
    let weighted = unit * ZETA_ITEMS;
    if weighted < 1.0 {
        0
    } else if weighted < zeta_2 {
        1
    } else {
        (ITEMS * (eta * unit - eta + 1.0).powf(alpha)) as u64
    }
}

/// The absolute value of FNV-1a of a number's 8 bytes: spreads the frequent items over all keys.
fn scramble(rank: u64) -> u64 {
    let hash = rank
        .to_le_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    hash.cast_signed().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use headcount_load::stream::Purpose;

    use super::*;

    fn draw_counts(draw: Draw, keys: u32, times: u32) -> Vec<u32> {
        let mut stream = Stream::new(1, Purpose::Scenario, 0, 0);
        let mut counts = vec![0; keys as usize];
        for _ in 0..times {
            counts[draw.key(&mut stream, keys) as usize] += 1;
        }
        counts
    }

    #[test]
    fn names_have_one_length() {
        let mut out = Vec::new();
        append_name(&mut out, 42);
        assert_eq!(out, b"headcount:000000042");
        assert_eq!(out.len(), NAME_BYTES);
    }

    #[test]
    fn the_hash_is_that_of_ycsb() {
        // FNV-1a of eight bytes 0, by the definition (RFC 9923): the offset basis times the prime
        // to the eighth.
        let prime = 0x0000_0100_0000_01b3_u64;
        let zero = (0..8).fold(0xcbf2_9ce4_8422_2325_u64, |hash, _| {
            hash.wrapping_mul(prime)
        });
        assert_eq!(scramble(0), zero.cast_signed().unsigned_abs());
        assert_ne!(scramble(1), scramble(256));
    }

    #[test]
    fn frequencies_of_ranks_follow_zipf() {
        // Rank k has the share (k + 1)^-theta / zeta. The generator is exact for the first two.
        let mut stream = Stream::new(2, Purpose::Scenario, 0, 0);
        let times = 200_000;
        let mut counts = [0_u32; 2];
        let mut above_1000 = 0;
        for _ in 0..times {
            match rank(stream.unit()) {
                first @ (0 | 1) => counts[first as usize] += 1,
                other if other >= 1000 => above_1000 += 1,
                _ => {}
            }
        }
        let share = |count: u32| f64::from(count) / f64::from(times);
        assert!((share(counts[0]) - 1.0 / ZETA_ITEMS).abs() < 0.002); // 4 standard errors
        assert!((share(counts[1]) - 0.5_f64.powf(THETA) / ZETA_ITEMS).abs() < 0.002);
        let first_1000: f64 = (1..=1000).map(|k| f64::from(k).powf(-THETA)).sum();
        assert!((share(above_1000) - (1.0 - first_1000 / ZETA_ITEMS)).abs() < 0.02);
    }

    #[test]
    fn zipfian_keys_are_uneven_and_uniform_ones_are_not() {
        let (times, keys) = (100_000, 1000);
        let uneven = draw_counts(Draw::Zipfian, keys, times);
        let even = draw_counts(Draw::Uniform, keys, times);
        let mean = times / keys;
        assert!(*uneven.iter().max().unwrap() > 20 * mean);
        assert!(*even.iter().max().unwrap() < 2 * mean);
        assert!(even.iter().all(|count| *count > mean / 2));
    }
}
