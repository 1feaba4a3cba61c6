//! What is measured, one cell of the grid at a time.

use serde::Deserialize;

use crate::error::DiskError;
use crate::setup::Setup;

/// The order of the places that a thread reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// One block after the other through the thread's zone, then again from its start.
    Sequential,
    /// Any block of the thread's zone, drawn uniformly.
    Random,
}

/// A block size, and the share of the I/Os that have it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Its size.
    pub bytes: usize,
    /// Weight among the sizes; any scale.
    pub share: f64,
}

/// One combination of threads, blocks, order and depth, and how long it is measured.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// How many threads, each in its own zone of the file.
    pub threads: u32,
    /// I/Os that each thread has under way.
    pub depth: u32,
    /// The order of places.
    pub access: Access,
    /// The share of I/Os that read.
    pub read_share: f64,
    /// The sizes of the blocks; one size if sequential.
    pub blocks: Vec<Block>,
    /// How long it runs before it is measured.
    pub warm_up_s: f64,
    /// How long it is measured.
    pub seconds: f64,
    /// Into how many parts the measured time is cut, for the interval of its mean.
    pub batches: u32,
}

/// More I/Os under way than this are refused: with plain calls each is a thread.
const MOST_UNDER_WAY: u32 = 1024;
/// Larger blocks are refused: they would only measure how the kernel splits them.
const LARGEST_BLOCK: usize = 16 << 20;
/// A day: longer is a mistake in the units.
const LONGEST_S: f64 = 86_400.0;

impl Cell {
    /// The largest block.
    #[must_use]
    pub fn largest(&self) -> usize {
        let sizes = self.blocks.iter().map(|block| block.bytes);
        sizes.max().unwrap_or(0)
    }

    /// The smallest file in which the cell can run: twice what is under way at once.
    #[must_use]
    pub fn least_file_bytes(&self) -> u64 {
        2 * u64::from(self.threads) * u64::from(self.depth) * self.largest() as u64
    }

    /// An error if a figure is outside its limits.
    pub(crate) fn check(&self, setup: &Setup) -> Result<(), DiskError> {
        match self.mistake(setup) {
            Some(message) => Err(DiskError::Options(message)),
            None => Ok(()),
        }
    }

    fn mistake(&self, setup: &Setup) -> Option<String> {
        let under_way = u64::from(self.threads) * u64::from(self.depth);
        if under_way == 0 || under_way > u64::from(MOST_UNDER_WAY) {
            return Some(format!(
                "{} threads with {} I/Os each are {under_way} at once; 1 to {MOST_UNDER_WAY} are \
                 possible",
                self.threads, self.depth
            ));
        }
        if self.blocks.is_empty() || (self.access == Access::Sequential && self.blocks.len() > 1) {
            return Some("sequential I/O takes one block size, random at least one".to_owned());
        }
        for block in &self.blocks {
            let fits = block.bytes > 0 && block.bytes.is_multiple_of(setup.unit_bytes);
            if !fits || block.bytes > LARGEST_BLOCK {
                return Some(format!(
                    "a block cannot have {} bytes; it can have {} bytes to 16 MiB, in multiples \
                     of {}",
                    block.bytes, setup.unit_bytes, setup.unit_bytes
                ));
            }
            if !(block.share > 0.0 && block.share.is_finite()) {
                return Some(format!(
                    "a share of {} of the blocks is not possible",
                    block.share
                ));
            }
        }
        if !(0.0..=1.0).contains(&self.read_share) {
            return Some(format!(
                "a share of reads of {} is not possible",
                self.read_share
            ));
        }
        let bounded = |seconds: f64| (0.0..=LONGEST_S).contains(&seconds);
        if !bounded(self.warm_up_s) || !bounded(self.seconds) || self.seconds <= 0.0 {
            return Some(format!(
                "{} s after {} s of warm-up cannot be measured: up to a day is possible",
                self.seconds, self.warm_up_s
            ));
        }
        if self.batches == 0 || self.batches > 10_000 {
            return Some(format!(
                "{} parts of the time are not possible",
                self.batches
            ));
        }
        (setup.size_bytes < self.least_file_bytes()).then(|| {
            format!(
                "a test file of {} bytes is too small for {} threads with {} I/Os of {} bytes \
                 each: it needs at least {} bytes",
                setup.size_bytes,
                self.threads,
                self.depth,
                self.largest(),
                self.least_file_bytes()
            )
        })
    }
}
