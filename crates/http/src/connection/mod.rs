//! One connection to the server, and requests on it.
//!
//! * `buffers`: where bytes are for a moment.
//! * [`http1`] and [`http2`]: requests and answers.

mod buffers;
pub mod http1;
pub mod http2;

use headcount_load::{Fault, FaultKind};

pub use buffers::READ_BYTES;
pub use headcount_net::Agreed;
pub use http1::Http1;
pub use http2::Http2;

/// One connection.
#[derive(Debug)]
pub enum Connection {
    /// Of HTTP/1.1.
    Http1(Http1),
    /// Of HTTP/2.
    Http2(Box<Http2>),
}

impl Connection {
    /// What was agreed on about TLS; nothing without it.
    #[must_use]
    pub fn agreed(&self) -> Option<Agreed> {
        match self {
            Self::Http1(http1) => http1.agreed(),
            Self::Http2(http2) => http2.agreed,
        }
    }
}

/// The fault of a server that does not keep to the protocol.
pub(crate) fn malformed(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Malformed, sentence)
}

/// The fault of a connection that is lost.
pub(crate) fn lost(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Disconnected, sentence)
}
