//! TLS: the handshake.

use std::fmt;
use std::io;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, CipherSuite, ClientConfig, ClientConnection, ProtocolVersion};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::identity::with_identity;
use crate::options::{Spelling, TlsOptions};
use crate::trust::{distrust, verifier};

/// The protocol that is offered in the handshake (ALPN, RFC 7301).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// Its registered name.
    pub protocol: &'static str,
    /// The error if the server does not accept it; `None` if that does not matter.
    pub missing: Option<&'static str>,
}

/// The TLS configuration of connections, for one user or for all.
#[derive(Debug, Clone)]
pub struct Tls {
    pub(crate) config: Arc<ClientConfig>,
    pub(crate) server: ServerName<'static>,
    pub(crate) offered: Option<Offered>,
    pub(crate) spelling: Spelling,
}

/// What a handshake negotiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed {
    version: ProtocolVersion,
    /// Unknown with QUIC.
    suite: Option<CipherSuite>,
}

impl Agreed {
    /// What every QUIC connection negotiates (RFC 9001, 4.2).
    pub const QUIC: Self = Self {
        version: ProtocolVersion::TLSv1_3,
        suite: None,
    };

    /// What this connection negotiated; `None` before its handshake is complete.
    #[must_use]
    pub fn of(connection: &ClientConnection) -> Option<Self> {
        Some(Self {
            version: connection.protocol_version()?,
            suite: Some(connection.negotiated_cipher_suite()?.suite()),
        })
    }
}

impl fmt::Display for Agreed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.suite {
            Some(suite) => write!(f, "{:?} {suite:?}", self.version),
            None => write!(f, "{:?}", self.version),
        }
    }
}

impl Tls {
    /// The configuration for a server of this name. The error is a sentence.
    pub fn new(
        options: TlsOptions<'_>,
        host: &str,
        offered: Option<Offered>,
    ) -> Result<Self, String> {
        let server = ServerName::try_from(host.to_owned())
            .map_err(|_| format!("\"{host}\" is not a name that a certificate can have"))?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let builder = builder
            .dangerous()
            .with_custom_certificate_verifier(verifier(&options, provider)?);
        let mut config = with_identity(builder, &options)?;
        config.resumption = Resumption::disabled();
        config.alpn_protocols = offered
            .iter()
            .map(|offered| offered.protocol.as_bytes().to_vec())
            .collect();
        Ok(Self {
            config: Arc::new(config),
            server,
            offered,
            spelling: options.spelling,
        })
    }

    /// The same for one user, who resumes the session of the last connection.
    #[must_use]
    pub fn resuming(&self) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        config.resumption = Resumption::in_memory_sessions(1);
        Self {
            config: Arc::new(config),
            ..self.clone()
        }
    }

    /// Performs the handshake on a new connection.
    pub async fn shake_hands(&self, stream: TcpStream) -> Result<Box<TlsStream<TcpStream>>, Fault> {
        let connector = TlsConnector::from(Arc::clone(&self.config));
        let connected = connector.connect(self.server.clone(), stream).await;
        let missing = self.offered.and_then(|offered| offered.missing);
        let stream = connected.map_err(|error| no_handshake(&error, missing, self.spelling))?;
        let taken = stream.get_ref().1.alpn_protocol();
        match self.offered {
            Some(Offered {
                protocol,
                missing: Some(missing),
            }) if taken != Some(protocol.as_bytes()) => {
                return Err(Fault::session(FaultKind::Connect, missing));
            }
            _ => {}
        }
        Ok(Box::new(stream))
    }
}

fn no_handshake(error: &io::Error, missing: Option<&str>, spelling: Spelling) -> Fault {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let sentence = match inner {
        Some(rustls::Error::InvalidCertificate(why)) => format!(
            "the server's certificate is not trusted: {}",
            distrust(&why.to_string(), spelling)
        ),
        Some(rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol)) => missing
            .unwrap_or("no TLS handshake: the server speaks another protocol there")
            .to_owned(),
        Some(rustls::Error::AlertReceived(alert)) => unwelcome(*alert).map_or_else(
            || {
                format!(
                    "no TLS handshake: received fatal alert: {alert:?}{}",
                    hint(*alert)
                )
            },
            str::to_owned,
        ),
        Some(other) => format!("no TLS handshake: {other}"),
        None => format!("no TLS handshake: {error}"),
    };
    Fault::session(FaultKind::Connect, sentence)
}

/// The message for an alert about a client certificate, missing or not accepted (RFC 8446, 6.2).
pub(crate) const fn unwelcome(alert: AlertDescription) -> Option<&'static str> {
    Some(match alert {
        AlertDescription::CertificateRequired => {
            "the server asks users for a certificate, and they have none: --client \
             certificate=FILE --client key=FILE (PEM)"
        }
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA
        | AlertDescription::AccessDenied => {
            "the server does not accept the certificate of the users (--client certificate): check \
             its dates, and that an authority the server knows has signed it"
        }
        _ => return None,
    })
}

/// What an unspecific alert may mean: TLS 1.2 servers send it if a client certificate is missing.
const fn hint(alert: AlertDescription) -> &'static str {
    match alert {
        AlertDescription::HandshakeFailure => {
            "; the server may ask users for a certificate: --client certificate=FILE"
        }
        _ => "",
    }
}

/// The error of a connection, with a clear message if it is about the client certificate: with TLS
/// 1.3 the server's alert comes after the handshake.
pub(crate) fn explained(error: io::Error) -> io::Error {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let why = match inner {
        Some(rustls::Error::AlertReceived(alert)) => unwelcome(*alert),
        _ => None,
    };
    match why {
        Some(why) => io::Error::new(io::ErrorKind::ConnectionRefused, why),
        None => error,
    }
}
