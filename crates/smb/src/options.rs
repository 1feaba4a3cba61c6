//! The options of a target: the server, the logins and the protocol's settings.

use headcount_load::Logins;
use serde::Deserialize;

use headcount_tree::data_set::DataSet;
use headcount_tree::program::source::Source;

use crate::Password;
use crate::wire::negotiate::{Dialect, SigningAlgorithm};

/// When messages are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum SigningPolicy {
    /// Never; a server that requires signing is refused.
    Off,
    /// When the server requires it, as Windows clients did before Windows 11 24H2.
    #[default]
    Offered,
    /// Always.
    Required,
}

/// When messages are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum EncryptionPolicy {
    /// Never, and the client does not offer it; a server or share that requires encryption is
    /// refused.
    Off,
    /// When the server or the share requires it, as Windows clients do by default.
    #[default]
    Offered,
    /// Always, from the logon on; a server without encryption is refused.
    Required,
}

/// The options of an SMB target.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmbOptions {
    /// `host` or `host:port`; the port of SMB is 445.
    pub address: String,
    /// The share, or a pattern of shares such as `home{n:05}`.
    pub share: String,
    /// How many shares a pattern stands for: user `n` has share `n` modulo this. 0: one for each
    /// user.
    #[serde(default)]
    pub shares: u32,
    /// The user, or a pattern of users such as `user{n:05}`.
    pub user: String,
    /// The domain of the users, or empty.
    #[serde(default)]
    pub domain: String,
    /// The password of all of them.
    pub password: Password,
    /// The users' own names and passwords, instead of a pattern with one password: `{n}` in `user`
    /// then stands for the name.
    #[serde(default)]
    pub logins: Logins,
    /// Dialects offered. One pins it.
    #[serde(default = "all_dialects")]
    pub dialects: Vec<Dialect>,
    /// When messages are signed.
    #[serde(default)]
    pub signing: SigningPolicy,
    /// Signing algorithms offered in dialect 3.1.1, preferred first.
    #[serde(default = "all_algorithms")]
    pub algorithms: Vec<SigningAlgorithm>,
    /// When messages are encrypted. Encrypted messages are not signed as well.
    #[serde(default)]
    pub encryption: EncryptionPolicy,
    /// The folder of each user below the share: a pattern, with backslashes between folders; empty
    /// when each user's share is their folder.
    #[serde(default = "default_folder")]
    pub folder: String,
    /// The number of the first user; user `n` of the engine is `first_user + n`. For load from
    /// several machines.
    #[serde(default)]
    pub first_user: u32,
    /// Whether data read is checked.
    #[serde(default = "yes")]
    pub verify: bool,
    /// Whether users ask for durable handles, and come back to their files after a lost connection.
    #[serde(default)]
    pub durable: bool,
    /// The files of each user.
    #[serde(default)]
    pub data_set: DataSet,
    /// The program that users play, if any.
    #[serde(default)]
    pub program: Option<Source>,
}

impl SmbOptions {
    /// All dialects, signing if the server requires it, a folder such as `user00000` for each user.
    #[must_use]
    pub fn new(address: &str, share: &str, user: &str, password: Password) -> Self {
        Self {
            address: address.to_owned(),
            share: share.to_owned(),
            shares: 0,
            user: user.to_owned(),
            domain: String::new(),
            password,
            logins: Logins::default(),
            dialects: all_dialects(),
            signing: SigningPolicy::default(),
            algorithms: all_algorithms(),
            encryption: EncryptionPolicy::default(),
            folder: default_folder(),
            first_user: 0,
            verify: true,
            durable: false,
            data_set: DataSet::default(),
            program: None,
        }
    }
}

fn all_dialects() -> Vec<Dialect> {
    Dialect::ALL.to_vec()
}

fn all_algorithms() -> Vec<SigningAlgorithm> {
    use SigningAlgorithm::{AesCmac, AesGmac, HmacSha256};
    vec![AesGmac, AesCmac, HmacSha256]
}

fn default_folder() -> String {
    "user{n:05}".to_owned()
}

const fn yes() -> bool {
    true
}
