//! One connection: its transport, and the future that moves its bytes.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use headcount_load::{Fault, FaultKind};
use headcount_net::{Tls, Transport};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{Client, Config, Connection, Error};

use crate::authentication::RequireAuth;
use crate::fault::{of_connecting, of_statement};
use crate::guard::{Guard, Protection, Terms};

/// A transport whose bytes are looked at before anything is made of them.
pub struct Guarded {
    transport: Transport,
    guard: Guard,
}

/// Shakes hands when the server agrees to TLS.
struct Secure(Option<Tls>);

impl TlsConnect<Guarded> for Secure {
    type Stream = Guarded;
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = Result<Guarded, Fault>>>>;

    fn connect(self, stream: Guarded) -> Self::Future {
        Box::pin(async move {
            let Guarded {
                transport,
                mut guard,
            } = stream;
            let Some(tls) = &self.0 else {
                return Err(Fault::session(
                    FaultKind::Connect,
                    "TLS was agreed on for a connection that is to stay in clear",
                ));
            };
            let transport = transport.secure(tls).await?;
            guard.tls = transport.agreed();
            Ok(Guarded { transport, guard })
        })
    }
}

impl TlsStream for Guarded {
    /// None: logging on with SCRAM then does without channel binding (RFC 5802, 6).
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { transport, guard } = self.get_mut();
        let known = buffer.filled().len();
        ready!(Pin::new(transport).poll_read(context, buffer))?;
        let looked = guard.look(&buffer.filled()[known..]);
        Poll::Ready(looked.map_err(|fault| {
            buffer.set_filled(known);
            io::Error::new(io::ErrorKind::InvalidData, fault)
        }))
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(context)
    }
}

/// One connection. Its bytes move only while something is asked on it, so that it needs no task of
/// its own; what the server said in between is read with the next answer.
pub struct Wire {
    client: Client,
    connection: Pin<Box<Connection<Guarded, Guarded>>>,
    protection: Protection,
}

impl Wire {
    /// Connects and logs on.
    pub async fn open(
        addresses: &[std::net::SocketAddr],
        config: &Config,
        tls: Option<&Tls>,
        allowed: RequireAuth,
    ) -> Result<Self, Fault> {
        let transport = Transport::establish(addresses, None).await?;
        transport.hurry();
        let terms = Terms {
            asks_for_tls: config.get_ssl_mode() != SslMode::Disable,
            has_password: config.get_password().is_some(),
            allowed,
        };
        let protection: Arc<OnceLock<_>> = Arc::default();
        let guard = Guard::new(terms, Arc::clone(&protection));
        let (client, connection) = config
            .connect_raw(Guarded { transport, guard }, Secure(tls.cloned()))
            .await
            .map_err(|error| of_connecting(&error, config.get_password().is_some()))?;
        let Some(protection) = protection.get().copied() else {
            return Err(Fault::session(
                FaultKind::Malformed,
                "no logon: the server did not say that it lets the user in",
            ));
        };
        Ok(Self {
            client,
            connection: Box::pin(connection),
            protection,
        })
    }

    /// What keeps it from others.
    pub const fn protection(&self) -> Protection {
        self.protection
    }

    /// Does something with the client while the bytes of the connection move.
    pub async fn run<'a, T, F>(&'a mut self, work: impl FnOnce(&'a Client) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let Self {
            client, connection, ..
        } = self;
        let mut work = pin!(work(client));
        poll_fn(|context| {
            // What is asked is sent, and what has arrived for it is taken, in one go.
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(done.map_err(|error| of_statement(&error)));
            }
            let moved = connection.as_mut().poll(context);
            match (work.as_mut().poll(context), moved) {
                (Poll::Ready(Ok(done)), _) => Poll::Ready(Ok(done)),
                // What ended the connection says more than that it has ended.
                (_, Poll::Ready(Err(error))) | (Poll::Ready(Err(error)), _) => {
                    Poll::Ready(Err(of_statement(&error)))
                }
                (Poll::Pending, Poll::Ready(Ok(()))) => Poll::Ready(Err(Fault::session(
                    FaultKind::Disconnected,
                    "the server closed the connection",
                ))),
                (Poll::Pending, Poll::Pending) => Poll::Pending,
            }
        })
        .await
    }

    /// Says goodbye and closes the connection.
    pub async fn close(self) {
        drop(self.client);
        let _ = self.connection.await; // it is closed, one way or the other
    }
}
