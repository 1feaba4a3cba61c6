//! The client certificate that users present to servers that ask for one.

use std::fs;
use std::path::Path;

use rustls::ClientConfig;
use rustls::ConfigBuilder;
use rustls::client::WantsClientCert;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::options::TlsOptions;

/// Completes a configuration with the users' client certificate, if they have one. The error is a
/// sentence.
pub(crate) fn with_identity(
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    options: &TlsOptions<'_>,
) -> Result<ClientConfig, String> {
    let (path, key_path) = match (options.certificate, options.key) {
        (None, None) => return Ok(builder.with_no_client_auth()),
        (None, Some(key)) => {
            let key = key.display();
            return Err(format!(
                "key: {key} belongs to a certificate, and none is given: --client certificate=FILE"
            ));
        }
        (Some(path), key) => (path, key.unwrap_or(path)),
    };
    let chain = chain_of(path)?;
    let key = key_of(key_path, options.key.is_none())?;
    builder.with_client_auth_cert(chain, key).map_err(|error| {
        let (path, key_path) = (path.display(), key_path.display());
        match error {
            rustls::Error::InconsistentKeys(_) => {
                format!("key: {key_path} is not the key of the certificate in {path}")
            }
            other => format!("certificate: {path} with key {key_path} cannot be used: {other}"),
        }
    })
}

fn chain_of(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |why: String| {
        let path = path.display();
        format!("certificate: {path} holds no certificate (PEM): {why}")
    };
    let found = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
    let chain: Result<Vec<_>, _> = found.collect();
    let chain = chain.map_err(|error| wrong(error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong("it is empty".into()));
    }
    Ok(chain)
}

/// The private key in a file. `is_beside`: the file holds the certificate, too.
fn key_of(path: &Path, is_beside: bool) -> Result<PrivateKeyDer<'static>, String> {
    let shown = path.display();
    let text = fs::read(path).map_err(|error| format!("key: {shown} cannot be read: {error}"))?;
    if is_encrypted(&text) {
        return Err(format!(
            "key: {shown} is encrypted; write a copy without a passphrase that only you can read: \
             openssl pkey -in {shown} -out key.pem"
        ));
    }
    match PrivateKeyDer::from_pem_slice(&text) {
        Ok(key) => Ok(key),
        Err(PemError::NoItemsFound) if is_beside => Err(format!(
            "certificate: {shown} holds no private key; name the file that does: --client key=FILE"
        )),
        Err(error) => Err(format!("key: {shown} holds no private key (PEM): {error}")),
    }
}

/// Whether a key needs a passphrase (RFC 7468, 11; RFC 1421, 4.6.1.1).
fn is_encrypted(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
}
