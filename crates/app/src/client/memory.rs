//! What a user remembers of its own writes.

use crate::block::{Generation, UNIT_BYTES};

/// Writes remembered. A user's next reads hit one of them now and then, which over a run of
/// thousands of users is often enough to catch a server that loses writes. Costs 384 bytes.
const REMEMBERED: usize = 32;

/// The last writes of one session, to its own file.
#[derive(Debug)]
pub(super) struct Memory {
    session: u64,
    writes: u32,
    last: [Written; REMEMBERED],
}

#[derive(Debug, Clone, Copy, Default)]
struct Written {
    first_unit: u32,
    units: u32,
    write: u32,
}

impl Memory {
    pub(super) const fn new(session: u64) -> Self {
        let none = Written {
            first_unit: 0,
            units: 0,
            write: 0,
        };
        Self {
            session,
            writes: 0,
            last: [none; REMEMBERED],
        }
    }

    /// The generation with which the next write is stamped.
    pub(super) fn next_generation(&mut self) -> Generation {
        self.writes = self.writes.wrapping_add(1);
        Generation {
            session: self.session,
            write: self.writes,
        }
    }

    /// Remembers that the write was acknowledged.
    pub(super) fn remember(&mut self, generation: Generation, offset: u64, bytes: u32) {
        let unit = u64::from(UNIT_BYTES);
        self.last[generation.write as usize % REMEMBERED] = Written {
            first_unit: (offset / unit) as u32,
            units: bytes / UNIT_BYTES,
            write: generation.write,
        };
    }

    /// The oldest allowed generation of the unit at this offset.
    pub(super) fn at_least(&self, offset: u64) -> Generation {
        let unit = (offset / u64::from(UNIT_BYTES)) as u32;
        let covers = |written: &&Written| {
            unit >= written.first_unit && unit - written.first_unit < written.units
        };
        let write = self
            .last
            .iter()
            .filter(covers)
            .map(|written| written.write)
            .max();
        write.map_or_else(Generation::default, |write| Generation {
            session: self.session,
            write,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_write_to_a_unit_counts_and_old_ones_are_forgotten() {
        let mut memory = Memory::new(9);
        let first = memory.next_generation();
        memory.remember(first, 8192, 8192);
        let second = memory.next_generation();
        memory.remember(second, 12288, 4096);
        assert_eq!(memory.at_least(4096), Generation::default());
        assert_eq!(memory.at_least(8192), first);
        assert_eq!(memory.at_least(12288), second);
        assert_eq!(memory.at_least(16384), Generation::default());
        for _ in 0..REMEMBERED {
            let generation = memory.next_generation();
            memory.remember(generation, 0, 4096);
        }
        assert_eq!(memory.at_least(8192), Generation::default());
        assert_eq!(
            memory.at_least(0),
            Generation {
                session: 9,
                write: 2 + REMEMBERED as u32
            }
        );
    }
}
