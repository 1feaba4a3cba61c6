//! Text with the user's number in it: `user{n:05}` is `user00007` for user 7.

use std::fmt::Write;
use std::str::FromStr;
use std::sync::Arc;

/// Text with at most one placeholder for a number: `{n}`, or `{n:05}` for at least five digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    before: Box<str>,
    digits: Option<usize>,
    after: Box<str>,
    /// Names to use in place of numbers.
    names: Arc<[Box<str>]>,
}

/// Why text is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a pattern: it may have the user's number once, as in user{{n}} or user{{n:05}}, \
     and no other braces"
)]
pub struct NotAPattern(String);

impl Pattern {
    /// Text without a number; braces have no meaning in it.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self {
            before: text.into(),
            digits: None,
            after: "".into(),
            names: Arc::default(),
        }
    }

    /// Appends the text of this user.
    pub fn write(&self, number: u32, out: &mut String) {
        out.push_str(&self.before);
        if let Some(digits) = self.digits {
            if let Some(name) = self.names.get(number as usize) {
                out.push_str(name);
                out.push_str(&self.after);
                return;
            }
            let _ = write!(out, "{number:0digits$}"); // writing to a string cannot fail
        }
        out.push_str(&self.after);
    }

    /// The same pattern with names in place of numbers, for as many users as have a name.
    #[must_use]
    pub(crate) fn with_names(self, names: &Arc<[Box<str>]>) -> Self {
        Self {
            names: Arc::clone(names),
            ..self
        }
    }

    /// The text of this user.
    #[must_use]
    pub fn text(&self, number: u32) -> String {
        let mut text = String::new();
        self.write(number, &mut text);
        text
    }

    /// The number of a text; `None` if no number gives it.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<u32> {
        let rest = text.strip_prefix(&*self.before)?;
        let middle = rest.strip_suffix(&*self.after)?;
        if let Some(place) = self.names.iter().position(|name| **name == *middle) {
            return self.digits.map(|_| place as u32);
        }
        let number = middle.parse().ok()?;
        (self.digits.is_some() && self.text(number) == text).then_some(number)
    }
}

impl FromStr for Pattern {
    type Err = NotAPattern;

    fn from_str(text: &str) -> Result<Self, NotAPattern> {
        let wrong = || NotAPattern(text.to_owned());
        let (before, field, after) = match text.split_once('{') {
            None => (text, None, ""),
            Some((before, rest)) => {
                let (field, after) = rest.split_once('}').ok_or_else(wrong)?;
                (before, Some(field), after)
            }
        };
        let digits = match field {
            None => None,
            Some("n") => Some(0),
            Some(field) => {
                let digits = field
                    .strip_prefix("n:0")
                    .and_then(|digits| digits.parse().ok());
                Some(
                    digits
                        .filter(|digits| (1..=20).contains(digits))
                        .ok_or_else(wrong)?,
                )
            }
        };
        if before.contains('}') || after.contains(['{', '}']) {
            return Err(wrong());
        }
        Ok(Self {
            before: before.into(),
            digits,
            after: after.into(),
            names: Arc::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_hold_a_number_and_mistakes_are_shown() {
        let text = |pattern: &str, number| pattern.parse::<Pattern>().map(|p| p.text(number));
        assert_eq!(text("user{n:05}", 7).unwrap(), "user00007");
        assert_eq!(text("/u/{n}/x", 123_456).unwrap(), "/u/123456/x");
        assert_eq!(text("/index.html", 7).unwrap(), "/index.html");
        for wrong in ["{", "}", "{x}", "{n:5}", "{n:0}", "{n}{n}", "a}{n}"] {
            let error = text(wrong, 1).unwrap_err().to_string();
            assert!(error.starts_with(&format!("\"{wrong}\"")), "{error}");
        }
    }

    #[test]
    fn numbers_are_read_back_from_texts() {
        let number = |pattern: &str, text| pattern.parse::<Pattern>().unwrap().number(text);
        assert_eq!(number("h\\user{n:05}", "h\\user00007"), Some(7));
        assert_eq!(number("h\\user{n:05}", "h\\user7"), None);
        assert_eq!(number("user{n}", "user123456"), Some(123_456));
        assert_eq!(number("user{n}", "userdata"), None);
        assert_eq!(number("nobody", "nobody"), None);
    }
}
