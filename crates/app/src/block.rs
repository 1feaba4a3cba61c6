//! Blocks of a client's file: every 4,096 bytes say where they belong and when they were written.
//!
//! | bytes | meaning (little-endian) |
//! |---|---|
//! | 0..4 | `HCBK` |
//! | 4..8 | CRC-32 of bytes 8..4096 |
//! | 8..12 | number of the file |
//! | 12..16 | [`Generation::write`] |
//! | 16..24 | offset in the file |
//! | 24..32 | seed of the data set |
//! | 32..40 | [`Generation::session`] |
//! | 40..4096 | [`pattern`] of the fields above |
//!
//! So a reader detects damage and torn writes (checksum), mix-ups (file, offset, seed) and, if it
//! remembers what it wrote itself, lost writes (generation).

use crate::fields::Fields;
use crate::pattern;

/// The unit: offsets and lengths of reads and writes are multiples of it. A page, and the alignment
/// that `O_DIRECT` requires on current disks.
pub const UNIT_BYTES: u32 = 4096;

const UNIT: usize = UNIT_BYTES as usize;
const MAGIC: [u8; 4] = *b"HCBK";
const HEAD: usize = 40;

/// Which write a unit comes from; later writes of a client's file are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Generation {
    /// The server's number of the session that wrote; 0 is the preparation of the data set.
    pub session: u64,
    /// The number of the write within its session.
    pub write: u32,
}

/// Where a block belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the file.
    pub file: u32,
    /// The offset of the block's first byte.
    pub offset: u64,
    /// The seed of the data set.
    pub seed: u64,
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
    /// It belongs to another file.
    #[error("it holds data of file {0}")]
    File(u32),
    /// It belongs elsewhere in its file.
    #[error("it holds the data of offset {0}")]
    Offset(u64),
    /// It belongs to another data set.
    #[error("it belongs to the data set with seed {0}")]
    Seed(u64),
    /// It is older than what the reader wrote there.
    #[error("it is older than what this user wrote there: a write was lost")]
    Older,
    /// The block ends before its last unit.
    #[error("it is incomplete")]
    Short,
}

/// One wrong unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("wrong data in file {file} at offset {offset}: {wrong}")]
pub struct Damage {
    /// The file that was read.
    pub file: u32,
    /// Where the unit was found.
    pub offset: u64,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// Fills `block` with the contents of `place` written as `generation`.
///
/// # Panics
///
/// When `block` is not a whole number of units.
pub fn stamp(block: &mut [u8], place: Place, generation: Generation) {
    let (units, rest) = block.as_chunks_mut::<UNIT>();
    assert!(rest.is_empty(), "a block is a whole number of units");
    let mut offset = place.offset;
    for unit in units {
        unit[..4].copy_from_slice(&MAGIC);
        unit[8..12].copy_from_slice(&place.file.to_le_bytes());
        unit[12..16].copy_from_slice(&generation.write.to_le_bytes());
        unit[16..24].copy_from_slice(&offset.to_le_bytes());
        unit[24..32].copy_from_slice(&place.seed.to_le_bytes());
        unit[32..HEAD].copy_from_slice(&generation.session.to_le_bytes());
        let checksum_of_head = u64::from(crc32fast::hash(&unit[8..HEAD]));
        pattern::fill(
            place.seed ^ checksum_of_head ^ generation.session,
            &mut unit[HEAD..],
        );
        let checksum = crc32fast::hash(&unit[8..]);
        unit[4..8].copy_from_slice(&checksum.to_le_bytes());
        offset += u64::from(UNIT_BYTES);
    }
}

/// Checks that `block` is what `place` should hold; `at_least` returns the oldest allowed
/// generation of a unit at an offset.
pub fn verify(
    block: &[u8],
    place: Place,
    mut at_least: impl FnMut(u64) -> Generation,
) -> Result<(), Damage> {
    let (units, rest) = block.as_chunks::<UNIT>();
    let mut offset = place.offset;
    for unit in units {
        let found = check_unit(unit, Place { offset, ..place });
        let recent = found.and_then(|generation| {
            if generation < at_least(offset) {
                Err(Wrong::Older)
            } else {
                Ok(())
            }
        });
        recent.map_err(|wrong| Damage {
            file: place.file,
            offset,
            wrong,
        })?;
        offset += u64::from(UNIT_BYTES);
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(Damage {
            file: place.file,
            offset,
            wrong: Wrong::Short,
        })
    }
}

fn check_unit(unit: &[u8; UNIT], place: Place) -> Result<Generation, Wrong> {
    if unit[..4] != MAGIC {
        return Err(Wrong::NotABlock);
    }
    let mut fields = Fields::new(&unit[4..HEAD]);
    let mut head = || {
        let (checksum, file, write) = (fields.u32()?, fields.u32()?, fields.u32()?);
        Some((
            checksum,
            file,
            write,
            fields.u64()?,
            fields.u64()?,
            fields.u64()?,
        ))
    };
    let (checksum, file, write, offset, seed, session) = head().ok_or(Wrong::Short)?;
    if crc32fast::hash(&unit[8..]) != checksum {
        Err(Wrong::Checksum)
    } else if file != place.file {
        Err(Wrong::File(file))
    } else if offset != place.offset {
        Err(Wrong::Offset(offset))
    } else if seed != place.seed {
        Err(Wrong::Seed(seed))
    } else {
        Ok(Generation { session, write })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLACE: Place = Place {
        file: 7,
        offset: 8192,
        seed: 99,
    };
    const WRITTEN: Generation = Generation {
        session: 5,
        write: 3,
    };

    fn block(units: usize) -> Vec<u8> {
        let mut block = vec![0; units * UNIT];
        stamp(&mut block, PLACE, WRITTEN);
        block
    }

    fn check(block: &[u8], place: Place) -> Result<(), Wrong> {
        verify(block, place, |_| Generation::default()).map_err(|damage| damage.wrong)
    }

    #[test]
    fn the_checksum_is_crc32() {
        // The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn mix_ups_are_distinguished() {
        let good = block(2);
        assert_eq!(check(&good, PLACE), Ok(()));
        assert_eq!(
            check(&good, Place { file: 8, ..PLACE }),
            Err(Wrong::File(7))
        );
        assert_eq!(
            check(&good, Place { offset: 0, ..PLACE }),
            Err(Wrong::Offset(8192))
        );
        assert_eq!(
            check(&good, Place { seed: 1, ..PLACE }),
            Err(Wrong::Seed(99))
        );
        assert_eq!(check(&good[..5000], PLACE), Err(Wrong::Short));
        assert_eq!(check(&[0; UNIT], PLACE), Err(Wrong::NotABlock));
        let swapped = [&good[UNIT..], &good[..UNIT]].concat();
        assert_eq!(check(&swapped, PLACE), Err(Wrong::Offset(8192 + 4096)));
    }

    #[test]
    fn an_older_generation_than_remembered_is_a_lost_write() {
        let good = block(2);
        assert_eq!(verify(&good, PLACE, |_| WRITTEN), Ok(()));
        let newer = Generation {
            write: WRITTEN.write + 1,
            ..WRITTEN
        };
        let second = PLACE.offset + 4096;
        let damage = verify(
            &good,
            PLACE,
            |offset| if offset == second { newer } else { WRITTEN },
        );
        let expected = Damage {
            file: 7,
            offset: second,
            wrong: Wrong::Older,
        };
        assert_eq!(damage, Err(expected));
        assert_eq!(
            expected.to_string(),
            "wrong data in file 7 at offset 12288: it is older than what this user wrote there: \
             a write was lost"
        );
    }

    #[test]
    fn a_write_torn_between_sectors_is_found() {
        let (mut old, new) = (block(1), {
            let mut new = vec![0; UNIT];
            stamp(
                &mut new,
                PLACE,
                Generation {
                    session: 6,
                    write: 1,
                },
            );
            new
        });
        for sectors in 1..8 {
            old[..sectors * 512].copy_from_slice(&new[..sectors * 512]);
            assert_eq!(
                check(&old, PLACE),
                Err(Wrong::Checksum),
                "{sectors} sectors of 512 bytes"
            );
        }
    }

    proptest! {
        #[test]
        fn any_flipped_bit_is_found(bit in 0..2 * UNIT * 8) {
            let mut block = block(2);
            block[bit / 8] ^= 1 << (bit % 8);
            let damage = verify(&block, PLACE, |_| WRITTEN).unwrap_err();
            prop_assert_eq!(damage.offset, PLACE.offset + (bit / 8 / UNIT * UNIT) as u64);
        }
    }
}
