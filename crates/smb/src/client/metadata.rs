//! QUERY_DIRECTORY, QUERY_INFO, SET_INFO, LOCK and IOCTL.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_tree::parts::{Control, Name, Range, Share};
use headcount_tree::query::Query;

use super::open::Called;
use super::session::{Handle, SmbSession, other_form, refuse};
use crate::connection::Ask;
use crate::wire::header::Command;
use crate::wire::info::{Change, QueryInfo};
use crate::wire::lock::Lock;
use crate::wire::status::Status;
use crate::wire::{NO_FILE, directory, ioctl, lock};

/// Bytes of entries asked for at a time, as by Explorer.
const LISTING_BYTES: u32 = 64 << 10;
/// Bytes of the largest answer about a file.
pub(super) const ANSWER_BYTES: u32 = 4 << 10;
/// Requests of one listing: a million files or so. A server that never ends would hold the user.
const MOST_LISTINGS: u32 = 2000;

impl SmbSession {
    pub(super) async fn list(
        &mut self,
        slot: u8,
        pattern: &str,
        once: bool,
    ) -> Result<Moved, Fault> {
        let handle = self.handle(slot)?;
        let tree = self.tree(Share::Data).await?;
        let ask = Ask {
            bytes: LISTING_BYTES,
            ..Ask::new(Command::QueryDirectory, tree)
        };
        let mut read_bytes = 0;
        let called = Called::new(&self.shared, self.number, &handle);
        for round in 0..MOST_LISTINGS {
            let entries = self
                .connection
                .exchange(
                    ask,
                    |out| {
                        directory::encode(out, &handle.file, pattern, round == 0, LISTING_BYTES);
                    },
                    |head, body| {
                        if let Status::NO_MORE_FILES | Status::NO_SUCH_FILE = head.status {
                            return Ok(None);
                        }
                        refuse(head, || format!("QUERY_DIRECTORY \"{called}\""))?;
                        let entries = directory::parse(body)
                            .filter(|entries| directory::count(entries).is_some());
                        entries
                            .map(|entries| Some(entries.len()))
                            .ok_or_else(|| other_form(Command::QueryDirectory))
                    },
                )
                .await?;
            read_bytes += entries.unwrap_or(0) as u64;
            if once || entries.is_none() {
                return Ok(Moved {
                    read_bytes,
                    written_bytes: 0,
                });
            }
        }
        let sentence = format!("QUERY_DIRECTORY \"{called}\": the listing does not end");
        Err(Fault::step(FaultKind::Malformed, sentence))
    }

    pub(super) async fn stat(&mut self, slot: u8, class: Query) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let ask = Ask::new(Command::QueryInfo, self.tree(Share::Data).await?);
        let called = Called::new(&self.shared, self.number, &handle);
        self.connection
            .exchange(
                ask,
                |out| class.encode(out, &handle.file, ANSWER_BYTES),
                |head, body| {
                    refuse(head, || format!("QUERY_INFO \"{called}\""))?;
                    class
                        .parse(body)
                        .map(drop)
                        .ok_or_else(|| other_form(Command::QueryInfo))
                },
            )
            .await
    }

    pub(super) async fn set(
        &mut self,
        handle: &Handle,
        what: &str,
        change: Change<'_>,
    ) -> Result<(), Fault> {
        let ask = Ask::new(Command::SetInfo, self.tree(Share::Data).await?);
        let called = Called::new(&self.shared, self.number, handle);
        self.connection
            .exchange(
                ask,
                |out| change.encode(out, &handle.file),
                |head, _| refuse(head, || format!("SET_INFO ({what}) \"{called}\"")),
            )
            .await
    }

    pub(super) async fn rename(
        &mut self,
        slot: u8,
        to: &Name,
        replace: bool,
        user: &mut User,
    ) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let (_, path) = self.resolve(to, slot, user)?;
        self.set(&handle, "rename", Change::Rename { to: &path, replace })
            .await
    }

    pub(super) async fn delete(&mut self, slot: u8) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        self.set(&handle, "delete", Change::Delete).await
    }

    pub(super) async fn truncate(&mut self, slot: u8, bytes: Option<u64>) -> Result<(), Fault> {
        let mut handle = self.handle(slot)?;
        let whole = self.shared.data_set.bytes(self.number, handle.place);
        let bytes = bytes.unwrap_or(whole);
        self.set(&handle, "end of file", Change::EndOfFile(bytes))
            .await?;
        handle.end_of_file = bytes;
        self.handles[usize::from(slot)] = Some(handle);
        Ok(())
    }

    pub(super) async fn set_times(&mut self, slot: u8) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let filetime = self.connection.state.agreed.filetime;
        self.set(&handle, "times", Change::LastWrite(filetime))
            .await
    }

    pub(super) async fn lock(&mut self, range: &Range) -> Result<(), Fault> {
        let kind = if range.shared {
            Lock::Shared
        } else {
            Lock::Exclusive
        };
        self.lock_range(range.slot, kind, range.offset, range.bytes)
            .await
    }

    pub(super) async fn unlock(&mut self, slot: u8, offset: u64, bytes: u64) -> Result<(), Fault> {
        self.lock_range(slot, Lock::Unlock, offset, bytes).await
    }

    async fn lock_range(
        &mut self,
        slot: u8,
        kind: Lock,
        offset: u64,
        bytes: u64,
    ) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let ask = Ask::new(Command::Lock, self.tree(Share::Data).await?);
        let called = Called::new(&self.shared, self.number, &handle);
        self.connection
            .exchange(
                ask,
                |out| lock::encode(out, &handle.file, kind, offset, bytes),
                |head, _| refuse(head, || format!("LOCK \"{called}\"")),
            )
            .await
    }

    /// A server that does not offer what is asked says so with one of several codes; that is what
    /// clients of such servers live with, so it is no failure.
    pub(super) async fn control(&mut self, control: Control, slot: u8) -> Result<(), Fault> {
        let mut input = Vec::new();
        let (share, code, file) = match control {
            Control::DfsReferral => {
                let share = self.shared.share_of(self.number);
                ioctl::encode_referral(&mut input, &format!("\\{}\\{share}", self.shared.host));
                (Share::Ipc, ioctl::DFS_GET_REFERRALS, NO_FILE)
            }
            Control::NetworkInterfaces => {
                (Share::Ipc, ioctl::QUERY_NETWORK_INTERFACE_INFO, NO_FILE)
            }
            Control::ObjectId => (
                Share::Data,
                ioctl::CREATE_OR_GET_OBJECT_ID,
                self.handle(slot)?.file,
            ),
        };
        let ask = Ask {
            bytes: ANSWER_BYTES,
            ..Ask::new(Command::Ioctl, self.tree(share).await?)
        };
        self.connection
            .exchange(
                ask,
                |out| ioctl::encode(out, code, &file, ANSWER_BYTES, &input),
                |head, body| match head.status {
                    Status::NOT_FOUND
                    | Status::NOT_SUPPORTED
                    | Status::NOT_IMPLEMENTED
                    | Status::FS_DRIVER_REQUIRED
                    | Status::INVALID_DEVICE_REQUEST
                    | Status::BUFFER_OVERFLOW => Ok(()),
                    _ => {
                        refuse(head, || format!("IOCTL {code:#010x}"))?;
                        ioctl::parse(body)
                            .map(drop)
                            .ok_or_else(|| other_form(Command::Ioctl))
                    }
                },
            )
            .await
    }
}
