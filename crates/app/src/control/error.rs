//! Why a call to a server failed, and what to do about it.

use headcount_load::{Blame, Blamed};

use crate::message::PROTOCOL;

/// Why a call to a server failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// The options make no sense; nothing was sent.
    #[error("{0}")]
    Options(String),
    /// The address is not `host:port`, or the name is not known.
    #[error("{address} is not an address: {reason}; write host:port, such as 192.0.2.7:7410")]
    Address {
        /// As it was written.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No connection could be made.
    #[error(
        "no connection to {address}: {reason}; check that the application server is running there \
         and that no firewall blocks it"
    )]
    Unreachable {
        /// The server.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// The connection was accepted but nothing came.
    #[error(
        "{address} accepted the connection but sent nothing for {timeout_s} s: it hangs, or it is \
         not a Headcount application server"
    )]
    Silent {
        /// The server.
        address: String,
        /// How long the client waited.
        timeout_s: f64,
    },
    /// An answer began, and did not end.
    #[error(
        "{address} did not finish its answer within {timeout_s} s: it hangs, or it is not a \
         Headcount application server"
    )]
    Slow {
        /// The server.
        address: String,
        /// How long the client waited.
        timeout_s: f64,
    },
    /// Something else answered.
    #[error(
        "{address} answered, but not as a Headcount application server: {reason}; check the port"
    )]
    NotAppServer {
        /// Who answered.
        address: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// The server belongs to another version of Headcount.
    #[error(
        "{address} speaks protocol version {server}, this program version {PROTOCOL}: use the same \
         version of Headcount on both sides"
    )]
    VersionMismatch {
        /// The server.
        address: String,
        /// The version it speaks.
        server: u16,
    },
    /// The token is missing or wrong.
    #[error("{address} refuses access: {reason}")]
    Token {
        /// The server.
        address: String,
        /// What the server said.
        reason: String,
    },
    /// The data set does not fit on the server's disk.
    #[error("{0}")]
    NoSpace(String),
    /// The server would not or could not do it.
    #[error("{address} refused: {reason}")]
    Refused {
        /// The server.
        address: String,
        /// What the server said.
        reason: String,
    },
    /// The connection broke during the call.
    #[error("the connection to {address} broke: {reason}; check whether the server still runs")]
    Lost {
        /// The server.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// The caller cancelled it.
    #[error("cancelled; what was prepared so far stays")]
    Cancelled,
}

impl Blamed for ControlError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_) | Self::Address { .. } | Self::Token { .. } => Blame::Input,
            Self::NoSpace(_) => Blame::System,
            Self::Unreachable { .. }
            | Self::Silent { .. }
            | Self::Slow { .. }
            | Self::NotAppServer { .. }
            | Self::VersionMismatch { .. }
            | Self::Refused { .. }
            | Self::Lost { .. }
            | Self::Cancelled => Blame::Target,
        }
    }
}
