//! Parses answers (RFC 9051, 7; RFC 3501, 7).

use std::borrow::Cow;

use super::cursor::{Cursor, Wrong, parse_number};

/// How a command went, or the state of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Done, or information.
    Ok,
    /// Not done, or a warning.
    No,
    /// Not understood.
    Bad,
    /// Logged on already; only in a greeting.
    Preauth,
    /// The connection ends.
    Bye,
}

/// A condition with its response code and text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State<'a> {
    /// The condition.
    pub condition: Condition,
    /// The response code in brackets: a word for programs, and its arguments.
    pub code: Option<&'a [u8]>,
    /// The text for people.
    pub text: &'a [u8],
}

impl<'a> State<'a> {
    /// The arguments of the response code, if it is `name`.
    #[must_use]
    pub fn code(&self, name: &str) -> Option<Cursor<'a>> {
        let code = self.code?;
        let (word, arguments) = code.split_at_checked(name.len())?;
        if !word.eq_ignore_ascii_case(name.as_bytes()) {
            return None;
        }
        match arguments {
            [] => Some(Cursor::new(arguments)),
            [b' ', arguments @ ..] => Some(Cursor::new(arguments)),
            _ => None,
        }
    }

    /// The numeric argument of the response code, if it is `name`.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u32> {
        self.code(name)?.number().ok()
    }
}

/// A mailbox in the answer to LIST.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<'a> {
    /// Its attributes, separated by spaces.
    pub attributes: &'a [u8],
    /// What separates the levels of names.
    pub delimiter: Option<u8>,
    /// Its name as sent by the server.
    pub name: Cow<'a, [u8]>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<'a> {
    /// The end of the command with this tag.
    Done(&'a [u8], State<'a>),
    /// A continuation request: the server waits for the rest of a command.
    Continue(&'a [u8]),
    /// An untagged condition.
    State(State<'a>),
    /// The number of messages in the folder.
    Exists(u32),
    /// The message with this number is gone.
    Expunge(u32),
    /// These messages are gone, and whether that was before the folder was selected (RFC 7162).
    Vanished(bool, Cursor<'a>),
    /// Items of the message with this number: see [`super::fetch`].
    Fetch(u32),
    /// The server's capabilities.
    Capability(&'a [u8]),
    /// The extensions that were enabled.
    Enabled(&'a [u8]),
    /// A mailbox.
    List(Listed<'a>),
    /// The status of a mailbox: its name, and pairs of a word and a number.
    Status(Cow<'a, [u8]>, Cursor<'a>),
    /// Messages found: see [`super::found`].
    Search(Cursor<'a>),
    /// The same, as ranges.
    Esearch(Cursor<'a>),
    /// The namespaces.
    Namespace(Cursor<'a>),
    /// The limits of a quota root.
    Quota(Cursor<'a>),
    /// Any other answer; this client does not use it.
    Other(&'a [u8]),
}

/// Parses a complete answer.
pub fn read(text: &[u8]) -> Result<Answer<'_>, Wrong> {
    let mut cursor = Cursor::new(text);
    if cursor.take(b'+') {
        // Some servers send just the `+`, without a space.
        cursor.take(b' ');
        return Ok(Answer::Continue(cursor.rest()));
    }
    let tag = cursor.take_while(|byte| {
        byte > b' ' && !matches!(byte, b'(' | b')' | b'{' | b'%' | b'"' | b'\\' | b'+')
    });
    if tag.is_empty() {
        return Err("a tag");
    }
    cursor.expect(b' ')?;
    if tag != b"*" {
        let word = cursor.atom()?;
        let condition = condition(word)
            .filter(|condition| !matches!(condition, Condition::Bye | Condition::Preauth));
        return Ok(Answer::Done(
            tag,
            state(condition.ok_or("OK, NO or BAD")?, cursor),
        ));
    }
    if cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        return numbered(cursor);
    }
    let word = cursor.atom()?;
    if let Some(condition) = condition(word) {
        return Ok(Answer::State(state(condition, cursor)));
    }
    named(word, cursor)
}

fn condition(word: &[u8]) -> Option<Condition> {
    Some(match word.len() {
        2 if word.eq_ignore_ascii_case(b"OK") => Condition::Ok,
        2 if word.eq_ignore_ascii_case(b"NO") => Condition::No,
        3 if word.eq_ignore_ascii_case(b"BAD") => Condition::Bad,
        3 if word.eq_ignore_ascii_case(b"BYE") => Condition::Bye,
        7 if word.eq_ignore_ascii_case(b"PREAUTH") => Condition::Preauth,
        _ => return None,
    })
}

fn state(condition: Condition, mut cursor: Cursor<'_>) -> State<'_> {
    cursor.take(b' ');
    let text = cursor.rest();
    let code = text.strip_prefix(b"[").and_then(|text| {
        let end = text.iter().position(|byte| *byte == b']')?;
        Some((&text[..end], &text[end + 1..]))
    });
    match code {
        Some((code, text)) => State {
            condition,
            code: Some(code),
            text: text.strip_prefix(b" ").unwrap_or(text),
        },
        None => State {
            condition,
            code: None,
            text,
        },
    }
}

/// An answer that begins with a number: `* 5 EXISTS`.
fn numbered(mut cursor: Cursor<'_>) -> Result<Answer<'_>, Wrong> {
    let number = cursor.number()?;
    let about = cursor.rest();
    cursor.expect(b' ')?;
    let word = cursor.atom()?;
    let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    match word.len() {
        5 if is("FETCH") => Ok(Answer::Fetch(number)),
        6 if is("EXISTS") => Ok(Answer::Exists(number)),
        7 if is("EXPUNGE") => Ok(Answer::Expunge(number)),
        _ => Ok(Answer::Other(about)),
    }
}

fn named<'a>(word: &'a [u8], mut cursor: Cursor<'a>) -> Result<Answer<'a>, Wrong> {
    let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    cursor.take(b' ');
    Ok(match word.len() {
        10 if is("CAPABILITY") => Answer::Capability(cursor.rest()),
        7 if is("ENABLED") => Answer::Enabled(cursor.rest()),
        4 if is("LIST") => Answer::List(listed(cursor)?),
        4 if is("LSUB") => Answer::List(listed(cursor)?),
        6 if is("STATUS") => {
            let name = cursor.astring()?;
            cursor.expect(b' ')?;
            Answer::Status(name, inside(cursor)?)
        }
        6 if is("SEARCH") => Answer::Search(cursor),
        7 if is("ESEARCH") => Answer::Esearch(cursor),
        8 if is("VANISHED") => {
            let earlier =
                cursor.rest().len() > 10 && cursor.rest()[..10].eq_ignore_ascii_case(b"(EARLIER) ");
            if earlier {
                cursor = Cursor::new(&cursor.rest()[10..]);
            }
            Answer::Vanished(earlier, cursor)
        }
        9 if is("NAMESPACE") => Answer::Namespace(cursor),
        5 if is("QUOTA") => Answer::Quota(cursor),
        _ => Answer::Other(word),
    })
}

fn listed(mut cursor: Cursor<'_>) -> Result<Listed<'_>, Wrong> {
    let attributes = inside(Cursor::new(cursor.value()?))?.rest();
    cursor.expect(b' ')?;
    let delimiter = match cursor.nstring()? {
        None => None,
        Some(delimiter) => match *delimiter {
            [delimiter] => Some(delimiter),
            _ => return Err("a delimiter of one character"),
        },
    };
    cursor.expect(b' ')?;
    let name = cursor.astring()?;
    Ok(Listed {
        attributes,
        delimiter,
        name,
    })
}

/// The contents of the parentheses around all that is left.
fn inside(mut cursor: Cursor<'_>) -> Result<Cursor<'_>, Wrong> {
    cursor.expect(b'(')?;
    // Some servers end a line with a space.
    let rest = cursor.rest().trim_ascii_end();
    rest.strip_suffix(b")")
        .map(Cursor::new)
        .ok_or("a closing parenthesis")
}

/// Parses pairs of a word and a number: `MESSAGES 5 UNSEEN 2`.
pub fn each_pair(mut cursor: Cursor<'_>, each: &mut dyn FnMut(&[u8], u64)) -> Result<(), Wrong> {
    while !cursor.is_at_end() {
        let word = cursor.atom()?;
        cursor.expect(b' ')?;
        // Servers may add items that were not asked for and are not numbers: MAILBOXID (...).
        if let Some(number) = parse_number(cursor.value()?) {
            each(word, number);
        }
        cursor.take(b' ');
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_separated_from_text() {
        let Ok(Answer::Done(tag, state)) = read(b"a1 ok [APPENDUID 38505 3955] APPEND done") else {
            panic!()
        };
        assert_eq!((tag, state.text), (&b"a1"[..], &b"APPEND done"[..]));
        let mut numbers = state.code("appenduid").unwrap();
        assert_eq!(numbers.number(), Ok(38505));
        assert_eq!(numbers.rest(), b" 3955");
        assert_eq!(state.number("APPEND"), None);
        let Ok(Answer::State(state)) = read(b"* OK [UIDNEXT 4392] next") else {
            panic!()
        };
        assert_eq!(state.number("UIDNEXT"), Some(4392));
        let Ok(Answer::State(state)) = read(b"* BYE") else {
            panic!()
        };
        assert_eq!(
            state,
            State {
                condition: Condition::Bye,
                code: None,
                text: b""
            }
        );
    }

    #[test]
    fn status_and_list_answers_are_read() {
        let text = b"* STATUS \"a b\" (MESSAGES 231 UIDNEXT 44292 MAILBOXID (F1) UNSEEN 0) ";
        let Ok(Answer::Status(name, pairs)) = read(text) else {
            panic!()
        };
        let mut seen = Vec::new();
        each_pair(pairs, &mut |word, number| {
            seen.push((word.to_vec(), number));
        })
        .unwrap();
        assert_eq!(&*name, b"a b");
        assert_eq!(
            seen,
            [
                (b"MESSAGES".to_vec(), 231),
                (b"UIDNEXT".to_vec(), 44292),
                (b"UNSEEN".to_vec(), 0)
            ]
        );
        let Ok(Answer::List(listed)) = read(b"* LIST (\\HasNoChildren \\Sent) NIL {4}\r\nSent")
        else {
            panic!()
        };
        assert_eq!((listed.delimiter, &*listed.name), (None, &b"Sent"[..]));
        assert_eq!(listed.attributes, b"\\HasNoChildren \\Sent");
    }

    #[test]
    fn malformed_answers_are_refused() {
        for (text, wanted) in [
            (&b""[..], "a tag"),
            (b"HTTP/1.1 400 Bad Request", "OK, NO or BAD"),
            (b"* ", "a word"),
            (b"* 99999999999 EXISTS", "a number of 32 bits"),
            (b"* LIST \"/\" INBOX", "an opening parenthesis"),
            (b"* LIST () \"//\" INBOX", "a delimiter of one character"),
            (b"a1 BYE", "OK, NO or BAD"),
            (b"* STATUS INBOX (MESSAGES 1", "a closing parenthesis"),
        ] {
            assert_eq!(read(text), Err(wanted), "{}", text.escape_ascii());
        }
    }
}
