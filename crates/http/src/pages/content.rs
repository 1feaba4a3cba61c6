//! The contents of pages: every byte follows from the data set's seed, the page's number and the
//! byte's offset, so that damage, truncation and mix-ups are found wherever they are.
//!
//! **Text** is lines of 64 bytes. The first is `<!DOCTYPE html><title>`, number and seed in
//! hexadecimal, `</title><p>`; each other begins with number and offset and goes on with words from
//! a fixed table, from a place that depends on all three. So any length of 64 bytes and more is
//! HTML, it compresses as text does, and a CGI program of a few lines can make it (`cgi`).
//!
//! **Binary** is units of 256 bytes:
//!
//! | bytes | meaning (little-endian) |
//! |---|---|
//! | 0..4 | `HCPG` |
//! | 4..8 | number of the page |
//! | 8..16 | offset in the page |
//! | 16..256 | words of `SplitMix64` from a state derived from seed, number and offset |
//!
//! It does not compress. A page that is not a whole number of lines or units ends in the middle of
//! one.

use serde::{Deserialize, Serialize};

use super::splitmix::splitmix;
use super::words;

/// What the bytes of a page are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// HTML, which compresses.
    #[default]
    Text,
    /// Bytes that do not compress.
    Binary,
}

/// What determines the bytes of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The seed of the data set.
    pub seed: u64,
    /// The number of the page.
    pub page: u32,
    /// What its bytes are like.
    pub content: Content,
}

/// What is wrong with bytes of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// They changed after they were made, or were never made by Headcount.
    Damaged,
    /// They belong to another page.
    Page(u32),
    /// They belong elsewhere in the page.
    Offset(u64),
}

/// The first byte that is wrong, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// Its offset in the page.
    pub at: u64,
    /// What is wrong.
    pub wrong: Wrong,
}

const LINE: usize = 64;
const UNIT: usize = 256;
const MAGIC: [u8; 4] = *b"HCPG";
const HEAD: usize = 16;

/// Fills `bytes` with the contents of the page at `offset`.
pub fn fill(owner: Owner, offset: u64, bytes: &mut [u8]) {
    each_unit(
        owner.content,
        offset,
        bytes.len(),
        |start, within, range| {
            let mut unit = [0; UNIT];
            let unit = make(owner, start, &mut unit);
            let length = range.len();
            bytes[range].copy_from_slice(&unit[within..within + length]);
            true
        },
    );
}

/// Compares `bytes` with the contents of the page at `offset`. The error is the first difference.
pub fn check(owner: Owner, offset: u64, bytes: &[u8]) -> Result<(), Difference> {
    let mut first = None;
    each_unit(
        owner.content,
        offset,
        bytes.len(),
        |start, within, range| {
            let mut unit = [0; UNIT];
            let unit = make(owner, start, &mut unit);
            let found = &bytes[range];
            let expected = &unit[within..within + found.len()];
            if found == expected {
                return true;
            }
            let same = found.iter().zip(expected).take_while(|(a, b)| a == b);
            let at = start + (within + same.count()) as u64;
            let wrong = diagnose(owner, start, within, found);
            first = Some(Difference { at, wrong });
            false
        },
    );
    first.map_or(Ok(()), Err)
}

/// Calls `look` for the lines or units that `length` bytes from `offset` on belong to: with where
/// each starts in the page, which byte of it is the first, and which of the bytes are its. Stops
/// when `look` returns false.
fn each_unit(
    content: Content,
    offset: u64,
    length: usize,
    mut look: impl FnMut(u64, usize, std::ops::Range<usize>) -> bool,
) {
    let size = size_of_unit(content);
    let mut done = 0;
    while done < length {
        let at = offset + done as u64;
        let within = (at % size as u64) as usize;
        let end = (done + size - within).min(length);
        if !look(at - within as u64, within, done..end) {
            return;
        }
        done = end;
    }
}

const fn size_of_unit(content: Content) -> usize {
    match content {
        Content::Text => LINE,
        Content::Binary => UNIT,
    }
}

/// The line or unit that starts at `start`.
fn make(owner: Owner, start: u64, unit: &mut [u8; UNIT]) -> &[u8] {
    let Owner {
        seed,
        page,
        content,
    } = owner;
    match content {
        Content::Text => {
            let line = &mut unit[..LINE];
            if start == 0 {
                line.copy_from_slice(&title(seed, page));
            } else {
                line[..8].copy_from_slice(&hexadecimal(page));
                line[8] = b' ';
                line[9..17].copy_from_slice(&hexadecimal(start as u32));
                line[17] = b' ';
                let words = words::of(seed, page, start / LINE as u64);
                line[18..LINE - 1].copy_from_slice(words);
                line[LINE - 1] = b'\n';
            }
        }
        Content::Binary => {
            unit[..4].copy_from_slice(&MAGIC);
            unit[4..8].copy_from_slice(&page.to_le_bytes());
            unit[8..HEAD].copy_from_slice(&start.to_le_bytes());
            let state = splitmix(splitmix(seed ^ u64::from(page) << 32) ^ start);
            let (words, _) = unit[HEAD..].as_chunks_mut::<8>();
            for (word, index) in words.iter_mut().zip(0u64..) {
                *word = splitmix(state.wrapping_add(index << 32)).to_le_bytes();
            }
        }
    }
    &unit[..size_of_unit(content)]
}

fn title(seed: u64, page: u32) -> [u8; LINE] {
    let mut line = [b' '; LINE];
    line[..22].copy_from_slice(b"<!DOCTYPE html><title>");
    line[22..30].copy_from_slice(&hexadecimal(page));
    line[31..39].copy_from_slice(&hexadecimal((seed >> 32) as u32));
    line[39..47].copy_from_slice(&hexadecimal(seed as u32));
    line[47..58].copy_from_slice(b"</title><p>");
    line[LINE - 1] = b'\n';
    line
}

/// Eight hexadecimal digits.
fn hexadecimal(number: u32) -> [u8; 8] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    std::array::from_fn(|index| DIGITS[(number >> (28 - 4 * index)) as usize & 15])
}

/// Why bytes differ from those of `owner`: whether they belong to another page or offset. Only a
/// complete line or unit can tell.
fn diagnose(owner: Owner, start: u64, within: usize, found: &[u8]) -> Wrong {
    if within > 0 {
        return Wrong::Damaged;
    }
    let Some((page, claimed)) = claim(owner.content, found) else {
        return Wrong::Damaged;
    };
    let mut unit = [0; UNIT];
    let other = make(Owner { page, ..owner }, claimed, &mut unit);
    if other[..found.len()] != *found {
        Wrong::Damaged
    } else if page != owner.page {
        Wrong::Page(page)
    } else if claimed != start {
        Wrong::Offset(claimed)
    } else {
        Wrong::Damaged
    }
}

/// The page and the offset that a line or unit names, if it names any.
fn claim(content: Content, found: &[u8]) -> Option<(u32, u64)> {
    match content {
        Content::Text if found.starts_with(b"<!DOCTYPE html><title>") => {
            Some((number(found.get(22..30)?)?, 0))
        }
        Content::Text => Some((
            number(found.get(..8)?)?,
            u64::from(number(found.get(9..17)?)?),
        )),
        Content::Binary => {
            let page = found.get(4..8)?.try_into().ok()?;
            let offset = found.get(8..HEAD)?.try_into().ok()?;
            Some((u32::from_le_bytes(page), u64::from_le_bytes(offset)))
        }
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn owner(content: Content) -> Owner {
        Owner {
            seed: 0x0123_4567_89ab_cdef,
            page: 0x1f,
            content,
        }
    }

    fn page(owner: Owner, bytes: usize) -> Vec<u8> {
        let mut page = vec![0; bytes];
        fill(owner, 0, &mut page);
        page
    }

    #[test]
    fn text_is_html_whose_lines_name_page_and_offset() {
        let text = String::from_utf8(page(owner(Content::Text), 200)).unwrap();
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        assert_eq!(
            lines[0],
            "<!DOCTYPE html><title>0000001f 0123456789abcdef</title><p>     \n"
        );
        assert!(lines[1].starts_with("0000001f 00000040 "), "{text}");
        assert!(lines[2].starts_with("0000001f 00000080 "), "{text}");
        assert_eq!(
            lines.iter().map(|line| line.len()).collect::<Vec<_>>(),
            [64, 64, 64, 8]
        );
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || " .\n".contains(c);
        assert!(text[64..].chars().all(plain), "{text}");
    }

    #[test]
    fn text_compresses_and_binary_does_not() {
        let compressed = |content| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            std::io::Write::write_all(&mut encoder, &page(owner(content), 65_536)).unwrap();
            encoder.finish().unwrap().len()
        };
        assert!(
            (6_000..25_000).contains(&compressed(Content::Text)),
            "{}",
            compressed(Content::Text)
        );
        // All but the 16 bytes at the head of each 256.
        assert!(compressed(Content::Binary) > 60_000);
    }

    #[test]
    fn wrong_pages_offsets_and_damage_are_distinguished() {
        for content in [Content::Text, Content::Binary] {
            let mine = owner(content);
            let unit = size_of_unit(content);
            let theirs = page(Owner { page: 7, ..mine }, 1024);
            let at = |at, wrong| Err(Difference { at, wrong });
            // Number 7 differs from 0x1f in the last but one digit, or in the first byte.
            let digit = if content == Content::Text { 28 } else { 4 };
            assert_eq!(check(mine, 0, &theirs), at(digit, Wrong::Page(7)));
            let text = page(mine, 1024);
            let shifted = check(mine, unit as u64, &text[2 * unit..]).unwrap_err();
            assert_eq!(shifted.wrong, Wrong::Offset(2 * unit as u64));
            let seeds = check(Owner { seed: 1, ..mine }, 0, &text).unwrap_err();
            assert_eq!(seeds.wrong, Wrong::Damaged);
            assert_eq!(check(mine, 0, &[0; 100]), at(0, Wrong::Damaged));
        }
    }

    proptest! {
        #[test]
        fn any_part_of_a_page_can_be_filled_and_checked(
            seed: u64, number: u32, is_text: bool, offset in 0usize..2000, length in 0usize..2000,
        ) {
            let content = if is_text { Content::Text } else { Content::Binary };
            let owner = Owner { seed, page: number, content };
            let whole = page(owner, 4000);
            let mut part = vec![0; length];
            fill(owner, offset as u64, &mut part);
            prop_assert_eq!(&part, &whole[offset..offset + length]);
            prop_assert_eq!(check(owner, offset as u64, &part), Ok(()));
        }

        #[test]
        fn every_damaged_byte_is_located(
            is_text: bool, offset in 0usize..600, length in 1usize..2000,
            at: prop::sample::Index, flip in 1u8..,
        ) {
            let owner = owner(if is_text { Content::Text } else { Content::Binary });
            let mut part = vec![0; length];
            fill(owner, offset as u64, &mut part);
            let at = at.index(length);
            part[at] ^= flip;
            let found = check(owner, offset as u64, &part).unwrap_err();
            prop_assert_eq!(found.at, (offset + at) as u64);
        }
    }
}
