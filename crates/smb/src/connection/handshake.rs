//! Connecting and NEGOTIATE (MS-SMB2 3.2.4.2.2, 3.2.5.2), and its validation (3.2.5.5).

use std::net::SocketAddr;

use headcount_load::{Fault, FaultKind, Requests};
use tokio::net::TcpStream;

use super::state::{State, malformed};
use super::{Ask, Connection};
use crate::auth::kdf::Preauth;
use crate::options::{EncryptionPolicy, SigningPolicy};
use crate::random;
use crate::wire::NO_FILE;
use crate::wire::header::Command;
use crate::wire::ioctl::{self, Negotiated};
use crate::wire::negotiate::{
    Cipher, Dialect, LARGE_MTU, Request, Response, SIGNING_ENABLED, SIGNING_REQUIRED,
    SigningAlgorithm,
};

/// What the client wants of a connection.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Dialects offered, oldest first.
    pub dialects: Vec<Dialect>,
    /// Ways of signing offered in 3.1.1, most wanted first.
    pub algorithms: Vec<SigningAlgorithm>,
    /// When messages are signed.
    pub signing: SigningPolicy,
    /// When messages are encrypted.
    pub encryption: EncryptionPolicy,
}

impl Wanted {
    /// Whether the server is told that the client can encrypt.
    #[must_use]
    pub fn encrypts(&self) -> bool {
        self.encryption != EncryptionPolicy::Off
    }

    /// The capabilities that go with dialects and policy.
    fn capabilities(&self) -> u32 {
        Request::capabilities(&self.dialects, self.encrypts())
    }

    /// The security mode that goes with the policy.
    #[must_use]
    pub const fn security_mode(&self) -> u16 {
        match self.signing {
            SigningPolicy::Required => SIGNING_ENABLED | SIGNING_REQUIRED,
            SigningPolicy::Off | SigningPolicy::Offered => SIGNING_ENABLED,
        }
    }
}

/// What both sides agreed on.
#[derive(Debug, Clone, Copy)]
pub struct Agreed {
    /// The dialect.
    pub dialect: Dialect,
    /// How messages are signed, if they are.
    pub algorithm: SigningAlgorithm,
    /// How messages are encrypted, if they are; none if they cannot be.
    pub cipher: Option<Cipher>,
    /// The client's number of this connection.
    pub client: [u8; 16],
    /// Which server it is.
    pub server: [u8; 16],
    /// The server's capabilities.
    pub capabilities: u32,
    /// The server's security mode.
    pub security_mode: u16,
    /// Whether requests of more than 64 KiB are allowed.
    pub has_large_requests: bool,
    /// Bytes of the largest request other than a write.
    pub max_transact: u32,
    /// Bytes of the largest read.
    pub max_read: u32,
    /// Bytes of the largest write.
    pub max_write: u32,
    /// The server's time when it answered, in 100 ns since 1601.
    pub filetime: u64,
}

impl Agreed {
    /// Before anything is agreed.
    pub(super) const fn nothing(client: [u8; 16]) -> Self {
        Self {
            dialect: Dialect::Smb21,
            algorithm: SigningAlgorithm::HmacSha256,
            cipher: None,
            client,
            server: [0; 16],
            capabilities: 0,
            security_mode: 0,
            has_large_requests: false,
            max_transact: 64 << 10,
            max_read: 64 << 10,
            max_write: 64 << 10,
            filetime: 0,
        }
    }

    /// Whether the server insists on signatures.
    #[must_use]
    pub const fn must_sign(&self) -> bool {
        self.security_mode & SIGNING_REQUIRED != 0
    }

    fn from_response(response: &Response<'_>, wanted: &Wanted, client: [u8; 16]) -> Option<Self> {
        let dialect = *wanted
            .dialects
            .iter()
            .find(|dialect| dialect.code() == response.dialect)?;
        let algorithm = match dialect {
            Dialect::Smb21 => SigningAlgorithm::HmacSha256,
            Dialect::Smb302 => SigningAlgorithm::AesCmac,
            // A server that does not say so signs with CMAC (MS-SMB2 3.2.5.2).
            Dialect::Smb311 => response.signing.unwrap_or(SigningAlgorithm::AesCmac),
        };
        Some(Self {
            dialect,
            algorithm,
            cipher: response.cipher.filter(|_| wanted.encrypts()),
            client,
            server: response.server,
            capabilities: response.capabilities,
            security_mode: response.security_mode,
            has_large_requests: response.capabilities & LARGE_MTU != 0,
            // No server has a need for less (MS-SMB2 3.3.5.4) and none for more than 16 MiB.
            max_transact: response.max_transact.clamp(64 << 10, 16 << 20),
            max_read: response.max_read.clamp(64 << 10, 16 << 20),
            max_write: response.max_write.clamp(64 << 10, 16 << 20),
            filetime: response.filetime,
        })
    }
}

impl Connection {
    /// Connects to the first address that accepts, and negotiates.
    pub async fn establish(
        addresses: &[SocketAddr],
        wanted: &Wanted,
        requests: Requests,
    ) -> Result<Self, Fault> {
        let stream = connect(addresses).await?;
        let client = random::bytes()?;
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

    /// Asks the server over a signed message what it negotiated, and compares
    /// (`FSCTL_VALIDATE_NEGOTIATE_INFO`).
    pub async fn validate(&mut self, tree: u32, wanted: &Wanted) -> Result<(), Fault> {
        let agreed = self.state.agreed;
        let ask = Ask {
            must_sign: true,
            ..Ask::new(Command::Ioctl, tree)
        };
        let mut input = Vec::with_capacity(32);
        ioctl::encode_negotiation(
            &mut input,
            wanted.capabilities(),
            &agreed.client,
            wanted.security_mode(),
            &wanted.dialects,
        );
        let found = self
            .exchange(
                ask,
                |out| {
                    let control = ioctl::VALIDATE_NEGOTIATE_INFO;
                    ioctl::encode(out, control, &NO_FILE, 24, &input);
                },
                |head, body| {
                    if head.status.is_error() {
                        let fault = head.status.fault("IOCTL (VALIDATE_NEGOTIATE_INFO)");
                        return Err(Fault {
                            ends_session: true,
                            ..fault
                        });
                    }
                    ioctl::parse(body)
                        .and_then(Negotiated::parse)
                        .ok_or_else(|| {
                            malformed("VALIDATE_NEGOTIATE_INFO: the answer has another form".into())
                        })
                },
            )
            .await?;
        let expected = Negotiated {
            capabilities: agreed.capabilities,
            server: agreed.server,
            security_mode: agreed.security_mode,
            dialect: agreed.dialect.code(),
        };
        if found == expected {
            return Ok(());
        }
        Err(malformed(
            "the negotiation was changed on its way: the server remembers another".into(),
        ))
    }
}

/// Whether what was agreed is what the run insists on.
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
    let stream = TcpStream::connect(addresses).await.map_err(fault)?;
    // Otherwise small requests wait for the acknowledgement of the last: 40 ms and more each.
    stream.set_nodelay(true).map_err(fault)?;
    Ok(stream)
}
