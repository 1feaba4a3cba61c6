//! Why a front does not start.

use std::net::SocketAddr;

use headcount_load::{Blame, Blamed};

/// Why a front does not start.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// The address is taken or not this machine's.
    #[error("cannot listen on {address}: {reason}; choose another address, or port 0 for any")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// The system's error.
        reason: std::io::Error,
    },
    /// A route is malformed.
    #[error("\"{0}\" is not a route: write DOMAIN=HOST:PORT for an LMTP server, or DOMAIN=count")]
    Route(String),
    /// An LMTP server does not answer as it should.
    #[error(
        "mail for {address} cannot be delivered: {reason}; start the LMTP server first, or name \
         another one"
    )]
    Lmtp {
        /// The server's address in the settings.
        address: String,
        /// What happened.
        reason: String,
    },
    /// Anybody could deliver mail.
    #[error(
        "{0} can be reached from other machines: set a password, so that only your own clients can \
         send, or listen on 127.0.0.1"
    )]
    PasswordRequired(SocketAddr),
    /// The system refused a thread or a runtime.
    #[error("cannot start the server's thread: {0}; look at the limit of processes (ulimit -u)")]
    Thread(std::io::Error),
}

impl Blamed for FrontError {
    fn blame(&self) -> Blame {
        match self {
            Self::Route(_) | Self::PasswordRequired(_) => Blame::Input,
            Self::Lmtp { .. } => Blame::Target,
            Self::Listen { .. } | Self::Thread(_) => Blame::System,
        }
    }
}
