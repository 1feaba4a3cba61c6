//! The beginning of an error's body, kept for the message about it.

/// Bytes of a body that are kept: a page's head and its first words.
const KEPT_BYTES: usize = 2 << 10;

/// Characters of the text that are shown.
const SHOWN: usize = 120;

/// Elements of HTML whose contents nobody sees.
const UNSEEN: [&str; 2] = ["style", "script"];

/// The beginning of a body.
#[derive(Debug, Default)]
pub struct Excerpt(Vec<u8>);

impl Excerpt {
    /// Keeps the next bytes of the body while there is room.
    pub fn take(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Whether no more is kept.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.0.len() == KEPT_BYTES
    }

    /// Its first words in one line, without tags and double quotes; `None` if there are none.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.0);
        let is_text = !text.chars().any(|c| c.is_control() && !c.is_whitespace());
        let bare = if text.trim_start().starts_with('<') {
            untagged(&text)
        } else {
            text.into_owned()
        };
        Some(shortened(&bare)).filter(|text| is_text && !text.is_empty())
    }
}

/// The text outside of tags.
fn untagged(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        out.push(' ');
        rest = &rest[start + 1..];
        let is_unseen = |name: &&&str| {
            rest.get(..name.len())
                .is_some_and(|tag| tag.eq_ignore_ascii_case(name))
        };
        if let Some(name) = UNSEEN.iter().find(is_unseen) {
            let end = rest.to_ascii_lowercase().find(&format!("</{name}"));
            rest = end.map_or("", |at| &rest[at..]);
        }
        rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
    }
    out + rest
}

/// The text in one line, cut if it is long, and without double quotes, because messages quote it.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ").replace('"', "'");
    let short: String = line.chars().take(SHOWN).collect();
    if short.len() < line.len() {
        short + "…"
    } else {
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &[u8]) -> Option<String> {
        let mut excerpt = Excerpt::default();
        for piece in body.chunks(7) {
            excerpt.take(piece);
        }
        excerpt.text()
    }

    #[test]
    fn a_page_is_shown_as_its_visible_text() {
        let page =
            b"<!doctype html>\n<html><head><title>502 Bad Gateway</title><style>a > b { c: d }\
                     </style></head>\n<body><h1>502 Bad Gateway</h1><hr>nginx</body></html>";
        assert_eq!(text(page).unwrap(), "502 Bad Gateway 502 Bad Gateway nginx");
        assert_eq!(
            text(b"{\"error\": \"pool\nis empty\"}").unwrap(),
            "{'error': 'pool is empty'}"
        );
        assert_eq!(text(b"a < b > c").unwrap(), "a < b > c");
        assert_eq!(
            text(b"<STYLE>p { }</STYLE><P>Not found").unwrap(),
            "Not found"
        );
        assert_eq!(text(b"<p>cut of"), Some("cut of".into()));
        assert_eq!(text(b"<p>\xc3\xa4 <"), Some("ä".into()));
    }

    #[test]
    fn bodies_without_text_are_not_shown() {
        for body in [&b""[..], b" \n", b"<html></html>", b"\x1f\x8b\x08\0", b"\0"] {
            assert_eq!(text(body), None, "{body:?}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        let mut excerpt = Excerpt::default();
        for _ in 0..1000 {
            excerpt.take("wörter ".as_bytes());
        }
        assert!(excerpt.is_full());
        let text = excerpt.text().unwrap();
        assert_eq!(text.chars().count(), SHOWN + 1);
        assert!(text.ends_with('…'));
    }
}
