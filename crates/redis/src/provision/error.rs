//! What can go wrong with the data set.

use headcount_load::{Blame, Blamed, Fault};

use crate::client::RedisError;
use crate::keys::{MARKER, PREFIX};

/// Why the data set could not be made, checked or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// The server cannot be used with these options.
    #[error(transparent)]
    Options(#[from] RedisError),
    /// There are keys with Headcount's prefix, but no marker.
    #[error(
        "database {database} has keys that begin with \"{PREFIX}\" and no key \"{MARKER}\": they are \
         not Headcount's; give another database: redis://host/{other}"
    )]
    NotOurs {
        /// Which database.
        database: u32,
        /// Another database, to suggest.
        other: u32,
    },
    /// The server refused, could not be reached or answered wrongly.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A system call on this machine failed.
    #[error(transparent)]
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
            Self::Options(error) => error.blame(),
            Self::NotOurs { .. } => Blame::Input,
            Self::Fault(fault) => fault.blame(),
            Self::Cancelled => Blame::Target,
            Self::System(_) => Blame::System,
        }
    }
}
