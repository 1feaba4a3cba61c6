//! Checks that a received message is as it was sent.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use super::body::PIECE_BYTES;
use super::contents::Contents;
use super::header::{self, FIELD, Origin};
use super::mark::{Added, FOOTER_BYTES, Marks, tag_before};
use super::part::Kind;
use super::stamp::{DOMAIN, Stamp};

/// Most bytes of a header that are kept. The rest counts as missing.
const HEADER_BYTES: usize = 256 << 10;

thread_local! {
    /// The expected bytes of a piece.
    static EXPECTED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The section to check after the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// None: only the header is checked.
    Header,
    /// Everything below it (`BODY[TEXT]`).
    Text,
    /// The contents of one part, counted from 1 (`BODY[1]`).
    Part(u32),
}

/// Where a message differs from what was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In one of the fields that it was sent with.
    Header,
    /// At this offset in the section, in bytes.
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

/// Whether a message is as it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it was sent.
    Intact,
    /// Of this run, but not as it was sent.
    Altered {
        /// Where it differs first.
        at: Place,
    },
    /// Not of this run.
    Foreign,
}

/// The result of checking a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Who sent it, if its header has an intact `X-Headcount` field.
    pub stamp: Option<Stamp>,
    /// Whether it is as it was sent.
    pub verdict: Verdict,
    /// What a gateway may have added, if nothing else was altered.
    pub added: Option<Added>,
}

/// Compares a message with what was sent, as it arrives. Keeps only its header.
#[derive(Debug)]
pub struct Checker {
    run: u64,
    section: Section,
    marks: Arc<Marks>,
    header: Vec<u8>,
    is_below: bool,
    expected: Option<Expected>,
}

/// What the header says to expect.
#[derive(Debug)]
struct Expected {
    stamp: Option<Stamp>,
    verdict: Verdict,
    added: Option<Added>,
    contents: Option<Contents>,
    range: Range<u64>,
    /// Whether the section is text that a person reads, which a footer may follow.
    is_text: bool,
    /// The bytes after the text that may be a footer.
    footer: Vec<u8>,
}

impl Checker {
    /// A checker for a message of this run: first the header, then this section.
    #[must_use]
    pub fn new(run: u64, section: Section) -> Self {
        Self::allowing(run, section, Arc::default())
    }

    /// The same, for mail to which a gateway may add `marks`.
    #[must_use]
    pub const fn allowing(run: u64, section: Section, marks: Arc<Marks>) -> Self {
        Self {
            run,
            section,
            marks,
            header: Vec::new(),
            is_below: false,
            expected: None,
        }
    }

    /// Takes a piece of the header, in order, with or without the blank line after it.
    pub fn header(&mut self, piece: &[u8]) {
        let room = HEADER_BYTES.saturating_sub(self.header.len());
        self.header
            .extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// Takes a piece of the section, in order, after the whole header.
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
                let is_after = expected.range.is_empty() && expected.is_text;
                let room = (FOOTER_BYTES + 1).saturating_sub(expected.footer.len());
                if is_after && room > 0 {
                    let more = &now[same..];
                    expected
                        .footer
                        .extend_from_slice(&more[..more.len().min(room)]);
                } else {
                    expected.verdict = altered(expected.range.start);
                }
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

    /// The result, once everything has arrived.
    #[must_use]
    pub fn finish(mut self) -> Checked {
        let section = self.section;
        let marks = Arc::clone(&self.marks);
        let expected = self.expected();
        expected.judge_footer(&marks);
        let is_short = section != Section::Header && !expected.range.is_empty();
        let verdict = match expected.verdict {
            Verdict::Intact if is_short => altered(expected.range.start),
            verdict => verdict,
        };
        // Count from the beginning of the section.
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
            added: expected.added.take(),
        }
    }

    fn expected(&mut self) -> &mut Expected {
        let (run, section, header) = (self.run, self.section, &self.header);
        let marks = &self.marks;
        self.expected
            .get_or_insert_with(|| expected(run, section, header, marks))
    }
}

impl Expected {
    /// Checks whether the bytes after the text are an allowed footer.
    fn judge_footer(&mut self, marks: &Marks) {
        if self.footer.is_empty() || self.verdict != Verdict::Intact {
            return;
        }
        if !marks.footer.allows(&self.footer) {
            self.verdict = altered(self.range.start);
            self.added = (self.footer.len() <= FOOTER_BYTES)
                .then_some(Added::Footer(self.footer.len() as u64));
        }
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

fn expected(run: u64, section: Section, header: &[u8], marks: &Marks) -> Expected {
    let found = |stamp, verdict, added| Expected {
        stamp,
        verdict,
        added,
        contents: None,
        range: 0..0,
        is_text: false,
        footer: Vec::new(),
    };
    let damaged = Verdict::Altered { at: Place::Header };
    let field = header::fields(header).find(|field| header::is_named(field, FIELD));
    let Some(field) = field else {
        // Without the field, the message may still be ours: the field's name may be damaged.
        let id = format!("<{run:016x}.");
        let is_ours = |value: &str| value.contains(&id) && value.contains(DOMAIN);
        let is_ours = header::value(header, "Message-ID").is_some_and(is_ours);
        let verdict = if is_ours { damaged } else { Verdict::Foreign };
        return found(None, verdict, None);
    };
    let Some(origin) = Origin::read(field) else {
        return found(None, damaged, None);
    };
    let stamp = Some(origin.stamp);
    if origin.stamp.run != run {
        return found(stamp, Verdict::Foreign, None);
    }
    let addresses = header::value(header, "From").zip(header::value(header, "To"));
    let Some((from, to)) = addresses else {
        return found(stamp, damaged, None);
    };
    if let Err(added) = original_header(header, origin.checksum, marks) {
        return found(stamp, damaged, added);
    }
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
    let is_alone = origin.parts.len() == 1;
    let is_first = section == Section::Part(1) || (section == Section::Text && is_alone);
    let is_text = |part: &super::Part| part.kind == Kind::Text;
    Expected {
        contents: Some(contents),
        range,
        is_text: is_first && origin.parts.first().is_some_and(is_text),
        ..found(stamp, verdict, None)
    }
}

/// Checks that a header is as it was sent, except for the allowed tag. The error is what was added
/// to the subject, if nothing else differs.
fn original_header(header: &[u8], sent: u32, marks: &Marks) -> Result<(), Option<Added>> {
    if header::checksum(header, None) == sent {
        return Ok(());
    }
    let Some(subject) = header::value(header, "Subject") else {
        return Err(None);
    };
    let is_original = |subject: &str| header::checksum(header, Some(subject)) == sent;
    if marks.untagged(subject).is_some_and(is_original) {
        return Ok(());
    }
    let tag = tag_before(subject, is_original);
    Err(tag.map(|tag| Added::Tag(tag.into())))
}
