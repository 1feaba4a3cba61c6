//! RESP2, the protocol of Redis (redis.io, "Redis serialization protocol specification").

use std::fmt;

/// The largest text accepted in a reply: as large as the largest value written. A reply that
/// announces more is malformed.
pub const MOST_BYTES: usize = crate::options::MOST_VALUE_BYTES as usize;
/// Most parts in all arrays of a reply. A SCAN has some 1,000; each part takes some 20 times the
/// memory of the bytes that a server sends for it.
pub const MOST_PARTS: usize = 1 << 16;
/// Longest line: a status, an error, a number.
pub const MOST_LINE: usize = 64 << 10;
/// How deep arrays may be nested: no command used here answers with more.
pub const DEEPEST: u32 = 4;

/// Most bytes of a reply that messages show.
const SHOWN: usize = 40;

/// What a server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply<'a> {
    /// A status, such as `OK`.
    Status(&'a [u8]),
    /// An error, with its code first.
    Error(&'a [u8]),
    /// A number.
    Integer(i64),
    /// Bytes; `None` for a missing key.
    Bulk(Option<&'a [u8]>),
    /// Several replies.
    Array(Vec<Reply<'a>>),
}

impl fmt::Display for Reply<'_> {
    /// A short description: a server may send megabytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(text) | Self::Error(text) => {
                write!(f, "\"{}\"", text[..text.len().min(SHOWN)].escape_ascii())
            }
            Self::Integer(number) => write!(f, "the number {number}"),
            Self::Bulk(None) => f.write_str("nothing"),
            Self::Bulk(Some(text)) => write!(f, "a text of {} bytes", text.len()),
            Self::Array(parts) => write!(f, "an array of {} parts", parts.len()),
        }
    }
}

/// Appends a command: its name and its arguments.
pub fn append_command(out: &mut Vec<u8>, words: &[&[u8]]) {
    append_head(out, words.len());
    for word in words {
        append_bulk(out, word.len(), |out| out.extend_from_slice(word));
    }
}

/// Appends the head of a command of `words` words.
pub fn append_head(out: &mut Vec<u8>, words: usize) {
    append_length(out, b'*', words);
}

/// Appends a word of `bytes` bytes, which `text` appends.
pub fn append_bulk(out: &mut Vec<u8>, bytes: usize, text: impl FnOnce(&mut Vec<u8>)) {
    append_length(out, b'$', bytes);
    text(out);
    out.extend_from_slice(b"\r\n");
}

fn append_length(out: &mut Vec<u8>, kind: u8, length: usize) {
    use std::io::Write as _;

    out.push(kind);
    let _ = write!(out, "{length}\r\n"); // writing to a vector cannot fail
}

/// The first reply in `bytes` and its length; `None` if it is incomplete. The error is a sentence.
pub fn parse(bytes: &[u8]) -> Result<Option<(Reply<'_>, usize)>, String> {
    parse_within(bytes, DEEPEST, &mut { MOST_PARTS })
}

fn parse_within<'a>(
    bytes: &'a [u8],
    depth: u32,
    room: &mut usize,
) -> Result<Option<(Reply<'a>, usize)>, String> {
    let Some(kind) = bytes.first() else {
        return Ok(None);
    };
    if !b"+-:$*".contains(kind) {
        return Err(format!(
            "it does not speak RESP: its answer begins with byte {kind:#04x}"
        ));
    }
    let Some((line, after)) = line(&bytes[1..])? else {
        return Ok(None);
    };
    let after = after + 1;
    let reply = match kind {
        b'+' => Reply::Status(line),
        b'-' => Reply::Error(line),
        b':' => Reply::Integer(number(line)?),
        b'$' => return bulk(bytes, number(line)?, after),
        _ => return array(bytes, number(line)?, after, depth, room),
    };
    Ok(Some((reply, after)))
}

/// The announced length of a text, in bytes; an error if it is negative or above [`MOST_BYTES`].
pub fn text_length(length: i64) -> Result<usize, String> {
    let bytes = usize::try_from(length).ok();
    bytes
        .filter(|bytes| *bytes <= MOST_BYTES)
        .ok_or_else(|| format!("a reply of {length} bytes"))
}

fn bulk(bytes: &[u8], length: i64, after: usize) -> Result<Option<(Reply<'_>, usize)>, String> {
    if length == -1 {
        return Ok(Some((Reply::Bulk(None), after)));
    }
    let length = text_length(length)?;
    let end = after + length;
    let Some(closing) = bytes.get(end..end + 2) else {
        return Ok(None);
    };
    if closing != b"\r\n" {
        return Err(format!(
            "a reply is longer than the {length} bytes it announces"
        ));
    }
    Ok(Some((Reply::Bulk(Some(&bytes[after..end])), end + 2)))
}

/// An array. `room` limits the parts of it and of all arrays inside it.
fn array<'a>(
    bytes: &'a [u8],
    parts: i64,
    after: usize,
    depth: u32,
    room: &mut usize,
) -> Result<Option<(Reply<'a>, usize)>, String> {
    if parts == -1 {
        return Ok(Some((Reply::Bulk(None), after)));
    }
    let parts = part_count(parts, depth, room)?;
    let (mut found, mut at) = (Vec::new(), after);
    for _ in 0..parts {
        let Some((part, taken)) = parse_within(&bytes[at..], depth - 1, room)? else {
            return Ok(None);
        };
        found.push(part);
        at += taken;
    }
    Ok(Some((Reply::Array(found), at)))
}

/// The announced number of parts of an array, subtracted from `room`.
pub fn part_count(parts: i64, depth: u32, room: &mut usize) -> Result<usize, String> {
    if depth == 0 {
        return Err(format!("arrays in arrays, more than {DEEPEST} deep"));
    }
    let count = usize::try_from(parts).ok();
    let count = count.filter(|count| *count <= *room);
    let count = count.ok_or_else(|| format!("a reply of {parts} parts"))?;
    *room -= count;
    Ok(count)
}

/// The line at the start of these bytes, and where the next begins.
fn line(bytes: &[u8]) -> Result<Option<(&[u8], usize)>, String> {
    let within = &bytes[..bytes.len().min(MOST_LINE)];
    match within.windows(2).position(|two| two == b"\r\n") {
        Some(end) => Ok(Some((&bytes[..end], end + 2))),
        None if bytes.len() >= MOST_LINE => Err("a line that does not end".to_owned()),
        None => Ok(None),
    }
}

/// The number in a line.
pub fn number(line: &[u8]) -> Result<i64, String> {
    std::str::from_utf8(line)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| {
            let shown = &line[..line.len().min(SHOWN)];
            format!("\"{}\" instead of a number", shown.escape_ascii())
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_have_the_form_of_the_specification() {
        let mut out = Vec::new();
        append_command(&mut out, &[b"LLEN", b"mylist"]);
        assert_eq!(out, b"*2\r\n$4\r\nLLEN\r\n$6\r\nmylist\r\n");
    }

    #[test]
    fn every_kind_of_reply_is_read() {
        let whole = |text: &'static [u8]| parse(text).unwrap().unwrap();
        assert_eq!(whole(b"+OK\r\n"), (Reply::Status(b"OK"), 5));
        assert_eq!(whole(b"-ERR no\r\n"), (Reply::Error(b"ERR no"), 9));
        assert_eq!(whole(b":-12\r\n"), (Reply::Integer(-12), 6));
        assert_eq!(whole(b"$5\r\none\r\n\r\n").0, Reply::Bulk(Some(b"one\r\n")));
        assert_eq!(whole(b"$-1\r\n"), (Reply::Bulk(None), 5));
        assert_eq!(whole(b"*-1\r\n"), (Reply::Bulk(None), 5));
        let two = Reply::Array(vec![
            Reply::Bulk(Some(b"0")),
            Reply::Array(vec![Reply::Integer(7)]),
        ]);
        assert_eq!(whole(b"*2\r\n$1\r\n0\r\n*1\r\n:7\r\n+next\r\n"), (two, 19));
    }

    #[test]
    fn malformed_replies_are_refused() {
        let refused = |text: &[u8]| parse(text).unwrap_err();
        assert!(refused(b"HTTP/1.1 400 Bad Request\r\n").contains("does not speak RESP"));
        assert!(refused(b"$x\r\n").contains("instead of a number"));
        assert!(refused(b"$-2\r\n").contains("-2 bytes"));
        assert!(refused(b"$99999999999\r\n").contains("99999999999 bytes"));
        assert!(refused(b"*99999999999\r\n").contains("99999999999 parts"));
        assert!(refused(b"$1\r\nabc\r\n").contains("longer than the 1 bytes"));
        assert!(refused(&[b"+".to_vec(), vec![b'x'; MOST_LINE]].concat()).contains("not end"));
        assert!(refused(&b"*1\r\n".repeat(9)).contains("more than 4 deep"));
        let coloured = [b":".to_vec(), vec![0x1b; 9000], b"\r\n".to_vec()].concat();
        let shown = r"\x1b".repeat(SHOWN);
        assert_eq!(
            refused(&coloured),
            format!("\"{shown}\" instead of a number")
        );
        let many = [b"*60000\r\n".to_vec(), b"*1\r\n+\r\n".repeat(60_000)].concat();
        assert!(refused(&many).contains("1 parts"));
    }

    #[test]
    fn a_reply_in_words_is_short_and_plain() {
        let all = [
            (
                Reply::Status(&[b'x'; 9000]),
                format!("\"{}\"", "x".repeat(SHOWN)),
            ),
            (Reply::Error(b"\x1b[31m"), r#""\x1b[31m""#.into()),
            (Reply::Bulk(Some(&[0; 9000])), "a text of 9000 bytes".into()),
            (Reply::Bulk(None), "nothing".into()),
            (Reply::Integer(-7), "the number -7".into()),
            (
                Reply::Array(vec![Reply::Bulk(None); 3]),
                "an array of 3 parts".into(),
            ),
        ];
        for (reply, words) in all {
            assert_eq!(reply.to_string(), words);
        }
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn a_part_of_a_reply_is_never_taken_for_a_whole(
            text in proptest::collection::vec(any::<u8>(), 0..100), cut in 0_usize..100
        ) {
            let mut out = Vec::new();
            append_head(&mut out, 2);
            append_bulk(&mut out, text.len(), |out| out.extend_from_slice(&text));
            append_bulk(&mut out, 1, |out| out.push(b'x'));
            let cut = cut.min(out.len() - 1);
            prop_assert_eq!(parse(&out[..cut]), Ok(None));
            let whole = Reply::Array(vec![Reply::Bulk(Some(&text)), Reply::Bulk(Some(b"x"))]);
            prop_assert_eq!(parse(&out), Ok(Some((whole, out.len()))));
        }
    }
}
