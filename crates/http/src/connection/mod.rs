//! One connection to the server, and requests on it.
//!
//! * `buffers`: shared buffers for reads and writes.
//! * [`http1`], [`http2`] and [`http3`]: requests and answers.

mod buffers;
pub mod http1;
pub mod http2;
pub mod http3;

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

use h2::RecvStream;
use headcount_load::{Fault, FaultKind};

use http::Request;

use crate::client::payload::Payload;
use crate::wire::reply::Reply;
pub use buffers::READ_BYTES;
pub use headcount_net::Agreed;
pub use http1::Http1;
use http1::{Each, Until};
pub use http2::Http2;
pub use http3::Http3;

/// One connection.
#[derive(Debug)]
pub enum Connection {
    /// Of HTTP/1.1.
    Http1(Http1),
    /// Of HTTP/2: one for all requests of a user.
    Http2(Rc<Http2>),
    /// Of HTTP/3: the same.
    Http3(Rc<Http3>),
}

/// The stream of the rest of an answer, on a connection that has several.
pub enum Rest {
    /// Of HTTP/2.
    Http2(RecvStream),
    /// Of HTTP/3.
    Http3(Box<http3::Stream>),
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http2(_) => "Http2",
            Self::Http3(_) => "Http3",
        })
    }
}

impl Connection {
    /// Another handle to the same connection, if it takes several requests at a time.
    #[must_use]
    pub fn shared(&self) -> Option<Self> {
        match self {
            Self::Http1(_) => None,
            Self::Http2(http2) => Some(Self::Http2(Rc::clone(http2))),
            Self::Http3(http3) => Some(Self::Http3(Rc::clone(http3))),
        }
    }

    /// Reads the next part of an answer that has a stream of its own.
    pub(crate) async fn receive(
        &self,
        rest: &mut Rest,
        reply: &mut Reply,
        until: Until,
    ) -> Result<(), Fault> {
        match (self, rest) {
            (Self::Http2(http2), Rest::Http2(body)) => http2.receive(body, reply, until).await,
            (Self::Http3(http3), Rest::Http3(stream)) => http3.receive(stream, reply, until).await,
            _ => Err(lost(
                "the connection was closed before the answer was received",
            )),
        }
    }

    /// Whether a connection that takes several requests at a time accepts no more.
    pub async fn has_ended(&self) -> bool {
        match self {
            Self::Http1(_) => false,
            Self::Http2(http2) => http2.is_stale().await,
            Self::Http3(http3) => http3.is_stale().await,
        }
    }

    /// Sends a request on a stream of its own and reads its answer until `until`. HTTP/1.1 has no
    /// streams.
    pub(crate) async fn exchange(
        &self,
        request: Request<()>,
        payload: &Payload<'_>,
        reply: &mut Reply,
        each: &mut Each<'_>,
        until: Until,
    ) -> Result<Rest, Fault> {
        match self {
            Self::Http1(_) => Err(malformed("HTTP/1.1 has no streams")),
            Self::Http2(http2) => {
                let mut body = http2.request(request, payload, reply, each).await?;
                http2.receive(&mut body, reply, until).await?;
                Ok(Rest::Http2(body))
            }
            Self::Http3(http3) => {
                let mut stream = Box::new(http3.request(request, payload, reply, each).await?);
                http3.receive(&mut stream, reply, until).await?;
                Ok(Rest::Http3(stream))
            }
        }
    }

    /// What the TLS handshake negotiated; `None` without TLS.
    #[must_use]
    pub fn agreed(&self) -> Option<Agreed> {
        match self {
            Self::Http1(http1) => http1.agreed(),
            Self::Http2(http2) => http2.agreed,
            Self::Http3(_) => Some(Agreed::QUIC),
        }
    }
}

/// A connection that takes several requests at a time, and needs to be driven.
trait Driven {
    /// Reads and writes as much as possible.
    fn advance(&mut self, context: &mut Context<'_>);

    /// What went wrong, if the server has closed the connection.
    fn end(&self) -> Option<&Fault>;
}

/// Drives a connection until `poll` is ready. The connection is borrowed during a poll, never
/// across an await.
async fn drive<S: Driven, T>(
    state: &RefCell<S>,
    mut poll: impl FnMut(&mut S, &mut Context<'_>) -> Poll<T>,
) -> Result<T, Fault> {
    poll_fn(|context| {
        let mut state = state.borrow_mut();
        state.advance(context);
        match (poll(&mut state, context), state.end()) {
            (Poll::Ready(found), _) => Poll::Ready(Ok(found)),
            (Poll::Pending, Some(fault)) => Poll::Ready(Err(fault.clone())),
            (Poll::Pending, None) => Poll::Pending,
        }
    })
    .await
}

/// The fault of a server that violates the protocol.
pub(crate) fn malformed(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Malformed, sentence)
}

/// The fault of a lost connection.
pub(crate) fn lost(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Disconnected, sentence)
}
