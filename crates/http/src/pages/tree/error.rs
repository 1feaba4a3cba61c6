//! Why pages could not be written or deleted.

use std::io;
use std::path::PathBuf;

use headcount_load::{Blame, Blamed};

use super::MARKER;

/// Why a tree could not be written.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The data set is invalid.
    #[error("{0}")]
    Options(String),
    /// The folder has files in it, and no marker: it belongs to somebody else.
    #[error(
        "{} is not empty and was not made by Headcount (it lacks the file {MARKER}), so nothing in \
         it is touched; name another folder",
        .0.display()
    )]
    NotOurs(PathBuf),
    /// The path is a link, or not a folder.
    #[error("{} is not a folder; name another one", .0.display())]
    NotAFolder(PathBuf),
    /// The pages do not fit.
    #[error(
        "the pages need {} MB more in {}, but only {} MB are free there: use fewer directories, or \
         make room",
        .needed_bytes.div_ceil(1_000_000),
        .folder.display(),
        .free_bytes / 1_000_000
    )]
    NoSpace {
        /// Where.
        folder: PathBuf,
        /// Bytes needed, including a reserve.
        needed_bytes: u64,
        /// Bytes available.
        free_bytes: u64,
    },
    /// The system refused something.
    #[error("{} cannot be written: {reason}", .path.display())]
    System {
        /// What.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// The caller did not want to go on.
    #[error("cancelled")]
    Cancelled,
}

impl Blamed for TreeError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_) | Self::NotOurs(_) | Self::NotAFolder(_) => Blame::Input,
            Self::NoSpace { .. } | Self::System { .. } => Blame::System,
            Self::Cancelled => Blame::Target,
        }
    }
}
