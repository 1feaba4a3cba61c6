//! One connection: how questions (`asking`) are sent on it and answers received.
//!
//! Bytes go through buffers that all connections of a thread share; an idle connection has none of
//! its own. Bytes move only during a question: what the server sends in between is read with the
//! next answer.

mod copying;

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Poll, ready};

use bytes::BytesMut;
use headcount_load::{Fault, FaultKind};
use headcount_net::Transport;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

use crate::answer::{Answer, IDLE};
use crate::encryption::{Encryption, encrypted};
use crate::end_point::end_point;
use crate::fault::{closed, lost, of_stray_error, unsendable};
use crate::frames::{Frames, Message, tag};
use crate::logon::{Ground, Logon, Protection, Terms};
use crate::refusal::unexpected;
use crate::row::Row;

/// Messages up to this size are read where they arrive, without a copy.
const READ_BYTES: usize = 64 << 10;
/// The capacity kept in the shared send buffer; the longest parameter has 1 MiB.
const KEPT_BYTES: usize = 64 << 10;

thread_local! {
    static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    static OUTGOING: RefCell<BytesMut> = RefCell::new(BytesMut::new());
}

/// The name of a prepared statement: its number in the session, or none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Name(u32);

impl Name {
    /// The statement that the next one without a name replaces.
    pub const UNNAMED: Self = Self(0);

    /// Calls `use_name` with the name as the server knows it.
    pub(crate) fn with<T>(self, use_name: impl FnOnce(&str) -> T) -> T {
        let mut digits = [0; 10];
        let mut at = digits.len();
        let mut rest = self.0;
        while rest > 0 {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        use_name(str::from_utf8(&digits[at..]).unwrap_or_default())
    }
}

/// One connection.
pub struct Wire {
    transport: Transport,
    frames: Frames,
    protection: Protection,
    /// Answers that were asked for and have not been read to their end.
    owed: u32,
    /// Whether a question is not completely sent.
    is_sending: bool,
    /// Names given so far.
    names: u32,
    /// The backend process that the server names for the connection; a pooler names none of the
    /// server's.
    process: i32,
    in_transaction: bool,
}

impl Wire {
    /// Connects and logs on to a database.
    pub async fn open(
        addresses: &[SocketAddr],
        encryption: &Encryption,
        terms: &Terms,
        database: &str,
    ) -> Result<Self, Fault> {
        let transport = Transport::establish(addresses, None).await?;
        transport.hurry();
        let transport = encrypted(transport, encryption).await?;
        let tls = transport.agreed();
        let end_point = transport.certificate().and_then(end_point);
        let mut logon = Logon::new(terms, Ground { tls, end_point });
        let mut wire = Self {
            transport,
            frames: Frames::default(),
            protection: Protection {
                tls,
                method: crate::Method::None,
                is_bound: false,
            },
            owed: 0,
            is_sending: false,
            names: 0,
            process: 0,
            in_transaction: false,
        };
        let mut process = 0;
        let parameters = [
            ("client_encoding", "UTF8"),
            ("user", &terms.user),
            ("database", database),
            ("application_name", "headcount"),
        ];
        wire.send(|out| frontend::startup_message(parameters, out))
            .await?;
        loop {
            // None: there is an answer to send first.
            let protection = wire.receive(|message| {
                if let (tag::KEY_DATA, Some(first)) = (message.tag, message.body.first_chunk()) {
                    process = i32::from_be_bytes(*first);
                }
                OUTGOING.with_borrow_mut(|out| {
                    out.clear();
                    let taken = logon.take(message, out)?;
                    Ok(match taken {
                        ControlFlow::Break(protection) => ControlFlow::Break(Some(protection)),
                        ControlFlow::Continue(()) if out.is_empty() => ControlFlow::Continue(()),
                        ControlFlow::Continue(()) => ControlFlow::Break(None),
                    })
                })
            });
            if let Some(protection) = protection.await? {
                wire.protection = protection;
                wire.process = process;
                return Ok(wire);
            }
            wire.send_composed().await?;
        }
    }

    /// How it is protected.
    pub const fn protection(&self) -> Protection {
        self.protection
    }

    /// The process that the server says the connection is with.
    pub const fn process(&self) -> i32 {
        self.process
    }

    /// Whether the session was in a transaction, failed or not, after the last answer.
    pub const fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// A name that is not in use yet.
    pub const fn new_name(&mut self) -> Name {
        self.names += 1;
        Name(self.names)
    }

    /// Says goodbye and closes the connection.
    pub async fn close(mut self) {
        let goodbye = self.send(|out| {
            frontend::terminate(out);
            Ok(())
        });
        let _ = goodbye.await; // it is closed anyway
        let _ = self.transport.shutdown().await;
    }

    /// Reads the rest of answers that nobody waited for.
    pub(crate) async fn settle(&mut self) -> Result<(), Fault> {
        if self.is_sending {
            let sentence = "the connection broke off in the middle of a question";
            return Err(Fault::session(FaultKind::Disconnected, sentence));
        }
        while self.owed > 0 {
            let status = self.receive(|message| {
                Ok(match message.tag {
                    tag::READY => ControlFlow::Break(message.body.first().copied()),
                    _ => ControlFlow::Continue(()),
                })
            });
            self.in_transaction = status.await? != Some(IDLE);
            self.owed -= 1;
        }
        if !self.frames.is_empty() {
            let _ = self.frames.take(&[], stray)?;
        }
        self.owed = 1;
        Ok(())
    }

    /// Reads an answer to its end.
    pub(crate) async fn answered<F: FnMut(Row<'_>) -> Result<(), Fault>>(
        &mut self,
        answer: &mut Answer<'_, F>,
    ) -> Result<(), Fault> {
        self.receive(|message| answer.take(message)).await?;
        self.owed = 0;
        self.in_transaction = answer.in_transaction();
        Ok(())
    }

    /// Sends what `compose` appends to an empty buffer.
    pub(crate) async fn send(
        &mut self,
        compose: impl FnOnce(&mut BytesMut) -> io::Result<()>,
    ) -> Result<(), Fault> {
        let composed = OUTGOING.with_borrow_mut(|out| {
            out.clear();
            compose(out)
        });
        if let Err(error) = composed {
            self.owed = 0; // nothing was sent
            return Err(unsendable(&error));
        }
        self.send_composed().await
    }

    /// Sends what is in the shared buffer. There must be no `await` between filling the buffer and
    /// this call.
    async fn send_composed(&mut self) -> Result<(), Fault> {
        let mut rest = Vec::new();
        let first = poll_fn(|context| {
            OUTGOING.with_borrow_mut(|out| {
                match Pin::new(&mut self.transport).poll_write(context, out) {
                    Poll::Ready(Ok(sent)) if sent == out.len() => {}
                    Poll::Ready(Ok(sent)) => rest.extend_from_slice(&out[sent..]),
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    // Others need the shared buffer before the socket has room again: copy the
                    // rest.
                    Poll::Pending => rest.extend_from_slice(out),
                }
                if out.capacity() > KEPT_BYTES {
                    *out = BytesMut::new();
                }
                Poll::Ready(Ok(()))
            })
        });
        let sent = first.await;
        self.is_sending = true;
        let sent = match sent {
            Ok(()) if rest.is_empty() => self.transport.flush().await,
            Ok(()) => match self.transport.write_all(&rest).await {
                Ok(()) => self.transport.flush().await,
                failed => failed,
            },
            failed => failed,
        };
        match sent {
            Ok(()) => {
                self.is_sending = false;
                Ok(())
            }
            Err(error) => Err(self.last_words().await.unwrap_or_else(|| lost(&error))),
        }
    }

    /// Why the server closed the connection, if it said so first.
    async fn last_words(&mut self) -> Option<Fault> {
        let ignore = |_: Row<'_>| Ok(());
        let mut answer = Answer::to_query(ignore);
        let heard = self.receive(|message| answer.take(message)).await;
        heard
            .err()
            .filter(|fault| fault.message.contains("SQLSTATE"))
    }

    /// Receives messages until `accept` breaks.
    async fn receive<T>(
        &mut self,
        mut accept: impl FnMut(&Message<'_>) -> Result<ControlFlow<T>, Fault>,
    ) -> Result<T, Fault> {
        let Self {
            transport, frames, ..
        } = self;
        if !frames.is_empty()
            && let Some(found) = frames.take(&[], &mut accept)?
        {
            return Ok(found);
        }
        poll_fn(|context| {
            INCOMING.with_borrow_mut(|buffer| {
                loop {
                    let mut filling = ReadBuf::new(buffer);
                    let read = ready!(Pin::new(&mut *transport).poll_read(context, &mut filling));
                    read.map_err(|error| lost(&error))?;
                    if filling.filled().is_empty() {
                        return Poll::Ready(Err(closed()));
                    }
                    if let Some(found) = frames.take(filling.filled(), &mut accept)? {
                        return Poll::Ready(Ok(found));
                    }
                }
            })
        })
        .await
    }
}

/// Takes a message after the last answer: a notice is fine, an error says why the connection ends.
fn stray(message: &Message<'_>) -> Result<ControlFlow<()>, Fault> {
    match message.tag {
        _ if message.is_aside() => Ok(ControlFlow::Continue(())),
        tag::ERROR => Err(of_stray_error(message.body)),
        other => Err(unexpected(other)),
    }
}
