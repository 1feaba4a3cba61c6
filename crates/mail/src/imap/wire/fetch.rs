//! Parses FETCH answers (RFC 9051, 7.5.2).

use std::borrow::Cow;

use super::cursor::{Cursor, Wrong};

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// All of it.
    Whole,
    /// Its header, or some fields of it.
    Header,
    /// What follows the header.
    Text,
    /// The part with this number.
    Part(u32),
    /// A part of a part.
    Other,
}

/// Items of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known<'a> {
    /// Its number in the folder.
    pub number: u32,
    /// Its UID.
    pub uid: Option<u32>,
    /// Its flags, separated by spaces.
    pub flags: Option<&'a [u8]>,
    /// Its size in octets.
    pub size: Option<u64>,
    /// Its envelope as sent by the server, in parentheses.
    pub envelope: Option<&'a [u8]>,
}

/// Short contents inside the text; `None` if they were passed on in pieces before.
pub type Inline<'a> = Option<Cow<'a, [u8]>>;

/// Parses a FETCH answer, or the beginning of one up to contents that arrive in pieces. Calls
/// `each` for each section; the last section of a beginning is that of those contents.
pub fn read<'a>(
    text: &'a [u8],
    each: &mut dyn FnMut(&Known<'a>, Section, Inline<'_>),
) -> Result<Known<'a>, Wrong> {
    let mut cursor = Cursor::new(text);
    cursor.expect(b'*')?;
    cursor.expect(b' ')?;
    let mut known = Known {
        number: cursor.number()?,
        ..Known::default()
    };
    cursor.expect(b' ')?;
    cursor.atom()?;
    cursor.expect(b' ')?;
    cursor.expect(b'(')?;
    while !cursor.take(b')') {
        let name = cursor.atom()?;
        if let Some(section) = section(name, &mut cursor)? {
            cursor.expect(b' ')?;
            if matches!(cursor.peek(), Some(b'{' | b'~')) {
                cursor.literal_length()?;
                each(&known, section, None);
                if cursor.is_at_end() {
                    return Ok(known);
                }
            } else {
                let inline = cursor.nstring()?.unwrap_or_default();
                each(&known, section, Some(inline));
            }
        } else {
            item(name, &mut cursor, &mut known)?;
        }
        if !cursor.take(b' ') && cursor.peek() != Some(b')') {
            return Err("a space");
        }
    }
    Ok(known)
}

/// The section that an item is, if it is one; the cursor is then after its name.
fn section(name: &[u8], cursor: &mut Cursor<'_>) -> Result<Option<Section>, Wrong> {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    let section = match name.len() {
        4 | 6 if (is("BODY") || is("BINARY")) && cursor.take(b'[') => {
            let inside = cursor.take_while(|byte| byte != b']');
            cursor.expect(b']')?;
            // The origin of a partial fetch.
            if cursor.take(b'<') {
                cursor.number()?;
                if !cursor.take(b'>') {
                    return Err("the end of an origin");
                }
            }
            named(inside)
        }
        6 if is("RFC822") => Section::Whole,
        13 if is("RFC822.HEADER") => Section::Header,
        11 if is("RFC822.TEXT") => Section::Text,
        _ => return Ok(None),
    };
    Ok(Some(section))
}

fn named(inside: &[u8]) -> Section {
    let number = super::cursor::parse_number(inside).and_then(|number| u32::try_from(number).ok());
    let begins =
        |name: &[u8]| inside.len() >= name.len() && inside[..name.len()].eq_ignore_ascii_case(name);
    match number {
        Some(number) => Section::Part(number),
        None if inside.is_empty() => Section::Whole,
        None if inside.eq_ignore_ascii_case(b"HEADER") || begins(b"HEADER.FIELDS") => {
            Section::Header
        }
        None if inside.eq_ignore_ascii_case(b"TEXT") => Section::Text,
        None => Section::Other,
    }
}

fn item<'a>(name: &[u8], cursor: &mut Cursor<'a>, known: &mut Known<'a>) -> Result<(), Wrong> {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    // BINARY.SIZE[section], whose brackets are part of its name.
    if cursor.take(b'[') {
        cursor.take_while(|byte| byte != b']');
        cursor.expect(b']')?;
    }
    cursor.expect(b' ')?;
    match name.len() {
        3 if is("UID") => known.uid = Some(cursor.number()?),
        5 if is("FLAGS") => {
            let value = cursor.value()?;
            let flags = value
                .strip_prefix(b"(")
                .and_then(|flags| flags.strip_suffix(b")"));
            known.flags = Some(flags.ok_or("an opening parenthesis")?);
        }
        11 if is("RFC822.SIZE") => known.size = Some(cursor.number64()?),
        8 if is("ENVELOPE") => known.envelope = Some(cursor.value()?),
        _ => {
            cursor.value()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Seen = Vec<(Option<u32>, Section, Option<Vec<u8>>)>;

    fn seen(text: &[u8]) -> Result<(Known<'_>, Seen), Wrong> {
        let mut seen = Vec::new();
        let known = read(text, &mut |known, section, inline| {
            seen.push((known.uid, section, inline.map(Cow::into_owned)));
        })?;
        Ok((known, seen))
    }

    #[test]
    fn items_are_read_in_any_order() {
        let text = b"* 12 FETCH (FLAGS (\\Seen $x) BODY[HEADER.FIELDS (From \"To\")] \"From: a\" UID 7 BODY[2.MIME] NIL \
            BODY[]<100> {5}\r\n RFC822.SIZE 44827 BODY (\"TEXT\" \"PLAIN\" NIL) MODSEQ (12) BINARY.SIZE[1] 5 ENVELOPE (NIL \"a\"))";
        let (known, sections) = seen(text).unwrap();
        assert_eq!(
            (known.number, known.uid, known.size),
            (12, Some(7), Some(44827))
        );
        assert_eq!(known.flags, Some(&b"\\Seen $x"[..]));
        assert_eq!(known.envelope, Some(&b"(NIL \"a\")"[..]));
        assert_eq!(
            sections,
            [
                (None, Section::Header, Some(b"From: a".to_vec())),
                (Some(7), Section::Other, Some(vec![])),
                (Some(7), Section::Whole, None),
            ]
        );
    }

    #[test]
    fn an_unfinished_answer_ends_with_the_section_that_follows() {
        let (known, sections) =
            seen(b"* 1 FETCH (UID 5 BODY[HEADER] {3}\r\n BODY[3] {10}\r\n").unwrap();
        assert_eq!(known.uid, Some(5));
        assert_eq!(sections.last(), Some(&(Some(5), Section::Part(3), None)));
    }

    #[test]
    fn malformed_messages_are_refused() {
        for (text, wanted) in [
            (&b"* 1 FETCH"[..], "a space"),
            (b"* 1 FETCH UID 5", "an opening parenthesis"),
            (b"* 1 FETCH (UID x)", "a number"),
            (b"* 1 FETCH (UID 5", "a space"),
            (b"* 1 FETCH (UID 5 ", "a word"),
            (b"* 1 FETCH (BODY[TEXT NIL)", "a bracket"),
            (b"* 1 FETCH (BODY[]<x> NIL)", "a number"),
            (b"* 1 FETCH (FLAGS x)", "an opening parenthesis"),
        ] {
            assert_eq!(seen(text).unwrap_err(), wanted, "{}", text.escape_ascii());
        }
    }
}
