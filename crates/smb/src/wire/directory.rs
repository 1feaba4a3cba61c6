//! QUERY_DIRECTORY (MS-SMB2 2.2.33, 2.2.34) with `FileIdBothDirectoryInformation` (MS-FSCC 2.4.17),
//! as Explorer sends it.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_script::Entry;

use super::fields::{Put, slice, u16_at, u32_at, u64_at, unix_ns, utf16_bytes};
use super::{FileId, part};

const FILE_ID_BOTH_DIRECTORY: u8 = 37;
const RESTART: u8 = 1;
/// Where an entry's name starts.
const NAME_AT: usize = 104;
/// The attribute of folders (MS-FSCC 2.6).
const FOLDER: u32 = 0x10;

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

/// Appends the entries other than `.` and `..`; `None` if one is malformed.
#[must_use]
pub fn read(entries: &[u8], into: &mut Vec<Entry>) -> Option<()> {
    let mut rest = entries;
    loop {
        let name = slice(rest, NAME_AT, u32_at(rest, 60)? as usize)?;
        let units = name.as_chunks::<2>().0.iter().copied();
        let units: Vec<u16> = units.map(u16::from_le_bytes).collect();
        let name = String::from_utf16_lossy(&units);
        if name != "." && name != ".." {
            into.push(Entry {
                name,
                is_folder: u32_at(rest, 56)? & FOLDER != 0,
                size: Some(u64_at(rest, 40)?),
                modified_ns: Some(unix_ns(u64_at(rest, 24)?)),
            });
        }
        match u32_at(rest, 0)? as usize {
            0 => return Some(()),
            next if next < NAME_AT => return None,
            next => rest = rest.get(next..)?,
        }
    }
}

/// The number of entries; `None` if a name is malformed.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(name: &str, attributes: u32, next: u32) -> Vec<u8> {
        let mut bytes = vec![0; NAME_AT];
        bytes[..4].copy_from_slice(&next.to_le_bytes());
        // 1601 is 11,644,473,600 s before 1970; this is 1.5 s after 1970.
        let written = 116_444_736_015_000_000_u64;
        bytes[24..32].copy_from_slice(&written.to_le_bytes());
        bytes[40..48].copy_from_slice(&7_u64.to_le_bytes());
        bytes[56..60].copy_from_slice(&attributes.to_le_bytes());
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes[60..64].copy_from_slice(&(name.len() as u32).to_le_bytes());
        bytes.extend(name);
        bytes
    }

    #[test]
    fn names_sizes_and_times_are_read() {
        let bytes = [
            entry("..", 0x10, 108),
            entry("ab", 0x10, 108),
            entry("käse", 0x20, 0),
        ]
        .concat();
        let mut found = Vec::new();
        assert_eq!(read(&bytes, &mut found), Some(()));
        let expected = |name: &str, is_folder| Entry {
            name: name.to_owned(),
            is_folder,
            size: Some(7),
            modified_ns: Some(1_500_000_000),
        };
        assert_eq!(found, [expected("ab", true), expected("käse", false)]);
        assert_eq!(read(&bytes[..150], &mut found), None);
    }

    proptest! {
        #[test]
        fn random_entries_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes, &mut Vec::new());
        }
    }
}
