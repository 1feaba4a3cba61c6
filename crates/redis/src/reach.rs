//! Where a reply that arrives in pieces ends.
//!
//! Each byte is scanned once, however many pieces a reply arrives in. Parsing the reply again with
//! every piece would take quadratic time.

use crate::resp::{DEEPEST, MOST_LINE, MOST_PARTS, number, part_count, text_length};

/// What ends a line, and a text.
const END: &[u8] = b"\r\n";

/// The position in a reply up to which it has been scanned.
#[derive(Debug)]
pub struct Reach {
    /// Where the first incomplete part begins.
    at: usize,
    /// Bytes of its first line that were searched for an end.
    searched: usize,
    /// Bytes that must have arrived before it is worth looking again.
    needed: usize,
    /// Parts still missing from each array around that part, outermost first.
    open: Vec<usize>,
    /// Parts that all arrays together may still have.
    room: usize,
    /// How often a part was scanned.
    #[cfg(test)]
    looks: usize,
}

/// The reply is malformed; parsing it gives the reason.
#[derive(Debug)]
struct Mistaken;

impl From<String> for Mistaken {
    fn from(_: String) -> Self {
        Self
    }
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            at: 0,
            searched: 0,
            needed: 1,
            open: Vec::new(),
            room: MOST_PARTS,
            #[cfg(test)]
            looks: 0,
        }
    }
}

impl Reach {
    /// Whether the reply at the start of `bytes` can be parsed: it is complete or malformed.
    /// `bytes` must begin with those of the last call.
    pub fn is_readable(&mut self, bytes: &[u8]) -> bool {
        while self.needed <= bytes.len() {
            #[cfg(test)]
            {
                self.looks += 1;
            }
            match self.part(bytes) {
                Ok(Some(end)) => {
                    (self.at, self.searched, self.needed) = (end, 0, end + 1);
                    if self.open.is_empty() {
                        return true;
                    }
                }
                Ok(None) => {}
                Err(Mistaken) => return true,
            }
        }
        false
    }

    /// Where the next part begins; `None` until this one's line and text have arrived.
    fn part(&mut self, bytes: &[u8]) -> Result<Option<usize>, Mistaken> {
        let kind = bytes[self.at];
        if !b"+-:$*".contains(&kind) {
            return Err(Mistaken);
        }
        let start = self.at + 1;
        let within = &bytes[start..bytes.len().min(start + MOST_LINE)];
        let mut pairs = within[self.searched..].windows(END.len());
        let Some(found) = pairs.position(|two| two == END) else {
            if within.len() == MOST_LINE {
                return Err(Mistaken);
            }
            self.searched = within.len().saturating_sub(1);
            self.needed = bytes.len() + 1;
            return Ok(None);
        };
        self.searched += found;
        let text = &within[..self.searched];
        let after = start + self.searched + END.len();
        let mut end = after;
        match kind {
            b':' => drop(number(text)?),
            b'$' => {
                let length = number(text)?;
                if length != -1 {
                    end += text_length(length)? + END.len();
                }
                if bytes.len() < end {
                    self.needed = end;
                    return Ok(None);
                }
                if length != -1 && bytes[end - END.len()..end] != *END {
                    return Err(Mistaken);
                }
            }
            b'*' => {
                let parts = number(text)?;
                let depth = DEEPEST.saturating_sub(self.open.len() as u32);
                if parts != -1 && part_count(parts, depth, &mut self.room)? > 0 {
                    self.open.push(parts as usize);
                    return Ok(Some(end));
                }
            }
            _ => {}
        }
        self.close();
        Ok(Some(end))
    }

    /// Ends a part, and each array whose last part it was.
    fn close(&mut self) {
        while let Some(left) = self.open.last_mut() {
            *left -= 1;
            if *left > 0 {
                return;
            }
            self.open.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::resp::parse;

    /// After how many bytes a reply that arrives byte by byte is readable, and how often it was
    /// scanned.
    fn readable(bytes: &[u8]) -> (Option<usize>, usize) {
        let mut reach = Reach::default();
        let found = (0..=bytes.len()).find(|end| reach.is_readable(&bytes[..*end]));
        (found, reach.looks)
    }

    #[test]
    fn lines_are_scanned_once_and_texts_are_skipped() {
        let text = [&b"$100000\r\n"[..], &vec![b'x'; 100_000], b"\r\n"].concat();
        let (found, looks) = readable(&text);
        assert_eq!(found, Some(text.len()));
        assert!(looks <= 10, "{looks}"); // its line, and its end
        let array = [b"*30000\r\n".to_vec(), b"$1\r\nx\r\n".repeat(30_000)].concat();
        let (found, looks) = readable(&array);
        assert_eq!(found, Some(array.len()));
        // Parsing again with each byte would take billions.
        assert!(looks <= 6 * 30_000, "{looks}");
    }

    #[test]
    fn mistakes_are_found_at_the_same_byte_as_by_parsing() {
        for bytes in [
            &b"HTTP/1.1"[..],
            b"$x\r\n",
            b"$-2\r\n",
            b"$99999999999\r\n",
            b"*99999999999\r\n",
            b"$1\r\nabc",
            b":x\r\n",
            &b"*1\r\n".repeat(9),
            &[b"+".to_vec(), vec![b'x'; MOST_LINE]].concat(),
        ] {
            let seen = readable(bytes).0.unwrap();
            assert!(parse(&bytes[..seen]).is_err(), "{}", bytes.escape_ascii());
            assert_eq!(parse(&bytes[..seen - 1]), Ok(None));
        }
    }

    fn reply() -> impl Strategy<Value = Vec<u8>> {
        let leaf = prop_oneof![
            Just(b"+OK\r\n".to_vec()),
            Just(b":-7\r\n".to_vec()),
            Just(b"$-1\r\n".to_vec()),
            Just(b"*0\r\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..9).prop_map(|text| {
                [
                    format!("${}\r\n", text.len()).into_bytes(),
                    text,
                    b"\r\n".to_vec(),
                ]
                .concat()
            }),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop::collection::vec(inner, 0..4).prop_map(|parts| {
                [format!("*{}\r\n", parts.len()).into_bytes(), parts.concat()].concat()
            })
        })
    }

    proptest! {
        #[test]
        fn a_reply_is_readable_only_when_complete(bytes in reply()) {
            prop_assert_eq!(readable(&bytes).0, Some(bytes.len()));
            prop_assert!(matches!(parse(&bytes), Ok(Some((_, length))) if length == bytes.len()));
        }

        #[test]
        fn readable_replies_are_never_partial(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(end) = readable(&bytes).0 {
                prop_assert!(!matches!(parse(&bytes[..end]), Ok(None)));
            }
        }
    }
}
