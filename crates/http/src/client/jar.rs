//! A user's cookies: what servers set, and what goes back to them (RFC 6265, 5.3 and 5.4).
//!
//! A user talks to one host, so a cookie for another is refused, and one for a parent domain is kept
//! as if it were for the host. `Max-Age` of 0 or less deletes a cookie, and so does `Expires` with a
//! year before 2000, as servers write it to delete; otherwise cookies last as long as the user's
//! session. `Secure` cookies go over TLS only.

/// Cookies of one user; the least that RFC 6265, 6.1 asks of clients for one domain. The oldest goes
/// when there are more.
pub const MOST_COOKIES: usize = 50;

/// Bytes of one cookie, from the same section. Longer ones are not kept.
pub const MOST_COOKIE_BYTES: usize = 4096;

#[derive(Debug, PartialEq, Eq)]
struct Cookie {
    name: Box<str>,
    value: Box<str>,
    path: Box<str>,
    is_secure: bool,
}

/// The cookies of one user.
#[derive(Debug, Default)]
pub struct Jar(Vec<Cookie>);

impl Jar {
    /// Takes what a `Set-Cookie` header says in the answer to a request for this path.
    pub fn set(&mut self, header: &[u8], host: &str, request_path: &str) {
        let Ok(header) = std::str::from_utf8(header) else {
            return;
        };
        let mut parts = header.split(';').map(str::trim);
        let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else {
            return;
        };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || name.len() + value.len() > MOST_COOKIE_BYTES {
            return;
        }
        let is_plain = |text: &str| !text.bytes().any(|byte| byte.is_ascii_control());
        if !is_plain(name) || !is_plain(value) {
            return;
        }
        let mut cookie = Cookie {
            name: name.into(),
            value: value.into(),
            path: default_path(request_path).into(),
            is_secure: false,
        };
        let (mut by_age, mut by_date) = (None, None);
        for attribute in parts {
            let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
            let (key, value) = (key.trim(), value.trim());
            if key.eq_ignore_ascii_case("path") && value.starts_with('/') {
                cookie.path = value.into();
            } else if key.eq_ignore_ascii_case("domain") && !is_for(value, host) {
                return;
            } else if key.eq_ignore_ascii_case("secure") {
                cookie.is_secure = true;
            } else if key.eq_ignore_ascii_case("max-age") {
                by_age = value.parse::<i64>().ok().map(|seconds| seconds <= 0);
            } else if key.eq_ignore_ascii_case("expires") {
                by_date = Some(is_past(value));
            }
        }
        let replaced = |known: &Cookie| (&known.name, &known.path) == (&cookie.name, &cookie.path);
        self.0.retain(|known| !replaced(known));
        // Max-Age goes before Expires (RFC 6265, 5.3, point 3).
        if by_age.or(by_date) != Some(true) {
            if self.0.len() == MOST_COOKIES {
                self.0.remove(0);
            }
            self.0.push(cookie);
        }
    }

    /// The value of the newest cookie with this name, whatever its path.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        let newest = self.0.iter().rev().find(|cookie| &*cookie.name == name);
        newest.map(|cookie| &*cookie.value)
    }

    /// Appends the cookies for a path, as the value of a `Cookie` header; nothing if there are none.
    pub fn write(&self, path: &str, is_tls: bool, out: &mut String) {
        let start = out.len();
        for cookie in &self.0 {
            if (cookie.is_secure && !is_tls) || !matches(path, &cookie.path) {
                continue;
            }
            if out.len() > start {
                out.push_str("; ");
            }
            out.push_str(&cookie.name);
            out.push('=');
            out.push_str(&cookie.value);
        }
    }
}

/// The path of a cookie that names none (RFC 6265, 5.1.4).
fn default_path(request_path: &str) -> &str {
    let path = request_path.split('?').next().unwrap_or_default();
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

/// Whether a cookie of this path goes with a request (RFC 6265, 5.1.4).
fn matches(request_path: &str, path: &str) -> bool {
    let request_path = request_path.split('?').next().unwrap_or_default();
    request_path
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || path.ends_with('/') || rest.starts_with('/'))
}

/// Whether a domain is the host or one above it (RFC 6265, 5.1.3).
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

/// Whether a date has a year of four digits before 2000.
fn is_past(date: &str) -> bool {
    let years = date.split([' ', '-', ',']).filter(|word| word.len() == 4);
    years
        .filter_map(|word| word.parse::<u16>().ok())
        .any(|year| year < 2000)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn jar(headers: &[&str]) -> Jar {
        let mut jar = Jar::default();
        for header in headers {
            jar.set(header.as_bytes(), "www.example.org", "/shop/cart?x=/a/b");
        }
        jar
    }

    fn sent(jar: &Jar, path: &str, is_tls: bool) -> String {
        let mut out = String::new();
        jar.write(path, is_tls, &mut out);
        out
    }

    #[test]
    fn cookies_go_back_where_they_belong() {
        let jar = jar(&[
            "a=1",
            "b=2; Path=/",
            "c = 3 ; path=/shop/c; HttpOnly",
            "d=4; Secure; Path=/",
            "e=5; Domain=.Example.org; Path=/",
        ]);
        assert_eq!(sent(&jar, "/shop", false), "a=1; b=2; e=5");
        assert_eq!(sent(&jar, "/shop/c?q", false), "a=1; b=2; c=3; e=5");
        assert_eq!(sent(&jar, "/shop/cart", false), "a=1; b=2; e=5");
        assert_eq!(sent(&jar, "/", true), "b=2; d=4; e=5");
        assert_eq!(sent(&jar, "/shopping", false), "b=2; e=5");
    }

    #[test]
    fn cookies_are_replaced_deleted_and_refused() {
        let mut cookies = jar(&["a=1", "a=2", "b=1; Path=/", "b=2; Path=/; Max-Age=0"]);
        assert_eq!(sent(&cookies, "/shop/x", false), "a=2");
        cookies.set(b"a=; expires=Thu, 01-Jan-1970 00:00:00 GMT", "h", "/shop/");
        assert_eq!(sent(&cookies, "/shop/x", false), "");
        cookies.set(
            b"a=3; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "h",
            "/",
        );
        assert_eq!(sent(&cookies, "/", false), "a=3");
        let refused = jar(&[
            "a=1; Domain=other.org",
            "b=1; Domain=org",
            "c=1; Domain=ww.example.org",
            "=1",
            "novalue",
            "d=\u{1}",
            &format!("e={}", "x".repeat(5000)),
        ]);
        assert_eq!(sent(&refused, "/shop/", false), "");
    }

    #[test]
    fn a_jar_does_not_grow() {
        let mut jar = Jar::default();
        for index in 0..200 {
            jar.set(format!("c{index}=v").as_bytes(), "h", "/");
        }
        let cookies = sent(&jar, "/", false);
        assert_eq!(cookies.split("; ").count(), MOST_COOKIES);
        assert!(cookies.starts_with("c150=v"), "{cookies}");
    }

    proptest! {
        #[test]
        fn any_header_is_taken_or_refused(
            header in prop::collection::vec(any::<u8>(), 0..100), host in ".{0,12}", path in ".{0,12}",
        ) {
            let mut jar = Jar::default();
            jar.set(&header, &host, &path);
            let line = sent(&jar, &path, true);
            prop_assert!(!line.contains(['\r', '\n']), "{}", line);
            jar.set(b"a=b; Domain=\xc3\xa4.org", &host, &path);
        }
    }
}
