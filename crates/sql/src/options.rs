//! Which server and database, as whom, and in which way.

use std::path::PathBuf;

use serde::Deserialize;

use crate::Password;
use crate::data_set::DataSet;

/// Whether connections are encrypted, in libpq's words (PostgreSQL 15, 34.19.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SslMode {
    /// Never.
    Disable,
    /// If the server offers it, whatever its certificate.
    #[default]
    Prefer,
    /// Always, whatever its certificate.
    Require,
    /// Always, with a certificate that is trusted, for the server's name.
    VerifyFull,
}

/// Which server and database, as whom, and in which way.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlOptions {
    /// `host:port` or `[address]:port`.
    pub address: String,
    /// The server's name in its certificate; by default the host of `address`.
    #[serde(default)]
    pub host: Option<String>,
    /// The database.
    pub database: String,
    /// The role as which all users log on; it owns the schema.
    pub user: String,
    /// Its password, if it needs one.
    #[serde(default)]
    pub password: Option<Password>,
    /// Whether connections are encrypted.
    #[serde(default)]
    pub sslmode: SslMode,
    /// A file (PEM) with the authority of `verify-full`; without it, those this machine trusts.
    #[serde(default)]
    pub root_certificates: Option<PathBuf>,
    /// The number of the first user; user `n` of the engine is `first_user + n`. For load from
    /// several machines.
    #[serde(default)]
    pub first_user: u32,
    /// Whether what is read is compared with what was written.
    #[serde(default = "yes")]
    pub verify: bool,
    /// What is in the schema at first.
    #[serde(default)]
    pub data_set: DataSet,
}

impl SqlOptions {
    /// Encrypted if the server offers it; the usual data set.
    #[must_use]
    pub fn new(address: &str, database: &str, user: &str, password: Option<Password>) -> Self {
        Self {
            address: address.to_owned(),
            host: None,
            database: database.to_owned(),
            user: user.to_owned(),
            password,
            sslmode: SslMode::default(),
            root_certificates: None,
            first_user: 0,
            verify: true,
            data_set: DataSet::default(),
        }
    }
}

const fn yes() -> bool {
    true
}
