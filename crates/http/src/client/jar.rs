//! A user's cookies: what servers set, and what is sent back to them (RFC 6265bis, 5.6 to 5.8).
//!
//! A user talks to one site. So a cookie for another is refused, one for a parent domain is kept as
//! if it were for the host, and `SameSite` holds nothing back. `Secure` cookies go over TLS, and to
//! this machine: browsers trust loopback, too (Secure Contexts, 3.1), so an application can be
//! tested here as it is used.

use std::cmp::Reverse;
use std::net::IpAddr;

use super::cookie_date::unix_s;

/// The most cookies of one user: the least that RFC 6265bis, 6.1 asks of clients for one domain. A
/// further one replaces the oldest.
pub const MOST_COOKIES: usize = 50;

/// The most bytes of a cookie's name and value, from 5.6. Larger cookies are not kept.
pub const MOST_COOKIE_BYTES: usize = 4096;

/// The most bytes of an attribute's value, from 5.6. Longer attributes are ignored.
const MOST_ATTRIBUTE_BYTES: usize = 1024;

/// The longest that a cookie is kept, from 5.5: 400 days.
const MOST_S: i64 = 400 * 86_400;

/// The site that a user talks to.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The name or address in the target, without brackets.
    pub host: &'a str,
    /// Whether it uses TLS.
    pub is_tls: bool,
}

impl Site<'_> {
    /// Whether `Secure` cookies are sent there.
    #[must_use]
    pub fn is_trustworthy(&self) -> bool {
        let host = self.host.to_ascii_lowercase();
        self.is_tls
            || host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Cookie {
    name: Box<str>,
    value: Box<str>,
    path: Box<str>,
    is_secure: bool,
    /// When it expires, in seconds since 1970; `None` for a session cookie.
    expires_s: Option<i64>,
}

impl Cookie {
    fn is_over(&self, now_s: i64) -> bool {
        self.expires_s.is_some_and(|until| until <= now_s)
    }
}

/// The attributes in a `Set-Cookie` header; if a name repeats, the last one counts.
#[derive(Debug, Default)]
struct Attributes<'a> {
    path: Option<&'a str>,
    domain: Option<&'a str>,
    is_secure: bool,
    is_for_any_site: bool,
    age_s: Option<i64>,
    until_s: Option<i64>,
}

impl<'a> Attributes<'a> {
    fn parse(parts: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            if value.len() > MOST_ATTRIBUTE_BYTES {
                continue;
            }
            match key.to_ascii_lowercase().as_str() {
                "path" => found.path = Some(value).filter(|path| path.starts_with('/')),
                "domain" => found.domain = Some(value).filter(|domain| !domain.is_empty()),
                "secure" => found.is_secure = true,
                "samesite" => found.is_for_any_site = value.eq_ignore_ascii_case("none"),
                "max-age" => found.age_s = age_s(value).or(found.age_s),
                "expires" => found.until_s = unix_s(value).or(found.until_s),
                _ => {}
            }
        }
        found
    }

    /// When the cookie expires. `Max-Age` overrides `Expires`.
    fn expires_s(&self, now_s: i64) -> Option<i64> {
        let until = match self.age_s {
            Some(age) => Some(now_s.saturating_add(age)),
            None => self.until_s,
        };
        until.map(|until| until.min(now_s.saturating_add(MOST_S)))
    }

    /// Whether the site may set a cookie with this name, value and these attributes.
    fn suit(&self, name: &str, value: &str, site: Site<'_>) -> bool {
        let begins = |prefix: &str| {
            let text = if name.is_empty() { value } else { name };
            let start = text.get(..prefix.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        };
        let (is_host_only, is_secure_only) = (begins("__Host-"), begins("__Secure-"));
        let is_promised = is_host_only || is_secure_only;
        // A nameless cookie whose value starts with such a prefix is meant to deceive the server.
        !(is_promised && (name.is_empty() || !self.is_secure))
            && !(is_host_only && (self.domain.is_some() || self.path != Some("/")))
            && (self.is_secure || !self.is_for_any_site)
            && (!self.is_secure || site.is_trustworthy())
            && self.domain.is_none_or(|domain| is_for(domain, site.host))
    }
}

/// The seconds that a cookie lasts; `None` if it is not a number.
fn age_s(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let most = if text.starts_with('-') { -1 } else { MOST_S };
    Some(text.parse().map_or(most, |age: i64| age.min(MOST_S)))
}

/// The cookies of one user, in order of creation.
#[derive(Debug, Default)]
pub struct Jar(Vec<Cookie>);

impl Jar {
    /// Applies a `Set-Cookie` header in the answer to a request for this path, at `now_s` in
    /// seconds since 1970.
    pub fn set(&mut self, header: &[u8], site: Site<'_>, request_path: &str, now_s: i64) {
        let Ok(header) = std::str::from_utf8(header) else {
            return;
        };
        if header
            .bytes()
            .any(|byte| byte.is_ascii_control() && byte != b'\t')
        {
            return;
        }
        let mut parts = header.split(';').map(str::trim);
        let pair = parts.next().unwrap_or_default();
        // Without an equals sign, all of it is the value of a cookie without a name.
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        let (name, value) = (name.trim(), value.trim());
        if pair.is_empty() || name.len() + value.len() > MOST_COOKIE_BYTES {
            return;
        }
        let attributes = Attributes::parse(parts);
        if (name.is_empty() && value.is_empty()) || !attributes.suit(name, value, site) {
            return;
        }
        let path = attributes
            .path
            .unwrap_or_else(|| default_path(request_path));
        self.put(
            Cookie {
                name: name.into(),
                value: value.into(),
                path: path.into(),
                is_secure: attributes.is_secure,
                expires_s: attributes.expires_s(now_s),
            },
            now_s,
        );
    }

    /// Stores a cookie, replacing the one with the same name and path. One that has expired only
    /// removes that.
    fn put(&mut self, cookie: Cookie, now_s: i64) {
        self.0.retain(|known| !known.is_over(now_s));
        let is_same = |known: &Cookie| (&known.name, &known.path) == (&cookie.name, &cookie.path);
        let place = self.0.iter().position(is_same);
        match place {
            Some(at) if cookie.is_over(now_s) => {
                self.0.remove(at);
            }
            Some(at) => self.0[at] = cookie,
            None if cookie.is_over(now_s) => {}
            None => {
                if self.0.len() == MOST_COOKIES {
                    self.0.remove(0);
                }
                self.0.push(cookie);
            }
        }
    }

    /// The value of the newest cookie with this name, whatever its path.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        let newest = self.0.iter().rev().find(|cookie| &*cookie.name == name);
        newest.map(|cookie| &*cookie.value)
    }

    /// Appends the cookies for a path, as the value of a `Cookie` header; nothing if there are
    /// none. Longer paths come first, then older cookies.
    pub fn write(&self, path: &str, site: Site<'_>, now_s: i64, out: &mut String) {
        let is_trustworthy = site.is_trustworthy();
        let is_sent = |cookie: &&Cookie| {
            (is_trustworthy || !cookie.is_secure)
                && !cookie.is_over(now_s)
                && matches(path, &cookie.path)
        };
        let mut sent: Vec<&Cookie> = self.0.iter().filter(is_sent).collect();
        sent.sort_by_key(|cookie| Reverse(cookie.path.len()));
        let start = out.len();
        for cookie in sent {
            if out.len() > start {
                out.push_str("; ");
            }
            if !cookie.name.is_empty() {
                out.push_str(&cookie.name);
                out.push('=');
            }
            out.push_str(&cookie.value);
        }
    }
}

/// The default path of a cookie (RFC 6265bis, 5.1.4).
fn default_path(request_path: &str) -> &str {
    let path = request_path.split('?').next().unwrap_or_default();
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

/// Whether a cookie with this path matches a request (RFC 6265bis, 5.1.4).
fn matches(request_path: &str, path: &str) -> bool {
    let request_path = request_path.split('?').next().unwrap_or_default();
    request_path
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || path.ends_with('/') || rest.starts_with('/'))
}

/// Whether a domain is the host or a parent of it (RFC 6265bis, 5.1.3).
fn is_for(domain: &str, host: &str) -> bool {
    let domain = domain.strip_prefix('.').unwrap_or(domain);
    if domain.is_empty() || domain.eq_ignore_ascii_case(host) {
        return true;
    }
    let is_name = host.parse::<std::net::IpAddr>().is_err();
    let Some(at) = host.len().checked_sub(domain.len() + 1) else {
        return false;
    };
    is_name
        && domain.contains('.')
        && host.is_char_boundary(at)
        && host[at..].starts_with('.')
        && host[at + 1..].eq_ignore_ascii_case(domain)
}

#[cfg(test)]
mod tests;
