//! Splits received bytes into answers.
//!
//! An answer is a line, or several with literals between them (RFC 9051, 4.3). Most arrive complete
//! in one read and are parsed in place. The contents of messages are never buffered, but passed on
//! in the pieces in which they arrive.

use std::cell::RefCell;

use super::cursor::parse_number;

/// Most bytes of an answer, without the contents of messages.
pub const MOST_TEXT_BYTES: usize = 64 << 10;

/// The same for a search, whose answer has a number for each message found, all in one line.
pub const MOST_SEARCH_BYTES: usize = 8 << 20;

/// Most spare buffers for incomplete answers, and the largest that is kept.
const MOST_KEPT: usize = 64;
const MOST_KEPT_BYTES: usize = 16 << 10;

thread_local! {
    /// Buffers for reuse: an idle user has none.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// What has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// An answer, without its final line break. It has short literals as they were sent; of
    /// literals passed on in pieces, it has only `{length}` and the line break.
    Answer(&'a [u8]),
    /// The next bytes of a message's contents.
    Piece {
        /// The answer so far, up to the length of this literal.
        text: &'a [u8],
        /// The bytes. Empty contents have one piece without bytes.
        bytes: &'a [u8],
        /// The offset of these bytes in the contents.
        at: u64,
        /// The length of the contents.
        of: u64,
    },
}

/// What is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    /// A line.
    #[default]
    Line,
    /// A literal that becomes part of the text.
    Inside { left: usize },
    /// A literal with a message's contents.
    Passing { at: u64, of: u64 },
}

/// The state of an incomplete answer. Between answers it holds no memory.
#[derive(Debug, Default)]
pub struct Reader {
    /// The beginning of an incomplete answer.
    text: Vec<u8>,
    /// Where its last line begins.
    line: usize,
    part: Part,
}

impl Reader {
    /// Whether the reader is between answers.
    #[must_use]
    pub fn is_between(&self) -> bool {
        self.part == Part::Line && self.text.is_empty()
    }

    /// Takes received bytes and calls `on` for each event. The error is a sentence.
    pub fn take(
        &mut self,
        mut bytes: &[u8],
        on: &mut dyn FnMut(Event<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        while !bytes.is_empty() {
            let used = match self.part {
                Part::Line => self.take_line(bytes, on)?,
                Part::Inside { left } => {
                    let used = left.min(bytes.len());
                    self.text.extend_from_slice(&bytes[..used]);
                    self.enter_literal(left - used);
                    used
                }
                Part::Passing { at, of } => {
                    let left = usize::try_from(of - at).unwrap_or(usize::MAX);
                    let used = left.min(bytes.len());
                    let (text, bytes) = (&self.text, &bytes[..used]);
                    on(Event::Piece {
                        text,
                        bytes,
                        at,
                        of,
                    })?;
                    self.enter_contents(at + used as u64, of);
                    used
                }
            };
            bytes = &bytes[used..];
        }
        if self.is_between() {
            give_back(&mut self.text);
        }
        Ok(())
    }

    /// Takes bytes up to the end of a line. Returns how many.
    fn take_line(
        &mut self,
        bytes: &[u8],
        on: &mut dyn FnMut(Event<'_>) -> Result<(), String>,
    ) -> Result<usize, String> {
        let end = memchr::memchr(b'\n', bytes);
        let used = end.map_or(bytes.len(), |at| at + 1);
        if end.is_some() && self.text.is_empty() {
            let line = without_end(&bytes[..used])?;
            check_length(line)?;
            if literal_at_end(line).is_none() {
                on(Event::Answer(line))?;
                return Ok(used);
            }
        }
        if self.text.capacity() == 0 {
            self.text = spare();
        }
        self.text.extend_from_slice(&bytes[..used]);
        check_length(&self.text)?;
        if end.is_none() {
            return Ok(used);
        }
        let text = without_end(&self.text)?;
        match literal_at_end(text).filter(|literal| literal.begins >= self.line) {
            None => {
                on(Event::Answer(text))?;
                self.text.clear();
                self.line = 0;
            }
            Some(literal) if is_contents(&text[..literal.begins], self.line) => {
                let of = literal.bytes;
                if of == 0 {
                    let text = &self.text;
                    on(Event::Piece {
                        text,
                        bytes: b"",
                        at: 0,
                        of,
                    })?;
                }
                self.enter_contents(0, of);
            }
            Some(Literal { bytes, .. }) => {
                let left = usize::try_from(bytes)
                    .ok()
                    .filter(|left| *left <= MOST_TEXT_BYTES);
                let left = left.ok_or_else(|| {
                    format!(
                        "the server announced {bytes} bytes where no contents of a message belong"
                    )
                })?;
                self.enter_literal(left);
            }
        }
        Ok(used)
    }

    fn enter_literal(&mut self, left: usize) {
        self.part = if left > 0 {
            Part::Inside { left }
        } else {
            Part::Line
        };
        self.line = self.text.len();
    }

    fn enter_contents(&mut self, at: u64, of: u64) {
        self.part = if at < of {
            Part::Passing { at, of }
        } else {
            Part::Line
        };
        self.line = self.text.len();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        give_back(&mut self.text);
    }
}

fn spare() -> Vec<u8> {
    SPARE.with_borrow_mut(Vec::pop).unwrap_or_default()
}

fn give_back(text: &mut Vec<u8>) {
    let mut text = std::mem::take(text);
    if text.capacity() == 0 || text.capacity() > MOST_KEPT_BYTES {
        return;
    }
    text.clear();
    // Fails if the thread is ending: its spare buffers are gone.
    let _ = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() < MOST_KEPT {
            spare.push(text);
        }
    });
}

fn check_length(text: &[u8]) -> Result<(), String> {
    let is_search = || text.starts_with(b"* SEARCH ") || text.starts_with(b"* ESEARCH ");
    if text.len() <= MOST_TEXT_BYTES || (is_search() && text.len() <= MOST_SEARCH_BYTES) {
        return Ok(());
    }
    let begins = text[..40].escape_ascii();
    Err(format!(
        "an answer of the server does not end: \"{begins}...\""
    ))
}

fn without_end(line: &[u8]) -> Result<&[u8], String> {
    line.strip_suffix(b"\r\n").ok_or_else(|| {
        let begins = line[..line.len().min(60)].escape_ascii();
        format!("a line of the server ends without CR: \"{begins}\"")
    })
}

/// A literal that follows a line.
#[derive(Debug, Clone, Copy)]
struct Literal {
    bytes: u64,
    /// Where its length is in the line.
    begins: usize,
}

/// The literal whose length ends this line, if one does.
fn literal_at_end(text: &[u8]) -> Option<Literal> {
    let inside = text.strip_suffix(b"}")?;
    let inside = inside.strip_suffix(b"+").unwrap_or(inside);
    let digits = inside
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (before, digits) = inside.split_at(inside.len() - digits);
    let bytes = parse_number(digits)?;
    let before = before.strip_suffix(b"{")?;
    let before = before.strip_suffix(b"~").unwrap_or(before);
    // Text for people may end like a literal by chance.
    let is_value = matches!(before.last(), Some(b' ' | b'(')) && !is_prose(text);
    is_value.then_some(Literal {
        bytes,
        begins: before.len(),
    })
}

/// Whether this is a condition or a continuation request, whose text is free.
fn is_prose(text: &[u8]) -> bool {
    let mut words = text.split(|byte| *byte == b' ');
    if words.next() == Some(b"+") {
        return true;
    }
    let second = words.next().unwrap_or_default();
    [&b"OK"[..], b"NO", b"BAD", b"BYE", b"PREAUTH"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(second))
}

/// Whether a literal after this text is a section of a message: it follows `BODY[...]`, with or
/// without an origin, or one of its IMAP4rev1 names.
fn is_contents(text: &[u8], line: usize) -> bool {
    let Some(item) = text[line..].strip_suffix(b" ") else {
        return false;
    };
    let ends = |name: &[u8]| {
        item.len() > name.len() && item[item.len() - name.len()..].eq_ignore_ascii_case(name)
    };
    let is_section = ends(b"]")
        || ends(b">")
        || ends(b"RFC822")
        || ends(b"RFC822.HEADER")
        || ends(b"RFC822.TEXT");
    is_section && is_fetch(text)
}

/// Whether this is the beginning of a FETCH answer.
fn is_fetch(text: &[u8]) -> bool {
    let mut words = text.split(|byte| *byte == b' ').skip(1);
    let number = words.next().unwrap_or_default();
    let name = words.next().unwrap_or_default();
    parse_number(number).is_some() && name.eq_ignore_ascii_case(b"FETCH")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The answers and joined contents in bytes that arrive in these pieces.
    fn read(pieces: &[&[u8]]) -> Result<Vec<String>, String> {
        let (mut reader, mut seen) = (Reader::default(), Vec::<String>::new());
        let mut contents = Vec::new();
        for piece in pieces {
            reader.take(piece, &mut |event| {
                match event {
                    Event::Answer(text) => seen.push(text.escape_ascii().to_string()),
                    Event::Piece {
                        text,
                        bytes,
                        at,
                        of,
                    } => {
                        assert_eq!(at, contents.len() as u64);
                        contents.extend_from_slice(bytes);
                        if contents.len() as u64 == of {
                            let text = text.escape_ascii();
                            seen.push(format!("{text} = {}", contents.escape_ascii()));
                            contents.clear();
                        }
                    }
                }
                Ok(())
            })?;
        }
        assert!(reader.is_between());
        assert_eq!(reader.text.capacity(), 0, "between answers nothing is held");
        Ok(seen)
    }

    const DIALOGUE: &[u8] = b"* OK [ALERT] not a literal {3}\r\n* LIST () \"/\" {4}\r\n{1}\n\r\n* 1 FETCH (UID 5 \
        BODY[HEADER] {6}\r\na: b\r\n BODY[TEXT]<0> ~{3}\r\nxyz BODY[1] {0}\r\n RFC822.SIZE 9)\r\n* 2 FETCH (ENVELOPE \
        (NIL {2}\r\na] {3}\r\nabc))\r\n+ go {1}\r\na1 OK done\r\n";

    #[test]
    fn literals_are_distinguished_from_text_and_contents_from_names() {
        assert_eq!(
            read(&[DIALOGUE]).unwrap(),
            [
                "* OK [ALERT] not a literal {3}",
                r#"* LIST () \"/\" {4}\r\n{1}\n"#,
                r"* 1 FETCH (UID 5 BODY[HEADER] {6}\r\n = a: b\r\n",
                r"* 1 FETCH (UID 5 BODY[HEADER] {6}\r\n BODY[TEXT]<0> ~{3}\r\n = xyz",
                r"* 1 FETCH (UID 5 BODY[HEADER] {6}\r\n BODY[TEXT]<0> ~{3}\r\n BODY[1] {0}\r\n = ",
                r"* 1 FETCH (UID 5 BODY[HEADER] {6}\r\n BODY[TEXT]<0> ~{3}\r\n BODY[1] {0}\r\n RFC822.SIZE 9)",
                r"* 2 FETCH (ENVELOPE (NIL {2}\r\na] {3}\r\nabc))",
                "+ go {1}",
                "a1 OK done",
            ]
        );
    }

    #[test]
    fn endless_answers_are_refused() {
        let endless = [b"* OK ", &*vec![b'x'; 70_000]].concat();
        assert!(
            read(&[&endless])
                .unwrap_err()
                .contains("does not end: \"* OK xxx")
        );
        let pieces: Vec<&[u8]> = endless.chunks(999).collect();
        assert!(read(&pieces).unwrap_err().contains("does not end"));
        let literals = b"* LIST () \"/\" {60000}\r\n".to_vec();
        let literals = [
            &literals[..],
            &vec![b'x'; 60_000],
            b" {60000}\r\n",
            &vec![b'x'; 60_000],
        ]
        .concat();
        assert!(
            read(&[&literals, b"\r\n"])
                .unwrap_err()
                .contains("does not end")
        );
        let sentence = read(&[b"* LIST () \"/\" {99999999}\r\n"]).unwrap_err();
        assert!(sentence.contains("99999999 bytes"), "{sentence}");
        assert!(read(&[b"* OK hello\n"]).unwrap_err().contains("without CR"));
        let search = [b"* SEARCH", &b" 123456".repeat(100_000)[..], b"\r\n"].concat();
        assert_eq!(read(&[&search]).unwrap().len(), 1);
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let mut ends: Vec<_> = cuts.iter().map(|cut| cut.index(DIALOGUE.len())).collect();
            ends.extend([0, DIALOGUE.len()]);
            ends.sort_unstable();
            let pieces: Vec<_> = ends.windows(2).map(|pair| &DIALOGUE[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[DIALOGUE]));
        }
    }
}
