//! Values in JSON by their path (RFC 9535).

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use serde_json_path::JsonPath;

use crate::Mistake;

/// A path to values in JSON.
#[derive(Debug, Clone)]
pub enum Path {
    /// To one value, by names and indices alone: it is found without building the whole document.
    Singular(Box<[Key]>),
    /// Any other.
    Any(Box<JsonPath>),
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A member of an object.
    Name(Box<str>),
    /// An element of an array, from 0.
    Index(u64),
}

impl Path {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, Mistake> {
        let path = JsonPath::parse(text).map_err(|error| {
            format!(
                "\"{}\" is not a JSON path ({error}); it looks like $.items[0].id",
                text.escape_default()
            )
        })?;
        Ok(singular(text).map_or_else(|| Self::Any(Box::new(path)), Self::Singular))
    }

    /// The values in a document, as text: strings as they are, all others as JSON. The sentence says
    /// why it is not JSON.
    pub fn values(&self, document: &[u8]) -> Result<Vec<String>, String> {
        let wrong = |error: serde_json::Error| format!("the body is not JSON: {error}");
        match self {
            Self::Singular(keys) => {
                let mut found = None;
                let mut reader = serde_json::Deserializer::from_slice(document);
                let way = Way {
                    keys,
                    found: &mut found,
                };
                way.deserialize(&mut reader).map_err(wrong)?;
                reader.end().map_err(wrong)?;
                Ok(found.into_iter().collect())
            }
            Self::Any(path) => {
                let value: Value = serde_json::from_slice(document).map_err(wrong)?;
                Ok(path.query(&value).all().into_iter().map(text).collect())
            }
        }
    }
}

/// A value as text.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The keys of a path that has nothing but names and indices from 0 up; None for any other.
fn singular(path: &str) -> Option<Box<[Key]>> {
    let mut rest = path.strip_prefix('$')?;
    let mut keys = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after
                .find(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'))
                .unwrap_or(after.len());
            let name = &after[..end];
            if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
                return None;
            }
            keys.push(Key::Name(name.into()));
            rest = &after[end..];
        } else {
            let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
            let quoted = |quote: char| inside.strip_prefix(quote)?.strip_suffix(quote);
            let key = match quoted('\'').or_else(|| quoted('"')) {
                Some(name) if !name.contains(['\\', '\'', '"']) => Key::Name(name.into()),
                Some(_) => return None,
                None => Key::Index(inside.parse().ok()?),
            };
            keys.push(key);
            rest = after;
        }
    }
    Some(keys.into())
}

/// The way to one value of a document; what is beside it is passed over.
struct Way<'a> {
    keys: &'a [Key],
    found: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Way<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        if !self.keys.is_empty() {
            return reader.deserialize_any(self);
        }
        let raw: &RawValue = serde::Deserialize::deserialize(reader)?;
        let text = raw.get();
        *self.found = Some(if text.starts_with('"') {
            serde_json::from_str(text).map_err(serde::de::Error::custom)?
        } else {
            text.to_owned()
        });
        Ok(())
    }
}

impl<'de> Visitor<'de> for Way<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (Key::Name(wanted), keys) = (&self.keys[0], &self.keys[1..]) else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        while let Some(is_it) = map.next_key_seed(Is(wanted))? {
            if is_it {
                *self.found = None; // of members with the same name the last counts
                map.next_value_seed(Way {
                    keys,
                    found: self.found,
                })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (wanted, keys) = match &self.keys[0] {
            Key::Index(index) => (Some(*index), &self.keys[1..]),
            Key::Name(_) => (None, self.keys),
        };
        let mut index = 0;
        loop {
            let more = if Some(index) == wanted {
                let way = Way {
                    keys,
                    found: self.found,
                };
                list.next_element_seed(way)?.is_some()
            } else {
                list.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

/// Whether a member's name is this one.
struct Is<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values(path: &str, document: &str) -> Vec<String> {
        Path::parse(path)
            .unwrap()
            .values(document.as_bytes())
            .unwrap()
    }

    const ORDER: &str = r#"{"id": 12345678901234567890, "status": "op\u00e4n", "x": null,
        "items": [{"sku": "a", "n": 1.50}, {"sku": "b", "n": 2}], "odd name": true}"#;

    #[test]
    fn values_are_found_by_their_paths() {
        for (path, found) in [
            ("$.id", vec!["12345678901234567890"]),
            ("$.status", vec!["op\u{e4}n"]),
            ("$['odd name']", vec!["true"]),
            ("$.x", vec!["null"]),
            ("$.items[1].sku", vec!["b"]),
            ("$.items[0].n", vec!["1.50"]),
            ("$.items[0]", vec![r#"{"sku": "a", "n": 1.50}"#]),
            ("$.items[5].sku", vec![]),
            ("$.items.sku", vec![]),
            ("$.id.sku", vec![]),
            ("$.nothing", vec![]),
            ("$[0]", vec![]),
            ("$.items[*].sku", vec!["a", "b"]),
            ("$.items[-1].sku", vec!["b"]),
            ("$..sku", vec!["a", "b"]),
            ("$.items[?@.n > 1.6].sku", vec!["b"]),
        ] {
            assert_eq!(values(path, ORDER), found, "{path}");
        }
        assert_eq!(values("$", " [1, 2] "), ["[1, 2]"]);
        assert_eq!(values("$[1]", "[1, [2]]"), ["[2]"]);
    }

    #[test]
    fn simple_paths_do_not_build_the_document() {
        for path in ["$", "$.a", "$.a[0]['b c']", "$[\"a\"]"] {
            assert!(matches!(Path::parse(path), Ok(Path::Singular(_))), "{path}");
        }
        for path in [
            "$.*",
            "$..a",
            "$[-1]",
            "$[0:2]",
            "$['a','b']",
            "$['it\\'s']",
        ] {
            assert!(matches!(Path::parse(path), Ok(Path::Any(_))), "{path}");
        }
    }

    #[test]
    fn what_is_no_path_or_no_json_is_named() {
        for path in ["", "items", "$.", "$[", "$.a b"] {
            let sentence = Path::parse(path).unwrap_err();
            assert!(sentence.contains("is not a JSON path"), "{sentence}");
        }
        for path in ["$.a", "$..a"] {
            for document in ["", "<html>", "{\"a\": 1", "{\"a\": 1} x"] {
                let values = Path::parse(path).unwrap().values(document.as_bytes());
                assert!(values.unwrap_err().contains("not JSON"), "{document}");
            }
        }
    }

    proptest! {
        #[test]
        fn both_ways_find_the_same(
            name in "[a-c]", index in 0usize..4,
            list in prop::collection::vec(any::<i32>(), 0..4), text in any::<String>(),
        ) {
            let document = json!({"a": list, "b": {"c": text}, "c": [[text]]}).to_string();
            for path in [format!("$.{name}[{index}]"), format!("$.b.{name}"), format!("$.{name}")] {
                let quick = Path::parse(&path).unwrap();
                let whole = Path::Any(Box::new(JsonPath::parse(&path).unwrap()));
                prop_assert!(matches!(quick, Path::Singular(_)));
                prop_assert_eq!(
                    quick.values(document.as_bytes()), whole.values(document.as_bytes())
                );
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Path::parse("$.a[0]").unwrap().values(&bytes);
            let _ = Path::parse("$..a").unwrap().values(&bytes);
        }
    }
}
