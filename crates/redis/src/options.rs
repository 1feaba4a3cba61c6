//! Which server, as whom, and what is in it.

use std::net::SocketAddr;
use std::path::PathBuf;

use headcount_load::{Logins, Password};
use headcount_net::{Certificates, Spelling, TlsOptions};
use serde::Deserialize;

/// Most keys in a data set: key numbers have nine digits.
pub const MOST_KEYS: u32 = 1_000_000_000;
/// Most bytes in a value; Redis itself allows 512 MB.
pub const MOST_VALUE_BYTES: u32 = 16 << 20;

/// The keys that are on the server before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSet {
    /// How many keys.
    pub keys: u32,
    /// Bytes of each value.
    pub value_bytes: u32,
    /// The seed of their contents.
    pub seed: u64,
}

/// Which server, as whom, and what is in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedisOptions {
    /// `host:port` or `[address]:port`.
    pub address: String,
    /// The resolved addresses, if they are already known; the name is then not resolved.
    #[serde(default)]
    pub at: Vec<SocketAddr>,
    /// Whether the connection is encrypted.
    #[serde(default)]
    pub tls: bool,
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
    /// The ACL user that all users log on as; empty for the default user.
    #[serde(default)]
    pub user: String,
    /// The password, if the server asks for one.
    #[serde(default)]
    pub password: Option<Password>,
    /// The users' own names and passwords, instead of one login for all.
    #[serde(default)]
    pub logins: Logins,
    /// The number of the database.
    #[serde(default)]
    pub database: u32,
    /// Whether what is read is compared with what was written.
    #[serde(default = "yes")]
    pub verify: bool,
    /// The keys that are on the server before the run.
    pub data_set: DataSet,
}

impl RedisOptions {
    /// A user's name (empty for the default user) and password; `None` if users do not log on.
    pub(crate) fn login(&self, number: u32) -> Option<(&str, &Password)> {
        let of_all = || Some((&*self.user, self.password.as_ref()?));
        self.logins.user(number).or_else(of_all)
    }

    /// The options for TLS.
    pub(crate) fn tls(&self) -> TlsOptions<'_> {
        TlsOptions {
            certificates: &self.verify_certificates,
            checks_name: self.verify_name,
            certificate: self.certificate.as_deref(),
            key: self.key.as_deref(),
            spelling: Spelling::USUAL,
        }
    }
}

impl DataSet {
    /// Checks that the sizes are in range; the error is a sentence.
    pub fn check(&self) -> Result<(), String> {
        if !(1..=MOST_KEYS).contains(&self.keys) {
            return Err(format!(
                "keys must be from 1 to {MOST_KEYS}; it is {}",
                self.keys
            ));
        }
        if !(crate::value::LEAST_BYTES..=MOST_VALUE_BYTES).contains(&self.value_bytes) {
            return Err(format!(
                "value_bytes must be from {} to {MOST_VALUE_BYTES}; it is {}",
                crate::value::LEAST_BYTES,
                self.value_bytes
            ));
        }
        Ok(())
    }
}

const fn trusted() -> Certificates {
    Certificates::System(true)
}

const fn yes() -> bool {
    true
}
