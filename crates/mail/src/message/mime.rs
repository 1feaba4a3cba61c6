//! What a person sees of a message: its fields on one line each, and its text, decoded.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::header;

/// How deep nested parts are read.
const MOST_DEPTH: u32 = 8;
/// Most bytes of an encoded word: some are longer than the 75 allowed.
const MOST_WORD: usize = 1000;
/// What windows-1252 has for 0x80 to 0x9f, where ISO-8859-1 has control characters that nobody
/// sends (WHATWG Encoding Standard).
const WINDOWS: &str = "\u{20ac}\u{81}\u{201a}\u{192}\u{201e}\u{2026}\u{2020}\u{2021}\
    \u{2c6}\u{2030}\u{160}\u{2039}\u{152}\u{8d}\u{17d}\u{8f}\
    \u{90}\u{2018}\u{2019}\u{201c}\u{201d}\u{2022}\u{2013}\u{2014}\
    \u{2dc}\u{2122}\u{161}\u{203a}\u{153}\u{9d}\u{17e}\u{178}";
/// Base64 as found in mail: with padding, or cut off.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The fields of a header: names and values, unfolded, with encoded words (RFC 2047) as text.
#[must_use]
pub fn fields(head: &[u8]) -> Vec<(Box<str>, Box<str>)> {
    let split = |field: &[u8]| {
        let text = String::from_utf8_lossy(field).into_owned();
        let (name, value) = text.split_once(':')?;
        let value = value.replace(['\r', '\n'], "").replace('\t', " ");
        Some((name.trim().into(), words(value.trim()).into()))
    };
    header::fields(head).filter_map(split).collect()
}

/// The text of a message: all its parts of type text/..., decoded and joined.
#[must_use]
pub fn text(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    append_text(message, 0, &mut out);
    out
}

/// The header and the contents after it.
#[must_use]
pub fn split(message: &[u8]) -> (&[u8], &[u8]) {
    if message.starts_with(b"\r\n") {
        return (&[], &message[2..]);
    }
    let end = memchr::memmem::find(message, b"\r\n\r\n").map(|at| at + 4);
    message.split_at(end.unwrap_or(message.len()))
}

fn append_text(message: &[u8], depth: u32, out: &mut Vec<u8>) {
    let (head, body) = split(message);
    let fields = fields(head);
    let value = |name: &str| {
        let mut same = fields.iter();
        let found = same.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    };
    let kind = value("Content-Type");
    let is = |beginning: &str| {
        let start = kind.get(..beginning.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    };
    if is("multipart/") {
        if let Some(boundary) = parameter(kind, "boundary").filter(|_| depth < MOST_DEPTH) {
            for part in parts(body, boundary) {
                append_text(part, depth + 1, out);
            }
        }
        return;
    }
    let disposition = value("Content-Disposition").to_ascii_lowercase();
    if (kind.is_empty() || is("text/")) && !disposition.starts_with("attachment") {
        let encoding = value("Content-Transfer-Encoding").to_ascii_lowercase();
        let charset = parameter(kind, "charset").unwrap_or_default();
        out.extend_from_slice(&in_utf8(decoded(body, encoding.trim()), charset));
    }
}

/// The parts between the delimiters (RFC 2046, 5.1.1).
fn parts<'a>(body: &'a [u8], boundary: &str) -> impl Iterator<Item = &'a [u8]> {
    let delimiter = format!("--{boundary}");
    let mut places = memchr::memmem::find_iter(body, &delimiter)
        .filter(|at| *at == 0 || body[..*at].ends_with(b"\n"))
        .collect::<Vec<_>>();
    places.push(body.len());
    let length = delimiter.len();
    let between = places.windows(2).map(|pair| (pair[0], pair[1]));
    let parts: Vec<&[u8]> = between
        .filter_map(|(from, to)| {
            let part = body.get(from + length..to)?;
            let line = memchr::memchr(b'\n', part)?;
            let part = &part[line + 1..];
            (!body[from + length..].starts_with(b"--"))
                .then(|| part.strip_suffix(b"\r\n").unwrap_or(part))
        })
        .collect();
    parts.into_iter()
}

/// A parameter of a field, without its quotes.
fn parameter<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    value.split(';').skip(1).find_map(|given| {
        let (key, text) = given.split_once('=')?;
        key.trim()
            .eq_ignore_ascii_case(name)
            .then(|| text.trim().trim_matches('"'))
    })
}

fn decoded(body: &[u8], encoding: &str) -> Vec<u8> {
    match encoding {
        "base64" => from_base64(body),
        "quoted-printable" => from_quoted(body, false),
        _ => body.to_vec(),
    }
}

/// A text in UTF-8, if its charset is a Western one of one byte a character; otherwise as it is.
fn in_utf8(text: Vec<u8>, charset: &str) -> Vec<u8> {
    let is = |name: &str| charset.eq_ignore_ascii_case(name);
    let character: fn(u8) -> char = if is("iso-8859-15") {
        latin9
    } else if is("iso-8859-1") || is("windows-1252") {
        windows
    } else {
        return text;
    };
    let text: String = text.into_iter().map(character).collect();
    text.into_bytes()
}

fn windows(byte: u8) -> char {
    let place = byte.checked_sub(0x80).map(usize::from);
    let other = place.and_then(|place| WINDOWS.chars().nth(place));
    other.unwrap_or_else(|| char::from(byte))
}

/// A character of ISO-8859-15, which differs from ISO-8859-1 in eight.
fn latin9(byte: u8) -> char {
    match byte {
        0xa4 => '\u{20ac}',
        0xa6 => '\u{160}',
        0xa8 => '\u{161}',
        0xb4 => '\u{17d}',
        0xb8 => '\u{17e}',
        0xbc => '\u{152}',
        0xbd => '\u{153}',
        0xbe => '\u{178}',
        _ => char::from(byte),
    }
}

/// The decoded base64; of a message that is cut off or damaged, as much as can be decoded.
fn from_base64(body: &[u8]) -> Vec<u8> {
    let letters = body
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace());
    let letters: Vec<u8> = letters.collect();
    let whole = letters.len() - letters.len() % 4;
    let decode = |letters: &[u8]| BASE64.decode(letters).ok();
    decode(&letters)
        .or_else(|| decode(&letters[..whole]))
        .unwrap_or_default()
}

/// Quoted-printable (RFC 2045, 6.7); in the words of a header an underscore is a space.
fn from_quoted(body: &[u8], is_word: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'_' && is_word {
            out.push(b' ');
        } else if byte != b'=' {
            out.push(byte);
        } else if let Some(line) = after.strip_prefix(b"\r\n") {
            rest = line;
        } else {
            let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
            match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
                Some(value) => {
                    out.push(value);
                    rest = &after[2..];
                }
                None => out.push(byte),
            }
        }
    }
    out
}

/// A field's value with its encoded words decoded. White space between two of them is dropped.
fn words(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    let mut is_after_word = false;
    while let Some(at) = rest.find("=?") {
        let (before, word) = rest.split_at(at);
        let Some((text, behind)) = word_text(word) else {
            out.push_str(before);
            out.push_str("=?");
            rest = &word[2..];
            is_after_word = false;
            continue;
        };
        if !(is_after_word && before.trim().is_empty()) {
            out.push_str(before);
        }
        out.push_str(&text);
        rest = behind;
        is_after_word = true;
    }
    out.push_str(rest);
    out
}

/// The decoded word at the start of a text, and the rest of the text.
fn word_text(text: &str) -> Option<(String, &str)> {
    let mut pieces = text.strip_prefix("=?")?.splitn(3, '?');
    let (charset, encoding) = (pieces.next()?, pieces.next()?);
    let encoded = pieces.next()?;
    let end = memchr::memmem::find(&encoded.as_bytes()[..encoded.len().min(MOST_WORD)], b"?=")?;
    let (encoded, behind) = (&encoded[..end], &encoded[end + 2..]);
    let bytes = match encoding {
        "B" | "b" => from_base64(encoded.as_bytes()),
        "Q" | "q" => from_quoted(encoded.as_bytes(), true),
        _ => return None,
    };
    let bytes = in_utf8(bytes, charset);
    let text = String::from_utf8_lossy(&bytes);
    Some((text.replace(['\r', '\n'], " "), behind))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_unfolded_and_their_words_decoded() {
        let head = b"Subject: =?utf-8?B?w6l0w6k=?= =?UTF-8?Q?_n=C2=B0?= 5\r\n\
            To: a@example.org,\r\n\tb@example.org\r\nX: =?x\r\nY: =?iso-8859-1?q?=E9?=\r\n\r\n";
        let found = fields(head);
        let found = found.iter().map(|(name, value)| (&**name, &**value));
        let wanted = [
            ("Subject", "\u{e9}t\u{e9} n\u{b0} 5"),
            ("To", "a@example.org, b@example.org"),
            ("X", "=?x"),
            ("Y", "\u{e9}"),
        ];
        assert_eq!(found.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn text_is_decoded_without_attachments() {
        let plain = b"Subject: x\r\n\r\nYour code: 4711\r\n";
        assert_eq!(text(plain), b"Your code: 4711\r\n");
        let quoted = b"Content-Transfer-Encoding: quoted-printable\r\n\r\nCode=3A 4=\r\n711=";
        assert_eq!(text(quoted), b"Code: 4711=");
        let parts = b"Content-Type: multipart/mixed; boundary=\"x y\"\r\n\r\npreamble\r\n--x y\r\n\
            Content-Type: multipart/alternative; boundary=z\r\n\r\n--z\r\n\r\none\r\n--z\r\n\
            Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPGI+dHdv\r\nPC9iPg==\r\n\
            --z--\r\n--x y\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nfile\r\n\
            --x y--\r\nepilogue";
        assert_eq!(text(parts), b"one<b>two</b>");
    }

    #[test]
    fn western_charsets_become_utf8() {
        let read = |charset: &str| {
            let head = format!("Content-Type: text/plain; charset=\"{charset}\"\r\n\r\n");
            let message = [head.as_bytes(), b"f\xfcr 5 \x80\xa4"].concat();
            String::from_utf8_lossy(&text(&message)).into_owned()
        };
        assert_eq!(read("ISO-8859-1"), "f\u{fc}r 5 \u{20ac}\u{a4}");
        assert_eq!(read("windows-1252"), "f\u{fc}r 5 \u{20ac}\u{a4}");
        assert_eq!(read("iso-8859-15"), "f\u{fc}r 5 \u{80}\u{20ac}");
        let head = b"Subject: =?windows-1252?Q?=93Caf=E9=94?=\r\n\r\n";
        assert_eq!(&*fields(head)[0].1, "\u{201c}Caf\u{e9}\u{201d}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed(bytes in prop::collection::vec(any::<u8>(), 0..400), kind in 0..4) {
            let heads = ["", "Content-Type: multipart/x; boundary=a\r\n\r\n--a\r\n",
                "Content-Transfer-Encoding: base64\r\n\r\n", "Subject: =?utf-8?q?"];
            let all = [heads[kind as usize].as_bytes(), &bytes].concat();
            let _ = (text(&all), fields(&all));
        }
    }
}
