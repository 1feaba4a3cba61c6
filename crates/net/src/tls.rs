//! TLS: what is trusted, and the handshake.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use headcount_load::{Fault, FaultKind};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, CipherSuite, ClientConfig, ClientConnection,
    DigitallySignedStruct, ProtocolVersion, RootCertStore, SignatureScheme,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use serde::Deserialize;

/// Whether a server's certificate must be one that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Certificates {
    /// `true`: signed by an authority that this machine trusts, for the server's name; `false`: any.
    System(bool),
    /// Signed by an authority in this file (PEM), for the server's name.
    File(PathBuf),
}

/// The protocol that is offered in the handshake (ALPN, RFC 7301).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// Its registered name.
    pub protocol: &'static str,
    /// What to say when the server does not take it; `None` if that does not matter.
    pub missing: Option<&'static str>,
}

/// How connections are made safe, for one user or for all.
#[derive(Debug, Clone)]
pub struct Tls {
    config: Arc<ClientConfig>,
    server: ServerName<'static>,
    offered: Option<Offered>,
}

/// What was agreed on in a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed {
    version: ProtocolVersion,
    suite: CipherSuite,
}

impl Agreed {
    /// What was agreed on for this connection.
    #[must_use]
    pub fn of(connection: &ClientConnection) -> Option<Self> {
        Some(Self {
            version: connection.protocol_version()?,
            suite: connection.negotiated_cipher_suite()?.suite(),
        })
    }
}

impl fmt::Display for Agreed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.version, self.suite)
    }
}

impl Tls {
    /// For a server of this name. The error is a sentence.
    pub fn new(
        certificates: &Certificates,
        host: &str,
        offered: Option<Offered>,
    ) -> Result<Self, String> {
        let server = ServerName::try_from(host.to_owned())
            .map_err(|_| format!("\"{host}\" is not a name that a certificate can have"))?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let verifier: Arc<dyn ServerCertVerifier> = match certificates {
            Certificates::System(false) => Arc::new(Anybody { provider }),
            Certificates::System(true) => trusting(system_roots()?, provider)?,
            Certificates::File(path) => trusting(roots_of(path)?, provider)?,
        };
        let mut config = builder
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        config.alpn_protocols = offered
            .iter()
            .map(|offered| offered.protocol.as_bytes().to_vec())
            .collect();
        Ok(Self {
            config: Arc::new(config),
            server,
            offered,
        })
    }

    /// The same for one user, who resumes what was agreed on in the last handshake.
    #[must_use]
    pub fn resuming(&self) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        config.resumption = Resumption::in_memory_sessions(1);
        Self {
            config: Arc::new(config),
            ..self.clone()
        }
    }

    /// Shakes hands on a new connection.
    pub async fn shake_hands(&self, stream: TcpStream) -> Result<Box<TlsStream<TcpStream>>, Fault> {
        let connector = TlsConnector::from(Arc::clone(&self.config));
        let connected = connector.connect(self.server.clone(), stream).await;
        let missing = self.offered.and_then(|offered| offered.missing);
        let stream = connected.map_err(|error| no_handshake(&error, missing))?;
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

fn no_handshake(error: &io::Error, missing: Option<&str>) -> Fault {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let sentence = match inner {
        Some(rustls::Error::InvalidCertificate(why)) => format!(
            "the server's certificate is not trusted: {}{}",
            reason(why),
            remedy(why)
        ),
        Some(rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol)) => missing
            .unwrap_or("no TLS handshake: the server speaks another protocol there")
            .to_owned(),
        Some(other) => format!("no TLS handshake: {other}"),
        None => format!("no TLS handshake: {error}"),
    };
    Fault::session(FaultKind::Connect, sentence)
}

/// What to do about it, where it is the trust that is missing: another name or a date is not mended
/// by an authority.
fn remedy(why: &CertificateError) -> &'static str {
    match why {
        CertificateError::NotValidForName
        | CertificateError::NotValidForNameContext { .. }
        | CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => "",
        _ => {
            "; trust its authority with --client verify_certificates=FILE (PEM), or any \
             certificate with verify_certificates=off"
        }
    }
}

/// Why a certificate is not trusted, in words where that is a common mistake.
fn reason(why: &CertificateError) -> String {
    let message = why.to_string();
    if message.contains("UnknownIssuer") || message.contains("CaUsedAsEndEntity") {
        return "it is self-signed, or this machine does not know its authority".into();
    }
    message
}

fn trusting(
    roots: RootCertStore,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, String> {
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    Ok(verifier.build().map_err(|error| error.to_string())?)
}

fn system_roots() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        return Err(
            "this machine has no list of authorities that it trusts: install Debian's \
                    package ca-certificates, or name a file (PEM) in verify_certificates"
                .into(),
        );
    }
    Ok(roots)
}

fn roots_of(path: &Path) -> Result<RootCertStore, String> {
    let wrong = |why: String| {
        format!(
            "verify_certificates: {} holds no certificates (PEM): {why}",
            path.display()
        )
    };
    let mut roots = RootCertStore::empty();
    let certificates =
        CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(wrong("it is empty".into()));
    }
    Ok(roots)
}

/// Accepts any certificate, because the user said so; still checks that the server has its key.
#[derive(Debug)]
struct Anybody {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
