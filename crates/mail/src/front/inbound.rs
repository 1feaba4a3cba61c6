//! Commands and messages from a client, and the replies to it.

use std::io;
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longest wait for input from a client (RFC 5321, 4.5.3.2.7).
const PATIENCE: Duration = Duration::from_secs(300);

/// Most bytes of a command; the RFC allows 512, and extensions more.
const LINE_BYTES: u64 = 4096;

/// Largest message.
pub const MESSAGE_BYTES: usize = 64 << 20;

/// Bytes that are read at a time.
const READ_BYTES: usize = 16 << 10;

/// One client.
#[derive(Debug)]
pub struct Inbound<S = TcpStream> {
    stream: BufReader<S>,
    out: Vec<u8>,
}

/// The result of reading a message.
#[derive(Debug)]
pub enum Incoming {
    /// The complete message.
    Message(Vec<u8>),
    /// The message had more than [`MESSAGE_BYTES`].
    TooLarge,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Inbound<S> {
    /// A client that has sent nothing yet.
    pub fn new(stream: S) -> Self {
        Self {
            stream: BufReader::with_capacity(READ_BYTES, stream),
            out: Vec::new(),
        }
    }

    /// Queues a reply. It is sent once there are no more commands to answer.
    pub fn say(&mut self, reply: &str) {
        self.out.extend_from_slice(reply.as_bytes());
        self.out.extend_from_slice(b"\r\n");
    }

    /// Sends all replies.
    pub async fn flush(&mut self) -> io::Result<()> {
        if !self.out.is_empty() {
            timeout(PATIENCE, self.stream.write_all(&self.out)).await??;
            self.out.clear();
        }
        Ok(())
    }

    /// The next line without its line break; `None` if the connection ends or the line is too long.
    pub async fn line(&mut self) -> io::Result<Option<String>> {
        if self.stream.buffer().is_empty() {
            self.flush().await?;
        }
        let mut line = Vec::new();
        let mut limited = (&mut self.stream).take(LINE_BYTES);
        timeout(PATIENCE, limited.read_until(b'\n', &mut line)).await??;
        let line = line.strip_suffix(b"\n");
        let line = line.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        Ok(line.map(|line| String::from_utf8_lossy(line).into_owned()))
    }

    /// A message up to the final dot, with doubled dots undone.
    pub async fn message(&mut self) -> io::Result<Incoming> {
        self.flush().await?;
        // Begins as after a line break, so that the final dot is found in an empty message, too.
        let mut bytes = b"\r\n".to_vec();
        let mut too_large = false;
        loop {
            let piece = timeout(PATIENCE, self.stream.fill_buf()).await??;
            if piece.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let before = bytes.len();
            let searched = before.saturating_sub(4);
            bytes.extend_from_slice(piece);
            let taken = piece.len();
            if let Some(at) = memmem::find(&bytes[searched..], b"\r\n.\r\n") {
                let end = searched + at + 5;
                self.stream.consume(end - before);
                bytes.truncate(end - 3);
                break;
            }
            self.stream.consume(taken);
            if bytes.len() > MESSAGE_BYTES {
                too_large = true;
                bytes.drain(..bytes.len() - 4);
            }
        }
        if too_large {
            return Ok(Incoming::TooLarge);
        }
        Ok(Incoming::Message(unstuffed(bytes)))
    }
}

/// The message without the line break in front, and with doubled dots undone.
fn unstuffed(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(first) = memmem::find(&bytes, b"\n.") else {
        bytes.drain(..2);
        return bytes;
    };
    let mut clean = Vec::with_capacity(bytes.len());
    clean.extend_from_slice(&bytes[2.min(first + 1)..=first]);
    let mut from = first + 2;
    while let Some(at) = memmem::find(&bytes[from..], b"\n.") {
        clean.extend_from_slice(&bytes[from..=from + at]);
        from += at + 2;
    }
    clean.extend_from_slice(&bytes[from..]);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_dots_become_one() {
        for (sent, meant) in [
            ("\r\n", ""),
            ("\r\na\r\n", "a\r\n"),
            ("\r\n..\r\n...a\r\nb.\r\n", ".\r\n..a\r\nb.\r\n"),
            ("\r\na\r\n..b\r\n", "a\r\n.b\r\n"),
        ] {
            assert_eq!(unstuffed(sent.into()), meant.as_bytes());
        }
    }
}
