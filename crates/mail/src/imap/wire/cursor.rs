//! Reads the words of a complete answer (RFC 9051, 4 and 9).

use std::borrow::Cow;

/// The deepest nesting of parentheses: more than any body structure has.
const MOST_NESTED: usize = 100;

/// What is left to read of an answer. Errors name what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

/// What was expected, if it could not be read.
pub type Wrong = &'static str;

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What is left.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether nothing is left.
    #[must_use]
    pub const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Takes this byte, if it is next.
    pub fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    /// Takes this byte; an error if it is not next.
    pub fn expect(&mut self, byte: u8) -> Result<(), Wrong> {
        if self.take(byte) {
            return Ok(());
        }
        Err(match byte {
            b' ' => "a space",
            b'(' => "an opening parenthesis",
            b')' => "a closing parenthesis",
            b'"' => "a quote",
            b'[' | b']' => "a bracket",
            _ => "another byte",
        })
    }

    /// Takes bytes as long as `is` returns true.
    pub fn take_while(&mut self, is: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| !is(*byte));
        let (taken, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// A word: everything up to a space, a parenthesis, a bracket or a quote.
    pub fn atom(&mut self) -> Result<&'a [u8], Wrong> {
        let word = self.take_while(|byte| {
            !matches!(byte, b' ' | b'(' | b')' | b'[' | b']' | b'"' | b'{') && byte > b' '
        });
        if word.is_empty() {
            Err("a word")
        } else {
            Ok(word)
        }
    }

    /// A number of 32 bits.
    pub fn number(&mut self) -> Result<u32, Wrong> {
        u32::try_from(self.number64()?).map_err(|_| "a number of 32 bits")
    }

    /// A number of 63 bits (RFC 9051, `number64`).
    pub fn number64(&mut self) -> Result<u64, Wrong> {
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        parse_number(digits).ok_or("a number")
    }

    /// A string: quoted, or a literal inside the text.
    pub fn string(&mut self) -> Result<Cow<'a, [u8]>, Wrong> {
        match self.peek() {
            Some(b'"') => self.quoted(),
            Some(b'{' | b'~') => self.literal().map(Cow::Borrowed),
            _ => Err("a string"),
        }
    }

    /// A string or NIL.
    pub fn nstring(&mut self) -> Result<Option<Cow<'a, [u8]>>, Wrong> {
        if self.take_nil() {
            Ok(None)
        } else {
            self.string().map(Some)
        }
    }

    /// A string or a word (RFC 9051, `astring`; closing brackets are part of words here).
    pub fn astring(&mut self) -> Result<Cow<'a, [u8]>, Wrong> {
        if matches!(self.peek(), Some(b'"' | b'{')) {
            return self.string();
        }
        // Some servers do not quote names with braces, percent signs and backslashes.
        let word =
            self.take_while(|byte| !matches!(byte, b' ' | b'(' | b')' | b'"') && byte > b' ');
        if word.is_empty() {
            Err("a string or a word")
        } else {
            Ok(Cow::Borrowed(word))
        }
    }

    /// Takes NIL as a word of its own, if it is next.
    pub fn take_nil(&mut self) -> bool {
        let is_nil = self
            .rest
            .get(..3)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"NIL"))
            && !self.rest.get(3).is_some_and(u8::is_ascii_alphanumeric);
        if is_nil {
            self.rest = &self.rest[3..];
        }
        is_nil
    }

    fn quoted(&mut self) -> Result<Cow<'a, [u8]>, Wrong> {
        self.expect(b'"')?;
        let start = self.rest;
        let mut at = 0;
        let mut has_escapes = false;
        loop {
            match start.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    at += 2;
                }
                Some(_) => at += 1,
                None => return Err("the end of a quoted string"),
            }
        }
        let inside = &start[..at];
        self.rest = &start[at + 1..];
        if !has_escapes {
            return Ok(Cow::Borrowed(inside));
        }
        let mut text = Vec::with_capacity(inside.len());
        let mut bytes = inside.iter();
        while let Some(byte) = bytes.next() {
            text.push(if *byte == b'\\' {
                *bytes.next().unwrap_or(byte)
            } else {
                *byte
            });
        }
        Ok(Cow::Owned(text))
    }

    /// A literal whose bytes are inside the text.
    fn literal(&mut self) -> Result<&'a [u8], Wrong> {
        let bytes = self.literal_length()?;
        let bytes = usize::try_from(bytes).map_err(|_| "a literal")?;
        let (literal, rest) = self.rest.split_at_checked(bytes).ok_or("a literal")?;
        self.rest = rest;
        Ok(literal)
    }

    /// The beginning of a literal: its length, up to the end of its line.
    pub fn literal_length(&mut self) -> Result<u64, Wrong> {
        self.take(b'~');
        self.expect(b'{')?;
        let bytes = self.number64()?;
        self.take(b'+');
        let rest = self
            .rest
            .strip_prefix(b"}\r\n")
            .ok_or("the end of a literal's length")?;
        self.rest = rest;
        Ok(bytes)
    }

    /// The bytes of the next value: a string, a list in parentheses, or a word.
    pub fn value(&mut self) -> Result<&'a [u8], Wrong> {
        let start = self.rest;
        let mut depth = 0;
        loop {
            match self.peek() {
                Some(b'(') => {
                    depth += 1;
                    if depth > MOST_NESTED {
                        return Err("fewer parentheses in parentheses");
                    }
                    self.rest = &self.rest[1..];
                    continue;
                }
                Some(b')') if depth > 0 => {
                    depth -= 1;
                    self.rest = &self.rest[1..];
                }
                Some(b' ') if depth > 0 => {
                    self.rest = &self.rest[1..];
                    continue;
                }
                Some(b'"' | b'{') => {
                    self.string()?;
                }
                _ => {
                    self.take_while(|byte| {
                        !matches!(byte, b' ' | b'(' | b')' | b'"') && byte > b' '
                    });
                    if self.rest.len() == start.len() {
                        return Err("a value");
                    }
                    if depth > 0 && !matches!(self.peek(), Some(b' ' | b'(' | b')' | b'"')) {
                        return Err("a closing parenthesis");
                    }
                }
            }
            if depth == 0 {
                return Ok(&start[..start.len() - self.rest.len()]);
            }
        }
    }
}

/// A number of 63 bits, if there are only digits.
#[must_use]
pub fn parse_number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let number = digits.iter().try_fold(0u64, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
        number.checked_mul(10)?.checked_add(digit.into())
    })?;
    i64::try_from(number).is_ok().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_in_their_three_forms() {
        let mut cursor = Cursor::new(b"\"a \\\"b\\\\\" {3}\r\nx)y atom] NIL nilly");
        assert_eq!(&*cursor.string().unwrap(), b"a \"b\\");
        cursor.expect(b' ').unwrap();
        assert_eq!(&*cursor.astring().unwrap(), b"x)y");
        cursor.expect(b' ').unwrap();
        assert_eq!(&*cursor.astring().unwrap(), b"atom]");
        cursor.expect(b' ').unwrap();
        assert_eq!(cursor.nstring().unwrap(), None);
        cursor.expect(b' ').unwrap();
        assert_eq!(cursor.nstring(), Err("a string"));
        assert_eq!(
            Cursor::new(b"\"a\\").string(),
            Err("the end of a quoted string")
        );
        assert_eq!(Cursor::new(b"{4}\r\nabc").string(), Err("a literal"));
    }

    #[test]
    fn values_are_skipped_whole() {
        let text = b"(\"a)\" (NIL 5)(\"x\" {2}\r\n(() ) next";
        let mut cursor = Cursor::new(text);
        assert_eq!(cursor.value().unwrap().len(), text.len() - 5);
        assert_eq!(cursor.rest(), b" next");
        for wrong in [&b"(a"[..], b"", b" a", b"((a)", b")", &b"(".repeat(101)] {
            assert!(
                Cursor::new(wrong).value().is_err(),
                "{}",
                wrong.escape_ascii()
            );
        }
    }

    #[test]
    fn numbers_have_63_bits() {
        assert_eq!(parse_number(b"9223372036854775807"), Some(i64::MAX as u64));
        assert_eq!(parse_number(b"9223372036854775808"), None);
        assert_eq!(parse_number(b"99999999999999999999"), None);
        assert_eq!(parse_number(b"-1"), None);
        assert_eq!(
            Cursor::new(b"4294967296").number(),
            Err("a number of 32 bits")
        );
    }
}
