//! A file in base64 (RFC 2045, 6.8), read from any offset.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::file::{self, ROW_BYTES};
use super::part::Kind;

/// Bytes of a line of base64 with its line break.
const LINE_BYTES: usize = 78;

/// A file of `bytes` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Encoded {
    pub kind: Kind,
    pub key: u64,
    pub bytes: u32,
}

impl Encoded {
    /// Its encoded length, in bytes.
    pub const fn sent_bytes(self) -> u64 {
        let (lines, rest) = (
            self.bytes as u64 / ROW_BYTES as u64,
            self.bytes as u64 % ROW_BYTES as u64,
        );
        let last = if rest == 0 {
            0
        } else {
            rest.div_ceil(3) * 4 + 2
        };
        lines * LINE_BYTES as u64 + last
    }

    /// Appends up to `most` encoded bytes from `at` on.
    pub fn write(self, at: u64, most: usize, into: &mut Vec<u8>) {
        let full = into.len() + most.min((self.sent_bytes() - at) as usize);
        let (mut number, mut skip) = (at / LINE_BYTES as u64, at as usize % LINE_BYTES);
        while into.len() < full {
            let row = file::row(self.kind, self.key, number);
            let left = u64::from(self.bytes) - number * ROW_BYTES as u64;
            let row = &row[..ROW_BYTES.min(left as usize)];
            let mut line = [0; LINE_BYTES];
            // There is room for it: 57 bytes are 76.
            let written = STANDARD.encode_slice(row, &mut line).unwrap_or(0);
            line[written..written + 2].copy_from_slice(b"\r\n");
            let end = (written + 2).min(skip + full - into.len());
            into.extend_from_slice(&line[skip..end]);
            (number, skip) = (number + 1, 0);
        }
    }
}
