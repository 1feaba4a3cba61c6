//! Bytes to and from the server, plain or over TLS.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use headcount_load::{Fault, FaultKind};
use rustix::net::RecvFlags;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::connect::connect;
use crate::tls::{Agreed, Tls, explained};

/// The largest piece of a body that the kernel discards at a time.
pub const DISCARD_BYTES: u64 = 1 << 20;

thread_local! {
    /// `recv` needs a buffer when it discards bytes, but never writes to it: zeroed memory that
    /// nobody has written to takes none.
    static VOID: RefCell<Vec<u8>> = RefCell::new(vec![0; DISCARD_BYTES as usize]);
}

/// A stream of bytes.
#[derive(Debug)]
pub enum Transport {
    /// TCP.
    Plain(TcpStream),
    /// TLS over TCP.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Transport {
    /// Connects to the first address that answers, and shakes hands if there is TLS.
    pub async fn establish(addresses: &[SocketAddr], tls: Option<&Tls>) -> Result<Self, Fault> {
        let stream = connect(addresses).await.map_err(|error| refused(&error))?;
        match tls {
            None => Ok(Self::Plain(stream)),
            // Boxed: the handshake's future is large, and each user's would have room for it.
            Some(tls) => {
                let shaken = Self::Tls(Box::pin(tls.shake_hands(stream)).await?);
                shaken.hurry();
                Ok(shaken)
            }
        }
    }

    /// Upgrades a plain connection to TLS (STARTTLS). One that has TLS is returned as it is.
    pub async fn secure(self, tls: &Tls) -> Result<Self, Fault> {
        match self {
            Self::Plain(stream) => Ok(Self::Tls(Box::pin(tls.shake_hands(stream)).await?)),
            Self::Tls(stream) => Ok(Self::Tls(stream)),
        }
    }

    /// Disables Nagle's algorithm. It does not delay a request that is written in one piece:
    /// nothing sent before it is unacknowledged (RFC 9293, 3.7.4). A request in several pieces
    /// would wait for the acknowledgement of the first.
    pub fn hurry(&self) {
        let below = match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_ref().0,
        };
        let _ = below.set_nodelay(true); // a refusal costs time only
    }

    /// What the TLS handshake negotiated; `None` without TLS.
    #[must_use]
    pub fn agreed(&self) -> Option<Agreed> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(stream) => Agreed::of(stream.get_ref().1),
        }
    }

    /// The certificate that the server presented (DER); `None` without TLS.
    #[must_use]
    pub fn certificate(&self) -> Option<&[u8]> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(stream) => {
                let shown = stream.get_ref().1.peer_certificates()?;
                shown.first().map(AsRef::as_ref)
            }
        }
    }

    /// Waits for data, and discards up to `most` bytes of it without copying. Returns how many; 0
    /// is the end of the connection. Fails with TLS.
    pub fn poll_discard(&self, context: &mut Context<'_>, most: u64) -> Poll<io::Result<u64>> {
        let Self::Plain(stream) = self else {
            return Poll::Ready(Err(io::ErrorKind::Unsupported.into()));
        };
        let most = most.min(DISCARD_BYTES) as usize;
        loop {
            ready!(stream.poll_read_ready(context))?;
            let mut discarded = None;
            let tried = stream.try_io(Interest::READABLE, || {
                VOID.with_borrow_mut(|void| {
                    let (_, bytes) =
                        rustix::net::recv(stream, &mut void[..most], RecvFlags::TRUNC)?;
                    discarded = Some(bytes as u64);
                    // A short read empties the socket: clear its readiness, as `WouldBlock` does.
                    if 0 < bytes && bytes < most {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                    Ok(())
                })
            });
            match (discarded, tried) {
                (Some(bytes), _) => return Poll::Ready(Ok(bytes)),
                (None, Err(error)) if error.kind() != io::ErrorKind::WouldBlock => {
                    return Poll::Ready(Err(error));
                }
                _ => {}
            }
        }
    }

    /// Waits until there is something to read, then returns whether the server has closed its side,
    /// so that what can be read now is all that will come. Always false with TLS.
    pub fn poll_end(&self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let Self::Plain(stream) = self else {
            return Poll::Ready(Ok(false));
        };
        ready!(stream.poll_read_ready(context))?;
        // This asks only the runtime, no system call, and what is ready returns at once.
        let ready = pin!(stream.ready(Interest::READABLE)).poll(context);
        Poll::Ready(Ok(
            matches!(ready, Poll::Ready(Ok(ready)) if ready.is_read_closed()),
        ))
    }

    /// Whether [`Transport::poll_discard`] works: Linux discards what `recv` is told to truncate
    /// (`MSG_TRUNC`, tcp(7)).
    #[must_use]
    pub const fn can_discard(&self) -> bool {
        cfg!(target_os = "linux") && matches!(self, Self::Plain(_))
    }
}

/// The fault of a failed attempt to connect.
fn refused(error: &io::Error) -> Fault {
    let sentence = match error.kind() {
        io::ErrorKind::AddrNotAvailable => format!(
            "no connection: {error}: all local ports are taken, many of them by connections closed \
             a minute ago; keep connections, or widen the range: sysctl \
             net.ipv4.ip_local_port_range=\"1024 65535\""
        ),
        _ => format!("no connection: {error}"),
    };
    Fault::session(FaultKind::Connect, sentence)
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream)
                .poll_read(context, buffer)
                .map_err(explained),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(_) => Poll::Ready(Ok(())),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
