//! Sends commands and receives answers on one connection.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use headcount_load::{Fault, Stopwatch};
use headcount_net::Transport;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::capability::Capability;
use super::faults::{lost, malformed};
use super::line::Line;
use super::session::{Heard, On, Progress, State, Until};
use super::wire::reader::{Event, Reader};
use crate::endpoint::Endpoint;
use crate::task::Task;

/// Bytes of one read.
const READ_BYTES: usize = 64 << 10;

/// Reads in a row before the task yields to other users.
const TURN: u32 = 32;

thread_local! {
    /// Received bytes. A worker is one thread, and nothing stays in here between polls.
    static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    /// Bytes to send.
    static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes the next part of a command. Returns whether there is more.
pub(super) type Fill<'a> = dyn FnMut(&mut Line<'_>) -> bool + 'a;

/// One user's connection to a server.
#[derive(Debug)]
pub struct Imap {
    pub(super) transport: Transport,
    reader: Reader,
    pub(super) stopwatch: Stopwatch,
    pub(super) state: State,
}

impl Imap {
    /// A connection on which nothing has been read yet.
    pub(super) fn on(transport: Transport, stopwatch: Stopwatch) -> Self {
        transport.hurry();
        Self {
            transport,
            reader: Reader::default(),
            stopwatch,
            state: State::default(),
        }
    }

    /// Whether the server offers this.
    #[must_use]
    pub const fn offers(&self, capability: Capability) -> bool {
        self.state.capabilities.has(capability)
    }

    /// How many messages the selected folder has, as far as the server has said.
    #[must_use]
    pub const fn exists(&self) -> u32 {
        self.state.exists
    }

    /// Sends a command, waits for its end, counts and times it.
    pub(super) async fn command(
        &mut self,
        task: Task,
        fill: &mut Fill<'_>,
        on: &mut On<'_>,
    ) -> Result<(), Fault> {
        let began_ns = self.stopwatch.now_ns();
        let ended = match self.send(task, fill, on).await {
            Ok(()) => self.receive(task, Until::Done, on).await,
            Err(fault) => Err(fault),
        };
        task.note(&self.stopwatch, began_ns, &ended);
        ended
    }

    /// The same for a command of one line whose untagged answers are not needed.
    pub(super) async fn simple(
        &mut self,
        task: Task,
        compose: &mut dyn FnMut(&mut Line<'_>),
    ) -> Result<(), Fault> {
        let mut fill = once(compose);
        self.command(task, &mut fill, &mut without_contents).await
    }

    /// Sends a command: its tag, and what `fill` appends. Waits for continuation requests where
    /// needed.
    pub(super) async fn send(
        &mut self,
        task: Task,
        fill: &mut Fill<'_>,
        on: &mut On<'_>,
    ) -> Result<(), Fault> {
        self.state.tag = self.state.tag.wrapping_add(1);
        self.stopwatch.sent(task as usize);
        let tag = self.state.tag;
        let mut is_first = true;
        loop {
            let mut waits = Vec::new();
            let mut is_more = false;
            let mut tagged = |line: &mut Line<'_>| {
                if std::mem::take(&mut is_first) {
                    line.raw("a").number(tag.into()).raw(" ");
                }
                is_more = fill(line);
            };
            match self.write(&mut waits, &mut tagged).await {
                Ok(None) => {}
                Ok(Some(rest)) => self.write_rest(task, &rest, &waits, on).await?,
                Err(error) => return Err(self.broken_off(task, &error, on).await),
            }
            if !is_more {
                return Ok(());
            }
        }
    }

    /// Sends a line that is not a command, such as DONE.
    pub(super) async fn send_line(
        &mut self,
        task: Task,
        text: &str,
        on: &mut On<'_>,
    ) -> Result<(), Fault> {
        let mut waits = Vec::new();
        let mut compose = |line: &mut Line<'_>| {
            line.raw(text);
        };
        match self.write(&mut waits, &mut compose).await {
            Ok(None) => Ok(()),
            Ok(Some(rest)) => self.write_rest(task, &rest, &[], on).await,
            Err(error) => Err(self.broken_off(task, &error, on).await),
        }
    }

    /// Writes what `compose` appends to an empty buffer. Returns the bytes that the socket does not
    /// take, or everything if parts of it need a continuation request.
    async fn write(
        &mut self,
        waits: &mut Vec<usize>,
        compose: &mut dyn FnMut(&mut Line<'_>),
    ) -> io::Result<Option<Vec<u8>>> {
        let Self {
            transport, state, ..
        } = self;
        poll_fn(|context| {
            OUTGOING.with_borrow_mut(|out| {
                out.clear();
                compose(&mut Line::new(
                    out,
                    waits,
                    state.capabilities,
                    state.is_rev2,
                ));
                if !waits.is_empty() {
                    return Poll::Ready(Ok(Some(out.clone())));
                }
                let mut sent = 0;
                match poll_write_all(transport, context, out, &mut sent) {
                    Poll::Ready(Ok(())) => Poll::Ready(Ok(None)),
                    Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                    Poll::Pending => Poll::Ready(Ok(Some(out[sent..].to_vec()))),
                }
            })
        })
        .await
    }

    /// Writes the rest of a command, and waits for a continuation request at each of `waits`.
    /// Receives answers meanwhile.
    async fn write_rest(
        &mut self,
        task: Task,
        rest: &[u8],
        waits: &[usize],
        on: &mut On<'_>,
    ) -> Result<(), Fault> {
        let mut from = 0;
        for end in waits.iter().copied() {
            self.write_piece(task, &rest[from..end], on).await?;
            self.receive(task, Until::Asked, on).await?;
            from = end;
        }
        self.write_piece(task, &rest[from..], on).await
    }

    async fn write_piece(
        &mut self,
        task: Task,
        piece: &[u8],
        on: &mut On<'_>,
    ) -> Result<(), Fault> {
        let Self {
            transport,
            reader,
            state,
            ..
        } = self;
        let mut sent = 0;
        let mut progress = Progress::new(task, Until::Written);
        let written = poll_fn(|context| {
            loop {
                if let Poll::Ready(written) = poll_write_all(transport, context, piece, &mut sent) {
                    return Poll::Ready(Ok(written));
                }
                // Read meanwhile: a server that cannot write would stop reading, too.
                ready!(poll_hear(
                    transport,
                    context,
                    reader,
                    state,
                    &mut progress,
                    on
                ))?;
                if let Some(Err(fault)) = progress.ended() {
                    return Poll::Ready(Err(Fault {
                        ends_session: true,
                        ..fault
                    }));
                }
            }
        })
        .await?;
        match written {
            Ok(()) => Ok(()),
            Err(error) => Err(self.broken_off(task, &error, on).await),
        }
    }

    /// The fault after a failed write: what the server said before it closed the connection, if
    /// anything, otherwise `error`.
    async fn broken_off(&mut self, task: Task, error: &io::Error, on: &mut On<'_>) -> Fault {
        match self.receive(task, Until::Done, on).await {
            Err(fault) => Fault {
                ends_session: true,
                ..fault
            },
            Ok(()) => lost(format!("{}: the connection was lost: {error}", task.name())),
        }
    }

    /// Receives answers until `until`.
    pub(super) async fn receive(
        &mut self,
        task: Task,
        until: Until,
        on: &mut On<'_>,
    ) -> Result<(), Fault> {
        let Self {
            transport,
            reader,
            state,
            ..
        } = self;
        let mut progress = Progress::new(task, until);
        poll_fn(|context| poll_until(transport, context, reader, state, &mut progress, on)).await
    }

    /// Receives answers until messages come or go, or until `other` is ready. Returns whether
    /// messages came or went.
    pub(super) async fn receive_or(
        &mut self,
        task: Task,
        mut other: impl Future<Output = ()> + Unpin,
        on: &mut On<'_>,
    ) -> Result<bool, Fault> {
        let Self {
            transport,
            reader,
            state,
            ..
        } = self;
        let mut progress = Progress::new(task, Until::Changed);
        poll_fn(
            |context| match poll_until(transport, context, reader, state, &mut progress, on) {
                Poll::Ready(ended) => Poll::Ready(ended.map(|()| true)),
                Poll::Pending => Pin::new(&mut other).poll(context).map(|()| Ok(false)),
            },
        )
        .await
    }

    /// Begins TLS on this connection, and forgets the state from before (RFC 9051, 6.2.1).
    pub(super) async fn secure(self, endpoint: &Endpoint) -> Result<Self, Fault> {
        let Self {
            transport,
            reader,
            stopwatch,
            state,
        } = self;
        if !reader.is_between() || state.is_ahead {
            return Err(malformed(
                "STARTTLS: the server sent data between its answer and TLS",
            ));
        }
        let transport = endpoint.secure(transport).await?;
        let state = State {
            tag: state.tag,
            ..State::default()
        };
        Ok(Self {
            transport,
            reader,
            stopwatch,
            state,
        })
    }
}

/// Refuses contents of messages that were not asked for: they could be endless.
pub(super) fn without_contents(heard: Heard<'_>) -> Result<(), &'static str> {
    match heard {
        Heard::Piece { .. } => Err("no contents of a message"),
        Heard::Answer(..) => Ok(()),
    }
}

/// Makes a [`Fill`] that writes a command in one part.
pub(super) fn once(compose: &mut dyn FnMut(&mut Line<'_>)) -> impl FnMut(&mut Line<'_>) -> bool {
    move |line| {
        compose(line);
        line.raw("\r\n");
        false
    }
}

fn poll_until(
    transport: &mut Transport,
    context: &mut Context<'_>,
    reader: &mut Reader,
    state: &mut State,
    progress: &mut Progress,
    on: &mut On<'_>,
) -> Poll<Result<(), Fault>> {
    for _ in 0..TURN {
        if let Some(ended) = progress.ended() {
            return Poll::Ready(ended);
        }
        ready!(poll_hear(transport, context, reader, state, progress, on))?;
    }
    if let Some(ended) = progress.ended() {
        return Poll::Ready(ended);
    }
    context.waker().wake_by_ref();
    Poll::Pending
}

/// Handles the bytes of one read.
fn poll_hear(
    transport: &mut Transport,
    context: &mut Context<'_>,
    reader: &mut Reader,
    state: &mut State,
    progress: &mut Progress,
    on: &mut On<'_>,
) -> Poll<Result<(), Fault>> {
    INCOMING.with_borrow_mut(|buffer| {
        let mut filling = ReadBuf::new(buffer);
        let read = ready!(Pin::new(transport).poll_read(context, &mut filling));
        let bytes = filling.filled();
        Poll::Ready(match read {
            Ok(()) if bytes.is_empty() => Err(progress.closed(reader.is_between())),
            Ok(()) => {
                let mut hear = |event: Event<'_>| state.hear(event, progress, on);
                reader.take(bytes, &mut hear).map_err(malformed)
            }
            Err(error) => Err(progress.broken(&error)),
        })
    })
}

/// Writes all bytes and flushes.
fn poll_write_all(
    transport: &mut Transport,
    context: &mut Context<'_>,
    bytes: &[u8],
    sent: &mut usize,
) -> Poll<io::Result<()>> {
    while *sent < bytes.len() {
        match ready!(Pin::new(&mut *transport).poll_write(context, &bytes[*sent..]))? {
            0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
            written => *sent += written,
        }
    }
    Pin::new(transport).poll_flush(context)
}
