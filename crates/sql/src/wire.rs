//! One connection: its transport, and the future that moves its bytes.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use headcount_load::{Fault, FaultKind};
use headcount_net::{Tls, Transport};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{Client, Config, Connection, Error};

use crate::fault::{of_connecting, of_statement};

/// A connection that has TLS.
pub struct Secured(Transport);

/// Shakes hands when the server agrees to TLS.
struct Secure(Option<Tls>);

impl TlsConnect<Transport> for Secure {
    type Stream = Secured;
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = Result<Secured, Fault>>>>;

    fn connect(self, stream: Transport) -> Self::Future {
        Box::pin(async move {
            match &self.0 {
                Some(tls) => stream.secure(tls).await.map(Secured),
                None => Err(Fault::session(
                    FaultKind::Connect,
                    "TLS was agreed on for a connection that is to stay in clear",
                )),
            }
        })
    }
}

impl TlsStream for Secured {
    /// None: logging on with SCRAM then does without channel binding (RFC 5802, 6).
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Secured {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Secured {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// One connection. Its bytes move only while something is asked on it, so that it needs no task of
/// its own; what the server said in between is read with the next answer.
pub struct Wire {
    client: Client,
    connection: Pin<Box<Connection<Transport, Secured>>>,
}

impl Wire {
    /// Connects and logs on.
    pub async fn open(
        addresses: &[std::net::SocketAddr],
        config: &Config,
        tls: Option<&Tls>,
    ) -> Result<Self, Fault> {
        let transport = Transport::establish(addresses, None).await?;
        transport.hurry();
        let (client, connection) = config
            .connect_raw(transport, Secure(tls.cloned()))
            .await
            .map_err(|error| of_connecting(&error, config.get_password().is_some()))?;
        Ok(Self {
            client,
            connection: Box::pin(connection),
        })
    }

    /// Does something with the client while the bytes of the connection move.
    pub async fn run<'a, T, F>(&'a mut self, work: impl FnOnce(&'a Client) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let Self { client, connection } = self;
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
