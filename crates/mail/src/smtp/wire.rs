//! Sends commands to the server, and receives its replies.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use headcount_load::{Fault, FaultKind};
use headcount_net::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

use super::reply::{Replies, Reply};

/// Most bytes of one read.
const READ_BYTES: usize = 8 << 10;

thread_local! {
    /// Received bytes. A worker is one thread: all its users share the buffer.
    static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    /// Bytes to send.
    static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A connection for commands and replies.
#[derive(Debug)]
pub struct Wire {
    transport: Transport,
    replies: Replies,
}

impl Wire {
    pub fn new(transport: Transport) -> Self {
        let replies = Replies::new();
        Self { transport, replies }
    }

    /// The connection for TLS. Fails if the server sent unexpected data: what arrived in the clear
    /// must not be taken for a reply under TLS (CVE-2011-0411).
    pub fn into_transport(self) -> Result<Transport, Fault> {
        if self.replies.is_empty() {
            return Ok(self.transport);
        }
        Err(malformed(
            "the server sent data between its answer to STARTTLS and TLS",
        ))
    }

    /// Disables Nagle's algorithm, for messages that are written in several pieces.
    pub fn hurry(&self) {
        self.transport.hurry();
    }

    /// Sends what `compose` appends to an empty buffer.
    pub async fn send(&mut self, compose: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let (mut compose, transport) = (Some(compose), &mut self.transport);
        let rest = poll_fn(|context| {
            OUTGOING.with_borrow_mut(|out| {
                out.clear();
                if let Some(compose) = compose.take() {
                    compose(out);
                }
                Poll::Ready(write_now(transport, context, out))
            })
        })
        .await?;
        if let Some(rest) = rest {
            // The socket is full, and other users need the shared buffer before it has room again.
            transport.write_all(&rest).await?;
        }
        match transport {
            Transport::Plain(_) => Ok(()),
            Transport::Tls(stream) => stream.flush().await,
        }
    }

    /// The next reply.
    pub async fn reply(&mut self) -> Result<Reply, Fault> {
        let Self { transport, replies } = self;
        let reply = poll_fn(|context| {
            loop {
                if let Some(reply) = replies.pop() {
                    return Poll::Ready(Ok(reply));
                }
                let came = ready!(take(transport, context, replies));
                match came {
                    Ok(Some(Ok(()))) => {}
                    Ok(Some(Err(sentence))) => return Poll::Ready(Err(malformed(sentence))),
                    Ok(None) => return Poll::Ready(Err(lost("the server closed the connection"))),
                    Err(error) => {
                        return Poll::Ready(Err(lost(format!("the connection broke: {error}"))));
                    }
                }
            }
        })
        .await?;
        if reply.is_farewell() {
            return Err(lost(format!("the server closes the connection: {reply}")));
        }
        Ok(reply)
    }

    /// Sends a command and waits for the reply. `command` is its name in messages.
    pub async fn ask(
        &mut self,
        command: &str,
        compose: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Reply, Fault> {
        let sent = self.send(compose).await;
        // After a write error, the server may have sent the reason.
        match (self.reply().await, sent) {
            (Ok(reply), _) => Ok(reply),
            (Err(fault), _) => Err(after(command, &fault)),
        }
    }

    /// Closes the connection cleanly.
    pub async fn close(mut self) {
        let _ = self.transport.shutdown().await; // it may be gone already
    }
}

/// Writes as much as the socket takes. Returns the rest.
fn write_now(
    transport: &mut Transport,
    context: &mut Context<'_>,
    out: &[u8],
) -> io::Result<Option<Vec<u8>>> {
    let mut sent = 0;
    while sent < out.len() {
        match Pin::new(&mut *transport).poll_write(context, &out[sent..]) {
            Poll::Ready(Ok(0)) => return Err(ErrorKind::WriteZero.into()),
            Poll::Ready(Ok(bytes)) => sent += bytes,
            Poll::Ready(Err(error)) => return Err(error),
            Poll::Pending => return Ok(Some(out[sent..].to_vec())),
        }
    }
    Ok(None)
}

/// Parses the bytes of one read; `None` at the end of the connection.
fn take(
    transport: &mut Transport,
    context: &mut Context<'_>,
    replies: &mut Replies,
) -> Poll<io::Result<Option<Result<(), String>>>> {
    INCOMING.with_borrow_mut(|buffer| {
        let mut buffer = ReadBuf::new(buffer);
        ready!(Pin::new(transport).poll_read(context, &mut buffer))?;
        let came = buffer.filled();
        Poll::Ready(Ok((!came.is_empty()).then(|| replies.take(came))))
    })
}

/// The same fault, with the name of the command it happened in.
pub fn after(command: &str, fault: &Fault) -> Fault {
    let message = format!("{command}: {}", fault.message).into();
    Fault {
        message,
        ..fault.clone()
    }
}

pub fn malformed(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Malformed, sentence)
}

pub fn lost(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Disconnected, sentence)
}
