//! A message in the workload's words, as opposed to those that Headcount generates.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::date::Date;
use super::header::printable;
use super::stamp::DOMAIN;

/// Most bytes of a line of a message (RFC 5322, 2.1.1).
const MOST_LINE_BYTES: usize = 998;
/// Bytes of text in one encoded word, which has 75 characters at most (RFC 2047, 2), and in a line
/// of base64 (RFC 2045, 6.8).
const WORD_BYTES: usize = 42;
const BASE64_LINE_BYTES: usize = 57;

/// A message with this subject and text.
#[derive(Debug, Clone, Copy)]
pub struct Letter<'a> {
    /// The sender's address.
    pub from: &'a str,
    /// The recipients' addresses.
    pub to: &'a [String],
    /// The subject, in one line.
    pub subject: &'a str,
    /// The text.
    pub body: &'a str,
    /// When it is sent, in µs since 1970.
    pub sent_unix_us: u64,
    /// What makes its Message-ID unique.
    pub id: (u64, u32, u32),
}

impl Letter<'_> {
    /// The message as it is sent.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let (run, sender, sequence) = self.id;
        let date = Date::of_unix(self.sent_unix_us / 1_000_000).mail();
        let to: Vec<String> = self.to.iter().map(|to| address(to)).collect();
        let mut out = format!(
            "Date: {date}\r\nFrom: {}\r\nTo: {}\r\nSubject: {}\r\n\
             Message-ID: <letter.{run:016x}.{sender}.{sequence}@{DOMAIN}>\r\nMIME-Version: 1.0\r\n",
            address(self.from),
            to.join(",\r\n "),
            subject(self.subject)
        );
        let mut body = String::with_capacity(self.body.len() + 2);
        for line in self.body.lines() {
            body.push_str(line);
            body.push_str("\r\n");
        }
        // A CR alone and other control characters do not pass unencoded (RFC 5322, 2.3).
        let is_printable = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
        let is_short = |line: &str| line.len() <= MOST_LINE_BYTES;
        let mut lines = body.lines();
        let is_plain = lines.all(|line| is_short(line) && line.bytes().all(is_printable));
        if is_plain {
            out.push_str("Content-Type: text/plain; charset=us-ascii\r\n\r\n");
            out.push_str(&body);
        } else {
            out.push_str(
                "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
            );
            for line in body.as_bytes().chunks(BASE64_LINE_BYTES) {
                let _ = write!(out, "{}\r\n", STANDARD.encode(line));
            }
        }
        out.into_bytes()
    }
}

/// An address, made safe for a header: it cannot add a field.
fn address(text: &str) -> String {
    text.chars().map(printable).collect()
}

/// A subject in a header: in encoded words unless it is short ASCII.
fn subject(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.len() < MOST_LINE_BYTES - 10 {
        return text.to_owned();
    }
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(WORD_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (word, behind) = rest.split_at(end);
        words.push(format!("=?utf-8?B?{}?=", STANDARD.encode(word)));
        rest = behind;
    }
    words.join("\r\n ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::mime;

    #[test]
    fn letters_survive_a_round_trip() {
        let to = ["a@example.org".to_owned(), "b@example.org".to_owned()];
        let long = "x".repeat(2000);
        for (subject, body) in [
            ("Your code", "Code: 4711\nBye"),
            ("Old lines", "one\rtwo\r"),
            (
                "\u{e9}t\u{e9} \u{1f600}".repeat(30).as_str(),
                "\u{e9}\r\n.\r\n",
            ),
            ("", ""),
            (&*long, &*long),
        ] {
            let letter = Letter {
                from: "u@example.org",
                to: &to,
                subject,
                body,
                sent_unix_us: 1_763_761_234_000_000,
                id: (1, 2, 3),
            };
            let bytes = letter.bytes();
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.is_ascii());
            assert!(text.split("\r\n").all(|line| line.len() <= MOST_LINE_BYTES));
            assert!(!text.replace("\r\n", "").contains(['\r', '\n']));
            let fields = mime::fields(mime::split(&bytes).0);
            let value = |name: &str| fields.iter().find(|field| &*field.0 == name).unwrap();
            assert_eq!(&*value("Subject").1, subject);
            assert_eq!(&*value("To").1, "a@example.org, b@example.org");
            let read = String::from_utf8(mime::text(&bytes)).unwrap();
            assert!(read.lines().eq(body.lines()));
        }
    }
}
