//! A password that does not reveal itself in output.

use std::fmt;

use serde::Deserialize;

/// A password; [`fmt::Debug`] hides it, and there is no `Display`.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Password(Box<str>);

impl Password {
    /// Holds this password.
    #[must_use]
    pub fn new(password: impl Into<Box<str>>) -> Self {
        Self(password.into())
    }

    /// The password itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(hidden)")
    }
}
