//! The options of an HTTP client: the server, the users and the protocol.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use headcount_load::Logins;
pub use headcount_net::Certificates;
use headcount_net::{Spelling, TlsOptions};
use serde::{Deserialize, Deserializer};

use crate::Password;
use crate::pages::{PageSet, suite};

/// How a user with a name and a password authenticates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Auth {
    /// Sends the password with each request (RFC 7617).
    #[default]
    Basic,
    /// Answers the server's challenge, and sends no password (RFC 7616).
    Digest,
}

/// The options of an HTTP client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "options that do not depend on each other"
)]
pub struct HttpOptions {
    /// The address below which all paths stand: `http://host:port/prefix` or `https://...`.
    pub url: String,
    /// The addresses of its host, if they are known already; the name is then not resolved.
    #[serde(default)]
    pub at: Vec<SocketAddr>,
    /// The name that TLS asks for (SNI) and that a certificate must be for; by default the host.
    #[serde(default)]
    pub server_name: Option<String>,
    /// Whether connections are kept for the next request. Otherwise each request has one of its
    /// own, asks the server to close it, and ends when the server has.
    #[serde(default = "yes")]
    pub keep_alive: bool,
    /// HTTP/2 instead of HTTP/1.1: by ALPN over TLS, else by prior knowledge.
    #[serde(default)]
    pub http2: bool,
    /// HTTP/3, over QUIC: the same address by UDP.
    #[serde(default)]
    pub http3: bool,
    /// Which certificates of a server are accepted.
    #[serde(default = "trusted")]
    pub verify_certificates: Certificates,
    /// Whether a certificate must be for the server's name.
    #[serde(default = "yes")]
    pub verify_name: bool,
    /// The certificate that users show to a server that asks for one (PEM).
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// Its key (PEM); without it, that in the file of the certificate.
    #[serde(default)]
    pub key: Option<PathBuf>,
    /// Whether a user's next TLS connection resumes the session of the last. Otherwise each begins
    /// with a whole handshake.
    #[serde(default)]
    pub resume_tls: bool,
    /// The share of answers, from 0 to 1, whose contents are checked if they are pages of the data
    /// set; `true` is all, `false` none. Lengths are always checked.
    #[serde(default = "all", deserialize_with = "share")]
    pub verify: f64,
    /// The most bytes of one read. 0: as many as are useful, and bodies that nobody looks at are
    /// discarded in the kernel.
    #[serde(default)]
    pub receive_buffer: u32,
    /// Whether the server may send bodies compressed by gzip. They count as they come.
    #[serde(default)]
    pub accept_gzip: bool,
    /// Whether each user keeps and sends cookies.
    #[serde(default = "yes")]
    pub cookies: bool,
    /// Whether each scenario is the visit of a new visitor, who has no cookies of the last.
    #[serde(default)]
    pub new_visitors: bool,
    /// What the client calls itself.
    #[serde(default = "own_name")]
    pub user_agent: String,
    /// Headers of all requests. A step's own header of the same name replaces it.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// How users with a name authenticate.
    #[serde(default)]
    pub auth: Auth,
    /// The user, or a pattern of users such as `user{n:05}`.
    #[serde(default)]
    pub user: Option<String>,
    /// The password of all users.
    #[serde(default)]
    pub password: Option<Password>,
    /// The users' names and passwords, if they are not a pattern with one password: `{n}` in `user`
    /// then stands for the name.
    #[serde(default)]
    pub logins: Logins,
    /// The number of the first user; user `n` of the engine is `first_user + n`. For load from
    /// several machines.
    #[serde(default)]
    pub first_user: u32,
    /// The pages of the server.
    #[serde(default = "default_pages")]
    pub data_set: PageSet,
    /// Where users get access tokens, if that is another server.
    #[serde(default)]
    pub token_server: Option<TokenServer>,
}

/// A server that gives access tokens.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenServer {
    /// Its address, without a path.
    pub url: String,
    /// The addresses of its host, where they are known already.
    #[serde(default)]
    pub at: Vec<SocketAddr>,
}

impl HttpOptions {
    /// HTTP/1.1 with keep-alive, everything checked.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            at: Vec::new(),
            server_name: None,
            keep_alive: true,
            http2: false,
            http3: false,
            verify_certificates: trusted(),
            verify_name: true,
            certificate: None,
            key: None,
            resume_tls: false,
            verify: 1.0,
            receive_buffer: 0,
            accept_gzip: false,
            cookies: true,
            new_visitors: false,
            user_agent: own_name(),
            headers: BTreeMap::new(),
            auth: Auth::default(),
            user: None,
            password: None,
            logins: Logins::default(),
            first_user: 0,
            data_set: default_pages(),
            token_server: None,
        }
    }

    /// The options of users at the server that gives them tokens, if it is another: certificates
    /// are checked as the target's are. Each token has a connection of its own, because hardly any
    /// client keeps one until the next.
    #[must_use]
    pub fn at_token_server(&self) -> Option<Self> {
        let server = self.token_server.as_ref()?;
        Some(Self {
            at: server.at.clone(),
            keep_alive: false,
            verify_certificates: self.verify_certificates.clone(),
            verify_name: self.verify_name,
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            user_agent: self.user_agent.clone(),
            ..Self::new(&server.url)
        })
    }

    /// The TLS options.
    #[must_use]
    pub fn tls(&self) -> TlsOptions<'_> {
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

const fn all() -> f64 {
    1.0
}

const fn trusted() -> Certificates {
    Certificates::System(true)
}

fn own_name() -> String {
    concat!("headcount/", env!("CARGO_PKG_VERSION")).to_owned()
}

fn default_pages() -> PageSet {
    suite::webbench(1)
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Share {
        Whether(bool),
        Part(f64),
    }
    Ok(match Share::deserialize(deserializer)? {
        Share::Whether(whether) => f64::from(u8::from(whether)),
        Share::Part(part) => part,
    })
}
