//! Opening a WebSocket: the request (RFC 6455, 4.1) and the user's authentication.

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_net::Transport;
use http::header::{
    AUTHORIZATION, CONNECTION, HOST, ORIGIN, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, SET_COOKIE,
    UPGRADE, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use tokio_tungstenite::tungstenite::handshake::client::generate_key;

use super::Shared;
use super::ask::{Ask, Method};
use super::exchange::{Personal, unix_s};
use super::proof::{MOST_PROOFS, Proof, schemes};
use super::session::{Asked, HttpSession};
use super::socket::{Opened, Socket};
use crate::connection::malformed;
use crate::options::Auth;

impl HttpSession {
    /// Opens a WebSocket, replacing an open one. Repeats the request if the server challenges the
    /// user (Digest).
    pub(super) async fn open_socket(&mut self, ask: &Ask, user: &mut User) -> Result<Moved, Fault> {
        self.socket = None;
        let asked = self.texts(ask, user.scope())?;
        let path = self.shared.path(ask, &asked);
        let answers = self.proves_by_digest && !ask.has_header(&AUTHORIZATION);
        let mut left = MOST_PROOFS;
        loop {
            left -= 1;
            let sent_proofs = if answers { self.prove(ask, &asked) } else { 0 };
            let opened = self.shake_hands(ask, &asked, &path).await?;
            let (status, headers) = match opened {
                Opened::Socket(socket, headers) => {
                    self.keep_cookies(&headers, &path);
                    self.renew(&values(&headers, "authentication-info"));
                    self.socket = Some(socket);
                    return Ok(Moved::default());
                }
                Opened::Refused(status, headers) => (status, headers),
            };
            self.keep_cookies(&headers, &path);
            self.note_status(status.as_u16(), ask, &asked);
            let offered = values(&headers, WWW_AUTHENTICATE.as_str());
            if status == StatusCode::UNAUTHORIZED && answers {
                match self.take_challenge(&offered, sent_proofs) {
                    Proof::Impossible(fault) => return Err(fault),
                    Proof::New if left > 0 => continue,
                    Proof::New | Proof::Refused => {}
                }
            }
            return Err(self.shared.unopened(status, &offered, self.number));
        }
    }

    /// Requests a WebSocket on a connection of its own.
    async fn shake_hands(&self, ask: &Ask, asked: &Asked, path: &str) -> Result<Opened, Fault> {
        let shared = &self.shared;
        self.requests.sent(Method::CONNECT);
        self.requests.sent(Method::Get.kind());
        let personal = Personal {
            authorization: self.authorization.as_deref(),
            cookies: shared.cookies(self.jar.as_deref(), ask, asked),
        };
        let mut request = shared.request(ask, asked, &personal)?;
        shared.ask_for_socket(&mut request, path)?;
        let tls = shared.socket_tls.as_ref().or(shared.tls.as_ref());
        let transport = Transport::establish(&shared.addresses, tls).await;
        let transport = transport.map_err(|fault| shared.unreachable(&fault))?;
        transport.hurry();
        Socket::open(request, transport).await
    }

    fn keep_cookies(&mut self, headers: &HeaderMap, path: &str) {
        if !self.shared.keeps_cookies {
            return;
        }
        for value in headers.get_all(SET_COOKIE) {
            let (jar, site) = (self.jar.get_or_insert_default(), self.shared.base.site());
            jar.borrow_mut().set(value.as_bytes(), site, path, unix_s());
        }
    }
}

/// The values of all headers with this name.
fn values(headers: &HeaderMap, name: &str) -> Vec<String> {
    let found = headers.get_all(name).iter();
    found
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect()
}

impl Shared {
    /// The fault of a server that opens no WebSocket, with advice if it wants authentication.
    fn unopened(&self, status: StatusCode, offered: &[String], number: u32) -> Fault {
        let reason = status.canonical_reason().unwrap_or("?");
        let status = status.as_u16();
        if let Some(fault) = self.not_accepted(status, number) {
            let advice = self.advice(offered);
            let message = format!("{}{advice}", fault.message).into();
            return Fault { message, ..fault };
        }
        let advice = if status == 401 {
            self.advice(offered)
        } else {
            String::new()
        };
        Fault::step(
            FaultKind::Refused,
            format!("status {status} {reason} instead of 101, which opens a WebSocket{advice}"),
        )
    }

    /// How users could authenticate, if the server wants another scheme.
    fn advice(&self, offered: &[String]) -> String {
        let schemes = schemes(offered);
        let asks = |name: &str| schemes.iter().any(|known| known.eq_ignore_ascii_case(name));
        let way = match (&self.credentials, self.auth) {
            _ if schemes.is_empty() => return String::new(),
            (Some(_), Auth::Basic) if asks("basic") => return String::new(),
            (Some(_), Auth::Digest) if asks("digest") => return String::new(),
            (Some(_), _) if asks("digest") => "--client auth=digest",
            (Some(_), _) if asks("basic") => "--client auth=basic",
            (None, _) if asks("basic") || asks("digest") => {
                "give users names and passwords: --user, or --logins FILE"
            }
            _ if asks("bearer") => "give users access tokens: [oauth2], or a header Authorization",
            _ => "users support Basic, Digest and Bearer; give the step a header Authorization",
        };
        let asked = headcount_load::fault::words(&schemes.join(", "));
        format!("; the server asks for {asked}: {way}")
    }

    /// Turns a request into one that opens a WebSocket (RFC 6455, 4.1), from a page of this site.
    fn ask_for_socket(&self, request: &mut Request<()>, path: &str) -> Result<(), Fault> {
        let wrong = |error: http::Error| malformed(error.to_string());
        let scheme = if self.base.is_tls { "wss" } else { "ws" };
        let authority = request.uri().authority();
        let authority = authority.unwrap_or(&self.authority).clone();
        let address = format!("{scheme}://{authority}{path}");
        *request.uri_mut() = address
            .parse()
            .map_err(|error: http::uri::InvalidUri| malformed(format!("{path}: {error}")))?;
        let value = |text: &str| HeaderValue::from_str(text).map_err(|error| wrong(error.into()));
        let origin = format!("{}://{authority}", self.scheme);
        let headers = request.headers_mut();
        headers.insert(HOST, value(authority.as_str())?);
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        headers.insert(SEC_WEBSOCKET_KEY, value(&generate_key())?);
        if !headers.contains_key(ORIGIN) {
            headers.insert(ORIGIN, value(&origin)?);
        }
        Ok(())
    }
}
