//! The parts of messages.

use std::fmt;
use std::str::FromStr;

/// Most bytes of one part: 1 GiB.
const MOST_BYTES: u64 = 1 << 30;

/// Fewest bytes of a text: its line break.
pub(super) const LEAST_TEXT_BYTES: u32 = 2;

/// Most parts of one message.
pub(super) const MOST_PARTS: usize = 16;

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The text of the message: running text, not encoded (7bit).
    Text,
    /// An attached file of text.
    TextFile,
    /// An attached spreadsheet.
    Spreadsheet,
    /// An attached document of a word processor.
    Document,
    /// An embedded picture of few colours: a bitmap.
    Bitmap,
    /// An attached file that is already compressed.
    Archive,
    /// An invitation to a meeting (RFC 5546, 3.2.2). Its size follows from the addresses.
    Invitation,
    /// The answer to an invitation (RFC 5546, 3.2.3).
    Answer,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Text,
        Self::TextFile,
        Self::Spreadsheet,
        Self::Document,
        Self::Bitmap,
        Self::Archive,
        Self::Invitation,
        Self::Answer,
    ];

    /// Its letter in the header `X-Headcount`.
    const fn letter(self) -> char {
        match self {
            Self::Text => 't',
            Self::TextFile => 'f',
            Self::Spreadsheet => 's',
            Self::Document => 'd',
            Self::Bitmap => 'b',
            Self::Archive => 'z',
            Self::Invitation => 'i',
            Self::Answer => 'a',
        }
    }

    /// The lines of its header that describe it.
    pub(super) const fn described(self) -> &'static str {
        match self {
            Self::Text => "text/plain; charset=us-ascii",
            Self::TextFile => {
                "text/plain; charset=us-ascii; name=\"notes.txt\"\r\n\
                 Content-Disposition: attachment; filename=\"notes.txt\""
            }
            Self::Spreadsheet => {
                "application/vnd.ms-excel; name=\"figures.xls\"\r\n\
                 Content-Disposition: attachment; filename=\"figures.xls\""
            }
            Self::Document => {
                "application/msword; name=\"report.doc\"\r\n\
                 Content-Disposition: attachment; filename=\"report.doc\""
            }
            Self::Bitmap => {
                "image/bmp; name=\"picture.bmp\"\r\n\
                 Content-Disposition: inline; filename=\"picture.bmp\""
            }
            Self::Archive => {
                "application/zip; name=\"archive.zip\"\r\n\
                 Content-Disposition: attachment; filename=\"archive.zip\""
            }
            Self::Invitation => "text/calendar; charset=us-ascii; method=REQUEST",
            Self::Answer => "text/calendar; charset=us-ascii; method=REPLY",
        }
    }

    /// Whether it is sent in base64.
    pub(super) const fn is_encoded(self) -> bool {
        !matches!(self, Self::Text | Self::Invitation | Self::Answer)
    }
}

/// One part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    /// Its kind.
    pub kind: Kind,
    /// Its size in bytes before any encoding; ignored for entries in a calendar.
    pub bytes: u32,
}

impl Part {
    /// A part of this kind and size.
    #[must_use]
    pub const fn new(kind: Kind, bytes: u32) -> Self {
        Self { kind, bytes }
    }

    /// Text of this size.
    #[must_use]
    pub const fn text(bytes: u32) -> Self {
        Self::new(Kind::Text, bytes)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.letter(), self.bytes)
    }
}

impl FromStr for Part {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let letter = text.chars().next().ok_or(())?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.letter() == letter);
        let kind = kind.ok_or(())?;
        let bytes: u32 = text[letter.len_utf8()..].parse().map_err(|_| ())?;
        let is_too_short = kind == Kind::Text && bytes < LEAST_TEXT_BYTES;
        if is_too_short || u64::from(bytes) > MOST_BYTES {
            return Err(());
        }
        Ok(Self::new(kind, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_no_message_has_are_refused() {
        assert_eq!("t2".parse::<Part>(), Ok(Part::text(2)));
        assert_eq!("z0".parse::<Part>(), Ok(Part::new(Kind::Archive, 0)));
        for odd in ["t0", "t1", "t1073741825", "q5", "t", ""] {
            assert_eq!(odd.parse::<Part>(), Err(()), "{odd}");
        }
    }
}
