//! Contents of files: every 4,096 bytes say where they belong.
//!
//! | bytes | meaning (little-endian) |
//! |---|---|
//! | 0..4 | `HCSB` |
//! | 4..8 | CRC-32 of bytes 8..4096 |
//! | 8..12 | number of the user whose file it is; 2^32 - 1 for files that all share |
//! | 12..16 | number of the file |
//! | 16..24 | offset in the file |
//! | 24..32 | seed of the data set |
//! | 32..4096 | contents of the file's kind ([`crate::content`]), drawn by a key derived from the fields |
//!
//! A reader detects damage and torn writes (checksum) and mix-ups (user, file, offset, seed),
//! whatever the kind. Contents come from fixed tables, so that 16 KiB cost about a microsecond to
//! write and less to check (`cargo run --release -p headcount-tree --example content_cost`). No two
//! blocks are equal, so a server cannot deduplicate them.

use crate::content::{BODY_BYTES, Content};
use crate::splitmix::splitmix;

/// The unit: sizes and offsets of reads and writes are multiples of it.
pub const UNIT_BYTES: u32 = 4096;

const UNIT: usize = UNIT_BYTES as usize;
const MAGIC: [u8; 4] = *b"HCSB";
const HEAD: usize = UNIT - BODY_BYTES;

/// The owner of a block: user and file, and what fills it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The user, or 2^32 - 1.
    pub user: u32,
    /// The number of the file.
    pub file: u32,
    /// The seed of the data set.
    pub seed: u64,
    /// The kind of its contents; not in the head, and not checked by readers.
    pub content: Content,
}

/// What is wrong with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// It does not start like a unit.
    #[error("these bytes were never written by Headcount")]
    NotABlock,
    /// Its bytes changed after it was made.
    #[error("its checksum does not match its contents: damaged, or torn by an unfinished write")]
    Checksum,
    /// It belongs to another user.
    #[error("it holds data of user {0}")]
    User(u32),
    /// It belongs to another file.
    #[error("it holds data of file number {0}")]
    File(u32),
    /// It belongs elsewhere in its file.
    #[error("it holds the data of offset {0}")]
    Offset(u64),
    /// It belongs to another data set.
    #[error("it belongs to the data set with seed {0}")]
    Seed(u64),
    /// The data ends before its last unit.
    #[error("it is incomplete")]
    Short,
}

/// Fills `data` with what belongs at `offset` of the file. A partial unit at the end stays zero.
pub fn stamp(data: &mut [u8], owner: Owner, offset: u64) {
    let (units, _) = data.as_chunks_mut::<UNIT>();
    for (unit, offset) in units.iter_mut().zip((offset..).step_by(UNIT)) {
        unit[..4].copy_from_slice(&MAGIC);
        unit[8..12].copy_from_slice(&owner.user.to_le_bytes());
        unit[12..16].copy_from_slice(&owner.file.to_le_bytes());
        unit[16..24].copy_from_slice(&offset.to_le_bytes());
        unit[24..HEAD].copy_from_slice(&owner.seed.to_le_bytes());
        let file = u64::from(owner.user) << 32 | u64::from(owner.file);
        let key = splitmix(splitmix(owner.seed ^ file) ^ offset);
        if let Some(body) = unit.last_chunk_mut::<BODY_BYTES>() {
            let block = offset / u64::from(UNIT_BYTES);
            owner.content.fill(body, block, key);
        }
        let checksum = crc32fast::hash(&unit[8..]);
        unit[4..8].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Checks that `data` is what belongs at `offset` of the file; an error names the offset of the
/// first wrong unit.
pub fn verify(data: &[u8], owner: Owner, offset: u64) -> Result<(), (u64, Wrong)> {
    let (units, rest) = data.as_chunks::<UNIT>();
    let mut at = offset;
    for unit in units {
        check(unit, owner, at).map_err(|wrong| (at, wrong))?;
        at += u64::from(UNIT_BYTES);
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err((at, Wrong::Short))
    }
}

/// Fills `data` with what belongs at `offset` of a file, which need not be a multiple of the unit:
/// whole units as [`stamp`] does, the rest with incompressible bytes that are never checked.
pub fn fill(data: &mut [u8], owner: Owner, offset: u64) {
    let (before, whole) = whole_units(data.len(), offset);
    let key = splitmix(owner.seed ^ u64::from(owner.file) << 32 ^ u64::from(owner.user));
    let other = |bytes: &mut [u8], at: u64| {
        for (chunk, at) in bytes.chunks_mut(8).zip((at..).step_by(8)) {
            let word = splitmix(key ^ at).to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    };
    let (head, rest) = data.split_at_mut(before);
    let (units, tail) = rest.split_at_mut(whole);
    let (units_at, tail_at) = (offset + before as u64, offset + (before + whole) as u64);
    other(head, offset);
    stamp(units, owner, units_at);
    other(tail, tail_at);
}

/// Checks only the whole units in `data`, as [`verify`] does.
pub fn verify_within(data: &[u8], owner: Owner, offset: u64) -> Result<(), (u64, Wrong)> {
    let (before, whole) = whole_units(data.len(), offset);
    verify(&data[before..before + whole], owner, offset + before as u64)
}

/// How many bytes precede the first whole unit of a range, and how many whole units have.
fn whole_units(bytes: usize, offset: u64) -> (usize, usize) {
    let before = (offset.next_multiple_of(UNIT_BYTES.into()) - offset) as usize;
    let before = before.min(bytes);
    (before, (bytes - before) / UNIT * UNIT)
}

fn check(unit: &[u8; UNIT], owner: Owner, at: u64) -> Result<(), Wrong> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| unit[at + index]));
    let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| unit[at + index]));
    if unit[..4] != MAGIC {
        Err(Wrong::NotABlock)
    } else if crc32fast::hash(&unit[8..]) != word(4) {
        Err(Wrong::Checksum)
    } else if word(8) != owner.user {
        Err(Wrong::User(word(8)))
    } else if word(12) != owner.file {
        Err(Wrong::File(word(12)))
    } else if long(16) != at {
        Err(Wrong::Offset(long(16)))
    } else if long(24) != owner.seed {
        Err(Wrong::Seed(long(24)))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OWNER: Owner = Owner {
        user: 3,
        file: 7,
        seed: 99,
        content: Content::Compressed,
    };

    #[test]
    fn mix_ups_are_distinguished() {
        let mut data = vec![0; 2 * UNIT];
        stamp(&mut data, OWNER, 8192);
        assert_eq!(verify(&data, OWNER, 8192), Ok(()));
        let wrong = |owner, offset| verify(&data, owner, offset).unwrap_err();
        assert_eq!(
            wrong(Owner { user: 4, ..OWNER }, 8192),
            (8192, Wrong::User(3))
        );
        assert_eq!(
            wrong(Owner { file: 8, ..OWNER }, 8192),
            (8192, Wrong::File(7))
        );
        assert_eq!(
            wrong(Owner { seed: 1, ..OWNER }, 8192),
            (8192, Wrong::Seed(99))
        );
        assert_eq!(wrong(OWNER, 0), (0, Wrong::Offset(8192)));
        assert_eq!(
            verify(&data[..5000], OWNER, 8192),
            Err((12288, Wrong::Short))
        );
        assert_eq!(verify(&[0; UNIT], OWNER, 0), Err((0, Wrong::NotABlock)));
    }

    proptest! {
        #[test]
        fn only_whole_units_of_a_stretch_are_checked(
            offset in 0u64..20_000,
            bytes in 0usize..20_000,
            at: prop::sample::Index,
        ) {
            let mut data = vec![0; bytes];
            fill(&mut data, OWNER, offset);
            prop_assert_eq!(verify_within(&data, OWNER, offset), Ok(()));
            if bytes > 0 {
                let at = at.index(bytes);
                data[at] ^= 1;
                let unit = (offset + at as u64) / UNIT as u64 * UNIT as u64;
                let is_whole = unit >= offset && unit + UNIT as u64 <= offset + bytes as u64;
                let found = verify_within(&data, OWNER, offset);
                prop_assert_eq!(found.err().map(|(at, _)| at), is_whole.then_some(unit));
            }
        }

        #[test]
        fn every_damaged_byte_is_found(at: prop::sample::Index, flip in 1u8..) {
            let mut data = vec![0; 2 * UNIT];
            stamp(&mut data, OWNER, 0);
            let at = at.index(data.len());
            data[at] ^= flip;
            let (offset, _) = verify(&data, OWNER, 0).unwrap_err();
            prop_assert_eq!(offset, (at / UNIT * UNIT) as u64);
        }
    }
}
