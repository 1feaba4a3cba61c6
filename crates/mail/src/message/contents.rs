//! What follows the header of a message: its parts and what separates them.

use std::fmt::Write;
use std::ops::Range;

use super::calendar::calendar;
use super::encoded::Encoded;
use super::part::{Kind, Part};
use super::stamp::Stamp;
use super::text::Text;

/// The body of a message, generated where it is read.
#[derive(Debug, Clone)]
pub struct Contents {
    /// All fixed text, such as the headers of parts.
    fixed: String,
    segments: Vec<Segment>,
    /// Where each part's own contents are.
    parts: Vec<Range<u64>>,
}

#[derive(Debug, Clone)]
struct Segment {
    ends_at: u64,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Fixed { from: usize },
    Text(Text),
    Encoded(Encoded),
}

impl Contents {
    /// The contents of a message of these parts. The first must be text.
    pub fn new(stamp: &Stamp, from: &str, to: &[&str], parts: &[Part]) -> Self {
        let mut contents = Self {
            fixed: String::new(),
            segments: Vec::with_capacity(2 * parts.len() + 1),
            parts: Vec::with_capacity(parts.len()),
        };
        let several = parts.len() > 1;
        let boundary = boundary(stamp);
        for (index, part) in parts.iter().enumerate() {
            if several {
                let blank = if index == 0 { "" } else { "\r\n" };
                let encoding = if part.kind.is_encoded() {
                    "base64"
                } else {
                    "7bit"
                };
                contents.fix(format_args!(
                    "{blank}--{boundary}\r\nContent-Type: {}\r\n\
                     Content-Transfer-Encoding: {encoding}\r\n\r\n",
                    part.kind.described()
                ));
            }
            let begins_at = contents.bytes();
            contents.part(*part, stamp.key(index), || {
                calendar(part.kind, stamp, from, to)
            });
            contents.parts.push(begins_at..contents.bytes());
        }
        if several {
            contents.fix(format_args!("\r\n--{boundary}--\r\n"));
        }
        contents
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.segments.last().map_or(0, |last| last.ends_at)
    }

    /// Where the contents of a part are, counted from 1; empty if there is no such part.
    pub fn range(&self, part: u32) -> Range<u64> {
        let index = (part as usize).wrapping_sub(1);
        self.parts.get(index).cloned().unwrap_or_default()
    }

    /// Appends the bytes of this range, or as many as there are.
    pub fn write(&self, range: Range<u64>, into: &mut Vec<u8>) {
        let mut at = range.start;
        let first = self
            .segments
            .partition_point(|segment| segment.ends_at <= at);
        let mut begins_at = if first == 0 {
            0
        } else {
            self.segments[first - 1].ends_at
        };
        for segment in &self.segments[first..] {
            let end = range.end.min(segment.ends_at);
            if at >= range.end {
                break;
            }
            if at >= end {
                continue; // a part without contents, between two others
            }
            let (skip, most) = (at - begins_at, (end - at) as usize);
            match segment.source {
                Source::Fixed { from } => {
                    let from = from + skip as usize;
                    into.extend_from_slice(&self.fixed.as_bytes()[from..from + most]);
                }
                Source::Text(text) => text.write(skip, most, into),
                Source::Encoded(encoded) => encoded.write(skip, most, into),
            }
            (at, begins_at) = (end, segment.ends_at);
        }
    }

    fn part(&mut self, part: Part, key: u64, calendar: impl FnOnce() -> String) {
        let Part { kind, bytes } = part;
        let (length, source) = match kind {
            Kind::Invitation | Kind::Answer => return self.fix(format_args!("{}", calendar())),
            Kind::Text => (u64::from(bytes), Source::Text(Text { key, bytes })),
            _ => {
                let encoded = Encoded { kind, key, bytes };
                (encoded.sent_bytes(), Source::Encoded(encoded))
            }
        };
        let ends_at = self.bytes() + length;
        self.segments.push(Segment { ends_at, source });
    }

    fn fix(&mut self, text: std::fmt::Arguments<'_>) {
        let from = self.fixed.len();
        let _ = self.fixed.write_fmt(text); // writing to a string cannot fail
        let ends_at = self.bytes() + (self.fixed.len() - from) as u64;
        let source = Source::Fixed { from };
        self.segments.push(Segment { ends_at, source });
    }
}

/// What separates the parts; no line of text or base64 begins with two hyphens.
pub fn boundary(stamp: &Stamp) -> String {
    format!("=_{:016x}", stamp.key(usize::MAX - 1))
}
