//! A site's users and passwords, in place of a pattern of names with one password.

use std::sync::Arc;

use serde::Deserialize;

use crate::password::Password;
use crate::pattern::{NotAPattern, Pattern};

/// The users of a site by their numbers from 0; empty where a pattern makes their names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Vec<(Box<str>, Password)>")]
pub struct Logins {
    names: Arc<[Box<str>]>,
    passwords: Arc<[Password]>,
}

impl From<Vec<(Box<str>, Password)>> for Logins {
    fn from(rows: Vec<(Box<str>, Password)>) -> Self {
        let (names, passwords): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        Self {
            names: names.into(),
            passwords: passwords.into(),
        }
    }
}

impl Logins {
    /// A pattern in which `{n}` stands for a user's name, or for its number where there are none.
    pub fn pattern(&self, text: &str) -> Result<Pattern, NotAPattern> {
        text.parse::<Pattern>()
            .map(|pattern| pattern.with_names(&self.names))
    }

    /// The name and the password of a user of a site; None where a pattern makes the names.
    #[must_use]
    pub fn user(&self, number: u32) -> Option<(&str, &Password)> {
        let place = number as usize;
        Some((self.names.get(place)?, self.passwords.get(place)?))
    }

    /// The user's own password, or else the one that all users share.
    #[must_use]
    pub fn password<'a>(&'a self, number: u32, of_all: &'a Password) -> &'a Password {
        self.passwords.get(number as usize).unwrap_or(of_all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_of_a_site_have_names_and_passwords_of_their_own() {
        let logins: Logins = serde_json::from_str(r#"[["ada", "one"], ["grace", "two"]]"#).unwrap();
        let of_all = Password::new("all");
        let address = logins.pattern("{n}@site.test").unwrap();
        let found = |number| {
            (
                address.text(number),
                logins.password(number, &of_all).reveal(),
            )
        };
        assert_eq!(found(0), ("ada@site.test".into(), "one"));
        assert_eq!(found(1), ("grace@site.test".into(), "two"));
        assert_eq!(found(2), ("2@site.test".into(), "all"));
        assert_eq!(address.number("grace@site.test"), Some(1));
        assert_eq!(address.number("nobody@site.test"), None);
        let names = [0, 1, 2].map(|number| logins.user(number).map(|(name, _)| name));
        assert_eq!(names, [Some("ada"), Some("grace"), None]);
        assert!(!format!("{logins:?}").contains("two"));
    }

    #[test]
    fn without_logins_a_pattern_makes_the_names() {
        let logins = Logins::default();
        let of_all = Password::new("all");
        assert_eq!(logins.pattern("user{n:02}").unwrap().text(7), "user07");
        assert_eq!(logins.password(7, &of_all).reveal(), "all");
    }
}
