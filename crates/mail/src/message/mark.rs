//! What a gateway adds to mail by rule: a tag before the subject, a footer after the text.

use std::fmt;

use serde::Deserialize;

/// Most bytes that pass for a footer: a page of small print with a link or two.
pub const FOOTER_BYTES: usize = 64 << 10;
/// Most characters of a tag.
const TAG_CHARACTERS: usize = 100;

/// What a gateway may add without altering a message. Messages without it are fine, too: gateways
/// mark only some mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Marks {
    /// The tag before the subject, with or without white space after it; empty for none.
    pub subject_tag: String,
    /// The footer after the text.
    pub footer: Footer,
}

/// What may follow the text of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Footer {
    /// Nothing.
    #[default]
    None,
    /// Any text, up to 64 KiB.
    Any,
    /// This text with any white space: gateways break lines and add blank ones.
    Text(String),
}

/// An addition that is not allowed, in a message that is otherwise as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// A tag before the subject.
    Tag(Box<str>),
    /// A footer of this many bytes after the text.
    Footer(u64),
}

impl fmt::Display for Added {
    /// What was added, and the option that allows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) => write!(
                f,
                "only \"{tag}\" was put before its subject: if a gateway does so by rule, allow it \
                 with --client subject_tag=\"{tag}\""
            ),
            Self::Footer(bytes) => write!(
                f,
                "{bytes} bytes follow its text: if a gateway appends a footer by rule, allow it \
                 with --client footer=allowed, or its text with --client footer=\"...\""
            ),
        }
    }
}

impl Marks {
    /// The subject without the tag; `None` if the subject does not begin with it.
    pub(super) fn untagged<'a>(&self, subject: &'a str) -> Option<&'a str> {
        let tag = self.subject_tag.trim();
        if tag.is_empty() {
            return None;
        }
        Some(subject.strip_prefix(tag)?.trim_start())
    }
}

impl Footer {
    /// Whether `added` may follow the text.
    pub(super) fn allows(&self, added: &[u8]) -> bool {
        match self {
            Self::None => added.is_empty(),
            Self::Any => added.len() <= FOOTER_BYTES,
            Self::Text(text) => {
                let is_visible = |word: &&[u8]| !word.is_empty();
                let words = |bytes| <[u8]>::split(bytes, u8::is_ascii_whitespace);
                let found: Vec<&[u8]> = words(added).filter(is_visible).collect();
                found.is_empty()
                    || found
                        .into_iter()
                        .eq(words(text.as_bytes()).filter(is_visible))
            }
        }
    }
}

/// What precedes the original subject: the shortest prefix after which `is_original` holds, if
/// there is one.
pub(super) fn tag_before(subject: &str, is_original: impl Fn(&str) -> bool) -> Option<&str> {
    let ends = subject.char_indices().skip(1).take(TAG_CHARACTERS);
    let (tag, _) = ends
        .map(|(end, _)| subject.split_at(end))
        .find(|(_, rest)| is_original(rest.trim_start()))?;
    Some(tag.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tag_is_removed_and_only_from_the_start() {
        let marks = Marks {
            subject_tag: "[EXTERNAL] ".into(),
            footer: Footer::None,
        };
        assert_eq!(marks.untagged("[EXTERNAL] Figures"), Some("Figures"));
        assert_eq!(marks.untagged("[EXTERNAL]Figures"), Some("Figures"));
        assert_eq!(marks.untagged("Re: [EXTERNAL] Figures"), None);
        assert_eq!(Marks::default().untagged("Figures"), None);
        let twice = "[EXTERNAL] [EXTERNAL] Figures";
        assert_eq!(marks.untagged(twice), Some("[EXTERNAL] Figures"));
    }

    #[test]
    fn the_tag_is_what_precedes_the_original_subject() {
        let tag = |subject| tag_before(subject, |rest| rest == "Re: Figures");
        assert_eq!(tag("[EXT] Re: Figures"), Some("[EXT]"));
        assert_eq!(tag("***Re: Figures"), Some("***"));
        assert_eq!(tag("Re: Figures"), None, "nothing was added");
        assert_eq!(tag("Re: Other figures"), None);
        assert_eq!(tag(""), None);
    }

    #[test]
    fn a_footer_is_compared_by_its_words() {
        let footer = Footer::Text("Confidential.\nDo not forward.".into());
        assert!(footer.allows(b"\r\nConfidential. Do not\r\nforward.\r\n"));
        assert!(footer.allows(b"") && footer.allows(b"\r\n"));
        assert!(!footer.allows(b"Confidential. Do not"));
        assert!(!footer.allows(b"Confidential. Do not forward. Thanks"));
        assert!(!Footer::None.allows(b"\r\n"));
        assert!(Footer::Any.allows(b"x") && !Footer::Any.allows(&vec![b'x'; FOOTER_BYTES + 1]));
    }
}
