//! What can go wrong in a step.

use std::fmt;

/// The classes in which errors are counted and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// No connection: refused, unreachable, or no answer to the attempt.
    Connect,
    /// The server did not accept who the user says they are.
    Login,
    /// The time limit of an operation passed without an answer.
    Timeout,
    /// The server closed or reset the connection.
    Disconnected,
    /// The server answered that it would not or could not do it.
    Refused,
    /// The server's bytes do not follow the protocol.
    Malformed,
    /// The server returned data other than what was stored: loss, mix-up or corruption.
    WrongData,
}

impl FaultKind {
    /// The name used in results, stable across versions.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Login => "login",
            Self::Timeout => "timeout",
            Self::Disconnected => "disconnected",
            Self::Refused => "refused",
            Self::Malformed => "malformed",
            Self::WrongData => "wrong-data",
        }
    }
}

/// One failed step: its class, a sentence for a person, and whether the session outlives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The class it is counted in.
    pub kind: FaultKind,
    /// What happened, in a sentence, without secrets.
    pub message: Box<str>,
    /// Whether the session is unusable from here on and a new one must be opened.
    pub ends_session: bool,
}

impl Fault {
    /// A failure after which the session can go on, such as a refused operation.
    #[must_use]
    pub fn step(kind: FaultKind, message: impl Into<Box<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            ends_session: false,
        }
    }

    /// A failure that ends the session: the next scenario opens a new one.
    #[must_use]
    pub fn session(kind: FaultKind, message: impl Into<Box<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            ends_session: true,
        }
    }

    /// The failure that an I/O error on an open connection means.
    #[must_use]
    pub fn from_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        let kind = match error.kind() {
            K::ConnectionRefused | K::HostUnreachable | K::NetworkUnreachable | K::AddrInUse => {
                FaultKind::Connect
            }
            K::TimedOut => FaultKind::Timeout,
            K::InvalidData => FaultKind::Malformed,
            _ => FaultKind::Disconnected,
        };
        Self::session(kind, error.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Fault {}
