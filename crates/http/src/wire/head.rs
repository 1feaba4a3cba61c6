//! The head of an answer: status line and headers (RFC 9112, 4 and 6).

use std::borrow::Cow;
use std::mem::MaybeUninit;

use httparse::{ParserConfig, Response, Status};

/// Headers in one answer. More than any server sends on its own; an answer with more is refused.
const MOST_HEADERS: usize = 100;

/// How the end of a body is known (RFC 9112, 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is none.
    Empty,
    /// After this many bytes.
    Length(u64),
    /// By the last chunk.
    Chunked,
    /// When the server closes the connection.
    UntilClose,
}

/// The content coding of a body (RFC 9110, 8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// Nothing.
    #[default]
    Identity,
    /// gzip.
    Gzip,
    /// Something else.
    Other,
}

/// What the head of an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// How the end of the body is known.
    pub framing: Framing,
    /// What `Content-Length` says, whether or not a body follows.
    pub length: Option<u64>,
    /// The content coding of the body.
    pub coding: Coding,
    /// Whether the server keeps the connection (RFC 9112, 9.3).
    pub keeps_alive: bool,
}

impl Head {
    /// Whether another head follows: 1xx (RFC 9110, 15.2).
    #[must_use]
    pub const fn is_interim(&self) -> bool {
        self.status < 200
    }
}

/// Reads a head. Returns it with its length, or `None` while it is incomplete. `each` gets every
/// header, unless the head is that of an interim answer. The error is a sentence.
///
/// `of_head`: the request was HEAD, whose answer has no body whatever its headers say.
pub fn parse(
    bytes: &[u8],
    of_head: bool,
    mut each: impl FnMut(&str, &[u8]),
) -> Result<Option<(Head, usize)>, String> {
    let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
    let mut response = Response::new(&mut []);
    let mut parser = ParserConfig::default();
    parser.allow_obsolete_multiline_headers_in_responses(true);
    let parsed = parser.parse_response_with_uninit_headers(&mut response, bytes, &mut headers);
    let length = match parsed {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(error) => {
            return Err(format!(
                "the answer is not HTTP/1.1: {error}{}",
                shown(bytes)
            ));
        }
    };
    let status = response.code.unwrap_or_default();
    if !(100..=999).contains(&status) || status == 101 {
        return Err(format!("status {status} answers no request that was sent"));
    }
    let mut fields = Fields::default();
    for header in response.headers.iter() {
        let value = unfolded(header.value);
        fields.note(header.name, &value)?;
        if status >= 200 {
            each(header.name, &value);
        }
    }
    let has_body = !of_head && status >= 200 && status != 204 && status != 304;
    let is_http11 = response.version == Some(1);
    let framing = match fields.framing() {
        _ if !has_body => Framing::Empty,
        framing => framing,
    };
    let head = Head {
        status,
        framing,
        length: fields.length,
        coding: fields.coding,
        keeps_alive: framing != Framing::UntilClose
            && !fields.close
            && (is_http11 || fields.keep_alive),
    };
    Ok(Some((head, length)))
}

/// The value of a header in one line: old servers fold long ones (RFC 9112, 5.2).
fn unfolded(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\n') {
        return Cow::Borrowed(value);
    }
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    Cow::Owned(lines.collect::<Vec<_>>().join(&b' '))
}

/// The headers that the client needs.
#[derive(Default)]
struct Fields {
    length: Option<u64>,
    is_chunked: bool,
    coding: Coding,
    close: bool,
    keep_alive: bool,
}

impl Fields {
    fn note(&mut self, name: &str, value: &[u8]) -> Result<(), String> {
        // Length first: most headers are none of these.
        match name.len() {
            14 if name.eq_ignore_ascii_case("content-length") => self.note_length(value),
            17 if name.eq_ignore_ascii_case("transfer-encoding") => self.note_transfer(value),
            10 if name.eq_ignore_ascii_case("connection") => {
                self.close |= tokens(value).any(|token| token.eq_ignore_ascii_case(b"close"));
                let kept = tokens(value).any(|token| token.eq_ignore_ascii_case(b"keep-alive"));
                self.keep_alive |= kept;
                Ok(())
            }
            16 if name.eq_ignore_ascii_case("content-encoding") => {
                self.coding = coding(value);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The same length may appear several times (RFC 9110, 8.6).
    fn note_length(&mut self, value: &[u8]) -> Result<(), String> {
        for token in value.split(|byte| *byte == b',') {
            let token = token.trim_ascii();
            let digits = std::str::from_utf8(token).ok().filter(|token| {
                !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit())
            });
            let length = digits
                .and_then(|digits| digits.parse().ok())
                .ok_or_else(|| {
                    format!(
                        "Content-Length is not a length: \"{}\"",
                        value.escape_ascii()
                    )
                })?;
            if self.length.is_some_and(|known| known != length) {
                return Err("Content-Length gives two different lengths".into());
            }
            self.length = Some(length);
        }
        Ok(())
    }

    fn note_transfer(&mut self, value: &[u8]) -> Result<(), String> {
        for token in tokens(value) {
            if self.is_chunked || !token.eq_ignore_ascii_case(b"chunked") {
                let value = value.escape_ascii();
                return Err(format!("Transfer-Encoding was not asked for: \"{value}\""));
            }
            self.is_chunked = true;
        }
        Ok(())
    }

    /// `Transfer-Encoding` overrides `Content-Length` (RFC 9112, 6.3).
    const fn framing(&self) -> Framing {
        match self.length {
            _ if self.is_chunked => Framing::Chunked,
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        }
    }
}

fn coding(value: &[u8]) -> Coding {
    let mut coding = Coding::Identity;
    for token in tokens(value) {
        let is = |name: &[u8]| token.eq_ignore_ascii_case(name);
        coding = match coding {
            Coding::Identity if is(b"identity") => Coding::Identity,
            Coding::Identity if is(b"gzip") || is(b"x-gzip") => Coding::Gzip,
            _ => Coding::Other,
        };
    }
    coding
}

/// The elements of a list (RFC 9110, 5.6.1).
fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    parts.filter(|part| !part.is_empty())
}

/// The first line of what came, for messages.
fn shown(bytes: &[u8]) -> String {
    let line = bytes
        .split(|byte| matches!(byte, b'\r' | b'\n'))
        .next()
        .unwrap_or_default();
    let line = &line[..line.len().min(60)];
    format!(" (it begins with \"{}\")", line.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Option<(Head, usize)>, String> {
        parse(text.as_bytes(), false, |_, _| {})
    }

    fn whole(text: &str) -> Head {
        let (head, length) = head(text).unwrap().unwrap();
        assert_eq!(length, text.len());
        head
    }

    #[test]
    fn framing_rules_apply_in_order() {
        let framing = |status: &str, headers: &str| {
            whole(&format!("HTTP/1.1 {status}\r\n{headers}\r\n")).framing
        };
        assert_eq!(
            framing("200 OK", "Content-Length: 5\r\n"),
            Framing::Length(5)
        );
        assert_eq!(
            framing("200 OK", "content-length: 5, 5\r\n"),
            Framing::Length(5)
        );
        assert_eq!(
            framing("200 OK", "Transfer-Encoding: Chunked\r\n"),
            Framing::Chunked
        );
        let both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n";
        assert_eq!(framing("200 OK", both), Framing::Chunked);
        assert_eq!(framing("200 OK", ""), Framing::UntilClose);
        for status in ["204 No Content", "304 Not Modified", "103 Early Hints"] {
            assert_eq!(framing(status, "Content-Length: 5\r\n"), Framing::Empty);
        }
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
        let (of_head, _) = parse(answer, true, |_, _| {}).unwrap().unwrap();
        assert_eq!((of_head.framing, of_head.length), (Framing::Empty, Some(5)));
    }

    #[test]
    fn headers_of_interim_answers_are_not_those_of_the_answer() {
        let passed_on = |status: &str| {
            let text = format!("HTTP/1.1 {status}\r\nLink: <a>\r\n\r\n");
            let mut names = Vec::new();
            let mut note = |name: &str, _: &[u8]| names.push(name.to_owned());
            let parsed = parse(text.as_bytes(), false, &mut note);
            assert!(parsed.is_ok());
            names
        };
        assert_eq!(passed_on("200 OK"), ["Link"]);
        assert!(passed_on("103 Early Hints").is_empty());
    }

    #[test]
    fn folded_headers_are_read_in_one_line() {
        let text = "HTTP/1.1 200 OK\r\nA: b;\r\n\tc\r\n d\r\nContent-Length:\r\n 5\r\n\r\n";
        let mut values = Vec::new();
        let mut note = |_: &str, value: &[u8]| values.push(value.to_vec());
        let parsed = parse(text.as_bytes(), false, &mut note);
        assert_eq!(parsed.unwrap().unwrap().0.length, Some(5));
        assert_eq!(values, [&b"b; c d"[..], b"5"]);
    }

    #[test]
    fn persistent_connections_are_recognised() {
        let keeps = |head: &str| whole(&format!("{head}\r\nContent-Length: 0\r\n\r\n")).keeps_alive;
        assert!(keeps("HTTP/1.1 200 OK"));
        assert!(!keeps("HTTP/1.1 200 OK\r\nConnection: Close"));
        assert!(!keeps("HTTP/1.1 200 OK\r\nConnection: foo, close"));
        assert!(!keeps("HTTP/1.0 200 OK"));
        assert!(keeps("HTTP/1.0 200 OK\r\nConnection: keep-alive"));
        assert!(!whole("HTTP/1.1 200 OK\r\n\r\n").keeps_alive);
    }

    #[test]
    fn codings_are_recognised() {
        let coding = |value: &str| {
            whole(&format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: {value}\r\n\r\n"
            ))
            .coding
        };
        assert_eq!(coding("gzip"), Coding::Gzip);
        assert_eq!(coding("X-GZip"), Coding::Gzip);
        assert_eq!(coding("identity"), Coding::Identity);
        assert_eq!(coding("br"), Coding::Other);
        assert_eq!(coding("gzip, gzip"), Coding::Other);
    }

    #[test]
    fn invalid_answers_are_refused_and_partial_ones_awaited() {
        for (text, part) in [
            ("SSH-2.0-OpenSSH_9.2\r\n", "begins with \"SSH-2.0"),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
                "not a length: \"-5\"",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n",
                "two different",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "not a length",
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                "not asked for",
            ),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "status 101"),
            ("HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "not HTTP/1.1"),
        ] {
            let sentence = head(text).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
        for end in 0..answer.len() {
            assert_eq!(head(&answer[..end]), Ok(None), "{end}");
        }
    }
}
