//! Names with a number in them: `user{n:05}` is `user00007` for user 7.

use std::str::FromStr;

/// Text with at most one place for a number: `{n}`, or `{n:05}` for at least five digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    before: Box<str>,
    digits: Option<usize>,
    after: Box<str>,
}

/// Why a pattern is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no pattern of names: it may hold one number, as in user{{n}} or user{{n:05}}, and \
     no other braces"
)]
pub struct NotAPattern(String);

impl NamePattern {
    /// The name with this number.
    #[must_use]
    pub fn name(&self, number: u32) -> String {
        let Self { before, after, .. } = self;
        match self.digits {
            Some(digits) => format!("{before}{number:0digits$}{after}"),
            None => format!("{before}{after}"),
        }
    }

    /// The number of a name; `None` if no number gives this name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u32> {
        let rest = name.strip_prefix(&*self.before)?;
        let number = rest.strip_suffix(&*self.after)?.parse().ok()?;
        (self.digits.is_some() && self.name(number) == name).then_some(number)
    }
}

impl FromStr for NamePattern {
    type Err = NotAPattern;

    fn from_str(text: &str) -> Result<Self, NotAPattern> {
        let wrong = || NotAPattern(text.to_owned());
        let Some((before, rest)) = text.split_once('{') else {
            let plain = !text.contains('}');
            return plain
                .then(|| Self {
                    before: text.into(),
                    digits: None,
                    after: "".into(),
                })
                .ok_or_else(wrong);
        };
        let (field, after) = rest.split_once('}').ok_or_else(wrong)?;
        let digits = match field.strip_prefix('n').ok_or_else(wrong)? {
            "" => 0,
            width => width
                .strip_prefix(":0")
                .and_then(|digits| digits.parse().ok())
                .filter(|digits| (1..=20).contains(digits))
                .ok_or_else(wrong)?,
        };
        if before.contains('}') || after.contains(['{', '}']) {
            return Err(wrong());
        }
        Ok(Self {
            before: before.into(),
            digits: Some(digits),
            after: after.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_users_and_mistakes_are_shown() {
        let name = |pattern: &str, number| pattern.parse::<NamePattern>().map(|p| p.name(number));
        assert_eq!(name("user{n:05}", 7).unwrap(), "user00007");
        assert_eq!(name("{n}@x", 123_456).unwrap(), "123456@x");
        assert_eq!(name("nobody", 7).unwrap(), "nobody");
        let number = |pattern: &str, name| pattern.parse::<NamePattern>().unwrap().number(name);
        assert_eq!(number("h\\user{n:05}", "h\\user00007"), Some(7));
        assert_eq!(number("h\\user{n:05}", "h\\user7"), None);
        assert_eq!(number("user{n}", "user123456"), Some(123_456));
        assert_eq!(number("user{n}", "userdata"), None);
        assert_eq!(number("nobody", "nobody"), None);
        for wrong in ["{", "}", "{x}", "{n:5}", "{n:0}", "{n}{n}", "a}{n}"] {
            let error = name(wrong, 1).unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("\"{wrong}\"")),
                "{error}"
            );
        }
    }
}
