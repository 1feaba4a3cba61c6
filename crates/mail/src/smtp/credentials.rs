//! Who logs on, and how.

use headcount_load::Password;

/// How a user logs on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mechanism {
    /// AUTH PLAIN.
    #[default]
    Plain,
    /// AUTH LOGIN.
    Login,
}

/// Who logs on.
#[derive(Debug, Clone, Copy)]
pub struct Credentials<'a> {
    /// The name.
    pub user: &'a str,
    /// The password.
    pub password: &'a Password,
    /// How; the other way if the server offers only that.
    pub mechanism: Mechanism,
}
