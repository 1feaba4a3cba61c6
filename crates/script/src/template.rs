//! Text with placeholders: `Bearer {token}`, `user{n:05}`, `?q={word|url}`.

use crate::Mistake;
use crate::filter::Filter;
use crate::names::Names;
use crate::placeholder::Place;
use crate::values::{Missing, Values};

/// Text in which placeholders are replaced by a user's values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    parts: Box<[Part]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(Box<str>),
    Place(Box<Place>),
}

impl Template {
    /// Text without placeholders, braces included.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        let parts = (!text.is_empty()).then(|| Part::Text(text.into()));
        Self {
            parts: parts.into_iter().collect(),
        }
    }

    /// Reads text with placeholders. A `{` before a letter or `_` begins one; `{{` is a `{`.
    pub fn parse(text: &str, names: &mut Names) -> Result<Self, Mistake> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            plain.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            match after.bytes().next() {
                Some(b'{') => {
                    plain.push('{');
                    rest = &after[1..];
                }
                Some(first) if first.is_ascii_alphabetic() || first == b'_' => {
                    let (inside, behind) = after.split_once('}').ok_or_else(|| {
                        let shown: String = after.chars().take(20).collect();
                        format!(
                            "\"{{{}\" has no closing brace; to send a brace before a letter, double \
                             it: {{{{",
                            shown.escape_default()
                        )
                    })?;
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain).into()));
                    }
                    parts.push(Part::Place(Box::new(Place::parse(inside, names)?)));
                    rest = behind;
                }
                _ => {
                    plain.push('{');
                    rest = after;
                }
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain.into()));
        }
        Ok(Self {
            parts: parts.into(),
        })
    }

    /// The text, if it has no placeholders.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &*self.parts {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it is a placeholder for a number and nothing else: `{quantity:number}`.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(&*self.parts, [Part::Place(place)] if place.is_number())
    }

    /// Appends the text with a user's values.
    pub fn write(&self, scope: &mut dyn Values, out: &mut String) -> Result<(), Missing> {
        self.write_parts(scope, None, out)
    }

    /// Appends the text with a user's values, to which `encode` is applied, but not to the text
    /// around them.
    pub fn write_encoded(
        &self,
        scope: &mut dyn Values,
        encode: Filter,
        out: &mut String,
    ) -> Result<(), Missing> {
        self.write_parts(scope, Some(encode), out)
    }

    /// The same, but the first value is written as it is: an address to which others are appended.
    pub fn write_appended(
        &self,
        scope: &mut dyn Values,
        encode: Filter,
        out: &mut String,
    ) -> Result<(), Missing> {
        for (place, part) in self.parts.iter().enumerate() {
            part.write(scope, (place > 0).then_some(encode), out)?;
        }
        Ok(())
    }

    /// The text with a user's values.
    pub fn render(&self, scope: &mut dyn Values) -> Result<String, Missing> {
        let mut out = String::new();
        self.write(scope, &mut out)?;
        Ok(out)
    }

    fn write_parts(
        &self,
        scope: &mut dyn Values,
        encode: Option<Filter>,
        out: &mut String,
    ) -> Result<(), Missing> {
        for part in &self.parts {
            part.write(scope, encode, out)?;
        }
        Ok(())
    }
}

impl Part {
    /// Appends it, a value encoded.
    fn write(
        &self,
        scope: &mut dyn Values,
        encode: Option<Filter>,
        out: &mut String,
    ) -> Result<(), Missing> {
        match self {
            Self::Text(text) => out.push_str(text),
            Self::Place(place) => match encode {
                // A value with filters is written as its author wants it.
                Some(encode) if !place.has_filters() => {
                    let mut value = String::new();
                    place.write(scope, &mut value)?;
                    encode.write(&value, out);
                }
                _ => place.write(scope, out)?,
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scope::Scope;

    fn render(text: &str) -> Result<String, String> {
        let mut names = Names::default();
        let token = names.set("token")?;
        let template = Template::parse(text, &mut names)?;
        names.check()?;
        let mut scope = Scope::outside(names.slots(), 7);
        scope.set(token, "a b\"c");
        template
            .render(&mut scope)
            .map_err(|missing| missing.to_string())
    }

    #[test]
    fn placeholders_are_replaced_and_other_braces_are_sent() {
        for (text, sent) in [
            ("", ""),
            ("plain", "plain"),
            ("user{n:05}", "user00007"),
            ("{n}/{n}?x={n:03}", "7/7?x=007"),
            ("Bearer {token}", "Bearer a b\"c"),
            ("{token|url}", "a%20b%22c"),
            ("{token|upper|json}", "A B\\\"C"),
            (
                r#"{"a": {"b": 1}, "t": "{token|json}"}"#,
                r#"{"a": {"b": 1}, "t": "a b\"c"}"#,
            ),
            ("{ id } {} {1} {{n} }}", "{ id } {} {1} {n} }}"),
            ("query {{shop{{id}}", "query {shop{id}}"),
            ("{iteration}", "0"),
        ] {
            assert_eq!(render(text).as_deref(), Ok(sent), "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("{n", "no closing brace"),
            ("{tokn}", "do you mean \"token\"?"),
            ("{n:5}", "number of digits"),
            ("{n:021}", "number of digits"),
            ("{token|rot13}", "the filters are url"),
            ("{a b}", "is not a placeholder"),
            ("{a.b.c}", "is not a placeholder"),
            ("{a.}", "is not a placeholder"),
            ("{token:number}", "is not a number"),
            ("{username}", "no user names"),
        ] {
            let sentence = render(text).unwrap_err();
            assert!(sentence.contains(part), "{text}: {sentence}");
        }
    }

    #[test]
    fn messages_show_the_beginning_of_a_long_value() {
        let mut names = Names::default();
        let slot = names.set("q").unwrap();
        let template = Template::parse("{q:number}", &mut names).unwrap();
        let mut scope = Scope::outside(names.slots(), 0);
        scope.set(slot, &"<p>\n".repeat(1_000));
        let sentence = template.render(&mut scope).unwrap_err().to_string();
        assert!(
            sentence.len() < 120 && !sentence.contains('\n'),
            "{sentence}"
        );
    }

    #[test]
    fn values_are_encoded_unless_they_have_a_filter() {
        let mut names = Names::default();
        let slot = names.set("q").unwrap();
        let template = Template::parse("/a b/{q}/{q|lower}", &mut names).unwrap();
        let mut scope = Scope::outside(names.slots(), 0);
        scope.set(slot, "X/Y");
        let mut out = String::new();
        template
            .write_encoded(&mut scope, Filter::Url, &mut out)
            .unwrap();
        assert_eq!(out, "/a b/X%2FY/x/y");
    }

    #[test]
    fn values_after_the_first_are_encoded() {
        let mut names = Names::default();
        let slot = names.set("q").unwrap();
        let template = Template::parse("{q}?q={q}&r={q|lower}", &mut names).unwrap();
        let mut scope = Scope::outside(names.slots(), 0);
        scope.set(slot, "/X&Y");
        let mut out = String::new();
        template
            .write_appended(&mut scope, Filter::Url, &mut out)
            .unwrap();
        assert_eq!(out, "/X&Y?q=%2FX%26Y&r=/x&y");
    }

    #[test]
    fn the_time_of_day_is_sent() {
        let seconds: u64 = render("{now_s}").unwrap().parse().unwrap();
        assert!(render("{now_ms}").unwrap().parse::<u64>().unwrap() / 1000 >= seconds);
        assert_eq!(render("{now}").unwrap().len(), "2026-11-28T05:46:00Z".len());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            let _ = render(&text);
        }

        #[test]
        fn text_without_braces_is_sent_as_it_is(text in "[^{]{0,60}") {
            prop_assert_eq!(render(&text).unwrap(), text);
        }
    }
}
