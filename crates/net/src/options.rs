//! What users ask of TLS.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Whether a server's certificate must be one that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Certificates {
    /// `true`: signed by an authority that this machine trusts; `false`: any.
    System(bool),
    /// One of this file (PEM), or signed by an authority in it.
    File(PathBuf),
}

/// How a protocol spells its options, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    /// What trusts a certificate by a file: keys and values, the file last, with spaces between.
    pub trust: &'static str,
    /// What trusts any certificate.
    pub any: &'static str,
    /// What trusts a certificate whatever its names.
    pub names: &'static str,
}

impl Spelling {
    /// That of most protocols.
    pub const USUAL: Self = Self {
        trust: "verify_certificates=FILE",
        any: "verify_certificates=off",
        names: "verify_name=off",
    };

    /// The key that names a file.
    pub(crate) fn file_key(self) -> &'static str {
        let last = self.trust.rsplit(' ').next().unwrap_or(self.trust);
        last.split('=').next().unwrap_or(last)
    }
}

/// What users ask of TLS.
#[derive(Debug, Clone, Copy)]
pub struct TlsOptions<'a> {
    /// Which certificates are accepted.
    pub certificates: &'a Certificates,
    /// Whether a certificate must be for the server's name.
    pub checks_name: bool,
    /// The certificate that users show to a server that asks for one (PEM), with those of the
    /// authorities in between.
    pub certificate: Option<&'a Path>,
    /// Its key (PEM); without it, that in the file of the certificate.
    pub key: Option<&'a Path>,
    /// How these options are spelt.
    pub spelling: Spelling,
}
