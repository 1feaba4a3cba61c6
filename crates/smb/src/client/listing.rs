//! Listing an open folder.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind};
use headcount_script::Entry;
use headcount_tree::parts::Share;

use super::answer::{other_form, refuse};
use super::names::LISTING_BYTES;
use super::session::SmbSession;
use crate::connection::Ask;
use crate::wire::header::Command;
use crate::wire::status::Status;
use crate::wire::{FileId, directory};

/// Most requests of one listing, for about a million files. Without a limit, a server that never
/// ends a listing would hang the user.
const MOST_LISTINGS: u32 = 2000;

impl SmbSession {
    /// Lists a folder to its end, or sends only one request if `once`. `read` gets the entries of
    /// each response and returns whether they are well-formed. Returns the bytes of all entries.
    pub(super) async fn list_each(
        &mut self,
        (id, path): (&FileId, &str),
        pattern: &str,
        once: bool,
        mut read: impl FnMut(&[u8]) -> Result<bool, Fault>,
    ) -> Result<u64, Fault> {
        let listing = LISTING_BYTES.min(self.connection.state.agreed.max_transact);
        let ask = Ask {
            bytes: listing,
            ..Ask::new(Command::QueryDirectory, self.tree(Share::Data).await?)
        };
        let mut read_bytes = 0;
        for round in 0..MOST_LISTINGS {
            let entries = self
                .connection
                .exchange(
                    ask,
                    |out| directory::encode(out, id, pattern, round == 0, listing),
                    |head, body| {
                        if let Status::NO_MORE_FILES | Status::NO_SUCH_FILE = head.status {
                            return Ok(None);
                        }
                        refuse(head, || format!("QUERY_DIRECTORY \"{path}\""))?;
                        let entries = directory::parse(body)
                            .ok_or_else(|| other_form(Command::QueryDirectory))?;
                        if !read(entries)? {
                            return Err(other_form(Command::QueryDirectory));
                        }
                        Ok(Some(entries.len()))
                    },
                )
                .await?;
            read_bytes += entries.unwrap_or(0) as u64;
            if once || entries.is_none() {
                return Ok(read_bytes);
            }
        }
        let sentence = format!("QUERY_DIRECTORY \"{path}\": the listing does not end");
        Err(Fault::step(FaultKind::Malformed, sentence))
    }

    /// All entries of an open folder.
    pub(super) async fn all_entries(
        &mut self,
        file: &FileId,
        path: &str,
    ) -> Result<Vec<Entry>, Fault> {
        let mut found = Vec::new();
        let read = |entries: &[u8]| Ok(directory::read(entries, &mut found).is_some());
        self.list_each((file, path), "*", false, read).await?;
        Ok(found)
    }
}
