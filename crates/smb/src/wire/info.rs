//! QUERY_INFO and SET_INFO (MS-SMB2 2.2.37 to 2.2.40) with the classes of MS-FSCC.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_tree::query::{Known, Query};

use super::fields::{Put, u16_at, u32_at, u64_at, unix_ns, utf16_bytes};
use super::{FileId, part};

/// The least bytes of a rename: Windows expects those of its structure, which has room for two
/// characters of a name.
const LEAST_RENAME_BYTES: usize = 24;

const FILE: u8 = 1;
const FILE_SYSTEM: u8 = 2;
const SECURITY: u8 = 3;

/// QUERY_INFO for each class.
pub trait QueryInfo {
    /// Appends the body.
    fn encode(self, out: &mut Vec<u8>, file: &FileId, length: u32);

    /// The answer, if it has at least the bytes of its class.
    fn parse(self, body: &[u8]) -> Option<&[u8]>;

    /// The size and time in the answer.
    fn known(self, answer: &[u8]) -> Known;
}

/// Type, class, additional information, and the fewest bytes an answer has.
const fn parameters(query: Query) -> (u8, u8, u32, usize) {
    match query {
        Query::All => (FILE, 18, 0, 96),
        Query::Basic => (FILE, 4, 0, 36),
        Query::Standard => (FILE, 5, 0, 22),
        Query::NetworkOpen => (FILE, 34, 0, 52),
        Query::Stream => (FILE, 22, 0, 0),
        Query::FileSystemSize => (FILE_SYSTEM, 7, 0, 32),
        Query::Volume => (FILE_SYSTEM, 1, 0, 18),
        Query::Security => (SECURITY, 0, 7, 20),
    }
}

impl QueryInfo for Query {
    fn encode(self, out: &mut Vec<u8>, file: &FileId, length: u32) {
        let (kind, class, additional, _) = parameters(self);
        out.put_u16(41);
        out.put_u8(kind);
        out.put_u8(class);
        out.put_u32(length);
        out.put_u16(0); // no input
        out.put_u16(0);
        out.put_u32(0);
        out.put_u32(additional);
        out.put_u32(0);
        out.put(file);
    }

    fn parse(self, body: &[u8]) -> Option<&[u8]> {
        if u16_at(body, 0)? != 9 {
            return None;
        }
        let answer = part(body, u16_at(body, 2)?.into(), u32_at(body, 4)? as usize)?;
        (answer.len() >= parameters(self).3).then_some(answer)
    }

    fn known(self, answer: &[u8]) -> Known {
        let (size_at, written_at) = match self {
            Self::All => (Some(48), Some(16)),
            Self::Basic => (None, Some(16)),
            Self::Standard => (Some(8), None),
            Self::NetworkOpen => (Some(40), Some(16)),
            _ => (None, None),
        };
        Known {
            size: size_at.and_then(|at| u64_at(answer, at)),
            modified_ns: written_at.and_then(|at| u64_at(answer, at)).map(unix_ns),
        }
    }
}

/// A change to an open file.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    /// Its path below the share (`FileRenameInformation`, MS-FSCC 2.4.42.2).
    Rename {
        /// The new path.
        to: &'a str,
        /// Whether an existing file of that name is replaced.
        replace: bool,
    },
    /// It is deleted when closed (`FileDispositionInformation`, 2.4.11).
    Delete,
    /// Its length in bytes (`FileEndOfFileInformation`, 2.4.14).
    EndOfFile(u64),
    /// The time of the last write, in 100 ns since 1601 (`FileBasicInformation`, 2.4.7); other
    /// times stay.
    LastWrite(u64),
}

impl Change<'_> {
    /// Appends the body.
    pub fn encode(&self, out: &mut Vec<u8>, file: &FileId) {
        let (class, length) = match self {
            Self::Rename { to, .. } => (10, rename_bytes(to)),
            Self::Delete => (13, 1),
            Self::EndOfFile(_) => (20, 8),
            Self::LastWrite(_) => (4, 40),
        };
        out.put_u16(33);
        out.put_u8(FILE);
        out.put_u8(class);
        out.put_u32(length as u32);
        out.put_u16(64 + 32);
        out.put_u16(0);
        out.put_u32(0);
        out.put(file);
        match *self {
            Self::Rename { to, replace } => {
                out.put_u8(replace.into());
                out.put_zeros(7);
                out.put_u64(0); // no root directory: the path is below the share
                out.put_u32(utf16_bytes(to) as u32);
                out.put_utf16(to);
                out.put_zeros(rename_bytes(to) - 20 - utf16_bytes(to));
            }
            Self::Delete => out.put_u8(1),
            Self::EndOfFile(bytes) => out.put_u64(bytes),
            Self::LastWrite(filetime) => {
                out.put_u64(0); // creation: unchanged
                out.put_u64(0); // last access: unchanged
                out.put_u64(filetime);
                out.put_u64(0); // change: unchanged
                out.put_u64(0); // attributes: unchanged; reserved
            }
        }
    }
}

/// Bytes of `FileRenameInformation` for this path, padded if it is short.
fn rename_bytes(to: &str) -> usize {
    (20 + utf16_bytes(to)).max(LEAST_RENAME_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_has_at_least_the_bytes_of_its_structure() {
        for (to, bytes) in [("", 24), ("x", 24), ("xy", 24), ("xyz", 26)] {
            let mut out = Vec::new();
            let replace = false;
            Change::Rename { to, replace }.encode(&mut out, &[7; 16]);
            assert_eq!(u32_at(&out, 4), Some(bytes), "{to}");
            assert_eq!(out.len(), 32 + bytes as usize, "{to}");
            assert_eq!(u32_at(&out, 32 + 16), Some(2 * to.len() as u32), "{to}");
        }
    }
}
