//! Requests to a ring, and their completions.

use std::fs::File;
use std::io;
use std::sync::Arc;

use crate::buffer::Buffer;

/// A file that requests go to; cheap to clone.
///
/// A request holds a share of it until its completion is back, so the handle stays open as long as
/// the kernel needs it, even if the caller drops its own.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) file: Arc<File>,
    pub(crate) fixed: Option<Fixed>,
}

/// Where a file is registered with the kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed {
    pub ring: u64,
    pub index: u32,
}

impl Target {
    /// An open file.
    #[must_use]
    pub fn open(file: File) -> Self {
        Self::from(Arc::new(file))
    }

    /// The file itself, for everything a ring does not do.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its index in the kernel, if it is registered with this ring.
    pub(crate) fn registered_with(&self, ring: u64) -> Option<u32> {
        let here = self.fixed.filter(|fixed| fixed.ring == ring)?;
        Some(here.index)
    }
}

impl From<Arc<File>> for Target {
    fn from(file: Arc<File>) -> Self {
        Self { file, fixed: None }
    }
}

/// The result of a request.
#[derive(Debug)]
pub struct Completion {
    /// The request's tag.
    pub tag: u64,
    /// How many bytes were read or written, fewer than requested at the end of a file or a disk; 0
    /// after a sync. The error is the kernel's.
    pub result: io::Result<usize>,
    /// The request's buffer; None after a sync.
    pub buffer: Option<Buffer>,
}

/// Why a ring does not take a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The ring is full: as many requests are under way as it was made for.
    #[error("as many requests are under way as the ring was made for")]
    Full,
    /// More bytes than the buffer holds, or than one request may have (2 GiB).
    #[error("more bytes were asked for than the buffer has, or than one request may have")]
    TooLong,
}

/// A request that was not taken, with the buffer that came with it.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct Refused {
    /// Why.
    pub why: Refusal,
    /// The request's buffer.
    pub buffer: Option<Buffer>,
}
