//! Why a data set could not be made, checked or deleted.

use std::path::PathBuf;

use headcount_load::{Blame, Blamed, Fault};

use crate::client::FilesError;

/// Why a data set could not be made, checked or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// The options cannot be used.
    #[error(transparent)]
    Options(#[from] FilesError),
    /// The folder is not empty and has no marker file, so it belongs to somebody else.
    #[error(
        "the folder {} is not empty and was not made by Headcount (it lacks the file \
         \"{marker}\"), so nothing in it is touched; move it away, or name another folder",
        .folder.display()
    )]
    NotOurs {
        /// The folder.
        folder: PathBuf,
        /// The file that would have been there.
        marker: &'static str,
    },
    /// The data set does not fit.
    #[error(
        "the data set needs {} MB more in {}, but only {} MB are free there: shrink it with \
         --scale, play fewer users (--max-users), or make room",
        .needed_bytes.div_ceil(1_000_000),
        .folder.display(),
        .free_bytes / 1_000_000
    )]
    NoSpace {
        /// Where.
        folder: PathBuf,
        /// Bytes to be written, with a reserve.
        needed_bytes: u64,
        /// Bytes that this user may still write.
        free_bytes: u64,
    },
    /// The user may not write there.
    #[error(
        "nothing can be written in {} ({reason}): the data set needs a folder in which the user who \
         runs Headcount may create folders",
        .folder.display()
    )]
    ReadOnly {
        /// Where.
        folder: PathBuf,
        /// What the kernel said.
        reason: String,
    },
    /// The kernel refused, or the disk failed.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The caller did not want to go on.
    #[error("cancelled")]
    Cancelled,
    /// The system refused a thread.
    #[error("the system refused a thread: {0}")]
    System(#[from] std::io::Error),
}

impl From<Fault> for ProvisionError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Blamed for ProvisionError {
    fn blame(&self) -> Blame {
        match self {
            Self::NotOurs { .. } | Self::ReadOnly { .. } => Blame::Input,
            Self::NoSpace { .. } | Self::System(_) => Blame::System,
            Self::Cancelled => Blame::Target,
            Self::Options(error) => error.blame(),
            Self::Fault(fault) => fault.blame(),
        }
    }
}
