//! Bytes to and from the server, through buffers that all users of a worker share.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Poll, ready};

use headcount_load::{Fault, FaultKind};
use headcount_net::{Transport, poll_bytes};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::reach::Reach;
use crate::resp::{MOST_BYTES, Reply, parse};

/// Replies up to this size are read where they arrive, without a copy.
const READ_BYTES: usize = 64 << 10;

/// Most bytes that are buffered of an incomplete reply: two of the largest texts.
const MOST_KEPT: usize = 2 * MOST_BYTES;

thread_local! {
    static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Sends what `compose` appends to an empty buffer.
pub async fn send(
    transport: &mut Transport,
    compose: impl FnOnce(&mut Vec<u8>),
) -> Result<(), Fault> {
    let mut compose = Some(compose);
    let mut rest = Vec::new();
    let first = poll_fn(|context| {
        OUTGOING.with_borrow_mut(|out| {
            if let Some(compose) = compose.take() {
                out.clear();
                compose(out);
            }
            match Pin::new(&mut *transport).poll_write(context, out) {
                Poll::Ready(Ok(sent)) if sent == out.len() => {}
                Poll::Ready(Ok(sent)) => rest.extend_from_slice(&out[sent..]),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                // Other users need the shared buffer before the socket has room again.
                Poll::Pending => rest.extend_from_slice(out),
            }
            Poll::Ready(Ok(()))
        })
    });
    first.await.map_err(|error| Fault::from_io(&error))?;
    let sent = async {
        if !rest.is_empty() {
            transport.write_all(&rest).await?;
        }
        transport.flush().await
    };
    sent.await.map_err(|error| Fault::from_io(&error))
}

/// Receives `replies` replies and calls `accept` with the index of each. Returns the first fault,
/// but only after all replies have been received, or the connection has ended: a refusal leaves it
/// usable.
pub async fn receive(
    transport: &mut Transport,
    replies: u32,
    accept: impl FnMut(u32, &Reply<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut answers = Answers::new(replies, accept);
    while !answers.are_over() {
        poll_fn(|context| {
            INCOMING.with_borrow_mut(|buffer| {
                let read = ready!(poll_bytes(transport, context, buffer));
                let bytes = read.map_err(|end| answers.cut_off(end))?;
                Poll::Ready(answers.take(bytes))
            })
        })
        .await?;
    }
    answers.finish()
}

/// Replies as they arrive: complete ones are judged in place, the rest is buffered.
#[derive(Debug)]
pub struct Answers<A> {
    replies: u32,
    judged: u32,
    accept: A,
    /// The first fault that `accept` returned.
    fault: Option<Fault>,
    /// An incomplete reply, or bytes after the last reply.
    received: Vec<u8>,
    /// How far `received` has been scanned.
    reach: Reach,
}

impl<A: FnMut(u32, &Reply<'_>) -> Result<(), Fault>> Answers<A> {
    /// Expects `replies` replies; `accept` gets the index of each.
    pub fn new(replies: u32, accept: A) -> Self {
        Self {
            replies,
            judged: 0,
            accept,
            fault: None,
            received: Vec::new(),
            reach: Reach::default(),
        }
    }

    /// Whether all replies have been judged.
    pub const fn are_over(&self) -> bool {
        self.judged == self.replies
    }

    /// Takes received bytes and judges the replies that are now complete.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if self.received.is_empty() {
            let taken = self.judge(bytes)?;
            self.received.extend_from_slice(&bytes[taken..]);
        } else {
            self.received.extend_from_slice(bytes);
            if !self.are_over() && !self.reach.is_readable(&self.received) {
                return self.within_bounds();
            }
            let mut received = std::mem::take(&mut self.received);
            let taken = self.judge(&received)?;
            received.drain(..taken);
            self.received = received;
        }
        self.reach = Reach::default();
        self.within_bounds()
    }

    /// The fault of a connection that ended before the last reply: the first of its replies, since
    /// an error before the end says why the server closed it.
    fn cut_off(&mut self, end: Fault) -> Fault {
        self.fault.take().map_or(end, |first| Fault {
            ends_session: true,
            ..first
        })
    }

    /// Fails if more is buffered than any reply can need.
    fn within_bounds(&self) -> Result<(), Fault> {
        if self.received.len() > MOST_KEPT {
            return Err(malformed("an answer that does not end"));
        }
        Ok(())
    }

    /// Returns the first fault. Bytes after the last reply are a fault, too.
    pub fn finish(self) -> Result<(), Fault> {
        if !self.received.is_empty() {
            return Err(malformed("more answers came than were asked for"));
        }
        self.fault.map_or(Ok(()), Err)
    }

    /// Judges the complete replies; returns how many bytes they take.
    fn judge(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        let mut taken = 0;
        while self.judged < self.replies {
            let Some((reply, length)) = parse(&bytes[taken..]).map_err(malformed)? else {
                break;
            };
            if let Err(one) = (self.accept)(self.judged, &reply) {
                self.fault.get_or_insert(one);
            }
            self.judged += 1;
            taken += length;
        }
        Ok(taken)
    }
}

fn malformed(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Malformed, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::is_ok;

    #[test]
    fn the_words_of_a_server_that_closes_are_kept() {
        let closed = Fault::session(FaultKind::Disconnected, "closed");
        let mut answers = Answers::new(2, |_, reply: &Reply<'_>| is_ok(reply));
        answers.take(b"-ERR no more commands\r\n").unwrap();
        assert!(!answers.are_over());
        let expected = Fault::session(FaultKind::Refused, "ERR no more commands");
        assert_eq!(answers.cut_off(closed.clone()), expected);
        let mut answers = Answers::new(2, |_, reply: &Reply<'_>| is_ok(reply));
        answers.take(b"+OK\r\n").unwrap();
        assert_eq!(answers.cut_off(closed.clone()), closed);
    }
}
