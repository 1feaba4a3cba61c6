//! Values in JSON, by their paths (RFC 9535).

mod finder;

use std::cell::OnceCell;
use std::fmt::Display;
use std::sync::Arc;

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::Mistake;
use finder::{Finder, Found, Key};

/// A path to values in JSON.
#[derive(Debug, Clone)]
pub struct Path(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// A path to one value, by names and indices alone, which is found without building the whole
    /// document.
    Singular {
        keys: Box<[Key]>,
        /// Finds it, together with the values of other paths.
        finder: Arc<Finder>,
        place: usize,
    },
    /// Any other path.
    Any(Box<JsonPath>),
}

/// Results of reading one document, so that further paths do not read it again.
#[derive(Debug, Default)]
pub struct Document {
    found: OnceCell<(Arc<Finder>, Result<Found, String>)>,
    whole: OnceCell<Result<Value, String>>,
}

/// The parser takes twice as long for each filter within another: for so many, 0.1 s.
const MOST_FILTERS: usize = 16;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn wrong(error: &serde_json::Error) -> String {
    format!("the body is not JSON: {error}")
}

/// Reads a document with `read`. Some servers cut texts between the two halves of a character (RFC
/// 8259, 8.2). Such a half becomes U+FFFD, as browsers send it.
pub(crate) fn with_whole_characters<T>(
    document: &[u8],
    read: impl Fn(&[u8]) -> serde_json::Result<T>,
) -> serde_json::Result<T> {
    read(document).or_else(|error| match whole_characters(document) {
        Some(document) => read(&document),
        None => Err(error),
    })
}

/// The value of a document.
pub(crate) fn whole_value(document: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(document)
}

/// The document with U+FFFD in place of surrogates without a partner; `None` if it has none.
fn whole_characters(document: &[u8]) -> Option<Vec<u8>> {
    let mut changed: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < document.len() {
        if document[at] != b'\\' {
            at += 1;
            continue;
        }
        match (utf16_unit(document, at), utf16_unit(document, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                let bytes = changed.get_or_insert_with(|| document.to_vec());
                bytes[at..at + 6].copy_from_slice(b"\\ufffd");
                at += 6;
            }
            _ => at += 2,
        }
    }
    changed
}

/// The UTF-16 unit of the escape at this place, such as `\u00e4`.
fn utf16_unit(document: &[u8], at: usize) -> Option<u16> {
    let digits = document.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl Path {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, Mistake> {
        let wrong = |why: &dyn Display| {
            format!(
                "\"{}\" is not a JSON path ({why}); it looks like $.items[0].id",
                text.escape_default()
            )
        };
        if ends_in_escape(text) {
            return Err(wrong(&"its last \\u has fewer than four digits")); // the parser panics
        }
        if text.matches('?').count() > MOST_FILTERS {
            return Err(wrong(&format!("it has more than {MOST_FILTERS} filters")));
        }
        let path = JsonPath::parse(text).map_err(|error| wrong(&error))?;
        let Some(keys) = singular(text) else {
            return Ok(Self(Kind::Any(Box::new(path))));
        };
        let mut finder = Finder::default();
        let place = finder.add(&keys);
        Ok(Self(Kind::Singular {
            keys,
            finder: Arc::new(finder),
            place,
        }))
    }

    /// Makes one pass over a document find the values of all these paths.
    pub fn join<'a>(paths: impl IntoIterator<Item = &'a mut Self>) {
        let mut common = Finder::default();
        let mut joined = Vec::new();
        for path in paths {
            if let Kind::Singular {
                keys,
                finder,
                place,
            } = &mut path.0
            {
                *place = common.add(keys);
                joined.push(finder);
            }
        }
        let common = Arc::new(common);
        for finder in joined {
            *finder = Arc::clone(&common);
        }
    }

    /// The values in a document, as text: strings as they are, all others as JSON. The error says
    /// why it is not JSON. `read` caches what was read of the same document.
    pub fn values(&self, document: &[u8], read: &Document) -> Result<Vec<String>, String> {
        // Some servers send a byte order mark, which parsers may ignore (RFC 8259, 8.1).
        let document = document.strip_prefix(BYTE_ORDER_MARK).unwrap_or(document);
        match &self.0 {
            Kind::Singular { finder, place, .. } => {
                let find = || {
                    let found = with_whole_characters(document, |bytes| finder.find(bytes));
                    found.map_err(|error| wrong(&error))
                };
                let (by, found) = read.found.get_or_init(|| (Arc::clone(finder), find()));
                if !Arc::ptr_eq(by, finder) {
                    return Ok(find()?[*place].take().into_iter().collect());
                }
                let found = found.as_ref().map_err(String::clone)?;
                Ok(found[*place].clone().into_iter().collect())
            }
            Kind::Any(path) => {
                let read = read.whole.get_or_init(|| {
                    let value = with_whole_characters(document, whole_value);
                    value.map_err(|error| wrong(&error))
                });
                let value = read.as_ref().map_err(String::clone)?;
                Ok(path.query(value).all().into_iter().map(text).collect())
            }
        }
    }
}

/// Whether a text ends in an incomplete `\u00e4`.
fn ends_in_escape(text: &str) -> bool {
    text.rsplit_once("\\u").is_some_and(|(_, digits)| {
        digits.len() < 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// A value as text.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The keys of a path that has only names and indices from 0 up; `None` for any other.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values(path: &str, document: &str) -> Vec<String> {
        Path::parse(path)
            .unwrap()
            .values(document.as_bytes(), &Document::default())
            .unwrap()
    }

    const fn is_singular(path: &Path) -> bool {
        matches!(path.0, Kind::Singular { .. })
    }

    #[test]
    fn a_path_that_ends_in_an_escape_is_a_mistake() {
        for path in [r#"$["a\u"#, r#"$["a\ud"#, r#"$["a\ud83d\ude0"#, r"$['\u12"] {
            let mistake = Path::parse(path).unwrap_err();
            assert!(
                mistake.contains(r"its last \u has fewer than four digits"),
                "{mistake}"
            );
        }
        assert_eq!(values(r#"$["\u00e4"]"#, r#"{"\u00e4": 1}"#), ["1"]);
    }

    #[test]
    fn filters_within_filters_are_bounded() {
        let nested = |depth| format!("${}{}", "[?@".repeat(depth), "]".repeat(depth));
        assert!(Path::parse(&nested(MOST_FILTERS)).is_ok());
        let mistake = Path::parse(&nested(40)).unwrap_err();
        assert!(mistake.contains("more than 16 filters"), "{mistake}");
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
    fn a_byte_order_mark_is_ignored() {
        for path in ["$.a", "$..a"] {
            assert_eq!(values(path, "\u{feff}{\"a\": 1}"), ["1"], "{path}");
        }
    }

    #[test]
    fn halves_of_characters_are_replaced() {
        let cut = r#"{"a": [{"t": "x\ud83d", "id": 7}], "b": "\\ud83d \ud83d\ude00 \ude00"}"#;
        assert_eq!(values("$.a[*].id", cut), ["7"]);
        assert_eq!(values("$.a[0].t", cut), ["x\u{fffd}"]);
        assert_eq!(values("$.b", cut), ["\\ud83d \u{1f600} \u{fffd}"]);
        assert_eq!(values("$..b", cut), ["\\ud83d \u{1f600} \u{fffd}"]);
    }

    #[test]
    fn simple_paths_do_not_build_the_document() {
        for path in ["$", "$.a", "$.a[0]['b c']", "$[\"a\"]"] {
            assert!(is_singular(&Path::parse(path).unwrap()), "{path}");
        }
        for path in [
            "$.*",
            "$..a",
            "$[-1]",
            "$[0:2]",
            "$['a','b']",
            "$['it\\'s']",
        ] {
            assert!(!is_singular(&Path::parse(path).unwrap()), "{path}");
        }
    }

    #[test]
    fn invalid_paths_and_documents_are_refused() {
        for path in ["", "items", "$.", "$[", "$.a b"] {
            let sentence = Path::parse(path).unwrap_err();
            assert!(sentence.contains("is not a JSON path"), "{sentence}");
        }
        for path in ["$.a", "$..a"] {
            for document in ["", "<html>", "{\"a\": 1", "{\"a\": 1} x"] {
                let path = Path::parse(path).unwrap();
                let values = path.values(document.as_bytes(), &Document::default());
                assert!(values.unwrap_err().contains("not JSON"), "{document}");
            }
        }
    }

    #[test]
    fn joined_paths_read_a_document_once() {
        let texts = ["$.id", "$.items[1].sku", "$..sku", "$.items[0]", "$.id"];
        let mut paths = texts.map(|text| Path::parse(text).unwrap());
        Path::join(&mut paths);
        let read = Document::default();
        for (path, text) in paths.iter().zip(texts) {
            let once = path.values(ORDER.as_bytes(), &read).unwrap();
            assert_eq!(once, values(text, ORDER), "{text}");
            // The document is not read again, whatever is passed instead.
            assert_eq!(path.values(b"gone", &read), Ok(once), "{text}");
        }
        let other = Path::parse("$.status").unwrap();
        assert_eq!(
            other.values(ORDER.as_bytes(), &read).unwrap(),
            ["op\u{e4}n"]
        );
    }

    proptest! {
        #[test]
        fn singular_and_general_paths_agree(
            name in "[a-c]", index in 0usize..4,
            list in prop::collection::vec(any::<i32>(), 0..4), text in any::<String>(),
        ) {
            let document = json!({"a": list, "b": {"c": text}, "c": [[text]]}).to_string();
            for path in [format!("$.{name}[{index}]"), format!("$.b.{name}"), format!("$.{name}")] {
                let quick = Path::parse(&path).unwrap();
                let whole = Path(Kind::Any(Box::new(JsonPath::parse(&path).unwrap())));
                prop_assert!(is_singular(&quick));
                let read = Document::default();
                prop_assert_eq!(
                    quick.values(document.as_bytes(), &read),
                    whole.values(document.as_bytes(), &read)
                );
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            for path in ["$.a[0]", "$..a"] {
                let _ = Path::parse(path).unwrap().values(&bytes, &Document::default());
            }
        }
    }
}
