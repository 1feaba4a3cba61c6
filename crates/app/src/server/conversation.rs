//! One client's conversation, from hello to the end, on a network thread.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;

use super::Server;
use super::administration::Task;
use super::connection::Connection;
use super::files::Failure;
use super::work::Job;
use crate::frame::{FrameError, HEADER_BYTES, Kind, header};
use crate::message::PROTOCOL;
use crate::reply::{Code, append_error, append_json};
use crate::request::Request;

/// What a network thread reads at once; one buffer serves all its connections.
const READ_BYTES: usize = 64 << 10;
/// How long, and how much, to read after an error. Closing a socket with unread bytes would reset
/// the connection and discard the error message on its way.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 1 << 20;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

struct Conversation {
    server: Arc<Server>,
    reader: OwnedReadHalf,
    connection: Arc<Connection>,
    is_greeted: bool,
}

/// Stops counting a connection when its conversation ends, for whatever reason.
struct Guest(Arc<Server>, Arc<Connection>);

impl Drop for Guest {
    fn drop(&mut self) {
        self.1.close();
        self.0.tally.disconnect();
    }
}

/// Talks with one client, who has been counted as connected, until either side ends it.
pub(crate) async fn converse(server: Arc<Server>, stream: TcpStream) {
    let (reader, writer) = stream.into_split();
    let connection = Arc::new(Connection::new(writer, server.limits.reply));
    let _guest = Guest(Arc::clone(&server), Arc::clone(&connection));
    let mut conversation = Conversation {
        server,
        reader,
        connection,
        is_greeted: false,
    };
    if let Err(failure) = conversation.run().await {
        conversation.part(&failure).await;
    }
}

/// Tells a client beyond the limit that there is no room.
pub(crate) async fn turn_away(server: Arc<Server>, stream: TcpStream) {
    let (reader, writer) = stream.into_split();
    let connection = Arc::new(Connection::new(writer, LINGER));
    let limit = server.limits.connections;
    let sentence = format!("the server already has {limit} connections, its limit");
    let mut conversation = Conversation {
        server,
        reader,
        connection,
        is_greeted: false,
    };
    conversation.part(&(Code::Busy, sentence)).await;
}

impl Conversation {
    /// Serves request after request. An error is sent to the client, and ends the conversation.
    async fn run(&mut self) -> Result<(), Failure> {
        let patience = self.server.limits.message;
        let slow = |_| {
            (
                Code::Slow,
                format!("no complete message came within {patience:?}"),
            )
        };
        loop {
            let frame = if self.is_greeted {
                self.next_frame(slow).await?
            } else {
                tokio::time::timeout(patience, self.next_frame(slow))
                    .await
                    .map_err(slow)??
            };
            let Some((kind, frame)) = frame else {
                return Ok(());
            };
            self.connection.idle().await;
            let request = Request::parse(kind, &frame[HEADER_BYTES..]);
            let request = request.map_err(|error| (Code::Malformed, error.to_string()))?;
            if !self.is_greeted && kind != Kind::Hello {
                return Err((Code::Malformed, "the first message must be hello".into()));
            }
            let is_connected = match request {
                Request::Hello { protocol, token } => self.greet(protocol, token).await?,
                Request::Prepare(order) => self.administer(Task::Prepare(order)).await,
                Request::Cleanup => self.administer(Task::Cleanup).await,
                Request::Statistics => {
                    let statistics = self.server.statistics();
                    self.tell(|out| append_json(out, kind, &statistics)).await
                }
                _ => {
                    self.connection.begin();
                    let connection = Arc::clone(&self.connection);
                    self.server.pool.submit(Job {
                        connection,
                        kind,
                        frame,
                    });
                    true
                }
            };
            if !is_connected {
                return Ok(());
            }
        }
    }

    /// The next whole frame; `None` when the client has gone.
    async fn next_frame(
        &mut self,
        slow: impl Fn(tokio::time::error::Elapsed) -> Failure,
    ) -> Result<Option<(Kind, Vec<u8>)>, Failure> {
        let mut frame = Vec::new();
        if self.read_more(&mut frame).await.is_err() || frame.is_empty() {
            return Ok(None);
        }
        if let Some(kind) = whole(&frame)? {
            return Ok(Some((kind, frame)));
        }
        let patience = self.server.limits.message;
        let rest = async {
            loop {
                let before = frame.len();
                if self.read_more(&mut frame).await.is_err() || frame.len() == before {
                    return Ok(None);
                }
                if let Some(kind) = whole(&frame)? {
                    return Ok(Some(kind));
                }
            }
        };
        let kind = tokio::time::timeout(patience, rest).await.map_err(slow)??;
        Ok(kind.map(|kind| (kind, frame)))
    }

    /// Appends what has arrived; nothing, if the client has closed.
    async fn read_more(&mut self, frame: &mut Vec<u8>) -> io::Result<()> {
        poll_fn(|context| {
            BUFFER.with_borrow_mut(|buffer| {
                let mut buffer = ReadBuf::new(buffer);
                ready!(Pin::new(&mut self.reader).poll_read(context, &mut buffer))?;
                frame.extend_from_slice(buffer.filled());
                Poll::Ready(Ok(()))
            })
        })
        .await
    }

    async fn greet(&mut self, protocol: u16, token: &[u8]) -> Result<bool, Failure> {
        if !self.server.admits(token) {
            let sentence = "the token is missing or wrong: use the one the server was started with";
            return Err((Code::Token, sentence.into()));
        }
        self.is_greeted = true;
        let hello = self.server.hello();
        let is_connected = self.tell(|out| append_json(out, Kind::Hello, &hello)).await;
        Ok(is_connected && protocol == PROTOCOL)
    }

    /// Starts a task on the data set and passes on its messages.
    async fn administer(&self, task: Task) -> bool {
        let Server {
            administration,
            files,
            tally,
            ..
        } = &*self.server;
        match administration.start(task, files, tally) {
            Ok(mut frames) => {
                while let Some(frame) = frames.recv().await {
                    if self.connection.send(&frame).await.is_err() {
                        return false;
                    }
                }
                true
            }
            Err((code, message)) => self.tell(|out| append_error(out, code, &message)).await,
        }
    }

    /// Sends one message; returns whether it was sent.
    async fn tell(&self, append: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut frame = Vec::new();
        append(&mut frame);
        self.connection.send(&frame).await.is_ok()
    }

    /// Sends the error, and closes so that the client can still read it.
    async fn part(&mut self, (code, message): &Failure) {
        self.connection.idle().await;
        if !self.tell(|out| append_error(out, *code, message)).await {
            return;
        }
        self.connection.cut(Shutdown::Write);
        let drain = async {
            let mut bytes = 0;
            let mut rest = Vec::new();
            while bytes < LINGER_BYTES && self.read_more(&mut rest).await.is_ok() {
                if rest.is_empty() {
                    break;
                }
                bytes += rest.len();
                rest.clear();
            }
        };
        let _ = tokio::time::timeout(LINGER, drain).await; // the error has been sent
    }
}

/// The kind of the frame, if `received` is one whole request.
fn whole(received: &[u8]) -> Result<Option<Kind>, Failure> {
    let malformed = |sentence: String| (Code::Malformed, sentence);
    let head = header(received).map_err(|error: FrameError| malformed(error.to_string()))?;
    let Some(head) = head else {
        return Ok(None);
    };
    if head.is_reply {
        return Err(malformed(format!(
            "a {} reply is not a request",
            head.kind.name()
        )));
    }
    match received.len().cmp(&head.frame_bytes()) {
        std::cmp::Ordering::Less => Ok(None),
        std::cmp::Ordering::Equal => Ok(Some(head.kind)),
        std::cmp::Ordering::Greater => Err(malformed(
            "a message arrived before the previous one was answered".into(),
        )),
    }
}
