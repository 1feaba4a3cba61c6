//! Where a redirect leads.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::base::Base;

/// The path on the same server to which a `Location` leads from a path (RFC 3986, 5.2). `site` is
/// what the request called the server, in `Host`. The error is a sentence, if it leads to another
/// server.
pub(super) fn redirected(
    base: &Base,
    site: &str,
    from: &str,
    location: &str,
) -> Result<String, String> {
    let location = location.trim();
    let without_fragment = location.split('#').next().unwrap_or_default();
    let own = if base.is_tls { "https:" } else { "http:" };
    let rest = match without_fragment.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => {
            if !own[..own.len() - 1].eq_ignore_ascii_case(scheme) {
                return Err(elsewhere(location));
            }
            Some(rest)
        }
        _ => without_fragment.strip_prefix("//"),
    };
    let path = match rest {
        None => joined(from, without_fragment),
        Some(rest) => {
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let own_port = if base.is_tls { ":443" } else { ":80" };
            let authority = authority.strip_suffix(own_port).unwrap_or(authority);
            let is_own = [base.authority.as_str(), site].iter().any(|known| {
                let known = known.strip_suffix(own_port).unwrap_or(known);
                authority.eq_ignore_ascii_case(known)
            });
            if !is_own {
                return Err(elsewhere(location));
            }
            if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("/{path}")
            }
        }
    };
    Ok(sendable(&path))
}

/// Whether this can be the scheme of a URL (RFC 3986, 3.1).
fn is_scheme(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn elsewhere(location: &str) -> String {
    let shown = location.split('?').next().unwrap_or_default();
    let shown: String = shown.chars().take(100).collect();
    format!(
        "it redirects to another server, {}, which is not followed; to measure that one, make it \
         the target; otherwise expect this status",
        shown.escape_default()
    )
}

/// A reference without scheme and authority, resolved against a path.
fn joined(from: &str, reference: &str) -> String {
    let from_path = from.split('?').next().unwrap_or_default();
    if reference.is_empty() {
        return from.to_owned();
    }
    if reference.starts_with('/') {
        return without_dots(reference);
    }
    if reference.starts_with('?') {
        return format!("{from_path}{reference}");
    }
    let folder = from_path.rfind('/').map_or("", |at| &from_path[..at]);
    without_dots(&format!("{folder}/{reference}"))
}

/// A path without `.` and `..` (RFC 3986, 5.2.4).
fn without_dots(path: &str) -> String {
    let (path, query) = path.find('?').map_or((path, ""), |at| path.split_at(at));
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (place, segment) in segments.iter().enumerate() {
        let is_last = place + 1 == segments.len();
        match *segment {
            "." | ".." => {
                if *segment == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    format!("/{}{query}", kept.join("/"))
}

/// Characters that a path cannot contain; what is already encoded stays as it is.
const UNSENDABLE: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A path with everything percent-encoded that cannot be sent.
pub(super) fn sendable(path: &str) -> String {
    utf8_percent_encode(path, &UNSENDABLE).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::client::session::Hints;

    fn leads(from: &str, location: &str) -> Result<String, String> {
        redirected(
            &Base::parse("https://shop.test:8443").unwrap(),
            "www.shop.test:443",
            from,
            location,
        )
    }

    #[test]
    fn redirects_within_the_server_are_followed() {
        for (location, path) in [
            ("/a", "/a"),
            ("b", "/x/b"),
            ("../c?d=../e", "/c?d=../e"),
            ("./", "/x/"),
            ("..", "/"),
            ("?q=1", "/x/y?q=1"),
            ("https://shop.test:8443/z#top", "/z"),
            ("HTTPS://SHOP.test:8443", "/"),
            ("//shop.test:8443/z", "/z"),
            ("https://shop.test:8443?a=b", "/?a=b"),
            ("/a b\u{e4}", "/a%20b%C3%A4"),
            ("https://WWW.shop.test/z", "/z"),
            ("", "/x/y?p"),
            ("/next?u=https://other.test/", "/next?u=https://other.test/"),
        ] {
            assert_eq!(leads("/x/y?p", location).as_deref(), Ok(path), "{location}");
        }
        let base = Base::parse("http://shop.test").unwrap();
        let path = redirected(&base, "shop.test", "/", "http://shop.test:80/a");
        assert_eq!(path.as_deref(), Ok("/a"));
    }

    #[test]
    fn bytes_that_are_not_utf_8_stay_as_they_are() {
        for (location, path) in [
            (&b"/caf\xe9?a=%41"[..], "/caf%E9?a=%41"),
            ("/caf\u{e9} b".as_bytes(), "/caf%C3%A9%20b"),
        ] {
            let mut hints = Hints::default();
            hints.note("Location", location);
            assert_eq!(leads("/", &hints.target).as_deref(), Ok(path));
        }
    }

    #[test]
    fn redirects_to_other_servers_are_refused() {
        for location in [
            "http://shop.test:8443/",
            "https://other.test/",
            "https://www.shop.test:8443/",
            "//other.test/a?token=x",
        ] {
            let sentence = leads("/", location).unwrap_err();
            assert!(sentence.contains("another server"), "{sentence}");
            assert!(!sentence.contains("token"), "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn any_location_is_a_path_or_refused(location in any::<String>(), from in "/[a-z/?]{0,9}") {
            if let Ok(path) = leads(&from, &location) {
                prop_assert!(path.starts_with('/'), "{}", path);
                prop_assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{}", path);
            }
        }
    }
}
