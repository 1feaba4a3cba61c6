//! The one block of memory of a sort.

use bytemuck::cast_slice_mut;

use crate::budget::{Budget, ENTRY_BYTES};
use crate::error::SortError;
use crate::order::Entry;

/// The block, cut into a part for each thread.
#[derive(Debug)]
pub struct Arena {
    block: Vec<Entry>,
    part: usize,
}

/// The contents of a part: entries, their records, and room for records that wait to be written.
#[derive(Debug)]
pub struct Room<'a> {
    /// One for each record.
    pub entries: &'a mut [Entry],
    /// Records as they were read.
    pub records: &'a mut [u8],
    /// Records to be written.
    pub write: &'a mut [u8],
}

impl Arena {
    /// Takes the memory. Its pages become resident when they are first used.
    ///
    /// Fails with [`SortError::Memory`] if the system refuses it.
    pub fn new(budget: &Budget) -> Result<Self, SortError> {
        let length = budget.arena_bytes / ENTRY_BYTES;
        let mut asked: Vec<Entry> = Vec::new();
        asked
            .try_reserve_exact(length)
            .map_err(|_| SortError::Memory(budget.arena_bytes))?;
        drop(asked);
        // Zeroed by the system as it maps pages, not here, where it would take time.
        Ok(Self {
            block: vec![0; length],
            part: budget.part_bytes / ENTRY_BYTES,
        })
    }

    /// The part of each thread.
    pub fn parts(&mut self) -> Vec<&mut [Entry]> {
        self.block.chunks_exact_mut(self.part.max(1)).collect()
    }
}

/// A part as it is used to sort: `entries` entries, as many records, and the rest to write.
#[must_use]
pub fn room(part: &mut [Entry], entries: usize, record_bytes: usize) -> Room<'_> {
    let (entries, rest) = part.split_at_mut(entries);
    let (records, write) =
        cast_slice_mut::<Entry, u8>(rest).split_at_mut(entries.len() * record_bytes);
    let whole = write.len() / record_bytes * record_bytes;
    Room {
        entries,
        records,
        write: &mut write[..whole],
    }
}

/// A part as it is used to merge: a block for each run, and room to write.
#[must_use]
pub fn blocks(
    part: &mut [Entry],
    block_bytes: usize,
    runs: usize,
    write_bytes: usize,
) -> (Vec<&mut [u8]>, &mut [u8]) {
    let (write, rest) = cast_slice_mut::<Entry, u8>(part).split_at_mut(write_bytes);
    (
        rest.chunks_exact_mut(block_bytes).take(runs).collect(),
        write,
    )
}
