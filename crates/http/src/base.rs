//! The address below which all paths stand: `https://host:port/prefix`.

use std::net::{SocketAddr, ToSocketAddrs};

/// Where the server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Whether it is reached by TLS.
    pub is_tls: bool,
    /// Its name or address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The value of the `Host` header: without the port if that is the scheme's default.
    pub authority: String,
    /// What all paths begin with: empty, or a path that starts with a slash and ends without one.
    pub prefix: String,
}

impl Base {
    /// Reads an address. The error is a sentence.
    pub fn parse(url: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("the address \"{url}\" cannot be used: {why}");
        let (is_tls, rest) = if let Some(rest) = url.strip_prefix("http://") {
            (false, rest)
        } else if let Some(rest) = url.strip_prefix("https://") {
            (true, rest)
        } else {
            return Err(wrong("write it like http://host:port/path or https://host"));
        };
        if !url.bytes().all(|byte| byte.is_ascii_graphic()) || url.contains(['"', '<', '>', '\\']) {
            return Err(wrong("it may contain only ASCII letters, digits and signs"));
        }
        if rest.contains(['?', '#']) {
            return Err(wrong(
                "leave out what comes after ? or #; steps have paths of their own",
            ));
        }
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if authority.contains('@') {
            return Err("the address must not name a user: give user and password instead".into());
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let own_port = if is_tls { 443 } else { 80 };
        let port = match port {
            None => own_port,
            Some(port) => port
                .parse()
                .ok()
                .filter(|port| *port > 0)
                .ok_or_else(|| wrong("its port must be from 1 to 65535"))?,
        };
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host);
        if bare.is_empty() || (bare == host && host.contains([':', '[', ']'])) {
            return Err(wrong("it names no host"));
        }
        let authority = if port == own_port {
            host.to_owned()
        } else {
            format!("{host}:{port}")
        };
        Ok(Self {
            is_tls,
            host: bare.to_owned(),
            port,
            authority,
            prefix: path.trim_end_matches('/').to_owned(),
        })
    }

    /// The addresses of the host, in the order in which they are tried.
    pub fn resolve(&self) -> std::io::Result<Vec<SocketAddr>> {
        let found: Vec<_> = (self.host.as_str(), self.port).to_socket_addrs()?.collect();
        if found.is_empty() {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (url, is_tls, host, port, authority, prefix) in [
            ("http://a", false, "a", 80, "a", ""),
            ("https://a.b/", true, "a.b", 443, "a.b", ""),
            ("http://a:8080/x/y/", false, "a", 8080, "a:8080", "/x/y"),
            ("https://a:443/x", true, "a", 443, "a", "/x"),
            ("http://[::1]:81", false, "::1", 81, "[::1]:81", ""),
            ("http://[::1]/", false, "::1", 80, "[::1]", ""),
        ] {
            let expected = Base {
                is_tls,
                host: host.into(),
                port,
                authority: authority.into(),
                prefix: prefix.into(),
            };
            assert_eq!(Base::parse(url), Ok(expected));
        }
    }

    #[test]
    fn invalid_addresses_are_refused_with_a_reason() {
        for (url, part) in [
            ("ftp://a", "write it like"),
            ("a:80", "write it like"),
            ("http://", "no host"),
            ("http://:80", "no host"),
            ("http://::1/", "no host"),
            ("http://a:0", "port"),
            ("http://a:99999", "port"),
            ("http://a/?x", "after ? or #"),
            ("http://a b", "ASCII"),
            ("http://a\r\nX: y", "ASCII"),
        ] {
            let sentence = Base::parse(url).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
        let sentence = Base::parse("http://me:secret@a").unwrap_err();
        assert!(!sentence.contains("secret"), "{sentence}");
    }
}
