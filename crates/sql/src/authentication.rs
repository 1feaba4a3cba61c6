//! The methods by which a server may authenticate the user, and those that are allowed.

use serde::Deserialize;

/// A method by which a server authenticates the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// It does not ask.
    None,
    /// For the password as it is.
    Password,
    /// For an MD5 hash of it. An eavesdropper can try passwords against the hash, and the server
    /// can log on elsewhere with it.
    Md5,
    /// For a proof that the user knows the password; the server must give one as well.
    ScramSha256,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Password, Self::Md5, Self::ScramSha256];

    /// Its name in libpq's `require_auth` (PostgreSQL 16, 34.1.2).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Password => "password",
            Self::Md5 => "md5",
            Self::ScramSha256 => "scram-sha-256",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Whether a proof is bound to the server's certificate, so that nobody in between can relay it, in
/// libpq's words (PostgreSQL 15, 34.1.2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelBinding {
    /// Never.
    Disable,
    /// Over TLS, if the server offers it.
    #[default]
    Prefer,
    /// Always.
    Require,
}

/// Methods that are allowed, as in libpq's `require_auth`: names with commas between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct RequireAuth(u8);

impl RequireAuth {
    /// These methods only.
    #[must_use]
    pub fn of(methods: &[Method]) -> Self {
        Self(methods.iter().fold(0, |bits, method| bits | method.bit()))
    }

    /// Whether this method is allowed.
    #[must_use]
    pub const fn allows(self, method: Method) -> bool {
        self.0 & method.bit() != 0
    }
}

impl Default for RequireAuth {
    /// The methods that do not expose the password.
    fn default() -> Self {
        Self::of(&[Method::ScramSha256, Method::None])
    }
}

impl TryFrom<String> for RequireAuth {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut methods = Vec::new();
        for word in text.split(',').map(str::trim) {
            let known = Method::ALL.into_iter().find(|one| one.name() == word);
            methods.push(known.ok_or_else(|| {
                format!(
                    "require_auth has \"{word}\"; it can be password, md5, scram-sha-256 or none, \
                     or several, separated by commas"
                )
            })?);
        }
        Ok(Self::of(&methods))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_allows_only_what_it_names() {
        let allowed = RequireAuth::try_from("md5, none".to_owned()).unwrap();
        let found = Method::ALL.map(|method| allowed.allows(method));
        assert_eq!(found, [true, false, true, false]);
        assert_eq!(
            RequireAuth::try_from("scram-sha-256,none".to_owned()).unwrap(),
            RequireAuth::default()
        );
        for text in ["", "scram", "md5,,none", "MD5"] {
            let error = RequireAuth::try_from(text.to_owned()).unwrap_err();
            assert!(error.contains("scram-sha-256 or none"), "{error}");
        }
    }
}
