//! Asking a server for TLS (PostgreSQL 15, 55.2.10).

use bytes::BytesMut;
use headcount_load::{Fault, FaultKind};
use headcount_net::{Tls, Transport};
use postgres_protocol::message::frontend;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::fault::lost;
use crate::frames::tag;
use crate::refusal::{no_session, not_postgresql};

/// Whether connections are encrypted.
#[derive(Debug, Clone)]
pub enum Encryption {
    /// Never.
    Never,
    /// If the server offers it.
    IfOffered(Tls),
    /// Always.
    Always(Tls),
}

/// Shakes hands if the server offers it (PostgreSQL 15, 55.2.10).
pub async fn encrypted(
    mut transport: Transport,
    encryption: &Encryption,
) -> Result<Transport, Fault> {
    let (tls, is_needed) = match encryption {
        Encryption::Never => return Ok(transport),
        Encryption::IfOffered(tls) => (tls, false),
        Encryption::Always(tls) => (tls, true),
    };
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    let mut answer = [0];
    let asked = async {
        transport.write_all(&request).await?;
        // Not a byte more: anyone on the way may have injected what follows in clear.
        transport.read_exact(&mut answer).await
    };
    asked.await.map_err(|error| lost(&error))?;
    match answer[0] {
        b'S' => transport.secure(tls).await,
        b'N' if is_needed => Err(Fault::session(FaultKind::Connect, NO_TLS)),
        b'N' => Ok(transport),
        tag::ERROR => Err(no_session()),
        _ => Err(not_postgresql()),
    }
}

/// The message for a server that declines TLS.
pub const NO_TLS: &str = "no logon: the server does not support TLS";
