//! Which server and database, as whom, and in which way.

use std::net::SocketAddr;
use std::path::PathBuf;

use headcount_load::Logins;
use serde::Deserialize;

use crate::Password;
use crate::authentication::{ChannelBinding, RequireAuth};
use crate::data_set::DataSet;

/// Whether connections are encrypted: libpq's modes (PostgreSQL 15, 34.19.1), and `auto`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SslMode {
    /// Like `require` if a password goes to another machine, otherwise like `prefer`.
    #[default]
    Auto,
    /// Never.
    Disable,
    /// If the server offers it, whatever its certificate.
    Prefer,
    /// Always, whatever its certificate.
    Require,
    /// Always, with a trusted certificate, whatever its names.
    VerifyCa,
    /// Always, with a trusted certificate for the server's name.
    VerifyFull,
}

impl SslMode {
    /// The mode that `auto` stands for with a server at these addresses.
    #[must_use]
    pub fn decided(self, has_password: bool, addresses: &[SocketAddr]) -> Self {
        let is_far = || {
            addresses
                .iter()
                .any(|it| !it.ip().to_canonical().is_loopback())
        };
        match self {
            Self::Auto if has_password && is_far() => Self::Require,
            Self::Auto => Self::Prefer,
            given => given,
        }
    }
}

/// How statements are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statements {
    /// Prepared once in a session, and then executed by name.
    #[default]
    Prepared,
    /// Prepared without a name and executed at once, in one round trip: a pooler may then give each
    /// transaction another connection.
    Unnamed,
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
    /// The roles of the users and their passwords, if each has its own: `user` and `password` are
    /// then unused.
    #[serde(default)]
    pub logins: Logins,
    /// Whether connections are encrypted.
    #[serde(default)]
    pub sslmode: SslMode,
    /// The allowed methods of authentication.
    #[serde(default)]
    pub require_auth: RequireAuth,
    /// Whether the proof of the password is bound to the server's certificate.
    #[serde(default)]
    pub channel_binding: ChannelBinding,
    /// A file (PEM) with the certificate or the authority that `verify-full` and `verify-ca` trust;
    /// by default those this machine trusts.
    #[serde(default)]
    pub root_certificates: Option<PathBuf>,
    /// The certificate that users show to a server that asks for one (PEM).
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// Its key (PEM); by default the one in the file of the certificate.
    #[serde(default)]
    pub key: Option<PathBuf>,
    /// The number of the first user; user `n` of the engine is `first_user + n`. For load from
    /// several machines.
    #[serde(default)]
    pub first_user: u32,
    /// Whether what is read is compared with what was written.
    #[serde(default = "yes")]
    pub verify: bool,
    /// How statements are sent.
    #[serde(default)]
    pub statements: Statements,
    /// Whether users need the schema: they do not if all statements come from the workload.
    #[serde(default = "yes")]
    pub has_schema: bool,
    /// The initial contents of the schema.
    #[serde(default)]
    pub data_set: DataSet,
}

impl SqlOptions {
    /// Options with the default protection and data set.
    #[must_use]
    pub fn new(address: &str, database: &str, user: &str, password: Option<Password>) -> Self {
        Self {
            address: address.to_owned(),
            host: None,
            database: database.to_owned(),
            user: user.to_owned(),
            password,
            logins: Logins::default(),
            sslmode: SslMode::default(),
            require_auth: RequireAuth::default(),
            channel_binding: ChannelBinding::default(),
            root_certificates: None,
            certificate: None,
            key: None,
            first_user: 0,
            verify: true,
            statements: Statements::default(),
            has_schema: true,
            data_set: DataSet::default(),
        }
    }
}

const fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_for_other_machines_need_tls_by_default() {
        let here = ["127.0.0.1:5432", "[::1]:5432", "[::ffff:127.0.0.2]:5432"];
        let here: [SocketAddr; 3] = here.map(|text| text.parse().unwrap());
        let far: [SocketAddr; 1] = ["192.0.2.1:5432".parse().unwrap()];
        let one_far = [here[0], far[0]];
        assert_eq!(SslMode::Auto.decided(true, &far), SslMode::Require);
        assert_eq!(SslMode::Auto.decided(true, &one_far), SslMode::Require);
        assert_eq!(SslMode::Auto.decided(true, &here), SslMode::Prefer);
        assert_eq!(SslMode::Auto.decided(false, &far), SslMode::Prefer);
        for given in [SslMode::Disable, SslMode::Prefer, SslMode::VerifyFull] {
            assert_eq!(given.decided(true, &far), given);
        }
    }
}
