//! Bytes to the server, and replies from it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use headcount_load::{Fault, FaultKind};
use headcount_net::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

use super::reply::{Replies, Reply};

/// Replies are read in pieces of up to this size.
const READ_BYTES: usize = 8 << 10;

thread_local! {
    /// What arrives. A worker is one thread: all its users share it.
    static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    /// What is sent.
    static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A connection on which replies answer what was sent.
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

    /// The connection, if the server has said nothing that nobody waited for. Whatever came in
    /// clear must not be taken for an answer under TLS (CVE-2011-0411).
    pub fn into_transport(self) -> Result<Transport, Fault> {
        if self.replies.is_empty() {
            return Ok(self.transport);
        }
        Err(malformed(
            "the server sent data between its answer to STARTTLS and TLS",
        ))
    }

    /// Has everything sent at once, for messages that are written in several pieces.
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
            // The socket is full; other users will need the shared buffer before it is not.
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

    /// Sends something and waits for the answer. `command` is what to call it.
    pub async fn ask(
        &mut self,
        command: &str,
        compose: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Reply, Fault> {
        let sent = self.send(compose).await;
        // The server may have said why before it stopped listening.
        match (self.reply().await, sent) {
            (Ok(reply), _) => Ok(reply),
            (Err(fault), _) => Err(after(command, &fault)),
        }
    }

    /// Closes the connection in order.
    pub async fn close(mut self) {
        let _ = self.transport.shutdown().await; // it may be gone already
    }
}

/// Writes as much as there is room for; returns the rest.
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

/// Takes what has arrived; nothing is the end of the connection.
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

/// The same fault, which came instead of the answer to a command.
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
