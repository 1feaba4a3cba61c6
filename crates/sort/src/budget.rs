//! How the allowed memory is used, to the byte.
//!
//! A sort has one block of memory, allocated at its start and used for everything: records and
//! their entries while runs are made, blocks of runs while they are merged, and records on their
//! way to the output. What the system needs in addition (stacks, tables) is reserved first, so that
//! the whole sort stays within the limit.

use serde::Serialize;

use crate::error::SortError;
use crate::shape::Shape;

/// An entry for each record in memory: eight bytes of its keys, and eight for where it is.
pub const ENTRY_BYTES: usize = size_of::<u128>();

/// Reserved for tables, and for each thread's stack. Measured: a thread touches 8 to 12 KiB.
const RESERVE_BYTES: usize = 48 << 10;
const THREAD_BYTES: usize = 16 << 10;

/// The least size of a block read from a run: with less, the system calls cost more than another
/// merge pass.
const LEAST_BLOCK_BYTES: usize = 16 << 10;

/// The largest block: the gain from larger ones is too small to measure.
const MOST_BLOCK_BYTES: usize = 1 << 20;

/// Bytes per write, unless memory is scarce.
const WRITE_BYTES: usize = 256 << 10;

/// Most runs merged at a time: their heads should stay in the processor's second-level cache.
const MOST_FAN_IN: usize = 1024;

/// How the memory is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Bytes of the block of memory.
    pub arena_bytes: usize,
    /// Of these, each thread's.
    pub part_bytes: usize,
    /// Of a part, the bytes in which records wait to be written.
    pub write_bytes: usize,
    /// Records sorted at a time by a thread: the length of a run.
    pub run_records: u64,
    /// Runs; none if everything fits.
    pub runs: u64,
    /// Runs that can be merged at a time.
    pub fan_in: usize,
}

impl Budget {
    /// How `sortsize_bytes` are used for `records` records.
    ///
    /// Uses no more than needed if everything fits. Fails with [`SortError::TooSmall`] below
    /// [`least_bytes`].
    pub fn new(
        shape: &Shape,
        records: u64,
        threads: usize,
        sortsize_bytes: usize,
    ) -> Result<Self, SortError> {
        let least = least_bytes(shape, threads);
        let need = need_bytes(shape, records, threads);
        if need <= sortsize_bytes as u64 {
            // Spare memory makes writes larger; the rest is not allocated.
            let room = (sortsize_bytes - reserve(threads)) / threads / ENTRY_BYTES * ENTRY_BYTES;
            let part = room.min(part_need_bytes(shape, records, threads, WRITE_BYTES));
            let run_records = records.div_ceil(threads as u64);
            return Ok(Self {
                arena_bytes: part * threads,
                part_bytes: part,
                write_bytes: whole(part - in_memory_bytes(shape, run_records), shape),
                run_records,
                runs: 0,
                fan_in: threads,
            });
        }
        if sortsize_bytes < least {
            return Err(SortError::TooSmall {
                given: sortsize_bytes,
                least,
                record_bytes: shape.record_bytes(),
            });
        }
        let part = (sortsize_bytes - reserve(threads)) / threads / ENTRY_BYTES * ENTRY_BYTES;
        let write = whole((part / 16).clamp(LEAST_BLOCK_BYTES, WRITE_BYTES), shape);
        let room = part - write;
        let most = (room / (shape.record_bytes() + ENTRY_BYTES)).max(1) as u64;
        // The same number of runs for each thread, all of one length: no thread waits for a last
        // long one.
        let runs = records.div_ceil(most).next_multiple_of(threads as u64);
        let run_records = records.div_ceil(runs);
        Ok(Self {
            arena_bytes: part * threads,
            part_bytes: part,
            write_bytes: write,
            run_records,
            runs: records.div_ceil(run_records),
            fan_in: (room / block(shape)).clamp(2, MOST_FAN_IN),
        })
    }

    /// Bytes of a block of a run when one thread merges `runs` runs.
    #[must_use]
    pub fn block_bytes(&self, shape: &Shape, runs: usize) -> usize {
        let each = (self.part_bytes - self.write_bytes) / runs.max(1);
        whole(each.min(MOST_BLOCK_BYTES), shape)
    }

    /// Entries at the start of a part: one for each record of a run.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.run_records as usize
    }
}

/// Memory for sorting `records` records without a run: records, entries, one block to write for
/// each thread, and the reserve.
#[must_use]
pub fn need_bytes(shape: &Shape, records: u64, threads: usize) -> u64 {
    let part = part_need_bytes(shape, records, threads, LEAST_BLOCK_BYTES);
    part as u64 * threads as u64 + reserve(threads) as u64
}

/// The least memory a sort can work with: two blocks to merge and one to write, for each thread.
#[must_use]
pub fn least_bytes(shape: &Shape, threads: usize) -> usize {
    let part = (3 * block(shape)).next_multiple_of(ENTRY_BYTES) + ENTRY_BYTES;
    reserve(threads) + threads * part
}

fn part_need_bytes(shape: &Shape, records: u64, threads: usize, write_bytes: usize) -> usize {
    let each = records.div_ceil(threads as u64);
    (in_memory_bytes(shape, each) + whole(write_bytes, shape)).next_multiple_of(ENTRY_BYTES)
}

fn in_memory_bytes(shape: &Shape, records: u64) -> usize {
    records as usize * (shape.record_bytes() + ENTRY_BYTES)
}

const fn reserve(threads: usize) -> usize {
    RESERVE_BYTES + threads * THREAD_BYTES
}

/// The least block: whole records, at least one.
fn block(shape: &Shape) -> usize {
    whole(LEAST_BLOCK_BYTES, shape)
}

/// `bytes` rounded down to whole records, at least one.
fn whole(bytes: usize, shape: &Shape) -> usize {
    let record = shape.record_bytes();
    (bytes / record * record).max(record)
}
