//! Versions of HTTP.

use std::fmt;

use headcount_net::Offered;

use crate::options::HttpOptions;

/// A version of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Http1,
    Http2,
    Http3,
}

impl Version {
    /// The version that the options ask for.
    pub(super) const fn of(options: &HttpOptions) -> Self {
        if options.http3 {
            Self::Http3
        } else if options.http2 {
            Self::Http2
        } else {
            Self::Http1
        }
    }

    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
            Self::Http3 => "HTTP/3",
        }
    }

    /// The protocol to offer in the TLS handshake.
    pub(super) const fn offered(self) -> Offered {
        match self {
            // HTTP/1.1 is used whatever the server answers.
            Self::Http1 => Offered {
                protocol: "http/1.1",
                missing: None,
            },
            Self::Http2 => Offered {
                protocol: "h2",
                missing: Some(
                    "the server does not offer HTTP/2 in its TLS handshake (ALPN): leave out \
                     http2, or enable it there",
                ),
            },
            Self::Http3 => Offered {
                protocol: "h3",
                missing: Some(
                    "the server does not offer HTTP/3 in its handshake (ALPN): leave out http3, or \
                     enable it there",
                ),
            },
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Checks that the options about versions do not contradict each other. The error is a sentence.
pub(super) fn check(options: &HttpOptions, is_tls: bool) -> Result<(), String> {
    let Some((name, key)) = (match Version::of(options) {
        Version::Http1 => None,
        Version::Http2 => Some(("HTTP/2", "http2")),
        Version::Http3 => Some(("HTTP/3", "http3")),
    }) else {
        return Ok(());
    };
    if options.http2 && options.http3 {
        return Err("users speak one version of HTTP: leave out http2 or http3".into());
    }
    if !options.keep_alive {
        return Err(format!(
            "{name} keeps its connections: leave out {key} or keep_alive = false"
        ));
    }
    if options.http3 && !is_tls {
        return Err(
            "HTTP/3 is always encrypted: give an https:// address, or leave out http3".into(),
        );
    }
    Ok(())
}
