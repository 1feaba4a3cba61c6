//! A whole message.

use super::body::{Body, PIECE_BYTES};
use super::contents::Contents;
use super::header::{compose, printable};
use super::part::{Kind, LEAST_TEXT_BYTES, MOST_PARTS, Part};
use super::stamp::Stamp;

/// A message that is generated in pieces, from any offset. It keeps its header and what its parts
/// derive from: some hundred bytes, whatever its size.
#[derive(Debug, Clone)]
pub struct Message {
    stamp: Stamp,
    header: String,
    contents: Contents,
}

impl Message {
    /// A message of these parts, up to 16; without parts, it is an empty text. Several make it
    /// multipart/mixed. Characters that a header cannot have become question marks.
    #[must_use]
    pub fn new(stamp: Stamp, from: &str, to: &[&str], subject: &str, parts: &[Part]) -> Self {
        let clean = |text: &str| text.chars().map(printable).collect::<String>();
        let (from, to): (_, Vec<_>) = (clean(from), to.iter().map(|to| clean(to)).collect());
        let to: Vec<&str> = to.iter().map(String::as_str).collect();
        let mut parts: Vec<Part> = parts.iter().take(MOST_PARTS).copied().collect();
        if parts.is_empty() {
            parts.push(Part::text(0));
        }
        for part in &mut parts {
            if part.kind == Kind::Text {
                part.bytes = part.bytes.max(LEAST_TEXT_BYTES);
            }
        }
        // A message that is only a file would need an encoding in its own header: add a text.
        if let [only] = &parts[..]
            && only.kind.is_encoded()
        {
            parts.insert(0, Part::text(LEAST_TEXT_BYTES));
        }
        let contents = Contents::new(&stamp, &from, &to, &parts);
        let header = compose(&stamp, &from, &to, subject, &parts, contents.bytes());
        Self {
            stamp,
            header,
            contents,
        }
    }

    /// Who sent it.
    #[must_use]
    pub const fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Its header, with the blank line after it.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }
}

impl Body for Message {
    fn len(&self) -> u64 {
        self.header.len() as u64 + self.contents.bytes()
    }

    fn write_piece(&self, at: u64, into: &mut Vec<u8>) {
        let header = self.header.len() as u64;
        let end = at.saturating_add(PIECE_BYTES as u64);
        if at < header {
            into.extend_from_slice(&self.header.as_bytes()[at as usize..header.min(end) as usize]);
        }
        let from = at.saturating_sub(header);
        self.contents.write(from..end.saturating_sub(header), into);
    }
}
