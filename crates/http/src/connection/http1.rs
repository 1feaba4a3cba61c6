//! Requests and answers of HTTP/1.1 on one connection, one at a time.

use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use headcount_load::Fault;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::buffers::{INCOMING, OUTGOING, READ_BYTES};
use super::{lost, malformed};
use crate::client::payload::{BodyEnd, Payload};
use crate::wire::reply::Reply;
use headcount_net::transport::DISCARD_BYTES;
use headcount_net::{Agreed, Transport};

/// The callback that gets each header of an answer.
pub type Each<'a> = dyn FnMut(&str, &[u8]) + 'a;

/// Bytes of a request's body that are made and sent at a time.
const PIECE_BYTES: u64 = 64 << 10;

/// Pieces of an answer that one user reads before others get their turn.
const TURN: u32 = 32;

/// How answers are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The most bytes of one read; 0: as many as are useful.
    pub buffer_bytes: u32,
}

/// How much of an answer to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The head.
    Head,
    /// Some of the body that had not come before, or all of it.
    More,
    /// All of it.
    End,
}

/// One connection.
#[derive(Debug)]
pub struct Http1 {
    transport: Transport,
    reading: Reading,
    /// Set when no further request may be sent on it.
    pub is_spent: bool,
    /// Set when the server has closed its side, and everything that it sent has been read.
    has_ended: bool,
    use_so_far: Use,
}

/// What has come on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// No answer yet.
    New,
    /// An answer.
    Kept,
    /// An answer, and then the end, before anything of the next one.
    LetGo,
}

impl Http1 {
    /// A connection on which nothing has been sent yet.
    #[must_use]
    pub const fn new(transport: Transport, reading: Reading) -> Self {
        Self {
            transport,
            reading,
            is_spent: false,
            has_ended: false,
            use_so_far: Use::New,
        }
    }

    /// Whether the server has closed its side, and everything that it sent has been read.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether the server closed it after an answer, and sent nothing of the next one.
    #[must_use]
    pub fn was_let_go(&self) -> bool {
        self.use_so_far == Use::LetGo
    }

    /// What the TLS handshake negotiated; `None` without TLS.
    #[must_use]
    pub fn agreed(&self) -> Option<Agreed> {
        self.transport.agreed()
    }

    /// Whether the server has closed the connection since the last answer. If it has sent data
    /// instead that is a fault, except for a 408, with which servers close idle connections.
    pub async fn is_stale(&mut self) -> Result<bool, Fault> {
        let came = match &mut self.transport {
            // No system call, unless the runtime has seen an event.
            Transport::Plain(stream) => {
                INCOMING.with_borrow_mut(|buffer| match stream.try_read(buffer) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => None,
                    read => Some(read.map(|bytes| is_farewell(&buffer[..bytes]))),
                })
            }
            transport @ Transport::Tls(_) => {
                poll_fn(|context| {
                    Poll::Ready(
                        match poll_bytes(transport, context, READ_BYTES, is_farewell) {
                            Poll::Pending => None,
                            Poll::Ready(came) => Some(came),
                        },
                    )
                })
                .await
            }
        };
        match came {
            None => Ok(false),
            Some(Ok(true) | Err(_)) => Ok(true),
            Some(Ok(false)) => Err(malformed("the server sent data without a request")),
        }
    }

    /// Sends a request: the head that `compose` appends to an empty buffer, and the body, whose end
    /// is marked as `body_end` says. Stops if the server answers before the end.
    pub async fn send(
        &mut self,
        compose: impl FnOnce(&mut Vec<u8>),
        payload: &Payload<'_>,
        body_end: BodyEnd,
        reply: &mut Reply,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let mut compose = Some(compose);
        let mut offset = 0;
        if payload.bytes() > PIECE_BYTES {
            self.transport.hurry();
        }
        while offset < payload.bytes() || compose.is_some() {
            let end = payload.bytes().min(offset + PIECE_BYTES);
            let written = self
                .write(|out| {
                    if let Some(compose) = compose.take() {
                        compose(out);
                    }
                    match body_end {
                        BodyEnd::Length => payload.append(offset..end, out),
                        BodyEnd::Chunks => payload.append_chunks(offset..end, out),
                    }
                })
                .await;
            offset = end;
            let sent = match written {
                Ok(None) => Ok(true),
                // The socket is full; other users need the shared buffer before it has room again.
                Ok(Some(rest)) => Box::pin(self.write_rest(&rest, reply, each)).await?,
                Err(error) => Err(error),
            };
            if !matches!(sent, Ok(true)) {
                // The server may have answered before it stopped reading (RFC 9112, 9.5).
                self.is_spent = true;
                return Ok(());
            }
        }
        if let Transport::Tls(_) = self.transport {
            let Self { transport, .. } = self;
            let flushed = poll_fn(|context| Pin::new(&mut *transport).poll_flush(context)).await;
            self.is_spent |= flushed.is_err();
        }
        Ok(())
    }

    /// Writes what `compose` appends to an empty buffer. Returns what the socket did not accept.
    async fn write(&mut self, compose: impl FnOnce(&mut Vec<u8>)) -> io::Result<Option<Vec<u8>>> {
        let (mut compose, transport) = (Some(compose), &mut self.transport);
        poll_fn(|context| {
            OUTGOING.with_borrow_mut(|out| {
                out.clear();
                if let Some(compose) = compose.take() {
                    compose(out);
                }
                let mut sent = 0;
                while sent < out.len() {
                    match Pin::new(&mut *transport).poll_write(context, &out[sent..]) {
                        Poll::Ready(Ok(0)) => {
                            return Poll::Ready(Err(ErrorKind::WriteZero.into()));
                        }
                        Poll::Ready(Ok(bytes)) => sent += bytes,
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                        Poll::Pending => return Poll::Ready(Ok(Some(out[sent..].to_vec()))),
                    }
                }
                Poll::Ready(Ok(None))
            })
        })
        .await
    }

    /// Writes the rest of a piece, and reads what the server answers meanwhile. Returns whether all
    /// was written; it is not if an answer has come.
    async fn write_rest(
        &mut self,
        rest: &[u8],
        reply: &mut Reply,
        each: &mut Each<'_>,
    ) -> Result<io::Result<bool>, Fault> {
        let Self {
            transport, reading, ..
        } = self;
        let limit = reading.limit();
        let mut sent = 0;
        poll_fn(|context| {
            while sent < rest.len() {
                match Pin::new(&mut *transport).poll_write(context, &rest[sent..]) {
                    Poll::Ready(Ok(0)) => {
                        return Poll::Ready(Ok(Err(ErrorKind::WriteZero.into())));
                    }
                    Poll::Ready(Ok(bytes)) => sent += bytes,
                    Poll::Ready(Err(error)) => return Poll::Ready(Ok(Err(error))),
                    Poll::Pending => {
                        let mut take =
                            |bytes: &[u8]| (!bytes.is_empty()).then(|| reply.take(bytes, each));
                        match ready!(poll_bytes(transport, context, limit, &mut take)) {
                            Ok(Some(Ok(()))) if reply.head().is_none() => {} // an interim answer
                            Ok(Some(Ok(())) | None) => return Poll::Ready(Ok(Ok(false))),
                            Ok(Some(Err(sentence))) => {
                                return Poll::Ready(Err(malformed(sentence)));
                            }
                            Err(error) => return Poll::Ready(Ok(Err(error))),
                        }
                    }
                }
            }
            Poll::Ready(Ok(Ok(true)))
        })
        .await
    }

    /// Reads the answer as it arrives.
    pub async fn receive(
        &mut self,
        reply: &mut Reply,
        until: Until,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let Self {
            transport,
            reading,
            is_spent,
            has_ended,
            use_so_far,
        } = self;
        let (limit, discards) = (reading.limit(), reading.discards(transport));
        let before = reply.received();
        poll_fn(|context| {
            for _ in 0..TURN {
                let is_enough = match until {
                    Until::Head => reply.head().is_some(),
                    Until::More => reply.received() > before,
                    Until::End => false,
                };
                if reply.is_over() || is_enough {
                    *use_so_far = Use::Kept;
                    return Poll::Ready(Ok(()));
                }
                // Only needed if the connection is not kept.
                let is_end = *is_spent && matches!(ready!(transport.poll_end(context)), Ok(true));
                let discardable = if discards { reply.discardable() } else { 0 };
                let came = if discardable > 0 {
                    ready!(transport.poll_discard(context, discardable)).map(|bytes| {
                        *has_ended = is_end && bytes < discardable.min(DISCARD_BYTES);
                        (bytes > 0).then(|| reply.discarded(bytes))
                    })
                } else {
                    // The body is better discarded than read with the head.
                    let is_head = reply.head().is_none();
                    let is_short = discards && is_head && !reply.wants_contents();
                    let limit = if is_short { HEAD_BYTES } else { limit };
                    let mut take = |bytes: &[u8]| {
                        *has_ended = is_end && bytes.len() < limit;
                        (!bytes.is_empty()).then(|| reply.take(bytes, each))
                    };
                    ready!(poll_bytes(transport, context, limit, &mut take))
                };
                if matches!(came, Ok(None) | Err(_))
                    && *use_so_far == Use::Kept
                    && reply.is_untouched()
                {
                    *use_so_far = Use::LetGo;
                }
                match came {
                    Ok(Some(Ok(()))) => {}
                    Ok(Some(Err(sentence))) => return Poll::Ready(Err(malformed(sentence))),
                    Ok(None) => return Poll::Ready(reply.close().map_err(lost)),
                    Err(error) => return Poll::Ready(Err(broken(&error, reply))),
                }
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await
    }

    /// Waits until the server closes the connection, as the request asked it to.
    pub async fn wait_for_close(&mut self) -> Result<(), Fault> {
        if self.has_ended {
            return Ok(()); // it did so while it answered, and nothing more came
        }
        let Self { transport, .. } = self;
        let came = poll_fn(|context| poll_bytes(transport, context, READ_BYTES, <[u8]>::len)).await;
        if !matches!(came, Ok(0) | Err(_)) {
            return Err(malformed("the server sent more than its answer"));
        }
        if let Transport::Tls(stream) = transport {
            // TLS has ended; the connection below ends a moment later.
            let below = stream.get_mut().0;
            let mut void = [0; 16];
            let mut void = ReadBuf::new(&mut void);
            let _ = poll_fn(|context| Pin::new(&mut *below).poll_read(context, &mut void)).await;
        }
        Ok(())
    }
}

/// Bytes of the first read if the body is discarded: enough for a head and a small body at once,
/// and cheap to copy.
const HEAD_BYTES: usize = 4 << 10;

impl Reading {
    fn limit(self) -> usize {
        match self.buffer_bytes as usize {
            0 => READ_BYTES,
            bytes => bytes.min(READ_BYTES),
        }
    }

    const fn discards(self, transport: &Transport) -> bool {
        self.buffer_bytes == 0 && transport.can_discard()
    }
}

/// Whether this may come on an idle connection: the end of the stream, or a 408.
fn is_farewell(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.starts_with(b"HTTP/1.1 408") || bytes.starts_with(b"HTTP/1.0 408")
}

/// The fault of a connection that failed in the middle of an answer.
fn broken(error: &io::Error, reply: &mut Reply) -> Fault {
    // The server closed TCP without closing TLS: a body that ends with the connection may be
    // incomplete (RFC 9112, 9.8).
    if error.kind() == ErrorKind::UnexpectedEof {
        return match reply.close() {
            Ok(()) => lost("the server closed the connection without ending TLS"),
            Err(sentence) => lost(sentence),
        };
    }
    if error.kind() == ErrorKind::InvalidData {
        return malformed(format!("the server's TLS is broken: {error}"));
    }
    if reply.is_untouched() {
        lost(format!(
            "the connection was lost before the answer came: {error}"
        ))
    } else {
        lost(format!("the connection was lost mid-answer: {error}"))
    }
}

/// Polls for at most `limit` bytes, and passes them to `take` from the shared buffer. No bytes mean
/// the end of the connection.
fn poll_bytes<R>(
    transport: &mut Transport,
    context: &mut Context<'_>,
    limit: usize,
    take: impl FnOnce(&[u8]) -> R,
) -> Poll<io::Result<R>> {
    INCOMING.with_borrow_mut(|buffer| {
        let mut filling = ReadBuf::new(&mut buffer[..limit]);
        let read = ready!(Pin::new(transport).poll_read(context, &mut filling));
        Poll::Ready(read.map(|()| take(filling.filled())))
    })
}
