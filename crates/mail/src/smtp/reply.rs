//! Replies of servers (RFC 5321, 4.2).

use std::collections::VecDeque;
use std::fmt;

use memchr::memchr;

/// Most bytes of a line. The RFC allows 512 (4.5.3.1.5), and servers more.
const LINE_BYTES: usize = 4096;

/// Most bytes of a reply's text.
const TEXT_BYTES: usize = 64 << 10;

/// Most characters of a server's text that a message quotes.
const SHOWN_CHARACTERS: usize = 200;

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its three digits.
    pub code: u16,
    /// The text of its lines, with a line feed between them.
    pub text: Box<str>,
}

impl Reply {
    /// Whether the server did what it was asked (2yz).
    #[must_use]
    pub const fn is_positive(&self) -> bool {
        self.code / 100 == 2
    }

    /// Whether the server might do it later (4yz).
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        self.code / 100 == 4
    }

    /// Whether the server closes the connection with it (RFC 5321, 3.8).
    #[must_use]
    pub const fn is_farewell(&self) -> bool {
        self.code == 421
    }

    /// The enhanced status code (RFC 2034): class, subject and detail. Only one of the same class
    /// as the reply is one.
    #[must_use]
    pub fn enhanced(&self) -> Option<(u16, u16, u16)> {
        let word = self.text.split([' ', '\n']).next()?;
        let mut numbers = word.split('.');
        let mut number = |most: usize| {
            let digits = numbers.next()?;
            let is_number = (1..=most).contains(&digits.len())
                && digits.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| digits.parse().ok()).flatten()
        };
        let found = (number(1)?, number(3)?, number(3)?);
        (numbers.next().is_none() && found.0 == self.code / 100).then_some(found)
    }
}

impl fmt::Display for Reply {
    /// On one line, shortened, and without control characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.code)?;
        for (index, character) in self.text.chars().enumerate() {
            match character {
                _ if index == SHOWN_CHARACTERS => return f.write_str("..."),
                '\n' => f.write_str(" ")?,
                control if control.is_control() => write!(f, "{}", control.escape_default())?,
                other => write!(f, "{other}")?,
            }
        }
        Ok(())
    }
}

/// Parses replies from bytes that arrive in any pieces.
#[derive(Debug, Default)]
pub struct Replies {
    /// An incomplete line.
    line: Vec<u8>,
    /// An incomplete reply.
    begun: Option<(u16, String)>,
    ready: VecDeque<Reply>,
}

impl Replies {
    /// The state before any reply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes received bytes. The error, a sentence, means that the server violates the protocol.
    pub fn take(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        while let Some(at) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(at + 1);
            bytes = rest;
            if self.line.is_empty() {
                self.end_line(line)?;
            } else {
                self.line.extend_from_slice(line);
                let whole = std::mem::take(&mut self.line);
                self.end_line(&whole)?;
            }
        }
        // One more byte: the CR may have arrived without its LF.
        if self.line.len() + bytes.len() > LINE_BYTES + 1 {
            return Err("a line of a reply does not end".into());
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// The next complete reply.
    pub fn pop(&mut self) -> Option<Reply> {
        self.ready.pop_front()
    }

    /// Whether there is no reply left, complete or not.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.line.is_empty() && self.begun.is_none() && self.ready.is_empty()
    }

    fn end_line(&mut self, line: &[u8]) -> Result<(), String> {
        let odd = || {
            let line = String::from_utf8_lossy(&line[..line.len().min(80)]);
            Err(format!(
                "\"{}\" is not a line of a reply",
                line.trim_end().escape_default()
            ))
        };
        let Some(line) = line
            .strip_suffix(b"\r\n")
            .filter(|line| line.len() <= LINE_BYTES)
        else {
            return odd();
        };
        let (Some(&[a @ b'2'..=b'5', b, c]), after) = (line.first_chunk(), line.get(3)) else {
            return odd();
        };
        let is_last = match after {
            None | Some(b' ') => true,
            Some(b'-') => false,
            Some(_) => return odd(),
        };
        if !(b.is_ascii_digit() && c.is_ascii_digit()) {
            return odd();
        }
        let code = [a, b, c]
            .iter()
            .fold(0, |code, digit| code * 10 + u16::from(digit - b'0'));
        let text = String::from_utf8_lossy(line.get(4..).unwrap_or_default());
        let text = match self.begun.take() {
            None => text.into_owned(),
            Some((begun, _)) if begun != code => {
                return Err(format!(
                    "a reply that began with {begun} goes on with {code}"
                ));
            }
            Some((_, mut before)) => {
                before.push('\n');
                before.push_str(&text);
                before
            }
        };
        if text.len() > TEXT_BYTES {
            return Err("a reply does not end".into());
        }
        if is_last {
            let text = text.into_boxed_str();
            self.ready.push_back(Reply { code, text });
        } else {
            self.begun = Some((code, text));
        }
        Ok(())
    }
}
