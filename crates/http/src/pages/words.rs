//! The words in pages of text: a fixed table, and where in it each line begins.

use std::sync::LazyLock;

use super::splitmix::splitmix;

/// Bytes of words in a line: what number, offset and line end leave of its 64.
pub(super) const BYTES: usize = 45;
/// Places in the table at which a line's words may begin.
pub(super) const PLACES: u64 = 2048;
/// Odd, so that the lines of a page begin at all places in turn; prime, so that pages differ.
pub(super) const PAGE_STEP: u64 = 7919;
/// As [`PAGE_STEP`].
pub(super) const LINE_STEP: u64 = 104_729;

const WORDS: [&str; 31] = [
    "server",
    "page",
    "of",
    "the",
    "a",
    "network",
    "load",
    "client",
    "file",
    "answers",
    "and",
    "users",
    "in",
    "time",
    "when",
    "disk",
    "memory",
    "request",
    "is",
    "measured",
    "with",
    "capacity",
    "processor",
    "to",
    "queue",
    "waits",
    "for",
    "each",
    "link",
    "table",
    "it",
];

/// Running text of [`PLACES`] bytes, and as many more as a line needs.
pub(super) static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let bytes = PLACES as usize + BYTES;
    let mut text = Vec::with_capacity(bytes + 16);
    for index in 0.. {
        let word = WORDS[(splitmix(index) % WORDS.len() as u64) as usize];
        text.extend_from_slice(word.as_bytes());
        text.push(if index % 11 == 10 { b'.' } else { b' ' });
        if text.len() >= bytes {
            break;
        }
    }
    text.truncate(bytes);
    text
});

/// The words of a line. Their place is a plain sum with small factors, for programs whose numbers
/// are doubles.
pub(super) fn of(seed: u64, page: u32, line: u64) -> &'static [u8] {
    let sum = u64::from(page) * PAGE_STEP + line * LINE_STEP + seed % PLACES;
    let place = (sum % PLACES) as usize;
    &TABLE[place..place + BYTES]
}
