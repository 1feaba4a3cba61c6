//! The address of a server and its TLS settings.

use std::net::SocketAddr;
use std::path::PathBuf;

use headcount_load::{Fault, FaultKind};
use headcount_net::{Certificates, Resolved, Spelling, Tls, TlsOptions, Transport, resolve_at};
use serde::Deserialize;

use crate::stage;

/// When TLS begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// Never: everything is in the clear.
    #[default]
    None,
    /// After the command STARTTLS (RFC 9051, 6.2.1; RFC 3207), before anybody logs on.
    Starttls,
    /// With the connection (RFC 8314).
    Implicit,
}

/// The address and TLS settings of a server in the target's options.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointOptions {
    /// `host:port` or `[address]:port`.
    pub address: String,
    /// The resolved addresses, if they are already known; the name is then not resolved.
    #[serde(default)]
    pub at: Vec<SocketAddr>,
    /// When TLS begins.
    #[serde(default)]
    pub security: Security,
    /// Which certificates are accepted.
    #[serde(default = "trusted")]
    pub verify_certificates: Certificates,
    /// Whether a certificate must be for the server's name.
    #[serde(default = "yes")]
    pub verify_name: bool,
    /// The certificate that users show to a server that asks for one (PEM).
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// Its key (PEM); by default, the key in the certificate's file.
    #[serde(default)]
    pub key: Option<PathBuf>,
}

impl EndpointOptions {
    /// The options for TLS.
    fn tls(&self) -> TlsOptions<'_> {
        TlsOptions {
            certificates: &self.verify_certificates,
            checks_name: self.verify_name,
            certificate: self.certificate.as_deref(),
            key: self.key.as_deref(),
            spelling: Spelling::USUAL,
        }
    }
}

const fn yes() -> bool {
    true
}

const fn trusted() -> Certificates {
    Certificates::System(true)
}

/// A server with its resolved addresses.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// All its addresses, tried in this order.
    pub addresses: Vec<SocketAddr>,
    /// When TLS begins.
    pub security: Security,
    tls: Option<Tls>,
}

impl Endpoint {
    /// Resolves the name and reads the certificates. The error is a sentence.
    pub fn new(options: &EndpointOptions) -> Result<Self, String> {
        let Resolved { host, addresses } = resolve_at(&options.address, &options.at)
            .map_err(|error| format!("\"{}\" cannot be resolved: {error}", options.address))?;
        let tls = (options.security != Security::None)
            .then(|| Tls::new(options.tls(), &host, None))
            .transpose()?;
        Ok(Self {
            addresses,
            security: options.security,
            tls,
        })
    }

    /// Connects, with the TLS handshake if TLS is implicit.
    pub async fn connect(&self) -> Result<Transport, Fault> {
        stage::connect();
        let transport = Transport::establish(&self.addresses, None).await?;
        if self.security != Security::Implicit {
            return Ok(transport);
        }
        let transport = self.secure(transport).await?;
        transport.hurry();
        Ok(transport)
    }

    /// Does the TLS handshake on a connection whose server has agreed to STARTTLS.
    pub async fn secure(&self, transport: Transport) -> Result<Transport, Fault> {
        stage::enter("the TLS handshake");
        match &self.tls {
            Some(tls) => transport.secure(tls).await,
            None => Err(Fault::session(
                FaultKind::Connect,
                "STARTTLS was asked for on a connection that is to stay in clear",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(json: &str) -> Result<Endpoint, String> {
        Endpoint::new(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn addresses_of_both_families_are_read() {
        let plain = endpoint(r#"{"address": "127.0.0.1:10143"}"#).unwrap();
        assert_eq!(plain.addresses, ["127.0.0.1:10143".parse().unwrap()]);
        assert_eq!(plain.security, Security::None);
        let secure =
            r#"{"address": "[::1]:993", "security": "implicit", "verify_certificates": false}"#;
        let secure = endpoint(secure).unwrap();
        assert_eq!(secure.addresses, ["[::1]:993".parse().unwrap()]);
        assert!(secure.tls.is_some());
    }

    #[test]
    fn unresolvable_addresses_are_reported() {
        let error = endpoint(r#"{"address": "no such host:143"}"#).unwrap_err();
        assert!(
            error.starts_with("\"no such host:143\" cannot be resolved"),
            "{error}"
        );
    }
}
