//! Digest authentication (RFC 7616): the server's challenges, and the users' answers.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use md5::Md5;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::digest::Digest as _;
use sha2::{Sha256, Sha512_256};

/// The hash algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Md5,
    Sha256,
    Sha512Of256,
}

impl Algorithm {
    /// The algorithm of this name, and whether it is a session variant.
    fn parse(name: &str) -> Option<(Self, bool)> {
        let upper = name.to_ascii_uppercase();
        let (plain, is_session) = match upper.strip_suffix("-SESS") {
            Some(plain) => (plain, true),
            None => (upper.as_str(), false),
        };
        let algorithm = match plain {
            "MD5" => Self::Md5,
            "SHA-256" => Self::Sha256,
            "SHA-512-256" => Self::Sha512Of256,
            _ => return None,
        };
        Some((algorithm, is_session))
    }

    /// The hash of a text, in hexadecimal digits.
    fn hash(self, text: &str) -> String {
        match self {
            Self::Md5 => hex::encode(Md5::digest(text)),
            Self::Sha256 => hex::encode(Sha256::digest(text)),
            Self::Sha512Of256 => hex::encode(Sha512_256::digest(text)),
        }
    }
}

/// The user who authenticates.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// The user's name.
    pub name: &'a str,
    /// Their password, which is never sent.
    pub password: &'a str,
}

/// A server's challenge, and how often it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what a challenge says; nothing of it depends on the rest"
)]
pub struct Challenge {
    realm: Box<str>,
    nonce: Box<str>,
    opaque: Option<Box<str>>,
    /// As the server wrote it; `None` if it did not.
    algorithm_name: Option<Box<str>>,
    algorithm: Algorithm,
    is_session: bool,
    /// Whether answers carry a count and a client nonce; otherwise they follow RFC 2069.
    has_qop: bool,
    hides_name: bool,
    /// Whether the last answer was right, but its nonce too old.
    pub is_stale: bool,
    answers: u32,
}

/// A challenge that the connections of a user share, with its count of answers.
pub type SharedChallenge = Rc<RefCell<Challenge>>;

impl Challenge {
    /// The first challenge in a `WWW-Authenticate` header that can be answered.
    #[must_use]
    pub fn parse(header: &str) -> Option<Self> {
        challenges(header)
            .into_iter()
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("digest"))
            .find_map(|(_, parameters)| Self::of(&parameters))
    }

    fn of(parameters: &[(String, String)]) -> Option<Self> {
        let value = |name: &str| {
            let found = parameters.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        let name = value("algorithm");
        let (algorithm, is_session) = Algorithm::parse(name.unwrap_or("MD5"))?;
        let has_qop = match value("qop") {
            None => false,
            Some(offered) => {
                let mut words = offered.split(',');
                // The other value, auth-int, would hash the body, too.
                words
                    .any(|word| word.trim().eq_ignore_ascii_case("auth"))
                    .then_some(true)?
            }
        };
        let is_true = |name: &str| value(name).is_some_and(|it| it.eq_ignore_ascii_case("true"));
        Some(Self {
            realm: value("realm")?.into(),
            nonce: value("nonce")?.into(),
            opaque: value("opaque").map(Into::into),
            algorithm_name: name.map(Into::into),
            algorithm,
            is_session,
            has_qop,
            hides_name: is_true("userhash"),
            is_stale: is_true("stale"),
            answers: 0,
        })
    }

    /// Takes the nonce for the next request (`Authentication-Info`, RFC 7616, 3.5).
    pub fn renew(&mut self, header: &str) {
        let parameters = parameters(header);
        if let Some((_, next)) = parameters.iter().find(|(name, _)| name == "nextnonce") {
            self.nonce = next.as_str().into();
            self.answers = 0;
        }
    }

    /// How many requests have answered it.
    #[must_use]
    pub const fn answers(&self) -> u32 {
        self.answers
    }

    /// The value of the `Authorization` header of the next request.
    pub fn answer(&mut self, identity: Identity<'_>, method: &str, uri: &str) -> String {
        self.answers = self.answers.saturating_add(1);
        // The client nonce is the same in each run of a seed. It protects against servers that
        // choose their nonce to find out passwords; here they are test passwords.
        let own = self
            .algorithm
            .hash(&format!("{}:{}", self.nonce, identity.name));
        self.answered(identity, method, uri, &own[..16])
    }

    fn answered(&self, identity: Identity<'_>, method: &str, uri: &str, own_nonce: &str) -> String {
        let hash = |text: &str| self.algorithm.hash(text);
        let Self { realm, nonce, .. } = self;
        let Identity { name, password } = identity;
        let mut secret = hash(&format!("{name}:{realm}:{password}"));
        if self.is_session {
            secret = hash(&format!("{secret}:{nonce}:{own_nonce}"));
        }
        let asked = hash(&format!("{method}:{uri}"));
        let count = format!("{:08x}", self.answers);
        let response = if self.has_qop {
            hash(&format!(
                "{secret}:{nonce}:{count}:{own_nonce}:auth:{asked}"
            ))
        } else {
            hash(&format!("{secret}:{nonce}:{asked}"))
        };
        let who = if self.hides_name {
            format!(
                "username=\"{}\", userhash=true",
                hash(&format!("{name}:{realm}"))
            )
        } else if name.is_ascii() {
            format!("username={}", quoted(name))
        } else {
            let encoded = utf8_percent_encode(name, NON_ALPHANUMERIC);
            format!("username*=UTF-8''{encoded}")
        };
        let mut text = format!(
            "Digest {who}, realm={}, nonce={}, uri={}, response=\"{response}\"",
            quoted(realm),
            quoted(nonce),
            quoted(uri),
        );
        if let Some(algorithm) = &self.algorithm_name {
            let _ = write!(text, ", algorithm={algorithm}"); // memory takes everything
        }
        if self.has_qop {
            let _ = write!(text, ", qop=auth, nc={count}, cnonce=\"{own_nonce}\"");
        } else if self.is_session {
            let _ = write!(text, ", cnonce=\"{own_nonce}\"");
        }
        if let Some(opaque) = &self.opaque {
            let _ = write!(text, ", opaque={}", quoted(opaque));
        }
        text
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The challenges of a header, each a scheme with its parameters (RFC 9110, 11.6.1). Commas
/// separate both challenges and parameters.
fn challenges(header: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for part in parts(header) {
        let (head, rest) = part.split_once(char::is_whitespace).unwrap_or((&part, ""));
        let begins = !head.contains('=') && !rest.trim_start().starts_with('=');
        let pair = if begins {
            found.push((head.to_owned(), Vec::new()));
            rest
        } else {
            &part
        };
        if let (Some((_, parameters)), Some(pair)) = (found.last_mut(), parameter(pair)) {
            parameters.push(pair);
        }
    }
    found
}

fn parameters(header: &str) -> Vec<(String, String)> {
    let parts = parts(header);
    parts.iter().filter_map(|part| parameter(part)).collect()
}

/// A name in lower case, and its value without quotes.
fn parameter(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let value = value.trim();
    let inner = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    let value = match inner {
        None => value.to_owned(),
        Some(inner) => {
            let mut plain = String::with_capacity(inner.len());
            let mut is_escaped = false;
            for sign in inner.chars() {
                if sign == '\\' && !is_escaped {
                    is_escaped = true;
                } else {
                    plain.push(sign);
                    is_escaped = false;
                }
            }
            plain
        }
    };
    Some((name.trim().to_ascii_lowercase(), value))
}

/// The parts between commas that are not in quotes.
fn parts(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let (mut is_quoted, mut is_escaped) = (false, false);
    for sign in text.chars() {
        match sign {
            ',' if !is_quoted => {
                found.push(String::new());
                continue;
            }
            '"' if !is_escaped => is_quoted = !is_quoted,
            _ => {}
        }
        is_escaped = sign == '\\' && !is_escaped;
        if let Some(part) = found.last_mut() {
            part.push(sign);
        }
    }
    let trimmed = found.iter().map(|part| part.trim().to_owned());
    trimmed.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests;
