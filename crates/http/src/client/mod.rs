//! The client: virtual users and their requests.
//!
//! * [`step`], [`ask`] and [`method`]: what users do; [`headers`], [`body`], `piece`, `mixed`,
//!   `multipart`, `file_type`, [`payload`], [`sizes`]: the parts of requests.
//! * [`session`]: one user; `journey`: a request with its values, through redirects; `exchange`: a
//!   request on the wire; `connecting`: its connection; `closing`: one that the server closes;
//!   `judge`: whether the answer is right; `received`: what captures and checks see of it; [`jar`]:
//!   the user's cookies; `proof` and [`digest`]: authentication; [`oauth2`], [`grant`], `token`,
//!   `token_request`, `bearer` and `renewal`: access tokens; `version`: the version of HTTP.
//! * [`resources`]: the resources of a page; `page` and `load`: fetching them; `place`: where they
//!   are; [`cache`]: what need not be fetched again.
//! * [`news`]: events that are waited for; `stream`: what users do with them.
//! * `socket`: a WebSocket; `handshake`: opening it; `talk`: what users do with it; [`message`]:
//!   its messages.
//! * [`inspect`]: which server answers, and whether it has the data set.

pub mod ask;
mod bearer;
pub mod body;
pub mod cache;
mod closing;
mod connecting;
pub mod cookie_date;
pub mod digest;
mod exchange;
mod fields;
mod file_type;
mod form;
pub mod grant;
mod handshake;
pub mod headers;
pub mod inspect;
pub mod jar;
mod journey;
mod judge;
mod load;
pub mod message;
pub mod method;
mod mixed;
mod multipart;
pub mod news;
pub mod oauth2;
mod page;
pub mod payload;
mod piece;
mod place;
mod pool;
mod proof;
mod received;
mod redirect;
mod renewal;
pub mod resources;
pub mod session;
pub mod sizes;
mod socket;
pub mod step;
mod stream;
mod talk;
mod token;
mod token_request;
mod version;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use headcount_load::{Blame, Blamed, Fault, Logins, Protocol, User};
use headcount_script::Identity;
use http::HeaderMap;
use http::uri::{Authority, Scheme};

pub use session::HttpSession;
pub use step::Step;

use crate::Password;
use crate::base::Base;
use crate::connection::READ_BYTES;
use crate::connection::http1::Reading;
use crate::options::{Auth, HttpOptions};
use crate::pages::Deck;
use crate::pattern::Pattern;
use ask::Method;
use headcount_net::Tls;
use headers::Headers;
use jar::Site;
use version::Version;

/// Why a target cannot be used, or does not answer as it should.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The name of the server has no address.
    #[error("the server's address {address} cannot be resolved: {error}")]
    Address {
        /// As the user gave it.
        address: String,
        /// Why.
        error: std::io::Error,
    },
    /// An option is out of bounds, or contradicts another.
    #[error("{0}")]
    Options(String),
    /// The server could not be reached, or did not answer as it should.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The caller did not want to go on.
    #[error("cancelled")]
    Cancelled,
    /// The system refused an event queue.
    #[error("the system refused what the network needs: {0}")]
    System(#[from] std::io::Error),
}

impl Blamed for HttpError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_) => Blame::Input,
            Self::Address { .. } | Self::Cancelled => Blame::Target,
            Self::System(_) => Blame::System,
            Self::Fault(fault) => fault.blame(),
        }
    }
}

/// An HTTP server as a target of load.
#[derive(Debug, Clone)]
pub struct Http {
    shared: Arc<Shared>,
}

/// What all users share.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "options that do not depend on each other"
)]
pub(crate) struct Shared {
    base: Base,
    addresses: Vec<SocketAddr>,
    /// The index of the one that answered last over QUIC.
    answered: AtomicUsize,
    tls: Option<Tls>,
    /// The configuration for a WebSocket, if other requests use another version of HTTP.
    socket_tls: Option<Tls>,
    resumes_tls: bool,
    version: Version,
    keeps_alive: bool,
    /// Headers of all requests.
    headers: Headers,
    /// The same for HTTP/2.
    map: HeaderMap,
    scheme: Scheme,
    authority: Authority,
    reading: Reading,
    keeps_cookies: bool,
    has_new_visitors: bool,
    /// The share of answers whose contents are checked.
    verify: f64,
    credentials: Option<(Pattern, Password)>,
    auth: Auth,
    logins: Logins,
    first_user: u32,
    deck: Deck,
    /// Where tokens come from, if not from this server.
    token_server: Option<Arc<Self>>,
}

impl Http {
    /// Resolves the address and checks the options. Nothing is sent.
    pub fn new(options: HttpOptions) -> Result<Self, HttpError> {
        let wrong = |sentence: String| HttpError::Options(sentence);
        check(&options).map_err(wrong)?;
        let base = Base::parse(&options.url).map_err(wrong)?;
        version::check(&options, base.is_tls).map_err(wrong)?;
        let version = Version::of(&options);
        let headers = fixed_headers(&options, &base).map_err(wrong)?;
        let offering = |version: Version| {
            let name = options.server_name.as_deref().unwrap_or(&base.host);
            Tls::new(options.tls(), name, Some(version.offered())).map_err(wrong)
        };
        let tls = base.is_tls.then(|| offering(version)).transpose()?;
        let is_apart = base.is_tls && version != Version::Http1;
        let socket_tls = is_apart.then(|| offering(Version::Http1)).transpose()?;
        let addresses = if options.at.is_empty() {
            base.resolve().map_err(|error| HttpError::Address {
                address: base.authority.clone(),
                error,
            })?
        } else {
            options.at.clone()
        };
        // A given `Host` is the name of the site in HTTP/2, too.
        let host = headers.value(&http::header::HOST);
        let authority = host.unwrap_or(&base.authority).parse::<Authority>();
        let token_server = options.at_token_server().map(Self::new).transpose()?;
        let shared = Shared {
            addresses,
            answered: AtomicUsize::new(0),
            token_server: token_server.map(|server| server.shared),
            tls,
            socket_tls,
            resumes_tls: options.resume_tls,
            version,
            keeps_alive: options.keep_alive,
            map: map_of(&headers),
            headers,
            scheme: if base.is_tls {
                Scheme::HTTPS
            } else {
                Scheme::HTTP
            },
            authority: authority.map_err(|error| wrong(format!("{}: {error}", options.url)))?,
            reading: Reading {
                buffer_bytes: options.receive_buffer,
            },
            keeps_cookies: options.cookies,
            has_new_visitors: options.new_visitors,
            verify: options.verify,
            credentials: credentials(options.user.as_deref(), options.password, &options.logins)
                .map_err(wrong)?,
            logins: options.logins,
            auth: options.auth,
            first_user: options.first_user,
            deck: Deck::new(options.data_set),
            base,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

/// Checks that the options are in bounds and do not contradict each other. The error is a sentence.
fn check(options: &HttpOptions) -> Result<(), String> {
    options.data_set.check()?;
    if !(0.0..=1.0).contains(&options.verify) {
        let share = options.verify;
        return Err(format!(
            "verify must be true, false or from 0 to 1; it is {share}"
        ));
    }
    if options.receive_buffer as usize > READ_BYTES {
        let bytes = options.receive_buffer;
        return Err(format!(
            "receive_buffer must be from 0 to {READ_BYTES}; it is {bytes}"
        ));
    }
    Ok(())
}

fn credentials(
    user: Option<&str>,
    password: Option<Password>,
    logins: &Logins,
) -> Result<Option<(Pattern, Password)>, String> {
    match (user, password) {
        (None, None) => Ok(None),
        (Some(user), Some(password)) => {
            let pattern = logins
                .pattern(user)
                .map_err(|error| format!("user: {error}"))?;
            if pattern.text(0).contains(':') {
                return Err(format!(
                    "user must not contain a colon (RFC 7617); it is \"{user}\""
                ));
            }
            Ok(Some((pattern, password)))
        }
        _ => Err("user and password must be given together".into()),
    }
}

/// The headers of every request.
fn fixed_headers(options: &HttpOptions, base: &Base) -> Result<Headers, String> {
    let given = Headers::parse(&options.headers)?;
    let mut own = Headers::default();
    own.add("Host", &base.authority)?;
    own.add("User-Agent", &options.user_agent)?;
    own.add("Accept", "*/*")?;
    if options.accept_gzip {
        own.add("Accept-Encoding", "gzip")?;
    }
    Ok(own.replaced_by(given))
}

/// The same without `Host`, which HTTP/2 sends as `:authority`.
fn map_of(headers: &Headers) -> HeaderMap {
    let mut map = HeaderMap::new();
    headers.insert(&mut map);
    map.remove(http::header::HOST);
    map
}

impl Base {
    /// The site for a user's cookies.
    fn site(&self) -> Site<'_> {
        Site {
            host: &self.host,
            is_tls: self.is_tls,
        }
    }
}

impl Shared {
    /// The name and password with which a user logs on.
    fn identity(&self, number: u32) -> Option<Identity> {
        let (user, password) = self.credentials.as_ref()?;
        Some(Identity {
            name: user.text(number).into(),
            password: self.logins.password(number, password).reveal().into(),
        })
    }

    /// Whether users answer challenges.
    fn uses_digest(&self) -> bool {
        self.auth == Auth::Digest && self.credentials.is_some()
    }

    /// The credentials that a user sends without being asked.
    fn authorization(&self, number: u32) -> Option<Box<str>> {
        if self.auth == Auth::Digest {
            return None;
        }
        let (user, password) = self.credentials.as_ref()?;
        let password = self.logins.password(number, password);
        let pair = format!("{}:{}", user.text(number), password.reveal());
        Some(format!("Basic {}", STANDARD.encode(pair)).into())
    }
}

impl Protocol for Http {
    type Step = Step;
    type Session = HttpSession;
    fn requests() -> Vec<&'static str> {
        Method::NAMES.to_vec()
    }

    fn needs_timers(&self) -> bool {
        self.shared.version == Version::Http3
    }

    /// Does not connect: the steps do.
    async fn open(&self, user: &mut User) -> Result<HttpSession, Fault> {
        Ok(HttpSession::new(&self.shared, user))
    }
}
