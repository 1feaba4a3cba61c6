//! The test file that is wanted.

use std::path::PathBuf;

use serde::Deserialize;

use crate::error::DiskError;

/// How the kernel is asked for I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// One ring per thread: the queue depth is its number of requests under way.
    IoUring,
    /// Plain calls (`pread`, `pwrite`): the queue depth is the number of threads per zone.
    Threads,
}

/// A test file and how it is read and written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Where the test file is made.
    pub folder: PathBuf,
    /// How large it is: a multiple of 1 MiB.
    pub size_bytes: u64,
    /// Bypasses the page cache (`O_DIRECT`).
    pub direct: bool,
    /// Each write waits until it is on the disk (`O_DSYNC`).
    pub sync: bool,
    /// Every byte that is read is compared, not only the head of each block.
    pub verify: bool,
    /// How the kernel is asked.
    pub engine: Engine,
    /// Seeds the file's content and the places of random I/O.
    pub seed: u64,
    /// Bytes of a unit, which has its own head: every block is a multiple of it.
    pub unit_bytes: usize,
}

impl Setup {
    /// Files are filled in pieces of this, so sizes are multiples of it.
    pub const PIECE_BYTES: u64 = 1 << 20;

    /// An error if a figure is outside its limits.
    pub(crate) fn check(&self) -> Result<(), DiskError> {
        let size = self.size_bytes;
        if size == 0 || !size.is_multiple_of(Self::PIECE_BYTES) {
            let message = format!("a test file of {size} bytes is not a multiple of 1 MiB");
            return Err(DiskError::Options(message));
        }
        if ![512, 1024, 2048, 4096].contains(&self.unit_bytes) {
            let message = format!("{} bytes cannot be a unit of content", self.unit_bytes);
            return Err(DiskError::Options(message));
        }
        Ok(())
    }
}
