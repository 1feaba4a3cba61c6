//! What stands in a folder.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::Fault;
use headcount_tree::parts::Share;

use crate::client::answer::{other_form, refuse};
use crate::client::session::SmbSession;
use crate::connection::Ask;
use crate::wire::FileId;
use crate::wire::directory;
use crate::wire::fields::{slice, u32_at};
use crate::wire::header::Command;
use crate::wire::status::Status;

/// Bytes of entries asked for at a time.
const LISTING_BYTES: u32 = 64 << 10;
/// Requests of one listing: a million names or so. A server that never ends would hold us.
const MOST_LISTINGS: u32 = 2000;
/// Where an entry's attributes and its name stand (MS-FSCC 2.4.17).
const ATTRIBUTES_AT: usize = 56;
const NAME_BYTES_AT: usize = 60;
const NAME_AT: usize = 104;
const FOLDER: u32 = 0x10;

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

impl Entry {
    /// Whether it stands for the folder itself, or for the one above.
    #[must_use]
    pub fn is_dots(&self) -> bool {
        self.name == "." || self.name == ".."
    }
}

impl SmbSession {
    /// Everything in an open folder, `.` and `..` included where the server names them.
    pub(in crate::client) async fn entries(
        &mut self,
        file: &FileId,
        called: &str,
    ) -> Result<Vec<Entry>, Fault> {
        let bytes = LISTING_BYTES.min(self.connection.state.agreed.max_transact);
        let ask = Ask {
            bytes,
            ..Ask::new(Command::QueryDirectory, self.tree(Share::Data).await?)
        };
        let mut all = Vec::new();
        for round in 0..MOST_LISTINGS {
            let some = self
                .connection
                .exchange(
                    ask,
                    |out| directory::encode(out, file, "*", round == 0, bytes),
                    |head, body| {
                        if let Status::NO_MORE_FILES | Status::NO_SUCH_FILE = head.status {
                            return Ok(None);
                        }
                        refuse(head, || format!("QUERY_DIRECTORY \"{called}\""))?;
                        directory::parse(body)
                            .and_then(parse)
                            .map(Some)
                            .ok_or_else(|| other_form(Command::QueryDirectory))
                    },
                )
                .await?;
            match some {
                Some(some) => all.extend(some),
                None => return Ok(all),
            }
        }
        Err(other_form(Command::QueryDirectory))
    }
}

/// Reads the entries of a response; `None` if one is not whole.
#[must_use]
pub fn parse(entries: &[u8]) -> Option<Vec<Entry>> {
    let mut found = Vec::new();
    let mut rest = entries;
    loop {
        let name = slice(rest, NAME_AT, u32_at(rest, NAME_BYTES_AT)? as usize)?;
        let units = name.as_chunks::<2>().0.iter().copied();
        let units: Vec<u16> = units.map(u16::from_le_bytes).collect();
        found.push(Entry {
            name: String::from_utf16_lossy(&units),
            is_folder: u32_at(rest, ATTRIBUTES_AT)? & FOLDER != 0,
        });
        match u32_at(rest, 0)? as usize {
            0 => return Some(found),
            next if next < NAME_AT => return None,
            next => rest = rest.get(next..)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_and_kinds_are_read() {
        let entry = |name: &str, attributes: u32, next: u32| {
            let mut bytes = vec![0; NAME_AT];
            bytes[..4].copy_from_slice(&next.to_le_bytes());
            bytes[ATTRIBUTES_AT..NAME_BYTES_AT].copy_from_slice(&attributes.to_le_bytes());
            let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            bytes[NAME_BYTES_AT..NAME_BYTES_AT + 4]
                .copy_from_slice(&(name.len() as u32).to_le_bytes());
            bytes.extend(name);
            bytes
        };
        let bytes = [entry("..", 0x10, 108), entry("käse", 0x20, 0)].concat();
        let found = parse(&bytes).unwrap();
        let plain: Vec<_> = found
            .iter()
            .map(|e| (e.name.as_str(), e.is_folder))
            .collect();
        assert_eq!(plain, [("..", true), ("käse", false)]);
        assert_eq!(parse(&bytes[..150]), None);
    }

    proptest! {
        #[test]
        fn random_entries_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse(&bytes);
        }
    }
}
