//! Why a disk could not be measured, in words.

use std::io;
use std::path::PathBuf;

use headcount_load::{Blame, Blamed};
use headcount_ring::Unavailable;
use rustix::io::Errno;

/// Why a disk could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// A setup or cell outside its limits.
    #[error("{0}")]
    Options(String),
    /// The path does not exist.
    #[error("there is no folder {0}")]
    NoFolder(PathBuf),
    /// The path is a file or a device: measuring would have to write to it.
    #[error(
        "{0} is not a folder; name a folder on the disk: Headcount measures a test file of its own \
         there, and never touches existing files and devices"
    )]
    NotAFolder(PathBuf),
    /// No file can be made in the folder.
    #[error("cannot create a test file in {folder}: {reason}; name a folder you may write to")]
    NotWritable {
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The file system lives in memory.
    #[error(
        "{0} is in memory (tmpfs): there is no disk to measure and no direct I/O; name a folder on \
         a disk, or measure the memory with --buffered"
    )]
    Memory(PathBuf),
    /// The file system does not support direct I/O.
    #[error(
        "the file system of {0} does not support direct I/O (O_DIRECT); measure it through the \
         page cache with --buffered, or name a folder on another file system"
    )]
    NoDirect(PathBuf),
    /// Direct I/O works, but not for blocks this small.
    #[error(
        "the disk does not do direct I/O of {bytes} bytes; its blocks are larger (usually 4096 \
         bytes): choose larger blocks, or --buffered"
    )]
    BlockTooSmall {
        /// Bytes of the I/O that was refused.
        bytes: usize,
    },
    /// Not enough space for the test file.
    #[error(
        "{folder} has {free} free, and the test file needs {needed}, with the space to keep free; \
         choose a smaller --size, or free some space"
    )]
    NoSpace {
        /// The folder.
        folder: PathBuf,
        /// What is free, for a person.
        free: String,
        /// What is needed, for a person.
        needed: String,
    },
    /// The disk, a quota or a limit was full when the file was written.
    #[error("{0}")]
    Full(&'static str),
    /// `io_uring` was asked for and cannot be used.
    #[error("{0}; or measure with --engine threads")]
    NoRing(Unavailable),
    /// The system has no more threads or memory.
    #[error("the system has no more threads or memory: {0}; measure with fewer threads")]
    Resources(io::Error),
    /// The disk failed.
    #[error("{doing} {bytes} bytes at offset {offset} of the test file failed: {source}")]
    Io {
        /// "reading" or "writing".
        doing: &'static str,
        /// Where.
        offset: u64,
        /// How much.
        bytes: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The data read is not what was written.
    #[error(
        "the disk returned wrong data at offset {offset} of the test file: {found}. Do not trust \
         this disk, its controller or its driver with data"
    )]
    WrongData {
        /// Where.
        offset: u64,
        /// What was there instead.
        found: &'static str,
    },
    /// The caller cancelled it.
    #[error("cancelled")]
    Cancelled,
    /// A thread ended without a result: a defect.
    #[error("a thread of the disk engine ended unexpectedly")]
    Thread,
}

impl DiskError {
    /// The error of an I/O of the test file.
    pub(crate) fn of_io(doing: &'static str, offset: u64, bytes: usize, error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::NOSPC) => Self::Full(
                "the disk filled up while it was measured: something else writes to it; free some \
                 space and choose a smaller --size",
            ),
            Some(Errno::DQUOT) => {
                Self::Full("your disk quota is used up: choose a smaller --size, or ask for more")
            }
            Some(Errno::FBIG) => Self::Full(
                "the test file is larger than a file may be here (ulimit -f, or the file system): \
                 choose a smaller --size",
            ),
            Some(Errno::INVAL) if bytes < 4096 => Self::BlockTooSmall { bytes },
            _ => Self::Io {
                doing,
                offset,
                bytes,
                source: error,
            },
        }
    }
}

impl Blamed for DiskError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_)
            | Self::NoFolder(_)
            | Self::NotAFolder(_)
            | Self::NotWritable { .. }
            | Self::Memory(_)
            | Self::NoDirect(_)
            | Self::BlockTooSmall { .. } => Blame::Input,
            Self::NoSpace { .. } | Self::Full(_) | Self::NoRing(_) | Self::Resources(_) => {
                Blame::System
            }
            Self::Io { .. } | Self::WrongData { .. } | Self::Cancelled => Blame::Target,
            Self::Thread => Blame::Engine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(errno: Errno, bytes: usize) -> String {
        DiskError::of_io("writing", 8192, bytes, io::Error::from(errno)).to_string()
    }

    #[test]
    fn full_disks_are_distinguished_from_failing_ones() {
        assert!(message(Errno::NOSPC, 4096).contains("filled up while it was measured"));
        assert!(message(Errno::DQUOT, 4096).contains("quota"));
        assert!(message(Errno::FBIG, 4096).contains("ulimit -f"));
        let text = message(Errno::IO, 4096);
        assert!(
            text.starts_with("writing 4096 bytes at offset 8192"),
            "{text}"
        );
    }

    #[test]
    fn blocks_smaller_than_the_disks_are_reported() {
        assert!(message(Errno::INVAL, 512).contains("choose larger blocks"));
        assert!(message(Errno::INVAL, 4096).contains("at offset"));
    }
}
