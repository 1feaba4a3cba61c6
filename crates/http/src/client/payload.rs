//! The body of a request: fixed, or generated as it is sent.

use std::io::Write;
use std::ops::Range;

use headcount_script::SentFile;

use crate::pages::content::{Owner, fill};

/// A file within a text.
#[derive(Debug)]
pub struct Insert {
    /// The offset in the text at which it is inserted.
    pub at: usize,
    /// The file.
    pub file: SentFile,
}

/// How a request marks the end of its body (RFC 9112, 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyEnd {
    /// By its length.
    Length,
    /// By a last chunk; in HTTP/2 and HTTP/3 by the end of the stream.
    Chunks,
}

/// The body of one request.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'a> {
    /// There is none.
    None,
    /// These bytes.
    Given(&'a [u8]),
    /// Generated contents of this owner, and how many bytes.
    Made(Owner, u64),
    /// A text, and the files in it.
    Mixed(&'a [u8], &'a [Insert]),
}

impl Payload<'_> {
    /// Its length.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Given(given) => given.len() as u64,
            Self::Made(_, bytes) => *bytes,
            Self::Mixed(text, inserts) => {
                let files = inserts.iter().map(|insert| insert.file.bytes().len());
                (text.len() + files.sum::<usize>()) as u64
            }
        }
    }

    /// Appends a part of it.
    pub fn append(&self, range: Range<u64>, out: &mut Vec<u8>) {
        match self {
            Self::None => {}
            Self::Given(given) => {
                let range = range.start as usize..range.end as usize;
                out.extend_from_slice(given.get(range).unwrap_or_default());
            }
            Self::Made(owner, _) => {
                let start = out.len();
                out.resize(start + (range.end - range.start) as usize, 0);
                fill(*owner, range.start, &mut out[start..]);
            }
            Self::Mixed(text, inserts) => append_mixed(text, inserts, &range, out),
        }
    }
}

/// Bytes of a chunk: clients that stream a file commonly read this much at a time.
const CHUNK_BYTES: u64 = 16 << 10;

impl Payload<'_> {
    /// Appends a part of it as chunks (RFC 9112, 7.1). The part that ends the body ends with the
    /// last chunk. Where there is no body, nothing is appended.
    pub fn append_chunks(&self, range: Range<u64>, out: &mut Vec<u8>) {
        let mut offset = range.start;
        while offset < range.end {
            let end = range.end.min(offset + CHUNK_BYTES);
            // Writing to memory cannot fail.
            let _ = write!(out, "{:x}\r\n", end - offset);
            self.append(offset..end, out);
            out.extend_from_slice(b"\r\n");
            offset = end;
        }
        if range.end == self.bytes() && !matches!(self, Self::None) {
            out.extend_from_slice(b"0\r\n\r\n");
        }
    }
}

/// Appends a part of a text with files in it.
fn append_mixed(text: &[u8], inserts: &[Insert], range: &Range<u64>, out: &mut Vec<u8>) {
    let mut passed = 0;
    let mut put = |piece: &[u8]| {
        let first = passed;
        passed += piece.len() as u64;
        let (start, end) = (range.start.max(first), range.end.min(passed));
        if start < end {
            out.extend_from_slice(&piece[(start - first) as usize..(end - first) as usize]);
        }
    };
    let mut from = 0;
    for insert in inserts {
        put(text.get(from..insert.at).unwrap_or_default());
        put(insert.file.bytes());
        from = insert.at;
    }
    put(text.get(from..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use headcount_script::Files;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chunks_begin_with_their_length() {
        let given = vec![b'x'; CHUNK_BYTES as usize + 2];
        let payload = Payload::Given(&given);
        let mut out = Vec::new();
        payload.append_chunks(0..payload.bytes(), &mut out);
        let first = format!("4000\r\n{}\r\n", "x".repeat(CHUNK_BYTES as usize));
        let expected = format!("{first}2\r\nxx\r\n0\r\n\r\n");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let mut out = Vec::new();
        payload.append_chunks(0..5, &mut out);
        assert_eq!(out, b"5\r\nxxxxx\r\n");
        let mut out = Vec::new();
        Payload::Given(b"").append_chunks(0..0, &mut out);
        assert_eq!(out, b"0\r\n\r\n");
        // A redirect has dropped the body.
        let mut out = Vec::new();
        Payload::None.append_chunks(0..0, &mut out);
        assert!(out.is_empty());
    }

    proptest! {
        #[test]
        fn files_are_inserted_in_place_however_the_body_is_cut(
            text in "[a-z]{0,12}",
            places in proptest::collection::vec(0usize..=12, 0..4),
            cut in 1u64..9,
        ) {
            let bytes: Box<[u8]> = (*b"FILE").into();
            let files = Files::read([("f".to_owned(), bytes)]);
            let mut places: Vec<_> = places.into_iter().map(|at| at.min(text.len())).collect();
            places.sort_unstable();
            let insert = |at: &usize| Insert { at: *at, file: files.get("f").unwrap() };
            let inserts: Vec<_> = places.iter().map(insert).collect();
            let mut expected = text.clone();
            for at in places.iter().rev() {
                expected.insert_str(*at, "FILE");
            }
            let payload = Payload::Mixed(text.as_bytes(), &inserts);
            prop_assert_eq!(payload.bytes(), expected.len() as u64);
            let mut out = Vec::new();
            let mut from = 0;
            while from < payload.bytes() {
                let end = payload.bytes().min(from + cut);
                payload.append(from..end, &mut out);
                from = end;
            }
            prop_assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
