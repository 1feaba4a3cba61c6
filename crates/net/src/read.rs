//! Reading answers.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use headcount_load::{Fault, FaultKind};
use tokio::io::{AsyncRead, ReadBuf};

/// Polls for bytes of an answer. The end of the stream is a fault: the server closed the
/// connection.
pub fn poll_bytes<'a, R: AsyncRead + Unpin>(
    stream: &mut R,
    context: &mut Context<'_>,
    buffer: &'a mut [u8],
) -> Poll<Result<&'a [u8], Fault>> {
    let mut filling = ReadBuf::new(buffer);
    let read = ready!(Pin::new(stream).poll_read(context, &mut filling));
    let length = filling.filled().len();
    Poll::Ready(match read {
        Ok(()) if length == 0 => {
            let sentence = "the server closed the connection instead of answering";
            Err(Fault::session(FaultKind::Disconnected, sentence))
        }
        Ok(()) => Ok(&buffer[..length]),
        Err(error) => Err(Fault::from_io(&error)),
    })
}
