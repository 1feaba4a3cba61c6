//! Requests and answers of HTTP/3 (RFC 9114) on one QUIC connection, several at a time for a page's
//! resources.
//!
//! The runtime handles QUIC's packets. The user who waits for an answer reads what HTTP/3 sends
//! besides the requests.

use std::cell::RefCell;
use std::fmt;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use h3::ConnectionState;
use h3::client::{Connection, RequestStream, SendRequest};
use h3::error::{ConnectionError, StreamError};
use h3_quinn::{BidiStream, OpenStreams};
use headcount_load::{Fault, FaultKind};
use http::{Method, Request, Response, StatusCode};

use super::http1::{Each, Until};
use super::http2::read_head;
use super::{Driven, drive, lost, malformed};
use crate::client::payload::Payload;
use crate::wire::reply::{MOST_INTERIM, Reply};
use headcount_net::{Tls, establish_quic};

/// Bytes of the headers of one answer, as with HTTP/1.1 and HTTP/2.
const HEADERS_BYTES: u64 = 64 << 10;

/// Bytes of a request's body that are made and sent at a time.
const PIECE_BYTES: u64 = 16 << 10;

/// A request, and the part of its answer that has not been read.
pub struct Stream {
    inner: RequestStream<BidiStream<Bytes>, Bytes>,
    /// How long the body is, if its head says so.
    length: Option<u64>,
}

/// One connection.
pub struct Http3 {
    /// Borrowed during a poll, never across an await.
    state: RefCell<State>,
    sender: SendRequest<OpenStreams, Bytes>,
    quic: h3_quinn::quinn::Connection,
}

struct State {
    connection: Connection<h3_quinn::Connection, Bytes>,
    /// Set when the server has closed the connection: what went wrong.
    end: Option<Fault>,
}

impl Http3 {
    /// Connects and sends the settings (RFC 9114, 3).
    pub async fn establish(
        addresses: &[SocketAddr],
        answered: &AtomicUsize,
        tls: &Tls,
    ) -> Result<Self, Fault> {
        let quic = establish_quic(addresses, answered, tls).await?;
        let opened = h3::client::builder()
            .max_field_section_size(HEADERS_BYTES)
            .build(h3_quinn::Connection::new(quic.clone()))
            .await;
        let (connection, sender) = opened.map_err(|error| of_connection(&error))?;
        let state = State {
            connection,
            end: None,
        };
        Ok(Self {
            state: RefCell::new(state),
            sender,
            quic,
        })
    }

    /// Whether the server has closed the connection, or accepts no more requests on it.
    pub async fn is_stale(&self) -> bool {
        poll_fn(|context| {
            let mut state = self.state.borrow_mut();
            state.advance(context);
            let has_ended = state.end.is_some() || self.quic.close_reason().is_some();
            Poll::Ready(has_ended || self.sender.is_closing())
        })
        .await
    }

    /// Sends a request with its body, and waits for the head of the answer. Returns the stream of
    /// the rest.
    pub async fn request(
        &self,
        request: Request<()>,
        payload: &Payload<'_>,
        reply: &mut Reply,
        each: &mut Each<'_>,
    ) -> Result<Stream, Fault> {
        let mut sender = self.sender.clone();
        let is_head = request.method() == Method::HEAD;
        let inner = self.drive(sender.send_request(request)).await?;
        let mut stream = Stream {
            inner,
            length: None,
        };
        let mut offset = 0;
        while offset < payload.bytes() {
            let end = payload.bytes().min(offset + PIECE_BYTES);
            let mut piece = Vec::with_capacity((end - offset) as usize);
            payload.append(offset..end, &mut piece);
            offset = end;
            let sent = self.drive(stream.inner.send_data(piece.into())).await;
            match sent {
                // The server wants no more of the body: its answer says why.
                Err(fault) if !fault.ends_session => break,
                sent => sent?,
            }
        }
        if offset == payload.bytes() {
            let _ = self.drive(stream.inner.finish()).await; // its answer says why not
        }
        let head = self.head(&mut stream).await?;
        for (name, value) in head.headers() {
            each(name.as_str(), value.as_bytes());
        }
        let is_bodiless = is_head || head.status() == StatusCode::NOT_MODIFIED;
        let head = read_head(head.status().as_u16(), head.headers(), false)?;
        stream.length = head.length.filter(|_| !is_bodiless);
        reply.begin(head);
        Ok(stream)
    }

    /// Waits for the head of the answer, and skips interim answers.
    async fn head(&self, stream: &mut Stream) -> Result<Response<()>, Fault> {
        for _ in 0..=MOST_INTERIM {
            let head = self.drive(stream.inner.recv_response()).await?;
            if !head.status().is_informational() {
                return Ok(head);
            }
        }
        let sentence = format!("more than {MOST_INTERIM} interim answers came");
        Err(malformed(sentence))
    }

    /// Reads the body to its end, or until some of it has come.
    pub async fn receive(
        &self,
        stream: &mut Stream,
        reply: &mut Reply,
        until: Until,
    ) -> Result<(), Fault> {
        let before = reply.received();
        while until != Until::Head && !reply.is_over() {
            if until == Until::More && reply.received() > before {
                return Ok(());
            }
            let Some(mut data) = self.drive(stream.inner.recv_data()).await? else {
                check_length(stream.length, reply.received())?;
                reply.close().map_err(lost)?;
                continue;
            };
            while data.has_remaining() {
                let piece = data.chunk();
                let length = piece.len();
                reply.take(piece, &mut |_, _| {}).map_err(malformed)?;
                data.advance(length);
            }
        }
        Ok(())
    }

    /// Closes the connection (RFC 9114, 8.1: `H3_NO_ERROR`), so that the server keeps no state of
    /// the user.
    pub async fn close(&self) {
        self.quic.close(0x100_u32.into(), b"");
        tokio::task::yield_now().await; // the runtime sends it
    }

    /// Drives the connection until `future` completes.
    async fn drive<T>(
        &self,
        future: impl Future<Output = Result<T, StreamError>>,
    ) -> Result<T, Fault> {
        let mut future = pin!(future);
        let found = drive(&self.state, |_, context| future.as_mut().poll(context)).await?;
        found.map_err(|error| of_stream(&error))
    }
}

/// Fails if a body that has ended is not as long as its head said (RFC 9114, 4.1.2).
fn check_length(length: Option<u64>, received: u64) -> Result<(), Fault> {
    match length {
        Some(length) if length != received => Err(malformed(format!(
            "the server ended its answer after {received} of {length} bytes of the body"
        ))),
        _ => Ok(()),
    }
}

impl Driven for State {
    fn advance(&mut self, context: &mut Context<'_>) {
        if self.end.is_none()
            && let Poll::Ready(error) = self.connection.poll_close(context)
        {
            self.end = Some(of_connection(&error));
        }
    }

    fn end(&self) -> Option<&Fault> {
        self.end.as_ref()
    }
}

impl fmt::Debug for Http3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http3").finish_non_exhaustive()
    }
}

/// The fault for an error of a request (RFC 9114, 8).
fn of_stream(error: &StreamError) -> Fault {
    match error {
        StreamError::RemoteTerminate { code, .. } => {
            let sentence = format!("the server reset the request's stream: {code}");
            Fault::step(FaultKind::Refused, sentence)
        }
        StreamError::ConnectionError { 0: error, .. } => of_connection(error),
        StreamError::RemoteClosing => lost("the server takes no more requests on the connection"),
        other => malformed(format!("the server's HTTP/3 is broken: {other}")),
    }
}

fn of_connection(error: &ConnectionError) -> Fault {
    match error {
        _ if error.is_h3_no_error() => lost("the server closed the connection"),
        ConnectionError::Local { .. } => {
            malformed(format!("the server's HTTP/3 is broken: {error}"))
        }
        _ => lost(format!("the connection was lost: {error}")),
    }
}
