//! Running text that can be read from any offset, in lines of [`LINE_BYTES`].
//!
//! A line is three phrases of whole words, drawn from a fixed table. So no line begins with a dot,
//! with white space or with "From ", none ends in white space, and no server has a reason to change
//! one.

use std::sync::LazyLock;

use super::mix::splitmix;

/// Bytes of a line with its line break; the last line of a text has 2 to 74.
pub const LINE_BYTES: usize = 73;

/// A phrase with the space after it.
const PHRASE_BYTES: usize = 24;
/// A power of two, chosen so that zlib, which looks back 32 KiB, compresses a long text about 3:1,
/// as real mail.
const PHRASES: usize = 8192;
const PHRASE_BITS: u32 = PHRASES.ilog2();

static TABLE: LazyLock<Box<[[u8; PHRASE_BYTES]]>> =
    LazyLock::new(|| (0..PHRASES as u64).map(phrase).collect());

/// Frequent words in business letters, of every length from 1 to 9.
const WORDS: [&str; 128] = [
    "a",
    "I",
    "in",
    "of",
    "to",
    "is",
    "it",
    "on",
    "as",
    "by",
    "we",
    "at",
    "be",
    "or",
    "if",
    "so",
    "my",
    "and",
    "the",
    "for",
    "was",
    "are",
    "not",
    "has",
    "its",
    "new",
    "all",
    "one",
    "may",
    "can",
    "our",
    "two",
    "you",
    "but",
    "any",
    "how",
    "let",
    "that",
    "with",
    "this",
    "have",
    "will",
    "were",
    "been",
    "each",
    "more",
    "than",
    "then",
    "they",
    "what",
    "when",
    "into",
    "time",
    "year",
    "page",
    "last",
    "next",
    "sent",
    "kept",
    "read",
    "plan",
    "cost",
    "work",
    "call",
    "copy",
    "know",
    "need",
    "week",
    "about",
    "after",
    "every",
    "first",
    "since",
    "until",
    "which",
    "while",
    "their",
    "there",
    "other",
    "total",
    "sales",
    "order",
    "price",
    "share",
    "again",
    "could",
    "would",
    "reply",
    "leave",
    "draft",
    "report",
    "office",
    "number",
    "letter",
    "budget",
    "client",
    "market",
    "second",
    "result",
    "during",
    "before",
    "growth",
    "annual",
    "please",
    "thanks",
    "friday",
    "monday",
    "review",
    "agenda",
    "company",
    "project",
    "meeting",
    "tuesday",
    "contact",
    "version",
    "numbers",
    "morning",
    "receive",
    "schedule",
    "customer",
    "delivery",
    "proposal",
    "decision",
    "question",
    "september",
    "attention",
    "agreement",
    "following",
];

/// Whole words, each with a space after it, that fill a phrase exactly.
fn phrase(number: u64) -> [u8; PHRASE_BYTES] {
    let mut phrase = [b' '; PHRASE_BYTES];
    let (mut at, mut draw) = (0, number << 32);
    while at < PHRASE_BYTES {
        let left = PHRASE_BYTES - at - 1; // less its space
        let word = WORDS[(splitmix(draw) % WORDS.len() as u64) as usize];
        draw += 1;
        // After this word, there must be room for another, or none at all.
        if word.len() == left || word.len() + 2 <= left {
            phrase[at..at + word.len()].copy_from_slice(word.as_bytes());
            at += word.len() + 1;
        }
    }
    phrase
}

/// Two phrases of 24 bytes, chosen by these bits.
pub(super) fn two_phrases(bits: u64) -> [&'static [u8; PHRASE_BYTES]; 2] {
    let table = &**TABLE;
    [
        &table[bits as usize % PHRASES],
        &table[(bits >> PHRASE_BITS) as usize % PHRASES],
    ]
}

fn line(key: u64, number: u64) -> [u8; LINE_BYTES] {
    let mut line = [0; LINE_BYTES];
    write_line(&TABLE, key, number, &mut line);
    line
}

/// Writes a line in place; each phrase is a copy of a size that the compiler knows.
fn write_line(table: &[[u8; PHRASE_BYTES]], key: u64, number: u64, line: &mut [u8; LINE_BYTES]) {
    let mut bits = splitmix(key.wrapping_add(number));
    let (places, _) = line.as_chunks_mut::<PHRASE_BYTES>();
    for place in places {
        *place = table[bits as usize % PHRASES];
        bits >>= PHRASE_BITS;
    }
    // The line break replaces the last phrase's space.
    line[LINE_BYTES - 2..].copy_from_slice(b"\r\n");
}

/// A text of `bytes` bytes (at least 2).
#[derive(Debug, Clone, Copy)]
pub struct Text {
    pub key: u64,
    pub bytes: u32,
}

impl Text {
    /// Lines before the last one.
    const fn whole_lines(self) -> u64 {
        (self.bytes as u64).saturating_sub(2) / LINE_BYTES as u64
    }

    /// Appends up to `most` bytes from `at` on.
    pub fn write(self, at: u64, most: usize, into: &mut Vec<u8>) {
        let full = into.len() + most.min((u64::from(self.bytes) - at) as usize);
        let (mut number, mut skip) = (at / LINE_BYTES as u64, at as usize % LINE_BYTES);
        if number > self.whole_lines() {
            // The last line may have one byte more than the others.
            (number, skip) = (number - 1, skip + LINE_BYTES);
        }
        while into.len() < full {
            let left = full - into.len();
            if skip == 0 && left >= LINE_BYTES && number < self.whole_lines() {
                number += self.write_lines(number, left / LINE_BYTES, into);
                continue;
            }
            if number < self.whole_lines() {
                let line = line(self.key, number);
                into.extend_from_slice(&line[skip..LINE_BYTES.min(skip + left)]);
            } else {
                let last = self.last_line();
                into.extend_from_slice(&last[skip..last.len().min(skip + left)]);
            }
            (number, skip) = (number + 1, 0);
        }
    }

    /// Appends whole lines from line `number` on, up to `most`. Returns how many.
    fn write_lines(self, number: u64, most: usize, into: &mut Vec<u8>) -> u64 {
        let count = (self.whole_lines() - number).min(most as u64);
        let from = into.len();
        into.resize(from + count as usize * LINE_BYTES, 0);
        let (lines, _) = into[from..].as_chunks_mut::<LINE_BYTES>();
        let table = &**TABLE;
        for (line, number) in lines.iter_mut().zip(number..) {
            write_line(table, self.key, number, line);
        }
        count
    }

    /// The last line: at least its line break, with a full stop before it if there is room.
    fn last_line(self) -> Vec<u8> {
        let number = self.whole_lines();
        let length = self.bytes as usize - number as usize * LINE_BYTES;
        let mut last = line(self.key, number)[..LINE_BYTES - 2].to_vec();
        last.resize(length - 2, b' ');
        // A line that is only a full stop would end the message's data, were it not doubled.
        if let Some(end) = last.last_mut() {
            *end = if length == 3 { b'-' } else { b'.' };
        }
        last.extend_from_slice(b"\r\n");
        last
    }
}
