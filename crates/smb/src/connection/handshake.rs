//! Connecting and NEGOTIATE (MS-SMB2 3.2.4.2.2, 3.2.5.2).

use std::net::SocketAddr;

use headcount_load::{Fault, FaultKind, Requests};
use tokio::net::TcpStream;

use super::agreed::{Agreed, Wanted};
use super::faults::malformed;
use super::state::State;
use super::{Ask, Connection};
use crate::auth::kdf::Preauth;
use crate::options::{EncryptionPolicy, SigningPolicy};
use crate::random;
use crate::wire::header::Command;
use crate::wire::negotiate::{Dialect, Request, Response};

impl Connection {
    /// Connects to the first address that accepts, and negotiates.
    pub async fn establish(
        addresses: &[SocketAddr],
        wanted: &Wanted,
        requests: Requests,
    ) -> Result<Self, Fault> {
        Self::establish_as(random::bytes()?, addresses, wanted, requests).await
    }

    /// The same with a given client GUID: a server lets only the same client reclaim its handles
    /// (MS-SMB2 3.3.5.9.12).
    pub async fn establish_as(
        client: [u8; 16],
        addresses: &[SocketAddr],
        wanted: &Wanted,
        requests: Requests,
    ) -> Result<Self, Fault> {
        let stream = connect(addresses).await?;
        let mut connection = Self {
            stream,
            requests,
            state: State::new(Agreed::nothing(client)),
        };
        connection.negotiate(wanted, client).await?;
        Ok(connection)
    }

    async fn negotiate(&mut self, wanted: &Wanted, client: [u8; 16]) -> Result<(), Fault> {
        let salt = random::bytes()?;
        let request = Request {
            dialects: &wanted.dialects,
            security_mode: wanted.security_mode(),
            client,
            algorithms: &wanted.algorithms,
            encrypts: wanted.encrypts(),
            salt,
        };
        self.state.hashing = Some(Preauth::START);
        let ask = Ask::new(Command::Negotiate, 0);
        let agreed = self
            .exchange(
                ask,
                |out| request.encode(out),
                |head, body| {
                    if head.status.is_error() {
                        let names: Vec<_> = wanted.dialects.iter().map(|it| it.name()).collect();
                        let what = format!("NEGOTIATE of dialect {}", names.join(", "));
                        let fault = head.status.fault(&what);
                        return Err(Fault {
                            ends_session: true,
                            ..fault
                        });
                    }
                    let response = Response::parse(body).ok_or_else(|| {
                        malformed("NEGOTIATE: the answer has another form".into())
                    })?;
                    let is_protected =
                        response.has_preauth || response.dialect != Dialect::Smb311.code();
                    Agreed::from_response(&response, wanted, client)
                        .filter(|_| is_protected)
                        .ok_or_else(|| {
                            let code = response.dialect;
                            malformed(format!(
                                "NEGOTIATE: the server chose dialect {code:#06x} and \
                                           options that were not offered"
                            ))
                        })
                },
            )
            .await?;
        self.state.preauth = self.state.hashing.take().unwrap_or(Preauth::START);
        self.state.agreed = agreed;
        check_policies(wanted, &agreed)
    }
}

/// Fails if the negotiated signing and encryption do not satisfy the run's policies.
fn check_policies(wanted: &Wanted, agreed: &Agreed) -> Result<(), Fault> {
    let refused = |sentence: String| Err(Fault::session(FaultKind::Refused, sentence));
    if wanted.signing == SigningPolicy::Off && agreed.must_sign() {
        return refused(
            "the server requires signed messages, but signing is switched off for this run: set \
             signing to offered or required"
                .into(),
        );
    }
    if wanted.encryption == EncryptionPolicy::Required && agreed.cipher.is_none() {
        let dialect = agreed.dialect.name();
        return refused(format!(
            "this run requires encrypted messages, but the server offers no encryption in dialect \
             {dialect}: let it encrypt, or set encryption to offered"
        ));
    }
    Ok(())
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, Fault> {
    let fault = |error: std::io::Error| {
        Fault::session(FaultKind::Connect, format!("no connection: {error}"))
    };
    let stream = headcount_net::connect::connect(addresses)
        .await
        .map_err(fault)?;
    // With Nagle's algorithm, small requests wait for the last ACK: 40 ms and more each.
    stream.set_nodelay(true).map_err(fault)?;
    Ok(stream)
}
