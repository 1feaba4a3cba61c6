//! How a value is written into a text: encoded for where it stands.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

/// A change to a value before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Percent-encoded, as a part of a path or of a query (RFC 3986, 2.1).
    Url,
    /// Without percent-encoding (RFC 3986, 2.1): a `+` stays one, bytes that are no UTF-8 become
    /// replacement characters.
    UrlDecode,
    /// As the inside of a JSON string (RFC 8259, 7).
    Json,
    /// As text or an attribute of HTML.
    Html,
    /// Base64 (RFC 4648, 4).
    Base64,
    /// In lower case.
    Lower,
    /// In upper case.
    Upper,
    /// Without white space around it.
    Trim,
}

impl Filter {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 8] = [
        ("url", Self::Url),
        ("url-decode", Self::UrlDecode),
        ("json", Self::Json),
        ("html", Self::Html),
        ("base64", Self::Base64),
        ("lower", Self::Lower),
        ("upper", Self::Upper),
        ("trim", Self::Trim),
    ];

    /// The filter of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, filter)| *filter)
    }

    /// Appends the changed value.
    pub fn write(self, value: &str, out: &mut String) {
        match self {
            Self::Url => out.extend(utf8_percent_encode(value, &RESERVED)),
            Self::UrlDecode => out.push_str(&percent_decode_str(value).decode_utf8_lossy()),
            Self::Json => {
                let quoted = Value::from(value).to_string();
                out.push_str(&quoted[1..quoted.len() - 1]);
            }
            Self::Html => {
                html_escape::encode_quoted_attribute_to_string(value, out);
            }
            Self::Base64 => STANDARD.encode_string(value, out),
            Self::Lower => out.push_str(&value.to_lowercase()),
            Self::Upper => out.push_str(&value.to_uppercase()),
            Self::Trim => out.push_str(value.trim()),
        }
    }
}

/// All but the unreserved characters (RFC 3986, 2.3).
const RESERVED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filtered(name: &str, value: &str) -> String {
        let mut out = String::new();
        Filter::named(name).unwrap().write(value, &mut out);
        out
    }

    #[test]
    fn filters_encode_values() {
        for (name, value, written) in [
            ("url", "a b/ä?", "a%20b%2F%C3%A4%3F"),
            ("url-decode", "a%20b%2f%C3%A4+%%3", "a b/ä+%%3"),
            ("url-decode", "%FFa", "\u{fffd}a"),
            ("json", "a\"\\\n\u{1}ä", "a\\\"\\\\\\n\\u0001ä"),
            (
                "html",
                "<a href=\"x\">&",
                "&lt;a href=&quot;x&quot;&gt;&amp;",
            ),
            ("base64", "user:pass", "dXNlcjpwYXNz"),
            ("lower", "ÄB", "äb"),
            ("upper", "äb", "ÄB"),
            ("trim", " a b\n", "a b"),
        ] {
            assert_eq!(filtered(name, value), written);
        }
        assert_eq!(Filter::named("rot13"), None);
    }

    proptest! {
        #[test]
        fn an_encoded_url_reads_back(value in any::<String>()) {
            prop_assert_eq!(filtered("url-decode", &filtered("url", &value)), value);
        }

        #[test]
        fn json_reads_back(value in any::<String>()) {
            let quoted = format!("\"{}\"", filtered("json", &value));
            prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), value);
        }
    }
}
