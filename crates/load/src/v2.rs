//! The deflated V2 form of `HdrHistogram`, written and read without a dense histogram.
//!
//! After a header of 40 bytes come the counts of the buckets, in order, up to the last that is not
//! empty: each a zigzag LEB128 of at most nine bytes, where `-n` stands for `n` empty buckets.

use std::borrow::Cow;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::times::{BUCKETS, HOUR_US, bucket, longest_us};

/// Why bytes are not a histogram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an HdrHistogram in V2 form: {0}")]
pub struct DecodeError(pub(crate) String);

/// The first word of the V2 form.
pub const PLAIN: u32 = 0x1c84_9313;
/// The first word of the deflated form.
pub const DEFLATED: u32 = 0x1c84_9314;
/// Bytes of the plain form before the counts.
pub const HEADER: usize = 40;
const DEFLATED_HEADER: usize = 8;
/// Significant digits. With more, an empty histogram of every duration takes 2 MiB, and 25 MiB with
/// five.
const DIGITS: u32 = 3;
/// Bytes of the counts of the longest histogram with `DIGITS` digits, nine bytes each.
pub const MOST_COUNTS: usize = 9 * 56 * 1024;
/// Bytes that are not valid counts: the longest possible run of zeros, which overflows.
pub const ENDLESS: [u8; 9] = [0xff; 9];
/// Up to this many bytes, counts are stored, not deflated: deflating so few costs much more and
/// saves nothing in a log that is compressed as a whole.
const STORED: usize = 512;

/// The bytes of a histogram with these buckets: the longest time of each in µs, and its count;
/// ascending.
pub fn encoded(buckets: &[(u64, u64)]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(HEADER + 4 * buckets.len() + 9);
    plain.extend(PLAIN.to_be_bytes());
    plain.extend([0; 8]);
    plain.extend(DIGITS.to_be_bytes());
    plain.extend(1u64.to_be_bytes());
    plain.extend(HOUR_US.to_be_bytes());
    plain.extend(1f64.to_be_bytes());
    let mut next = 0;
    for (longest, count) in buckets {
        let place = i64::from(bucket(*longest));
        match place - next {
            0 => {}
            1 => plain.push(0),
            empty => push(&mut plain, -empty),
        }
        push(&mut plain, i64::try_from(*count).unwrap_or(i64::MAX));
        next = place + 1;
    }
    if buckets.is_empty() {
        plain.push(0);
    }
    let counts = (plain.len() - HEADER) as u32;
    plain[4..8].copy_from_slice(&counts.to_be_bytes());
    deflated(&plain)
}

fn deflated(plain: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(plain.len() + 32);
    bytes.extend(DEFLATED.to_be_bytes());
    bytes.extend([0; 4]);
    if plain.len() <= STORED {
        store(plain, &mut bytes);
    } else {
        let mut encoder = ZlibEncoder::new(&mut bytes, Compression::default());
        #[expect(clippy::unwrap_used, reason = "writing to memory cannot fail")]
        encoder
            .write_all(plain)
            .and_then(|()| encoder.finish())
            .unwrap();
    }
    let length = (bytes.len() - DEFLATED_HEADER) as u32;
    bytes[4..8].copy_from_slice(&length.to_be_bytes());
    bytes
}

/// The bytes of a zlib stream before a single stored block: its header, and the block's first byte.
const STORED_HEAD: [u8; 3] = [0x78, 0x01, 0x01];

/// Adds a zlib stream of one stored block (RFC 1950 and RFC 1951, 3.2.4).
fn store(plain: &[u8], bytes: &mut Vec<u8>) {
    let length = plain.len() as u16;
    bytes.extend(STORED_HEAD);
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(plain);
    bytes.extend(adler32(plain).to_be_bytes());
}

/// The contents of a stream as [`store`] writes it; `None` if it is another or damaged.
fn stored(stream: &[u8]) -> Option<&[u8]> {
    let block = stream.strip_prefix(&STORED_HEAD)?;
    let (length, rest) = block.split_first_chunk::<2>()?;
    let (complement, rest) = rest.split_first_chunk::<2>()?;
    let length = u16::from_le_bytes(*length);
    let (plain, sum) = rest.split_at_checked(usize::from(length))?;
    let is_whole =
        u16::from_le_bytes(*complement) == !length && sum == adler32(plain).to_be_bytes();
    is_whole.then_some(plain)
}

/// The checksum of a zlib stream (RFC 1950, 2.2); input this short cannot overflow the sums.
fn adler32(bytes: &[u8]) -> u32 {
    let (mut sum, mut sums) = (1u32, 0u32);
    for part in bytes.chunks(5552) {
        for byte in part {
            sum += u32::from(*byte);
            sums += sum;
        }
        sum %= 65_521;
        sums %= 65_521;
    }
    sums << 16 | sum
}

/// Appends a count, or the negated number of empty buckets.
fn push(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    for _ in 0..8 {
        if rest < 0x80 {
            bytes.push(rest as u8);
            return;
        }
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8); // the ninth has eight bits
}

/// The plain form; inflates no more than the longest histogram needs.
pub fn plain(bytes: &[u8]) -> Result<Cow<'_, [u8]>, DecodeError> {
    if word(bytes, 0) != Some(DEFLATED) {
        return Ok(Cow::Borrowed(bytes));
    }
    let stream = &bytes[DEFLATED_HEADER.min(bytes.len())..];
    if let Some(plain) = stored(stream) {
        return Ok(Cow::Borrowed(plain));
    }
    let mut plain = Vec::new();
    ZlibDecoder::new(stream)
        .take((HEADER + MOST_COUNTS + 1) as u64)
        .read_to_end(&mut plain)
        .map_err(|error| DecodeError(error.to_string()))?;
    Ok(Cow::Owned(plain))
}

/// The buckets of the plain form; `None` if the histogram has other bounds, and so other buckets.
///
/// Checks what the `hdrhistogram` crate trusts: that allocates as many counts as the header says,
/// up to 4 GiB.
pub fn buckets(plain: &[u8]) -> Result<Option<Vec<(u64, u64)>>, DecodeError> {
    let counts = checked(plain)?;
    let is_alike = word(plain, 8) == Some(0)
        && word(plain, 12) == Some(DIGITS)
        && plain[16..24] == 1u64.to_be_bytes()
        && plain[24..32] == HOUR_US.to_be_bytes();
    if !is_alike {
        return Ok(None);
    }
    let mut found = Vec::new();
    let (mut at, mut place) = (0, 0u64);
    while at < counts.len() {
        let value = next(counts, &mut at)?;
        if value <= 0 {
            place = place.saturating_add(value.unsigned_abs().max(1));
        } else {
            let beyond = || DecodeError("it has more counts than there are buckets".to_owned());
            let known = u16::try_from(place).map_err(|_| beyond())?;
            if usize::from(known) >= BUCKETS {
                return Err(beyond());
            }
            found.push((longest_us(known), value.unsigned_abs()));
            place += 1;
        }
    }
    Ok(Some(found))
}

/// The counts of the plain form; an error if the header or the counts are invalid.
fn checked(plain: &[u8]) -> Result<&[u8], DecodeError> {
    let refused = |why: &str| Err(DecodeError(why.to_owned()));
    let counts = plain.get(HEADER..).unwrap_or_default();
    if word(plain, 0) != Some(PLAIN) || plain.len() < HEADER {
        return refused("its first bytes are those of something else");
    }
    if counts.len() > MOST_COUNTS {
        return refused("it has more counts than there are buckets");
    }
    let length = word(plain, 4).map_or(usize::MAX, |length| length as usize);
    let Some(claimed) = counts.get(..length) else {
        return refused("it ends before its last count");
    };
    if word(plain, 12).is_none_or(|digits| digits > DIGITS) {
        return refused("it has more than three significant digits");
    }
    if counts.windows(ENDLESS.len()).any(|bytes| bytes == ENDLESS) {
        return refused("a run of zeros is longer than any histogram");
    }
    Ok(claimed)
}

/// Reads the count at `at`, and moves `at` behind it.
fn next(counts: &[u8], at: &mut usize) -> Result<i64, DecodeError> {
    let mut value = 0u64;
    for place in 0..9 {
        let Some(byte) = counts.get(*at) else {
            return Err(DecodeError("its last count is torn".to_owned()));
        };
        *at += 1;
        let is_last = place == 8;
        let bits = if is_last { *byte } else { byte & 0x7f };
        value |= u64::from(bits) << (7 * place);
        if is_last || byte & 0x80 == 0 {
            break;
        }
    }
    Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
}

/// A big-endian word of the header.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn other_decoders_read_stored_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut stream = Vec::new();
            store(&bytes, &mut stream);
            prop_assert_eq!(stored(&stream), Some(&*bytes));
            let mut read = Vec::new();
            ZlibDecoder::new(&*stream).read_to_end(&mut read).unwrap();
            prop_assert_eq!(read, bytes);
        }

        #[test]
        fn a_damaged_stream_is_not_read(
            bytes in prop::collection::vec(any::<u8>(), 1..600),
            place in any::<prop::sample::Index>(),
            bit in 0..8u8,
        ) {
            let mut stream = Vec::new();
            store(&bytes, &mut stream);
            let at = place.index(stream.len());
            stream[at] ^= 1 << bit;
            prop_assert_eq!(stored(&stream), None);
            stream.truncate(at);
            prop_assert_eq!(stored(&stream), None);
        }

        #[test]
        fn counts_are_read_as_they_were_written(values in prop::collection::vec(any::<i64>(), 0..50)) {
            let mut bytes = Vec::new();
            for value in &values {
                push(&mut bytes, *value);
            }
            let mut at = 0;
            for value in values {
                prop_assert_eq!(next(&bytes, &mut at).unwrap(), value);
            }
            prop_assert_eq!(at, bytes.len());
        }
    }
}
