//! What can go wrong with a sort.

use std::io;

use headcount_load::{Blame, Blamed};
use rustix::io::Errno;

/// Why data were not made, sorted or verified.
#[derive(Debug, thiserror::Error)]
pub enum SortError {
    /// The records or their keys are not possible; the text says how.
    #[error("{0}")]
    Shape(String),
    /// There is no room in memory for two blocks to merge and one to write.
    #[error(
        "a sort size of {given} bytes is too small: one merge of records of {record_bytes} bytes \
         needs at least {least}"
    )]
    TooSmall {
        /// Bytes allowed.
        given: usize,
        /// The least that is needed.
        least: usize,
        /// Length of a record.
        record_bytes: usize,
    },
    /// The system refuses the memory.
    #[error("cannot allocate {0} bytes of memory; choose a smaller sort size")]
    Memory(usize),
    /// No work folder was named.
    #[error("no work folder is named; a sort that does not fit needs one")]
    NoWork,
    /// A file or folder cannot be used, for a reason other than space.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried, and with which file.
        what: String,
        /// What the system says.
        source: io::Error,
    },
    /// The disk is full, a quota is used up, or a file may not grow further.
    #[error("cannot {what}: {source}; free some space, or choose another folder")]
    NoSpace {
        /// What was tried, and with which file.
        what: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file is shorter or longer than the records it should hold.
    #[error("the data have {found} bytes instead of the {expected} of whole records")]
    Size {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// A thread of the sort ended unexpectedly.
    #[error("a thread of the sort ended unexpectedly")]
    Thread,
    /// The caller cancelled it.
    #[error("cancelled")]
    Cancelled,
}

impl SortError {
    /// The error for a system error while `what` was tried.
    pub fn of(what: impl Into<String>, error: impl Into<io::Error>) -> Self {
        let (what, source) = (what.into(), error.into());
        let full = [Errno::NOSPC, Errno::DQUOT, Errno::FBIG];
        if full
            .iter()
            .any(|code| source.raw_os_error() == Some(code.raw_os_error()))
        {
            Self::NoSpace { what, source }
        } else {
            Self::Io { what, source }
        }
    }
}

impl Blamed for SortError {
    fn blame(&self) -> Blame {
        match self {
            Self::Shape(_) | Self::TooSmall { .. } | Self::NoWork => Blame::Input,
            Self::Memory(_) | Self::Io { .. } | Self::NoSpace { .. } | Self::Size { .. } => {
                Blame::System
            }
            Self::Thread | Self::Cancelled => Blame::Engine,
        }
    }
}
