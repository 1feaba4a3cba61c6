//! Bytes through buffers that all users of a worker share.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use headcount_load::{Fault, FaultKind};
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

/// Responses up to this size are checked in place, if one read returns all of them.
const INCOMING_BYTES: usize = 256 << 10;

thread_local! {
    static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; INCOMING_BYTES]);
    static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Sends what `compose` appends to an empty buffer; returns the result of `compose`.
pub(super) async fn send<R>(
    stream: &mut TcpStream,
    compose: impl FnOnce(&mut Vec<u8>) -> R,
) -> Result<R, Fault> {
    let (composed, rest) = OUTGOING.with_borrow_mut(|out| {
        out.clear();
        let composed = compose(out);
        match stream.try_write(out) {
            Ok(sent) if sent == out.len() => Ok((composed, None)),
            Ok(sent) => Ok((composed, Some(out[sent..].to_vec()))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                Ok((composed, Some(out.clone())))
            }
            Err(error) => Err(Fault::from_io(&error)),
        }
    })?;
    if let Some(rest) = rest {
        // The socket is full, and other users need the shared buffer before it has room again.
        // Boxed: rare, it would otherwise enlarge the future of every exchange.
        let written = Box::pin(async move { stream.write_all(&rest).await });
        written.await.map_err(|error| Fault::from_io(&error))?;
    }
    Ok(composed)
}

/// Polls for bytes, and has `take` take them from the shared buffer.
pub(super) fn poll_bytes<R>(
    stream: &mut TcpStream,
    context: &mut Context<'_>,
    take: impl FnOnce(&mut [u8]) -> Result<R, Fault>,
) -> Poll<Result<R, Fault>> {
    INCOMING.with_borrow_mut(|buffer| {
        let mut filling = ReadBuf::new(buffer);
        let read = ready!(Pin::new(stream).poll_read(context, &mut filling));
        let length = filling.filled().len();
        Poll::Ready(match read {
            Ok(()) if length == 0 => {
                let sentence = "the server closed the connection instead of answering";
                Err(Fault::session(FaultKind::Disconnected, sentence))
            }
            Ok(()) => take(&mut buffer[..length]),
            Err(error) => Err(Fault::from_io(&error)),
        })
    })
}
