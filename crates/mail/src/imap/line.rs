//! Writes commands (RFC 9051, 2.2.1 and 4.3).

use super::capability::{Capabilities, Capability};
use super::name;
use super::uids::Uids;

/// The longest literal that is sent without waiting if only LITERAL- is offered (RFC 7888, 5).
pub const MOST_LITERAL_MINUS_BYTES: u64 = 4096;

/// A command under construction.
#[derive(Debug)]
pub struct Line<'a> {
    out: &'a mut Vec<u8>,
    waits: &'a mut Vec<usize>,
    capabilities: Capabilities,
    is_rev2: bool,
}

impl<'a> Line<'a> {
    /// A command that is appended to `out`. Collects in `waits` the positions at which to wait for
    /// a continuation request.
    #[must_use]
    pub const fn new(
        out: &'a mut Vec<u8>,
        waits: &'a mut Vec<usize>,
        capabilities: Capabilities,
        is_rev2: bool,
    ) -> Self {
        Self {
            out,
            waits,
            capabilities,
            is_rev2,
        }
    }

    /// Appends a text as it is.
    pub fn raw(&mut self, text: &str) -> &mut Self {
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends a number.
    pub fn number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.out.extend_from_slice(&digits[at..]);
        self
    }

    /// Appends a set of messages.
    pub fn uids(&mut self, uids: &Uids) -> &mut Self {
        uids.write(self.out);
        self
    }

    /// Appends the name of a mailbox: quoted, and in modified UTF-7 unless IMAP4rev2 is enabled.
    pub fn name(&mut self, mailbox: &str) -> &mut Self {
        if self.is_rev2
            || mailbox
                .bytes()
                .all(|byte| (b' '..=b'~').contains(&byte) && byte != b'&')
        {
            return self.string(mailbox);
        }
        let mut wire = Vec::new();
        name::encode(mailbox, &mut wire);
        self.bytes(&wire)
    }

    /// Appends a string: quoted if possible, otherwise as a literal.
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn bytes(&mut self, text: &[u8]) -> &mut Self {
        let may_be_quoted = |byte: u8| match byte {
            b' '..=b'~' => true,
            128.. => self.is_rev2,
            _ => false,
        };
        if text.iter().all(|byte| may_be_quoted(*byte)) {
            self.out.push(b'"');
            for byte in text {
                if matches!(byte, b'"' | b'\\') {
                    self.out.push(b'\\');
                }
                self.out.push(*byte);
            }
            self.out.push(b'"');
        } else {
            self.literal(text.len() as u64);
            self.out.extend_from_slice(text);
        }
        self
    }

    /// Appends the beginning of a literal of `bytes` bytes, which the caller appends next.
    pub fn literal(&mut self, bytes: u64) -> &mut Self {
        let at_once = self.capabilities.has(Capability::LiteralPlus)
            || (bytes <= MOST_LITERAL_MINUS_BYTES
                && self.capabilities.has(Capability::LiteralMinus));
        self.raw("{").number(bytes);
        if at_once {
            return self.raw("+}\r\n");
        }
        self.raw("}\r\n").wait()
    }

    /// Marks a position: what follows is sent after a continuation request.
    pub fn wait(&mut self) -> &mut Self {
        self.waits.push(self.out.len());
        self
    }

    /// The number of bytes so far.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The buffer, to append contents.
    pub const fn buffer(&mut self) -> &mut Vec<u8> {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(
        offered: &[u8],
        is_rev2: bool,
        write: impl Fn(&mut Line<'_>),
    ) -> (String, Vec<usize>) {
        let (mut out, mut waits) = (Vec::new(), Vec::new());
        write(&mut Line::new(
            &mut out,
            &mut waits,
            Capabilities::parse(offered),
            is_rev2,
        ));
        (String::from_utf8(out).unwrap(), waits)
    }

    #[test]
    fn strings_are_quoted_or_literals() {
        let quoted = written(b"", false, |line| {
            line.string("a \"b\\ {5}");
        });
        assert_eq!(quoted, ("\"a \\\"b\\\\ {5}\"".into(), vec![]));
        let crlf = |line: &mut Line<'_>| {
            line.string("a\r\nb");
        };
        assert_eq!(written(b"", false, crlf), ("{4}\r\na\r\nb".into(), vec![5]));
        assert_eq!(
            written(b"LITERAL+", false, crlf),
            ("{4+}\r\na\r\nb".into(), vec![])
        );
        assert_eq!(
            written(b"LITERAL-", true, crlf),
            ("{4+}\r\na\r\nb".into(), vec![])
        );
        let long = |line: &mut Line<'_>| {
            line.literal(4097);
        };
        assert_eq!(written(b"LITERAL-", false, long).1, [8]);
        assert_eq!(written(b"LITERAL+", false, long).1, [0usize; 0]);
        let password = |line: &mut Line<'_>| {
            line.string("p\u{e4}ss");
        };
        assert_eq!(written(b"", false, password).1, [5]);
        assert_eq!(
            written(b"", true, password),
            ("\"p\u{e4}ss\"".into(), vec![])
        );
    }

    #[test]
    fn names_use_the_encoding_of_the_session() {
        let name = |line: &mut Line<'_>| {
            line.name("R&D \u{fc}");
        };
        assert_eq!(written(b"", false, name).0, "\"R&-D &APw-\"");
        assert_eq!(written(b"", true, name).0, "\"R&D \u{fc}\"");
        assert_eq!(
            written(b"", false, |line| {
                line.number(0).raw(" ").number(u64::MAX);
            })
            .0,
            "0 18446744073709551615"
        );
    }
}
