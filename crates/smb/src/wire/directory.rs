//! QUERY_DIRECTORY (MS-SMB2 2.2.33, 2.2.34) with `FileIdBothDirectoryInformation` (MS-FSCC 2.4.17),
//! which is what Explorer asks for.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use super::fields::{Put, slice, u16_at, u32_at, utf16_bytes};
use super::{FileId, part};

const FILE_ID_BOTH_DIRECTORY: u8 = 37;
const RESTART: u8 = 1;
/// Where an entry's name starts.
const NAME_AT: usize = 104;

/// Appends the body; `restart` begins from the first entry.
pub fn encode(out: &mut Vec<u8>, file: &FileId, pattern: &str, restart: bool, length: u32) {
    out.put_u16(33);
    out.put_u8(FILE_ID_BOTH_DIRECTORY);
    out.put_u8(if restart { RESTART } else { 0 });
    out.put_u32(0);
    out.put(file);
    out.put_u16(64 + 32);
    out.put_u16(utf16_bytes(pattern) as u16);
    out.put_u32(length);
    out.put_utf16(pattern);
}

/// The entries' part of the response.
#[must_use]
pub fn parse(body: &[u8]) -> Option<&[u8]> {
    if u16_at(body, 0)? != 9 {
        return None;
    }
    part(body, u16_at(body, 2)?.into(), u32_at(body, 4)? as usize)
}

/// Counts the entries, and reads their names to see that they are whole.
#[must_use]
pub fn count(entries: &[u8]) -> Option<u32> {
    let mut at = 0usize;
    let mut count = 0;
    loop {
        let entry = entries.get(at..)?;
        let name_bytes = u32_at(entry, 60)? as usize;
        slice(entry, NAME_AT, name_bytes)?;
        count += 1;
        match u32_at(entry, 0)? as usize {
            0 => return Some(count),
            next if next < NAME_AT => return None,
            next => at = at.checked_add(next)?,
        }
    }
}
