//! READ, WRITE and FLUSH (MS-SMB2 2.2.17 to 2.2.22).

use super::fields::{Put, u16_at, u32_at};
use super::{FileId, part};

/// Where the data of a write starts in its body.
const DATA_AT: usize = 48;

/// Appends the body of a read.
pub fn encode_read(out: &mut Vec<u8>, file: &FileId, offset: u64, length: u32) {
    out.put_u16(49);
    out.put_u8(64 + 16); // where the server may put the data: right after the fixed part
    out.put_u8(0);
    out.put_u32(length);
    out.put_u64(offset);
    out.put(file);
    out.put_u32(0); // minimum count: a short read is not an error
    out.put_u32(0);
    out.put_u32(0);
    out.put_u32(0);
    out.put_u8(0); // the variable part has at least one byte
}

/// The data read.
#[must_use]
pub fn parse_read(body: &[u8]) -> Option<&[u8]> {
    if u16_at(body, 0)? != 17 {
        return None;
    }
    part(body, usize::from(*body.get(2)?), u32_at(body, 4)? as usize)
}

/// Appends the body of a write, whose data `make` fills in.
pub fn encode_write(
    out: &mut Vec<u8>,
    file: &FileId,
    offset: u64,
    length: u32,
    make: impl FnOnce(&mut [u8]),
) {
    out.put_u16(49);
    out.put_u16((64 + DATA_AT) as u16);
    out.put_u32(length);
    out.put_u64(offset);
    out.put(file);
    out.put_u32(0);
    out.put_u32(0);
    out.put_u32(0);
    out.put_u32(0); // not written through
    let at = out.len();
    out.put_zeros(length as usize);
    make(&mut out[at..]);
}

/// Bytes written.
#[must_use]
pub fn parse_write(body: &[u8]) -> Option<u32> {
    (u16_at(body, 0)? == 17).then(|| u32_at(body, 4))?
}

/// Appends the body of a flush.
pub fn encode_flush(out: &mut Vec<u8>, file: &FileId) {
    out.put_u16(24);
    out.put_u16(0);
    out.put_u32(0);
    out.put(file);
}
