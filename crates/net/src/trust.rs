//! Which server certificates are trusted.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};

use crate::options::{Certificates, Spelling, TlsOptions};

/// The verifier of server certificates. The error is a sentence.
pub(crate) fn verifier(
    options: &TlsOptions<'_>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, String> {
    let spelling = options.spelling;
    let listed = match options.certificates {
        Certificates::System(false) => None,
        Certificates::System(true) => Some((system_roots(spelling)?, Vec::new())),
        Certificates::File(path) => Some(listed(path, spelling)?),
    };
    let known = listed.map(|(roots, exact)| Known {
        roots,
        exact,
        checks_name: options.checks_name,
    });
    Ok(Arc::new(Verifier { known, provider }))
}

/// Why a certificate is not trusted, and what to do about it. `why` is the text of rustls's
/// `CertificateError`, which is all that quinn keeps of it.
pub(crate) fn distrust(why: &str, spelling: Spelling) -> String {
    let Spelling { trust, any, names } = spelling;
    if why == "NotValidForName" || why.contains("not valid for name") {
        return format!("{why}; to trust it under another name: --client {names}");
    }
    if why == "Expired" {
        return "it has expired".to_owned();
    }
    if why == "NotValidYet" || why.contains("expired") || why.contains("not valid yet") {
        return why.to_owned();
    }
    let is_unknown = why == "UnknownIssuer" || why.contains(OWN_AUTHORITY);
    let reason = if is_unknown {
        "it is self-signed, or this machine does not know its authority"
    } else {
        why
    };
    let trust = trust.replace(' ', " --client ");
    format!(
        "{reason}; trust it or its authority with --client {trust} (PEM), or any certificate with \
         --client {any}"
    )
}

/// webpki's name for an authority's certificate that a server presents as its own. `openssl req
/// -x509` makes such certificates, and people use them for servers.
const OWN_AUTHORITY: &str = "CaUsedAsEndEntity";

/// Whether a certificate was refused only because it is an authority's.
fn is_own_authority(why: &CertificateError) -> bool {
    let CertificateError::Other(OtherError(inner)) = why else {
        return false;
    };
    // webpki's error type, which rustls does not expose.
    inner.to_string().contains(OWN_AUTHORITY)
}

fn system_roots(spelling: Spelling) -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        return Err(format!(
            "this machine has no list of authorities that it trusts: install Debian's package \
             ca-certificates, or name a file (PEM) in {}",
            spelling.file_key()
        ));
    }
    Ok(roots)
}

/// The certificates of a file, as authorities and for exact comparison.
fn listed(
    path: &Path,
    spelling: Spelling,
) -> Result<(RootCertStore, Vec<CertificateDer<'static>>), String> {
    let key = spelling.file_key();
    let wrong = |why: String| {
        let path = path.display();
        format!("{key}: {path} holds no certificates (PEM): {why}")
    };
    let mut roots = RootCertStore::empty();
    let mut exact = Vec::new();
    let certificates =
        CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots
            .add(certificate.clone())
            .map_err(|error| wrong(error.to_string()))?;
        exact.push(certificate);
    }
    if roots.is_empty() {
        return Err(wrong("it is empty".into()));
    }
    Ok((roots, exact))
}

/// The certificates that are accepted, where not all are.
#[derive(Debug)]
struct Known {
    /// Authorities.
    roots: RootCertStore,
    /// Certificates accepted without an authority.
    exact: Vec<CertificateDer<'static>>,
    checks_name: bool,
}

impl Known {
    fn check(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
        provider: &CryptoProvider,
    ) -> Result<(), Error> {
        let certificate = ParsedCertificate::try_from(shown)?;
        let algorithms = provider.signature_verification_algorithms.all;
        let signed = verify_server_cert_signed_by_trust_anchor(
            &certificate,
            &self.roots,
            intermediates,
            now,
            algorithms,
        );
        match signed {
            // webpki reports both after it has checked the dates: only the authority is in
            // question.
            Err(Error::InvalidCertificate(why))
                if (why == CertificateError::UnknownIssuer || is_own_authority(&why))
                    && self.exact.iter().any(|known| known == shown) => {}
            other => other?,
        }
        if self.checks_name {
            verify_server_name(&certificate, name)?;
        }
        Ok(())
    }
}

/// Verifies certificates unless any is accepted, and always that the server has the private key.
#[derive(Debug)]
struct Verifier {
    known: Option<Known>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(known) = &self.known {
            known.check(end_entity, intermediates, server_name, now, &self.provider)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
