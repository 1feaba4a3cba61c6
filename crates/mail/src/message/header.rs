//! The header of a message, and what it says about the message.

use std::fmt::Write;

use super::contents::boundary;
use super::date::Date;
use super::part::{MOST_PARTS, Part};
use super::stamp::Stamp;

/// The field that says what a message was generated from.
pub const FIELD: &str = "X-Headcount";

/// The fields that a message is sent with besides [`FIELD`], in this order. A checksum covers them;
/// fields that servers add have other names.
const OURS: [&str; 7] = [
    "Date",
    "From",
    "To",
    "Subject",
    "Message-ID",
    "MIME-Version",
    "Content-Type",
];

/// Most characters of a subject, well below the 998 of a line (RFC 5322, 2.1.1).
const SUBJECT_CHARACTERS: usize = 900;

/// The contents of [`FIELD`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub stamp: Stamp,
    pub parts: Vec<Part>,
    /// Bytes after the header.
    pub bytes: u64,
    /// CRC-32 of the other fields that it was sent with.
    pub checksum: u32,
}

/// The whole header, with the blank line after it.
pub fn compose(
    stamp: &Stamp,
    from: &str,
    to: &[&str],
    subject: &str,
    parts: &[Part],
    bytes: u64,
) -> String {
    let mut header = String::with_capacity(512 + 32 * to.len());
    let date = Date::of_unix(stamp.sent_unix_us / 1_000_000).mail();
    let _ = write!(
        header,
        "Date: {date}\r\nFrom: {from}\r\nTo: {}\r\n",
        to.join(",\r\n ")
    );
    let subject: String = subject
        .chars()
        .take(SUBJECT_CHARACTERS)
        .map(printable)
        .collect();
    let _ = write!(
        header,
        "Subject: {subject}\r\nMessage-ID: {}\r\n",
        stamp.message_id()
    );
    header.push_str("MIME-Version: 1.0\r\n");
    if let [only] = parts {
        let _ = write!(header, "Content-Type: {}\r\n", only.kind.described());
    } else {
        let boundary = boundary(stamp);
        let _ = write!(
            header,
            "Content-Type: multipart/mixed;\r\n boundary=\"{boundary}\"\r\n"
        );
    }
    let origin = Origin {
        stamp: *stamp,
        parts: parts.to_vec(),
        bytes,
        checksum: crc32fast::hash(header.as_bytes()),
    };
    header.push_str(&origin.field());
    header.push_str("\r\n");
    header
}

/// The character if it needs no encoding in a header, otherwise a question mark.
pub fn printable(character: char) -> char {
    if matches!(character, ' '..='~') {
        character
    } else {
        '?'
    }
}

impl Origin {
    /// The field, with its name and the line break at its end.
    fn field(&self) -> String {
        let Stamp {
            run,
            sender,
            sequence,
            sent_unix_us,
        } = self.stamp;
        let parts: Vec<String> = self.parts.iter().map(ToString::to_string).collect();
        let (
            parts,
            Self {
                bytes, checksum, ..
            },
        ) = (parts.join(","), self);
        let field = format!(
            "{FIELD}: 1 run={run:016x} sender={sender} sequence={sequence}\r\n \
             sent={sent_unix_us} parts={parts}\r\n bytes={bytes} header={checksum:08x}"
        );
        let check = crc32fast::hash(field.as_bytes());
        format!("{field} check={check:08x}\r\n")
    }

    /// Parses the field; `None` if a single byte of it was altered.
    pub fn read(field: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(field).ok()?;
        let mut words = text.split_ascii_whitespace().skip(2);
        let mut value = |name: &str| words.next()?.strip_prefix(name)?.strip_prefix('=');
        let run = u64::from_str_radix(value("run")?, 16).ok()?;
        let sender = value("sender")?.parse().ok()?;
        let sequence = value("sequence")?.parse().ok()?;
        let sent_unix_us = value("sent")?.parse().ok()?;
        let parts = value("parts")?
            .split(',')
            .take(MOST_PARTS + 1)
            .map(str::parse);
        let origin = Self {
            stamp: Stamp {
                run,
                sender,
                sequence,
                sent_unix_us,
            },
            parts: parts.collect::<Result<_, _>>().ok()?,
            bytes: value("bytes")?.parse().ok()?,
            checksum: u32::from_str_radix(value("header")?, 16).ok()?,
        };
        (origin.field() == text).then_some(origin)
    }
}

/// The fields of a header, each with its continuation lines and the line break at its end.
pub fn fields(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = header;
    std::iter::from_fn(move || {
        if rest.is_empty() || rest.starts_with(b"\r\n") {
            return None;
        }
        let mut end = 0;
        loop {
            let line = rest[end..].windows(2).position(|pair| pair == b"\r\n");
            end = line.map_or(rest.len(), |at| end + at + 2);
            if !matches!(rest.get(end), Some(b' ' | b'\t')) {
                break;
            }
        }
        let (field, after) = rest.split_at(end);
        rest = after;
        Some(field)
    })
}

/// Whether a field has this name.
pub fn is_named(field: &[u8], name: &str) -> bool {
    let (head, colon) = (field.get(..name.len()), field.get(name.len()));
    colon == Some(&b':') && head.is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
}

/// The checksum of those fields of a header that messages are sent with. `subject` replaces the
/// header's subject.
pub fn checksum(header: &[u8], subject: Option<&str>) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    for field in fields(header) {
        match subject {
            Some(subject) if is_named(field, "Subject") => {
                sum.update(format!("Subject: {subject}\r\n").as_bytes());
            }
            _ if OURS.iter().any(|name| is_named(field, name)) => sum.update(field),
            _ => {}
        }
    }
    sum.finalize()
}

/// The value of the first field with this name, not decoded.
pub fn value<'a>(header: &'a [u8], name: &str) -> Option<&'a str> {
    let field = fields(header).find(|field| is_named(field, name))?;
    Some(std::str::from_utf8(field).ok()?[name.len() + 1..].trim())
}
