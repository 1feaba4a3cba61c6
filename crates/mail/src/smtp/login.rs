//! AUTH (RFC 4954), with the mechanisms PLAIN (RFC 4616) and LOGIN.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use headcount_load::{Fault, FaultKind};

use super::credentials::{Credentials, Mechanism};
use super::extension::Extensions;
use super::reply::Reply;
use super::wire::Wire;
use crate::secret::{plain, without};

/// The reply by which a server asks for more.
const GO_ON: u16 = 334;

/// Logs on. Faults do not show the password.
pub async fn log_on(
    wire: &mut Wire,
    offered: Extensions,
    credentials: &Credentials<'_>,
) -> Result<(), Fault> {
    let Credentials { user, password, .. } = credentials;
    try_to_log_on(wire, offered, credentials)
        .await
        .map_err(|fault| without(fault, "AUTH", user, password))
}

async fn try_to_log_on(
    wire: &mut Wire,
    offered: Extensions,
    credentials: &Credentials<'_>,
) -> Result<(), Fault> {
    let Credentials {
        user,
        password,
        mechanism,
    } = credentials;
    let mechanism = if offered.has(*mechanism) {
        *mechanism
    } else if offered.plain {
        Mechanism::Plain
    } else if offered.login {
        Mechanism::Login
    } else {
        let sentence =
            "the server offers neither AUTH PLAIN nor LOGIN on this connection; it may want TLS";
        return Err(Fault::session(FaultKind::Login, sentence));
    };
    let reply = match mechanism {
        Mechanism::Plain => {
            let answer = plain(user, password);
            command(wire, &format!("AUTH PLAIN {answer}")).await?
        }
        Mechanism::Login => {
            let mut reply = command(wire, "AUTH LOGIN").await?;
            for answer in [user, password.reveal()] {
                if reply.code != GO_ON {
                    break;
                }
                reply = command(wire, &STANDARD.encode(answer)).await?;
            }
            reply
        }
    };
    if reply.is_positive() {
        return Ok(());
    }
    Err(Fault::session(FaultKind::Login, format!("AUTH: {reply}")))
}

async fn command(wire: &mut Wire, line: &str) -> Result<Reply, Fault> {
    wire.ask("AUTH", |out| {
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(b"\r\n");
    })
    .await
}
