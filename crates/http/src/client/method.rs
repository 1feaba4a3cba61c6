//! The methods of requests.

use http::Method as Name;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "they are the methods of RFC 9110, 9.3, PATCH of RFC 5789, those of WebDAV (RFC 4918) and REPORT of \
              RFC 3253"
)]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Delete,
    Options,
    Patch,
    Propfind,
    Proppatch,
    Mkcol,
    Copy,
    Move,
    Lock,
    Unlock,
    Report,
}

impl Method {
    /// All of them, in order.
    pub const ALL: [Self; 15] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Delete,
        Self::Options,
        Self::Patch,
        Self::Propfind,
        Self::Proppatch,
        Self::Mkcol,
        Self::Copy,
        Self::Move,
        Self::Lock,
        Self::Unlock,
        Self::Report,
    ];
    /// The names under which requests are counted, then those of connections, and of requests of
    /// any method that are sent again.
    pub const NAMES: [&'static str; 8] = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "OTHER", "CONNECT", "RESENT",
    ];
    /// The index of connections in [`Method::NAMES`].
    pub const CONNECT: usize = 6;
    /// The index of requests that are sent again.
    pub const RESENT: usize = 7;

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
            Self::Propfind => "PROPFIND",
            Self::Proppatch => "PROPPATCH",
            Self::Mkcol => "MKCOL",
            Self::Copy => "COPY",
            Self::Move => "MOVE",
            Self::Lock => "LOCK",
            Self::Unlock => "UNLOCK",
            Self::Report => "REPORT",
        }
    }

    /// Whether it only asks for something (RFC 9110, 9.2.1; RFC 4918, 9.1; RFC 3253, 3.6), so that
    /// clients send it again if a kept connection closes.
    #[must_use]
    pub const fn is_safe(self) -> bool {
        matches!(
            self,
            Self::Get | Self::Head | Self::Options | Self::Propfind | Self::Report
        )
    }

    /// The method of an operation in a workload: its name in lower case.
    #[must_use]
    pub fn of_operation(operation: &str) -> Option<Self> {
        let upper = operation.to_ascii_uppercase();
        let known = Self::ALL.into_iter().find(|method| method.name() == upper);
        known.filter(|_| upper != operation)
    }

    /// Its index in [`Method::NAMES`].
    #[must_use]
    pub fn kind(self) -> usize {
        (self as usize).min(5)
    }

    /// Whether a request sends the length of its body even if it is empty (RFC 9110, 8.6).
    #[must_use]
    pub const fn has_body(self) -> bool {
        matches!(
            self,
            Self::Post
                | Self::Put
                | Self::Patch
                | Self::Propfind
                | Self::Proppatch
                | Self::Mkcol
                | Self::Lock
                | Self::Report
        )
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let name = String::deserialize(reader)?;
        let known = Self::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            D::Error::custom(format!(
                "\"{}\" is not a method; the methods are {names}",
                name.escape_default()
            ))
        })
    }
}

impl From<Method> for Name {
    fn from(method: Method) -> Self {
        match method {
            Method::Get => Self::GET,
            Method::Head => Self::HEAD,
            Method::Post => Self::POST,
            Method::Put => Self::PUT,
            Method::Delete => Self::DELETE,
            Method::Options => Self::OPTIONS,
            Method::Patch => Self::PATCH,
            other => Self::from_bytes(other.name().as_bytes()).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_methods_in_lower_case() {
        assert_eq!(Method::of_operation("propfind"), Some(Method::Propfind));
        assert_eq!(Method::of_operation("GET"), None);
        assert_eq!(Method::of_operation("fetch"), None);
        for method in Method::ALL {
            assert_eq!(Name::from(method).as_str(), method.name());
            assert_eq!(Method::ALL[method as usize], method);
        }
        assert_eq!(Method::NAMES[Method::Mkcol.kind()], "OTHER");
    }
}
