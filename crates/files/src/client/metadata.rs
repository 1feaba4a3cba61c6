//! Listing, asking, renaming, deleting, lengths, times and locks.

use std::os::fd::AsFd;
use std::sync::Arc;

use headcount_load::{Fault, Moved, User};
use headcount_tree::parts::{Name, Range};
use headcount_tree::query::Query;

use super::session::FilesSession;
use crate::calls::Lock;

impl FilesSession {
    pub(super) async fn list(&mut self, slot: u8, once: bool) -> Result<Moved, Fault> {
        let mut handle = self.handle(slot)?;
        let (file, again) = (handle.file.clone(), handle.is_listed);
        let list = self.calls(&handle.path, move |calls| {
            calls.list(file.file(), again, once)
        });
        let read_bytes = list.await?;
        handle.is_listed = true;
        self.keep(slot, &handle);
        Ok(Moved {
            read_bytes,
            written_bytes: 0,
        })
    }

    pub(super) async fn stat(&self, slot: u8, class: Query) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let file = handle.file;
        self.calls(&handle.path, move |calls| {
            calls.ask(class, file.file().as_fd())
        })
        .await
    }

    pub(super) async fn rename(
        &mut self,
        slot: u8,
        to: &Name,
        replace: bool,
        user: &mut User,
    ) -> Result<(), Fault> {
        let mut handle = self.handle(slot)?;
        let (_, path) = self.resolve(to, slot, user)?;
        let (from, to) = (Arc::clone(&handle.path), Arc::clone(&path));
        self.calls(&handle.path, move |calls| calls.rename(&from, &to, replace))
            .await?;
        handle.path = path;
        self.keep(slot, &handle);
        Ok(())
    }

    /// Marks it: it goes when it is closed.
    pub(super) fn delete(&mut self, slot: u8) -> Result<(), Fault> {
        let mut handle = self.handle(slot)?;
        handle.is_doomed = true;
        self.keep(slot, &handle);
        Ok(())
    }

    pub(super) async fn truncate(&mut self, slot: u8, bytes: Option<u64>) -> Result<(), Fault> {
        let mut handle = self.handle(slot)?;
        let whole = self.shared.data_set.bytes(self.number, handle.place);
        let bytes = bytes.unwrap_or(whole);
        let file = handle.file.clone();
        self.calls(&handle.path, move |calls| {
            calls.truncate(file.file(), bytes)
        })
        .await?;
        handle.end_of_file = bytes;
        self.keep(slot, &handle);
        Ok(())
    }

    pub(super) async fn set_times(&self, slot: u8) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let file = handle.file;
        self.calls(&handle.path, move |calls| calls.touch(file.file()))
            .await
    }

    pub(super) async fn lock(&self, range: &Range) -> Result<(), Fault> {
        let kind = if range.shared {
            Lock::Shared
        } else {
            Lock::Exclusive
        };
        self.lock_range(range.slot, kind, range.offset, range.bytes)
            .await
    }

    pub(super) async fn unlock(&self, slot: u8, offset: u64, bytes: u64) -> Result<(), Fault> {
        self.lock_range(slot, Lock::None, offset, bytes).await
    }

    async fn lock_range(&self, slot: u8, kind: Lock, offset: u64, bytes: u64) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let file = handle.file;
        self.calls(&handle.path, move |calls| {
            calls.lock(file.file(), kind, offset, bytes)
        })
        .await
    }
}
