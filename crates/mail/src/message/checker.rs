//! Whether a message that came back is still as it was sent.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use memchr::memmem;

use super::body::PIECE_BYTES;
use super::contents::Contents;
use super::header::{self, FIELD, Origin};
use super::stamp::{DOMAIN, Stamp};

/// Most bytes of a header that are kept. What comes after them counts as missing.
const HEADER_BYTES: usize = 256 << 10;

thread_local! {
    /// What should have come.
    static EXPECTED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What follows the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Nothing: only the header was asked for.
    Header,
    /// Everything below it (`BODY[TEXT]`).
    Text,
    /// The contents of one part, counted from 1 (`BODY[1]`).
    Part(u32),
}

/// Where a message is other than it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In one of the fields that it was sent with.
    Header,
    /// So many bytes after the beginning of the section.
    Body(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("in its header"),
            Self::Body(at) => write!(f, "at byte {at} below its header"),
        }
    }
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it was sent.
    Intact,
    /// One of this run's, and not as it was sent.
    Altered {
        /// Where it differs first.
        at: Place,
    },
    /// Not one of this run's.
    Foreign,
}

/// What was found out about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// Who sent it, if its header says so and can be trusted.
    pub stamp: Option<Stamp>,
    /// What became of it.
    pub verdict: Verdict,
}

/// Reads a message as it comes, and compares it with what was sent. Keeps its header only.
#[derive(Debug)]
pub struct Checker {
    run: u64,
    section: Section,
    header: Vec<u8>,
    is_below: bool,
    expected: Option<Expected>,
}

/// What the header has led to.
#[derive(Debug)]
struct Expected {
    stamp: Option<Stamp>,
    verdict: Verdict,
    contents: Option<Contents>,
    range: Range<u64>,
}

impl Checker {
    /// For a message of this run, of which the header comes and then this section.
    #[must_use]
    pub const fn new(run: u64, section: Section) -> Self {
        Self {
            run,
            section,
            header: Vec::new(),
            is_below: false,
            expected: None,
        }
    }

    /// Takes a piece of the header, in order. The blank line below it may be there or not.
    pub fn header(&mut self, piece: &[u8]) {
        let room = HEADER_BYTES.saturating_sub(self.header.len());
        self.header
            .extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// Takes a piece of the section, in order; the header is complete.
    pub fn body(&mut self, mut piece: &[u8]) {
        let expected = self.expected();
        let Some(contents) = &expected.contents else {
            return;
        };
        while !piece.is_empty() && expected.verdict == Verdict::Intact {
            let (now, later) = piece.split_at(piece.len().min(PIECE_BYTES));
            let at = expected.range.start;
            let end = expected.range.end.min(at + now.len() as u64);
            let same = EXPECTED.with_borrow_mut(|bytes| {
                bytes.clear();
                contents.write(at..end, bytes);
                if *bytes == now {
                    now.len()
                } else {
                    first_difference(bytes, now)
                }
            });
            expected.range.start += same as u64;
            if same < now.len() {
                expected.verdict = altered(expected.range.start);
            }
            piece = later;
        }
    }

    /// Takes a piece of a whole message (`BODY[]`), in order.
    pub fn whole(&mut self, piece: &[u8]) {
        if self.is_below {
            return self.body(piece);
        }
        let before = self.header.len();
        self.header(piece);
        let searched = before.saturating_sub(3);
        let found = memmem::find(&self.header[searched..], b"\r\n\r\n");
        let Some(end) = found.map(|at| searched + at + 4) else {
            return;
        };
        self.header.truncate(end);
        self.is_below = true;
        self.body(&piece[end - before..]);
    }

    /// What became of the message; everything has come.
    #[must_use]
    pub fn finish(mut self) -> Checked {
        let section = self.section;
        let expected = self.expected();
        let is_short = section != Section::Header && !expected.range.is_empty();
        let verdict = match expected.verdict {
            Verdict::Intact if is_short => altered(expected.range.start),
            verdict => verdict,
        };
        // Where it differs is counted from the beginning of the section.
        let begins_at = match (&expected.contents, section) {
            (Some(contents), Section::Part(part)) => contents.range(part).start,
            _ => 0,
        };
        let verdict = match verdict {
            Verdict::Altered {
                at: Place::Body(at),
            } => altered(at - begins_at),
            other => other,
        };
        Checked {
            stamp: expected.stamp,
            verdict,
        }
    }

    fn expected(&mut self) -> &mut Expected {
        let (run, section, header) = (self.run, self.section, &self.header);
        self.expected
            .get_or_insert_with(|| expected(run, section, header))
    }
}

const fn altered(at: u64) -> Verdict {
    Verdict::Altered {
        at: Place::Body(at),
    }
}

fn first_difference(expected: &[u8], found: &[u8]) -> usize {
    let pairs = expected.iter().zip(found);
    pairs
        .take_while(|(expected, found)| expected == found)
        .count()
}

fn expected(run: u64, section: Section, header: &[u8]) -> Expected {
    let found = |stamp, verdict| Expected {
        stamp,
        verdict,
        contents: None,
        range: 0..0,
    };
    let damaged = Verdict::Altered { at: Place::Header };
    let field = header::fields(header).find(|field| header::is_named(field, FIELD));
    let Some(field) = field else {
        // Without the field it may still be ours: the field's name may have suffered.
        let id = format!("<{run:016x}.");
        let is_ours = |value: &str| value.contains(&id) && value.contains(DOMAIN);
        let is_ours = header::value(header, "Message-ID").is_some_and(is_ours);
        return found(None, if is_ours { damaged } else { Verdict::Foreign });
    };
    let Some(origin) = Origin::read(field) else {
        return found(None, damaged);
    };
    let stamp = Some(origin.stamp);
    if origin.stamp.run != run {
        return found(stamp, Verdict::Foreign);
    }
    let addresses = header::value(header, "From").zip(header::value(header, "To"));
    let Some((from, to)) = addresses.filter(|_| header::checksum(header) == origin.checksum) else {
        return found(stamp, damaged);
    };
    let to: Vec<&str> = to.split(",\r\n ").collect();
    let contents = Contents::new(&origin.stamp, from, &to, &origin.parts);
    let range = match section {
        Section::Header => 0..0,
        Section::Text => 0..contents.bytes(),
        Section::Part(part) => contents.range(part),
    };
    let verdict = if contents.bytes() == origin.bytes {
        Verdict::Intact
    } else {
        damaged
    };
    Expected {
        stamp,
        verdict,
        contents: Some(contents),
        range,
    }
}
