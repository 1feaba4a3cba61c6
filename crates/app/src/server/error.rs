//! Why a server does not start.

use std::net::SocketAddr;
use std::path::PathBuf;

use headcount_load::{Blame, Blamed};

use crate::request::MAX_TOKEN_BYTES;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, not this machine's, or not allowed.
    #[error("cannot listen on {address}: {reason}; choose another address, or port 0 for any")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The server would be reachable from other machines by anyone.
    #[error(
        "{0} can be reached from other machines: set a token, so that only your own clients can \
         use the server, or listen on 127.0.0.1"
    )]
    TokenRequired(SocketAddr),
    /// The token is empty or too long.
    #[error("the token must have 1 to {MAX_TOKEN_BYTES} bytes")]
    Token,
    /// No service threads were asked for.
    #[error("at least one service thread is needed")]
    NoThreads,
    /// The folder cannot be used for the data set.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The process may not open enough files.
    #[error(
        "{connections} connections may need {needed} file handles, but this process may open \
         {allowed}: lower the limit of connections or raise the other one (ulimit -n {needed})"
    )]
    Handles {
        /// Connections asked for.
        connections: usize,
        /// File handles they may need.
        needed: u64,
        /// The process's limit.
        allowed: u64,
    },
    /// The system refused a thread or a runtime.
    #[error("cannot start a thread of the server: {0}; look at the limit of processes (ulimit -u)")]
    Thread(std::io::Error),
}

/// Why a folder cannot hold the data set.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is not empty and has no marker file.
    #[error(
        "{0} is not empty and has no file named .headcount, so it is not Headcount's: choose a new \
         or empty folder"
    )]
    NotOurs(PathBuf),
    /// It is a symbolic link or not a folder.
    #[error("{0} is a symbolic link or not a folder: name the folder itself")]
    NotAFolder(PathBuf),
    /// Its file system cannot do direct I/O.
    #[error(
        "the file system of {0} does not support O_DIRECT: use write mode buffered or dsync, or a \
         folder on a local disk (not tmpfs)"
    )]
    NoDirect(PathBuf),
    /// It cannot be created, opened or read.
    #[error("cannot use {path}: {reason}")]
    System {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
}

impl Blamed for ServeError {
    fn blame(&self) -> Blame {
        match self {
            Self::TokenRequired(_) | Self::Token | Self::NoThreads | Self::Folder(_) => {
                Blame::Input
            }
            Self::Listen { .. } | Self::Handles { .. } | Self::Thread(_) => Blame::System,
        }
    }
}
