//! TLS options.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Which certificates of a server are trusted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Certificates {
    /// `true`: signed by an authority that this machine trusts; `false`: any.
    System(bool),
    /// One in this file (PEM), or signed by an authority in it.
    File(PathBuf),
}

/// How a protocol spells its options, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    /// The options that trust a certificate in a file: `key=value` with spaces between, the file
    /// last.
    pub trust: &'static str,
    /// The option that trusts any certificate.
    pub any: &'static str,
    /// The option that trusts a certificate whatever names it has.
    pub names: &'static str,
}

impl Spelling {
    /// The spelling of most protocols.
    pub const USUAL: Self = Self {
        trust: "verify_certificates=FILE",
        any: "verify_certificates=off",
        names: "verify_name=off",
    };

    /// The key of the option that names a file.
    pub(crate) fn file_key(self) -> &'static str {
        let last = self.trust.rsplit(' ').next().unwrap_or(self.trust);
        last.split('=').next().unwrap_or(last)
    }
}

/// TLS options.
#[derive(Debug, Clone, Copy)]
pub struct TlsOptions<'a> {
    /// Which certificates are accepted.
    pub certificates: &'a Certificates,
    /// Whether a certificate must be for the server's name.
    pub checks_name: bool,
    /// The client certificate for servers that ask for one (PEM), with its intermediates.
    pub certificate: Option<&'a Path>,
    /// Its private key (PEM); by default the one in the certificate's file.
    pub key: Option<&'a Path>,
    /// How messages spell these options.
    pub spelling: Spelling,
}
