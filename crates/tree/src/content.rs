//! What fills a block after its head: contents that compress like files of their kind.
//!
//! | kind | what it is | zlib, 64 KiB | zlib, 1 MiB |
//! |---|---|---|---|
//! | `compressed` | random words; nothing repeats | 1.0 | 1.0 |
//! | `text` | English words in phrases of 32 bytes, drawn from a fixed table of 2,048 | 4.1 | 4.6 |
//! | `image` | as `compressed`, after a fixed segment of 160 bytes, as of a JPEG file's tables | 1.04 | 1.04 |
//! | `data` | records of 32 bytes: number, name of the table, 12 random bytes, spaces | 2.0 | 2.0 |
//! | `office` | blocks of text and of data in turn | 2.4 | 2.5 |
//!
//! The ratios are ours, for zlib at its default level 6, and a test checks them. As with real files
//! they depend on the compressor: text comes to about 3 with blocks of 4 KiB, or with one made for
//! speed. Everything random derives from the block's key, so no two blocks are equal. Phrases and
//! names of tables repeat from block to block, which makes files compressible: a server that looks
//! for duplicates smaller than a block will find some.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::splitmix::splitmix;

/// Bytes of a block after its head.
pub(crate) const BODY_BYTES: usize = 4064;

const WORDS: usize = BODY_BYTES / 8;
const PHRASE_BYTES: usize = 32;
/// A power of two. With this many, zlib, which looks back 32 KiB, compresses text about 4:1: half
/// as many give 4.8:1, twice as many 3.7:1.
const PHRASES: usize = 2048;
/// Bits of one draw of a phrase.
const PHRASE_BITS: u32 = PHRASES.ilog2();
/// About the minimum size of the tables at the start of a JPEG file: quantisation and Huffman
/// tables.
const SEGMENT_BYTES: usize = 160;

/// The kind of contents that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Already compressed data of any kind; does not compress.
    #[default]
    Compressed,
    /// Running text; compresses to about a quarter.
    Text,
    /// Photographs; hardly compresses.
    Image,
    /// Records of a database; compresses to about half.
    Data,
    /// Documents of an office suite; compresses to about four tenths.
    Office,
}

impl Content {
    /// The extension of files with such contents.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Compressed => "zip",
            Self::Text => "txt",
            Self::Image => "jpg",
            Self::Data => "dat",
            Self::Office => "doc",
        }
    }

    /// Fills the body of block number `block` of a file.
    pub(crate) fn fill(self, body: &mut [u8; BODY_BYTES], block: u64, key: u64) {
        match self {
            Self::Compressed => noise(body, key),
            Self::Text => text(body, key),
            Self::Image => {
                noise(body, key);
                body[..SEGMENT_BYTES].copy_from_slice(&*SEGMENT);
            }
            Self::Office if block.is_multiple_of(2) => text(body, key),
            Self::Data | Self::Office => data(body, block, key),
        }
    }
}

static RANDOM: LazyLock<[u64; WORDS]> =
    LazyLock::new(|| std::array::from_fn(|index| splitmix(index as u64)));

static SEGMENT: LazyLock<[u8; SEGMENT_BYTES]> =
    LazyLock::new(|| std::array::from_fn(|index| splitmix(!(index as u64)) as u8));

static TEXT: LazyLock<Box<[[u8; PHRASE_BYTES]; PHRASES]>> =
    LazyLock::new(|| Box::new(std::array::from_fn(|index| phrase(index as u64))));

/// One fixed table of random words, each combined with the block's key by XOR.
fn noise(body: &mut [u8; BODY_BYTES], key: u64) {
    let (words, _) = body.as_chunks_mut::<8>();
    for (word, fixed) in words.iter_mut().zip(&*RANDOM) {
        *word = (fixed ^ key).to_le_bytes();
    }
}

fn text(body: &mut [u8; BODY_BYTES], key: u64) {
    const DRAWS: usize = (u64::BITS / PHRASE_BITS) as usize;
    let table = &**TEXT;
    let (phrases, _) = body.as_chunks_mut::<PHRASE_BYTES>();
    for (index, some) in phrases.chunks_mut(DRAWS).enumerate() {
        let mut bits = splitmix(key.wrapping_add(index as u64));
        for phrase in some {
            *phrase = table[bits as usize % PHRASES];
            bits >>= PHRASE_BITS;
        }
    }
}

fn data(body: &mut [u8; BODY_BYTES], block: u64, key: u64) {
    let random = &*RANDOM;
    let (records, _) = body.as_chunks_mut::<32>();
    let first = block.wrapping_mul(records.len() as u64);
    let mut record = *b"........CUSTOMER............    ";
    for (index, place) in records.iter_mut().enumerate() {
        let number = first.wrapping_add(index as u64);
        record[..8].copy_from_slice(&number.to_le_bytes());
        record[16..24].copy_from_slice(&(random[2 * index] ^ key).to_le_bytes());
        let last = (random[2 * index + 1] ^ key).to_le_bytes();
        record[24..28].copy_from_slice(&last[..4]);
        *place = record;
    }
}

/// Frequent words of English prose about work; at least one of each length up to 7.
const VOCABULARY: [&str; 96] = [
    "a", "in", "of", "to", "is", "it", "on", "as", "by", "we", "at", "be", "or", "and", "the",
    "for", "was", "are", "not", "has", "its", "new", "all", "one", "may", "can", "our", "out",
    "two", "per", "that", "with", "this", "from", "have", "will", "were", "been", "each", "more",
    "than", "then", "they", "what", "when", "into", "time", "year", "user", "file", "page", "line",
    "last", "next", "made", "sent", "kept", "read", "open", "plan", "cost", "work", "unit", "name",
    "about", "after", "every", "first", "since", "until", "which", "while", "their", "there",
    "other", "total", "sales", "order", "price", "share", "report", "office", "number", "letter",
    "budget", "client", "market", "second", "result", "during", "before", "growth", "annual",
    "company", "project", "meeting",
];

/// Whole words, each followed by a space, that fill a phrase exactly.
fn phrase(number: u64) -> [u8; PHRASE_BYTES] {
    let mut phrase = [b' '; PHRASE_BYTES];
    let (mut at, mut draw) = (0, number << 32);
    while at < PHRASE_BYTES {
        let left = PHRASE_BYTES - at - 1; // minus its space
        let word = VOCABULARY[(splitmix(draw) % VOCABULARY.len() as u64) as usize];
        draw += 1;
        // After this word there must be room for another, or none at all.
        if word.len() == left || word.len() + 2 <= left {
            phrase[at..at + word.len()].copy_from_slice(word.as_bytes());
            at += word.len() + 1;
        }
    }
    phrase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words_and_differ() {
        let mut all: Vec<String> = TEXT
            .iter()
            .map(|phrase| String::from_utf8(phrase.to_vec()).unwrap())
            .collect();
        for phrase in &all {
            let words: Vec<_> = phrase.strip_suffix(' ').unwrap().split(' ').collect();
            let odd = words.iter().find(|word| !VOCABULARY.contains(word));
            assert_eq!(odd, None, "{phrase}");
        }
        all.sort_unstable();
        all.dedup();
        assert!(all.len() > PHRASES * 99 / 100, "{}", all.len());
    }
}
