//! Grants of OAuth 2.0 (RFC 6749).

use serde::Deserialize;

/// How a user proves its right to a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// The client itself (4.4).
    ClientCredentials,
    /// The user's name and password (4.3).
    Password,
    /// A refresh token from an earlier answer (6).
    RefreshToken,
}

impl Grant {
    /// Its name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ClientCredentials => "client_credentials",
            Self::Password => "password",
            Self::RefreshToken => "refresh_token",
        }
    }
}
