//! Sending and receiving frames through buffers that all users of a worker share.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::task::{Poll, ready};

use headcount_load::fault::words;
use headcount_load::{Fault, FaultKind};
use headcount_net::poll_bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::frame::{FrameError, HEADER_BYTES, Header, header};
use crate::reply::{Code, Reply};

/// Replies up to this size are checked in place, without a copy.
const READ_BYTES: usize = 64 << 10;

thread_local! {
    static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Sends the frame that `compose` appends to an empty buffer.
pub(super) async fn send(
    stream: &mut TcpStream,
    compose: impl FnOnce(&mut Vec<u8>),
) -> Result<(), Fault> {
    let rest = OUTGOING.with_borrow_mut(|frame| {
        frame.clear();
        compose(frame);
        match stream.try_write(frame) {
            Ok(sent) if sent == frame.len() => Ok(None),
            Ok(sent) => Ok(Some(frame[sent..].to_vec())),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Some(frame.clone())),
            Err(error) => Err(Fault::from_io(&error)),
        }
    })?;
    match rest {
        None => Ok(()),
        // The socket is full; other users need the shared buffer before it has room again.
        Some(rest) => stream
            .write_all(&rest)
            .await
            .map_err(|error| Fault::from_io(&error)),
    }
}

/// Receives one reply and passes it to `accept`.
pub(super) async fn receive<R>(
    stream: &mut TcpStream,
    accept: impl FnOnce(Reply<'_>) -> Result<R, Fault>,
) -> Result<R, Fault> {
    let mut accept = Some(accept);
    let mut judge = |frame: &[u8]| -> Result<Option<R>, Fault> {
        if !is_whole(frame)? {
            return Ok(None);
        }
        let accept = accept.take().expect("a frame is whole only once");
        accept(parse(frame)?).map(Some)
    };
    let mut received = Vec::new();
    let first = poll_fn(|context| {
        INCOMING.with_borrow_mut(|buffer| {
            let bytes = ready!(poll_bytes(stream, context, buffer))?;
            let accepted = judge(bytes)?;
            if accepted.is_none() {
                received = Vec::with_capacity(expected_bytes(bytes));
                received.extend_from_slice(bytes);
            }
            Poll::Ready(Ok::<_, Fault>(accepted))
        })
    });
    if let Some(accepted) = first.await? {
        return Ok(accepted);
    }
    loop {
        poll_fn(|context| {
            INCOMING.with_borrow_mut(|buffer| {
                let bytes = ready!(poll_bytes(stream, context, buffer))?;
                received.extend_from_slice(bytes);
                Poll::Ready(Ok::<_, Fault>(()))
            })
        })
        .await?;
        if let Some(accepted) = judge(&received)? {
            return Ok(accepted);
        }
    }
}

fn is_whole(received: &[u8]) -> Result<bool, Fault> {
    let malformed = |sentence: String| Fault::session(FaultKind::Malformed, sentence);
    match header(received).map_err(|error| malformed(describe(&error)))? {
        Some(head) if !head.is_reply => Err(malformed("a request came as a reply".into())),
        Some(head) if received.len() > head.frame_bytes() => {
            Err(malformed("more than one reply came for one request".into()))
        }
        Some(head) => Ok(received.len() == head.frame_bytes()),
        None => Ok(false),
    }
}

fn describe(error: &FrameError) -> String {
    match error {
        FrameError::Foreign { .. } => {
            format!("answered, but not as a Headcount application server: {error}")
        }
        other => format!("the reply is malformed: {other}"),
    }
}

fn expected_bytes(received: &[u8]) -> usize {
    header(received)
        .ok()
        .flatten()
        .map_or(received.len(), Header::frame_bytes)
}

fn parse(frame: &[u8]) -> Result<Reply<'_>, Fault> {
    let kind = header(frame).ok().flatten().map(|head| head.kind);
    kind.and_then(|kind| Reply::parse(kind, &frame[HEADER_BYTES..]))
        .ok_or_else(|| {
            Fault::session(
                FaultKind::Malformed,
                "the reply's body does not match its kind",
            )
        })
}

/// The fault of a failed attempt to connect.
pub(super) fn connect_fault(error: &io::Error) -> Fault {
    Fault::session(FaultKind::Connect, format!("no connection: {error}"))
}

/// The fault for a reply to something else.
pub(super) fn unexpected(reply: &Reply<'_>) -> Fault {
    let Reply::Error { code, message } = reply else {
        return Fault::session(FaultKind::Malformed, "the reply belongs to another request");
    };
    let kind = match code {
        Code::Token => FaultKind::Login,
        Code::Damaged => FaultKind::WrongData,
        _ => FaultKind::Refused,
    };
    if code.closes() {
        Fault::session(kind, words(message))
    } else {
        Fault::step(kind, words(message))
    }
}
