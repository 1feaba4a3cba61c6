//! Why mailboxes could not be made, checked or emptied.

use headcount_load::provision::Cancelled;
use headcount_load::{Blame, Blamed, Fault};

use crate::client::MailError;

/// Why mailboxes could not be made, checked or emptied.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// The options cannot be used.
    #[error(transparent)]
    Options(#[from] MailError),
    /// A mailbox has mail but no marker: it belongs to somebody else.
    #[error(
        "the mailbox of {user} holds mail that is not Headcount's ({messages} in {folder}, and no \
         folder \"{marker}\" with its marker), so nothing in it is touched; empty it, or name other \
         users"
    )]
    NotOurs {
        /// The user.
        user: String,
        /// The first folder with mail.
        folder: String,
        /// The number of messages in it.
        messages: u32,
        /// The missing marker folder.
        marker: String,
    },
    /// A server could not be reached, did not accept a user, or refused.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The system refused an event queue.
    #[error("the system refused what the network needs: {0}")]
    System(#[from] std::io::Error),
}

impl From<Fault> for ProvisionError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Cancelled> for ProvisionError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl ProvisionError {
    /// The same error with the user's name in its message.
    pub(super) fn of_user(self, name: &str) -> Self {
        match self {
            // Login faults already name the user.
            Self::Fault(fault) if !fault.message.contains(name) => Self::Fault(Fault {
                message: format!("user {name}: {}", fault.message).into(),
                ..fault
            }),
            other => other,
        }
    }
}

impl Blamed for ProvisionError {
    fn blame(&self) -> Blame {
        match self {
            Self::NotOurs { .. } => Blame::Input,
            Self::System(_) => Blame::System,
            Self::Cancelled => Blame::Target,
            Self::Options(error) => error.blame(),
            Self::Fault(fault) => fault.blame(),
        }
    }
}
