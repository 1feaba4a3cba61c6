//! The contents of attached files, row by row; a row of 57 bytes is a line of 76 in base64.
//!
//! Each kind compresses about as well as real files of its kind; docs/smtp.md has the ratios, and a
//! test checks them.

use super::mix::splitmix;

use super::part::Kind;
use super::text::two_phrases;

/// Bytes of a row.
pub const ROW_BYTES: usize = 57;

/// One row of a file.
pub type FileRow = [u8; ROW_BYTES];

/// Words of seven letters that fill a line of text after two phrases.
const LAST_WORDS: [&[u8; 7]; 8] = [
    b"company", b"project", b"meeting", b"tuesday", b"contact", b"version", b"numbers", b"morning",
];

/// The row with this number in a file of this kind.
pub fn row(kind: Kind, key: u64, number: u64) -> FileRow {
    let bits = splitmix(key.wrapping_add(number));
    match kind {
        Kind::Spreadsheet => cells(bits, number),
        // Pages of text between tables of formats and positions.
        Kind::Document if number % 8 >= 5 => cells(bits, number),
        Kind::Bitmap => pixels(bits, key),
        Kind::Archive => noise(bits),
        _ => text(bits),
    }
}

fn text(bits: u64) -> FileRow {
    let mut row = [0; ROW_BYTES];
    let [first, second] = two_phrases(bits);
    row[..24].copy_from_slice(first);
    row[24..48].copy_from_slice(second);
    row[48..55].copy_from_slice(LAST_WORDS[(bits >> 32) as usize % LAST_WORDS.len()]);
    row[55..].copy_from_slice(b"\r\n");
    row
}

/// Three records of a cell each: kind and length, row and column, format, and a number.
fn cells(bits: u64, number: u64) -> FileRow {
    let mut row = [0; ROW_BYTES];
    for (column, (record, value)) in row
        .chunks_exact_mut(19)
        .zip(bits.to_le_bytes().chunks(2))
        .enumerate()
    {
        record[..4].copy_from_slice(&[0x03, 0x02, 0x0e, 0x00]);
        record[4..8].copy_from_slice(&(number as u32).to_le_bytes());
        record[8] = column as u8;
        record[10] = 0x0f;
        record[14..16].copy_from_slice(value);
        record[16] = (bits >> 56) as u8;
        record[17..].copy_from_slice(&[0x40, 0x00]);
    }
    row
}

/// 57 pixels of 256 colours: runs of one of eight, as in a chart.
fn pixels(mut bits: u64, key: u64) -> FileRow {
    let mut row = [0; ROW_BYTES];
    let mut at = 0;
    while at < ROW_BYTES {
        let length = (1 + (bits & 15) as usize).min(ROW_BYTES - at);
        let colour = key.to_le_bytes()[(bits >> 4) as usize % 8];
        row[at..at + length].fill(colour);
        at += length;
        bits = bits.rotate_right(7);
    }
    row
}

fn noise(bits: u64) -> FileRow {
    let mut row = [0; ROW_BYTES];
    let mut state = bits;
    for place in row.chunks_mut(8) {
        state = splitmix(state);
        place.copy_from_slice(&state.to_le_bytes()[..place.len()]);
    }
    row
}
