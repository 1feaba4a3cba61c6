//! Why a data set could not be made, checked or deleted.

use headcount_load::provision::Cancelled;
use headcount_load::{Blame, Blamed, Fault, FaultKind};
use headcount_tree::session::backend::Refusal;

use crate::client::SmbError;

/// Why a data set could not be made, checked or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// The options cannot be used.
    #[error(transparent)]
    Options(#[from] SmbError),
    /// The folder is not empty and has no marker file: it belongs to somebody else.
    #[error(
        "the folder \"{folder}\" of share \"{share}\" is not empty and was not made by Headcount \
         (it lacks the file \"{marker}\"), so nothing in it is touched; move it away, or name \
         another share"
    )]
    NotOurs {
        /// The folder.
        folder: String,
        /// Its share.
        share: String,
        /// The missing marker file.
        marker: &'static str,
    },
    /// The data set does not fit.
    #[error(
        "the data set needs {} MB more on share \"{share}\", but only {} MB are free there: shrink \
         it with --scale, play fewer users (--max-users), or make room",
        .needed_bytes.div_ceil(1_000_000),
        .free_bytes / 1_000_000
    )]
    NoSpace {
        /// The share.
        share: String,
        /// Bytes to be written, with a reserve.
        needed_bytes: u64,
        /// Bytes that the server says may be written.
        free_bytes: u64,
    },
    /// The user may not write there.
    #[error(
        "share \"{share}\" cannot be written to by user {user} ({reason}): the data set needs a \
         share with \"read only = no\" and a folder in which its users may create theirs"
    )]
    ReadOnly {
        /// The share.
        share: String,
        /// The user.
        user: String,
        /// The server's reason.
        reason: String,
    },
    /// The server could not be reached, did not accept a user, or refused.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The system refused a thread or an event queue.
    #[error("the system refused what the network needs: {0}")]
    System(#[from] std::io::Error),
}

impl From<Fault> for ProvisionError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Refusal> for ProvisionError {
    fn from(refusal: Refusal) -> Self {
        refusal.fault.into()
    }
}

impl From<Cancelled> for ProvisionError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl ProvisionError {
    /// The same error with the user's name in its message.
    #[must_use]
    pub(super) fn of_user(self, name: &str) -> Self {
        match self {
            Self::Fault(fault) => Self::Fault(Fault {
                message: format!("user {name}: {}", fault.message).into(),
                ..fault
            }),
            other => other,
        }
    }

    /// Whether the server rejected the user's logon.
    #[must_use]
    pub fn is_login(&self) -> bool {
        matches!(self, Self::Fault(fault) if fault.kind == FaultKind::Login)
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
