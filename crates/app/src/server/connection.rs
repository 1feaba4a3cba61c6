//! One client's connection, shared by the network thread that reads it and the service thread that
//! answers it.

use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::tcp::OwnedWriteHalf;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::files::OpenFile;

const IDLE: u8 = 0;
/// A request is queued or being served.
const BUSY: u8 = 1;
/// Busy, and the network thread holds the next request.
const AWAITED: u8 = 2;

/// The side of a connection that answers.
#[derive(Debug)]
pub(crate) struct Connection {
    writer: OwnedWriteHalf,
    runtime: Handle,
    reply_limit: Duration,
    state: AtomicU8,
    became_idle: Notify,
    closed: AtomicBool,
    /// The file this client used last.
    pub(crate) file: Mutex<Option<OpenFile>>,
}

impl Connection {
    /// Must be called inside the runtime that reads the connection.
    pub(crate) fn new(writer: OwnedWriteHalf, reply_limit: Duration) -> Self {
        Self {
            writer,
            runtime: Handle::current(),
            reply_limit,
            state: AtomicU8::new(IDLE),
            became_idle: Notify::new(),
            closed: AtomicBool::new(false),
            file: Mutex::default(),
        }
    }

    /// Notes that a request is about to be queued.
    pub(crate) fn begin(&self) {
        self.state.store(BUSY, Ordering::Release);
    }

    /// Notes that the request has been answered.
    fn done(&self) {
        if self.state.swap(IDLE, Ordering::AcqRel) == AWAITED {
            self.became_idle.notify_one();
        }
    }

    /// Waits until the previous request has been answered. Clients send the next one only then, but
    /// it may arrive before the service thread, having written the reply, has noted that.
    pub(crate) async fn idle(&self) {
        let now = self
            .state
            .compare_exchange(BUSY, AWAITED, Ordering::AcqRel, Ordering::Acquire);
        if now.is_ok() {
            self.became_idle.notified().await;
        }
    }

    /// Answers from a service thread. The thread never waits: what the socket does not take at once
    /// goes back to the network thread, so that a frozen client cannot block a service thread.
    pub(crate) fn reply(self: &Arc<Self>, frame: &[u8]) {
        match self.writer.try_write(frame) {
            Ok(sent) if sent == frame.len() => self.done(),
            Ok(sent) => self.finish_later(&frame[sent..]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.finish_later(frame),
            Err(_) => {
                self.cut(Shutdown::Both);
                self.done();
            }
        }
    }

    fn finish_later(self: &Arc<Self>, rest: &[u8]) {
        let (connection, rest) = (Arc::clone(self), rest.to_vec());
        self.runtime.spawn(async move {
            if connection.send(&rest).await.is_err() {
                connection.cut(Shutdown::Both);
            }
            connection.done();
        });
    }

    /// Sends from the network thread, within the limit for replies.
    pub(crate) async fn send(&self, mut frame: &[u8]) -> io::Result<()> {
        let all = async {
            while !frame.is_empty() {
                self.writer.writable().await?;
                match self.writer.try_write(frame) {
                    Ok(sent) => frame = &frame[sent..],
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        tokio::time::timeout(self.reply_limit, all).await?
    }

    /// Ends one or both directions at once; a reader sees the end.
    pub(crate) fn cut(&self, how: Shutdown) {
        if how == Shutdown::Both {
            self.closed.store(true, Ordering::Release);
        }
        let how = match how {
            Shutdown::Both => rustix::net::Shutdown::Both,
            Shutdown::Read => rustix::net::Shutdown::Read,
            Shutdown::Write => rustix::net::Shutdown::Write,
        };
        // An error means that the connection is already gone, which is the goal.
        let _ = rustix::net::shutdown(self.writer.as_ref(), how);
    }

    /// Notes that the client has gone.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Whether the client has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
