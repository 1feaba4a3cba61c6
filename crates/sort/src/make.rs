//! Data to sort, made from a seed: the same seed gives the same bytes on every machine.

use std::path::Path;

use crate::checksum::Checksum;
use crate::error::SortError;
use crate::file::Counted;
use crate::job::{Far, Tell};
use crate::shape::{Field, Shape};

/// Approximate bytes per write.
const BLOCK_BYTES: usize = 1 << 20;

/// Letters of keys: 64, so that six bits are one letter. None is a blank or a line end, so that
/// other programs find the keys in place.
const LETTERS: &[u8; 64] = b"+-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Distinct values of the keys of an observation, the most significant key first; later keys are
/// random. Two million observations are then ordered by the third key, most of them by the second:
/// each of four keys is needed by some.
const VALUES: [u64; 3] = [100, 1_000, 10_000];

/// The distribution of the keys' values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Keys with few distinct values, which need the following keys: BY variables.
    Observations,
    /// Keys of random letters, hardly ever equal: records of a sorting benchmark.
    Records,
}

/// Writes `records` records to the existing file at `path`, from its start.
pub fn make(
    path: &Path,
    shape: &Shape,
    kind: Kind,
    records: u64,
    seed: u64,
    tell: &mut Tell<'_>,
) -> Result<Checksum, SortError> {
    let record_bytes = shape.record_bytes();
    let file = Counted::write(path, "the data")?;
    let mut block = vec![0; (BLOCK_BYTES / record_bytes).max(1) * record_bytes];
    let total_bytes = records * record_bytes as u64;
    let mut checksum = Checksum::default();
    let mut done_bytes = 0;
    while done_bytes < total_bytes {
        let bytes = (total_bytes - done_bytes).min(block.len() as u64) as usize;
        for record in block[..bytes].chunks_exact_mut(record_bytes) {
            fill(record, shape, kind, seed, checksum.records);
            checksum.add(record);
        }
        file.write_at(&block[..bytes], done_bytes)?;
        done_bytes += bytes as u64;
        if tell(Far {
            done_bytes,
            total_bytes,
        })
        .is_break()
        {
            return Err(SortError::Cancelled);
        }
    }
    // Pages that are not on disk could not be dropped from the cache before a cold sort.
    file.sync()?;
    Ok(checksum)
}

/// Makes the record with this number: letters, a line end, and the keys over them.
fn fill(record: &mut [u8], shape: &Shape, kind: Kind, seed: u64, number: u64) {
    let mut draws = Draws(mix(seed ^ mix(number)));
    letters(record, &mut draws);
    let keys_end = shape
        .keys()
        .iter()
        .map(|key| key.offset + key.bytes)
        .max()
        .unwrap_or(0);
    if let Some(last) = record.get_mut(keys_end..).and_then(<[u8]>::last_mut) {
        *last = b'\n';
    }
    if kind == Kind::Observations {
        for (at, &Field { offset, bytes }) in shape.keys().iter().enumerate() {
            if let Some(values) = VALUES.get(at) {
                let value = draws.next() % values;
                let mut of_value = Draws(mix(seed ^ mix(value ^ ((at as u64 + 1) << 32))));
                letters(&mut record[offset..offset + bytes], &mut of_value);
            }
        }
    }
}

/// Random letters.
fn letters(target: &mut [u8], draws: &mut Draws) {
    const A_DRAW: usize = 10; // 64 bits hold ten letters of six
    for part in target.chunks_mut(A_DRAW) {
        let mut bits = draws.next();
        for place in part {
            *place = LETTERS[(bits & 63) as usize];
            bits >>= 6;
        }
    }
}

/// `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }
}

const fn mix(key: u64) -> u64 {
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}
