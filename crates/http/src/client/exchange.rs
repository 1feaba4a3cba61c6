//! A request on the wire, and its answer, over any version of HTTP.

use std::cell::RefCell;
use std::io::Write;

use headcount_load::clock::unix_us;
use headcount_load::{Fault, FaultKind};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST};
use http::uri::{Authority, Parts, PathAndQuery};
use http::{HeaderName, HeaderValue, Request, Uri};

use super::Shared;
use super::ask::{Ask, Method, Target};
use super::body::Body;
use super::jar::Jar;
use super::payload::{BodyEnd, Payload};
use super::received::MOST_KEPT_BYTES;
use super::session::{Answer, Asked, Hints, HttpSession};
use crate::connection::http1::{Each, Until};
use crate::connection::{Connection, lost};
use crate::wire::reply::Reply;

/// The headers of a request that depend on the user.
pub(super) struct Personal<'a> {
    pub(super) authorization: Option<&'a str>,
    /// The value of the `Cookie` header, or empty.
    pub(super) cookies: String,
}

/// Now, in seconds since 1970.
pub(super) fn unix_s() -> i64 {
    i64::try_from(unix_us() / 1_000_000).unwrap_or(i64::MAX)
}

impl HttpSession {
    /// Sends a request and reads its answer until `until`. `note` gets every header.
    ///
    /// Servers close connections that were idle, or had many requests, whenever they like, also
    /// while a request is on its way. If it is safe, it is sent again on a new connection, as by
    /// browsers (RFC 9112, 9.3.1). That is counted, as a process that crashed looks the same.
    pub(super) async fn exchange_once(
        &mut self,
        ask: &Ask,
        asked: &Asked,
        until: Until,
        note: &mut Each<'_>,
    ) -> Result<Answer, Fault> {
        let mut counted = asked.method.kind();
        loop {
            self.connect().await?;
            self.requests.sent(counted);
            let exchanged = self.exchange_here(ask, asked, until, note).await;
            let may_repeat = exchanged.is_err() && asked.method.is_safe();
            match &self.connection {
                Some(Connection::Http1(http1)) if may_repeat && http1.was_let_go() => {
                    self.connection = None;
                    counted = Method::RESENT;
                }
                _ => return exchanged,
            }
        }
    }

    /// Does this once, on the connection that there is.
    async fn exchange_here(
        &mut self,
        ask: &Ask,
        asked: &Asked,
        until: Until,
        note: &mut Each<'_>,
    ) -> Result<Answer, Fault> {
        let Self {
            shared,
            connection,
            jar,
            authorization,
            ..
        } = self;
        let personal = Personal {
            authorization: authorization.as_deref(),
            cookies: shared.cookies(jar.as_deref(), ask, asked),
        };
        let mut hints = Hints::default();
        let mut each = |name: &str, value: &[u8]| {
            note(name, value);
            hints.note(name, value);
            // Length first: most headers are not cookies.
            if shared.keeps_cookies && name.len() == 10 && name.eq_ignore_ascii_case("set-cookie") {
                let path = shared.path(ask, asked);
                jar.get_or_insert_default().borrow_mut().set(
                    value,
                    shared.base.site(),
                    &path,
                    unix_s(),
                );
            }
        };
        let payload = ask.payload(asked);
        let mut reply = Reply::new(asked.method == Method::Head, asked.wanted);
        if ask.keeps_body || self.keeps_bodies {
            reply = reply.keeping(MOST_KEPT_BYTES);
        }
        let body = match connection {
            Some(Connection::Http1(connection)) => {
                let compose = |out: &mut Vec<u8>| shared.compose(ask, asked, &personal, out);
                connection
                    .send(compose, &payload, ask.body_end, &mut reply, &mut each)
                    .await?;
                connection.is_spent |= !shared.keeps_alive;
                connection.receive(&mut reply, until, &mut each).await?;
                None
            }
            Some(connection) => {
                let request = shared.request(ask, asked, &personal)?;
                // Boxed: the future is large, and each user's would have room for it.
                let rest = connection.exchange(request, &payload, &mut reply, &mut each, until);
                Some(Box::pin(rest).await?)
            }
            None => return Err(lost("there is no connection")),
        };
        Ok(Answer { reply, body, hints })
    }

    /// Reads the rest of an answer.
    pub(super) async fn finish(&mut self, answer: &mut Answer) -> Result<(), Fault> {
        match (&mut self.connection, &mut answer.body) {
            (Some(Connection::Http1(connection)), _) => {
                let reply = &mut answer.reply;
                connection
                    .receive(reply, Until::End, &mut |_, _| {})
                    .await?;
                let keeps_alive = reply.head().is_some_and(|head| head.keeps_alive);
                connection.is_spent |= !keeps_alive;
                Ok(())
            }
            (Some(connection), Some(rest)) => {
                Box::pin(connection.receive(rest, &mut answer.reply, Until::End)).await
            }
            _ => Err(lost(
                "the connection was closed before the answer was received",
            )),
        }
    }
}

impl Ask {
    /// The body of the request this time.
    pub(super) fn payload<'a>(&'a self, asked: &'a Asked) -> Payload<'a> {
        if asked.lost_body {
            return Payload::None;
        }
        match (&self.body, &asked.text, asked.made) {
            (Body::Given(given), _, _) => Payload::Given(given),
            (Body::File(file), _, _) => Payload::Given(file.bytes()),
            (Body::Mixed(_), Some(text), _) => Payload::Mixed(text.as_bytes(), &asked.inserts),
            (_, Some(text), _) => Payload::Given(text.as_bytes()),
            (_, _, Some((owner, bytes))) => Payload::Made(owner, bytes),
            _ => Payload::None,
        }
    }

    /// Whether the request has its own value for a header, which then replaces the default.
    pub(super) fn has_header(&self, name: &HeaderName) -> bool {
        self.headers.has(name) || self.texts.iter().any(|(known, _)| known == name)
    }
}

impl Shared {
    /// The fault of a failed connection, naming the server.
    pub(super) fn unreachable(&self, fault: &Fault) -> Fault {
        Fault {
            kind: FaultKind::Connect,
            message: format!("{}: {}", self.base.authority, fault.message).into(),
            ends_session: true,
        }
    }

    /// The value of a request's `Cookie` header; empty if the user has no cookies for it. The
    /// step's own header replaces it; that of all requests becomes a part of it.
    pub(super) fn cookies(&self, jar: Option<&RefCell<Jar>>, ask: &Ask, asked: &Asked) -> String {
        let mut cookies = String::new();
        if let Some(jar) = jar
            && !ask.has_header(&COOKIE)
        {
            let (path, site) = (self.path(ask, asked), self.base.site());
            jar.borrow().write(&path, site, unix_s(), &mut cookies);
        }
        match self.headers.value(&COOKIE) {
            Some(given) if !cookies.is_empty() => format!("{given}; {cookies}"),
            _ => cookies,
        }
    }

    /// The path of a request, including the common prefix.
    pub(super) fn path(&self, ask: &Ask, asked: &Asked) -> String {
        let mut path = Vec::new();
        self.write_path(ask, asked, &mut path);
        String::from_utf8_lossy(&path).into_owned()
    }

    /// The path for messages, which are grouped if they differ only in names and figures.
    pub(super) fn shown(&self, ask: &Ask, asked: &Asked) -> String {
        match (&ask.shown, &asked.path) {
            (Some(shown), _) => format!("{}{shown}", self.base.prefix),
            // A redirect led there: its query may hold secrets, and each user has another.
            (None, Some(path)) => path.split('?').next().unwrap_or_default().to_owned(),
            (None, None) => self.path(ask, asked),
        }
    }

    fn write_path(&self, ask: &Ask, asked: &Asked, out: &mut Vec<u8>) {
        if let Some(path) = &asked.path {
            out.extend_from_slice(path.as_bytes());
            return;
        }
        out.extend_from_slice(self.base.prefix.as_bytes());
        match (&ask.target, &asked.page) {
            (Target::Page(_), Some(page)) => self.deck.set.write_path(page, out),
            (Target::Path(path), _) => {
                out.extend_from_slice(path.text().unwrap_or("/").as_bytes());
            }
            (Target::Page(_), None) => out.push(b'/'),
        }
    }

    /// Appends the head of an HTTP/1.1 request (RFC 9112, 3).
    fn compose(&self, ask: &Ask, asked: &Asked, personal: &Personal<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(asked.method.name().as_bytes());
        out.push(b' ');
        self.write_path(ask, asked, out);
        out.extend_from_slice(b" HTTP/1.1\r\n");
        let is_given = |name: &HeaderName| asked.headers.iter().any(|(given, _)| given == name);
        let has_cookies = !personal.cookies.is_empty();
        let logs_on = personal.authorization.is_some();
        let is_replaced = |name: &HeaderName| {
            let is_own = (has_cookies && *name == COOKIE) || (logs_on && *name == AUTHORIZATION);
            is_own || ask.headers.has(name) || is_given(name)
        };
        self.headers.write(is_replaced, out);
        let left_out =
            |name: &HeaderName| is_given(name) || (asked.lost_body && *name == CONTENT_TYPE);
        ask.headers.write(left_out, out);
        for (name, value) in &asked.headers {
            out.extend_from_slice(name.as_str().as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        if !self.keeps_alive {
            out.extend_from_slice(b"Connection: close\r\n");
        }
        if let Some(authorization) = personal.authorization
            && !ask.has_header(&AUTHORIZATION)
        {
            let _ = write!(out, "Authorization: {authorization}\r\n"); // memory takes everything
        }
        if has_cookies {
            let _ = write!(out, "Cookie: {}\r\n", personal.cookies);
        }
        let payload = ask.payload(asked);
        if asked.method.has_body() || !matches!(payload, Payload::None) {
            let bytes = payload.bytes();
            // Memory takes everything.
            let _ = match ask.body_end {
                BodyEnd::Length => write!(out, "Content-Length: {bytes}\r\n"),
                BodyEnd::Chunks => out.write_all(b"Transfer-Encoding: chunked\r\n"),
            };
        }
        out.extend_from_slice(b"\r\n");
    }

    /// The site that a request asks for, where a step's own `Host` counts, too; `None` if that is
    /// not a host.
    pub(super) fn authority_of(&self, ask: &Ask, asked: &Asked) -> Option<Authority> {
        let own = asked.headers.iter().find(|(name, _)| *name == HOST);
        let own = own.and_then(|(_, value)| value.to_str().ok());
        match own.or_else(|| ask.headers.value(&HOST)) {
            Some(host) => host.parse().ok(),
            None => Some(self.authority.clone()),
        }
    }

    /// A request for HTTP/2 (RFC 9113, 8.3) or HTTP/3 (RFC 9114, 4.3).
    pub(super) fn request(
        &self,
        ask: &Ask,
        asked: &Asked,
        personal: &Personal<'_>,
    ) -> Result<Request<()>, Fault> {
        let version = self.version;
        let wrong =
            |what: &str| Fault::step(FaultKind::Refused, format!("{version} has no {what}"));
        let mut path = Vec::new();
        self.write_path(ask, asked, &mut path);
        let mut parts = Parts::default();
        parts.scheme = Some(self.scheme.clone());
        let authority = self.authority_of(ask, asked);
        parts.authority = Some(authority.ok_or_else(|| wrong("such host"))?);
        let path = PathAndQuery::from_maybe_shared(path);
        parts.path_and_query = Some(path.map_err(|_| wrong("such path"))?);
        let mut request = Request::new(());
        *request.uri_mut() = Uri::from_parts(parts).map_err(|_| wrong("such address"))?;
        *request.method_mut() = asked.method.into();
        let headers = request.headers_mut();
        headers.clone_from(&self.map);
        ask.headers.insert(headers);
        if asked.lost_body {
            headers.remove(CONTENT_TYPE);
        }
        for (name, value) in &asked.headers {
            headers.insert(name.clone(), value.clone());
        }
        headers.remove(HOST); // the authority says it
        let own = [
            (AUTHORIZATION, personal.authorization.unwrap_or_default()),
            (COOKIE, personal.cookies.as_str()),
        ];
        for (name, text) in own {
            if !text.is_empty() && !ask.has_header(&name) {
                let value = HeaderValue::from_str(text);
                headers.insert(name, value.map_err(|_| wrong("such header"))?);
            }
        }
        let payload = ask.payload(asked);
        let says_length = asked.method.has_body() || !matches!(payload, Payload::None);
        if says_length && ask.body_end == BodyEnd::Length {
            headers.insert(CONTENT_LENGTH, payload.bytes().into());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Http, HttpOptions};

    #[test]
    fn messages_show_no_query_of_a_redirect() {
        let mut options = HttpOptions::new("http://shop.test");
        options.at = vec!["127.0.0.1:1".parse().unwrap()];
        let shop = Http::new(options).unwrap();
        let ask = Ask::get("/login?a=b", &[200]);
        let mut asked = Asked::plain(Method::Get);
        assert_eq!(shop.shared.shown(&ask, &asked), "/login?a=b");
        asked.path = Some("/callback?code=x".into());
        assert_eq!(shop.shared.shown(&ask, &asked), "/callback");
    }
}
