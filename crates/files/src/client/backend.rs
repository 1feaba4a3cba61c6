//! A user's operations on files, as system calls.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Requests};
use headcount_ring::{Buffer, Target};
use headcount_script::Entry;
use headcount_tree::lock::Lock;
use headcount_tree::program::answer::Answer;
use headcount_tree::query::{Known, Query};
use headcount_tree::session::backend::{
    Check, FileBackend, Make, Opened, Opening, Piece, Refusal, Way, check_count,
};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::mask::matches;
use super::open::open;
use super::open_file::OpenFile;
use super::refusal::refusal;
use super::{Shared, native};
use crate::calls::listing::Listing;
use crate::calls::{Call, Calls, Failed, Made, Tally};
use crate::io::buffers;

/// Bytes of the largest read or write that a step may ask for.
const MOST_BYTES: u32 = 8 << 20;

/// The folder of a target, as one user works in it.
#[derive(Debug)]
pub struct Folder {
    shared: Arc<Shared>,
    requests: Requests,
}

impl Folder {
    /// The folder of a user whose calls are counted in `requests`.
    pub(super) const fn new(shared: Arc<Shared>, requests: Requests) -> Self {
        Self { shared, requests }
    }

    /// Makes calls on a thread that may block. A failure is about `path`.
    async fn calls<T: Send + 'static>(
        &self,
        path: &str,
        job: impl FnOnce(&mut Calls<'_>) -> Made<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let shared = Arc::clone(&self.shared);
        let (made, tally): (Made<T>, Tally) = self
            .shared
            .io
            .elsewhere(move || {
                let mut calls = Calls::new(shared.root.as_fd());
                (job(&mut calls), calls.tally)
            })
            .await?;
        tally.each().for_each(|kind| self.requests.sent(kind));
        made.map_err(|failed| refusal(failed, path))
    }

    /// Makes calls about a name.
    async fn on_name<T: Send + 'static>(
        &self,
        path: &str,
        job: impl FnOnce(&mut Calls<'_>, &str) -> Made<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let path: Arc<str> = native(path).into();
        let asked = Arc::clone(&path);
        self.calls(&path, move |calls| job(calls, &asked)).await
    }

    /// Makes calls about an open file.
    async fn on_file<T: Send + 'static>(
        &self,
        file: &OpenFile,
        job: impl FnOnce(&mut Calls<'_>, &File) -> Made<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let target = file.target.clone();
        let calls = self.calls(&file.path, move |calls| job(calls, target.file()));
        calls.await
    }

    /// One read or write; returns the bytes that moved.
    async fn transfer(
        &self,
        way: Way,
        file: &OpenFile,
        offset: u64,
        buffer: Buffer,
        bytes: usize,
    ) -> Result<(usize, Buffer), Refusal> {
        let call = match way {
            Way::Read => Call::Read,
            Way::Write => Call::Write,
        };
        self.requests.sent(call as usize);
        let io = &self.shared.io;
        let moving = io.transfer(way, &file.target, offset, buffer, bytes);
        let (moved, buffer) = moving.await?;
        match moved {
            Ok(moved) => Ok((moved, buffer)),
            Err(errno) => Err(refusal(Failed { call, errno }, &file.path)),
        }
    }
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method itself is made for one lifetime, the closure for all"
)]
impl FileBackend for Folder {
    type File = OpenFile;

    fn path(file: &OpenFile) -> &str {
        &file.path
    }

    async fn open(&mut self, path: String, opening: Opening) -> Result<Opened<OpenFile>, Refusal> {
        let path: Arc<str> = native(&path).into();
        let asked = Arc::clone(&path);
        let mode = self.shared.mode;
        let found = self
            .calls(&path, move |calls| open(opening, mode, calls, &asked))
            .await?;
        Ok(Opened {
            file: OpenFile {
                target: Target::open(File::from(found.file)),
                path,
                is_folder: found.is_folder,
                is_doomed: false,
                is_listed: false,
            },
            end_of_file: found.end_of_file,
        })
    }

    async fn exists(&mut self, path: &str) -> Result<bool, Fault> {
        let found = self.on_name(path, |calls, path| {
            let file = calls.open(path, OFlags::PATH)?;
            calls.close(file);
            Ok(())
        });
        match found.await {
            Ok(()) => Ok(true),
            Err(refusal) if refusal.answer == Answer::Missing => Ok(false),
            Err(refusal) => Err(refusal.fault),
        }
    }

    async fn query_path(&mut self, path: &str, query: Query) -> Result<Known, Refusal> {
        self.on_name(path, move |calls, path| calls.inspect(path, query))
            .await
    }

    /// A name without wildcards is looked up; for others the folder is listed to its end.
    async fn find(&mut self, folder: &str, mask: &str) -> Result<(), Refusal> {
        let mask: Box<str> = mask.into();
        self.on_name(folder, move |calls, folder| {
            if !mask.contains(['*', '?', '<', '>', '"']) {
                let file = calls.open(&format!("{folder}/{mask}"), OFlags::PATH)?;
                calls.close(file);
                return Ok(());
            }
            let opened = calls.open(folder, OFlags::RDONLY | OFlags::DIRECTORY)?;
            let entries = calls.all_entries(&opened);
            calls.close(opened);
            let found = entries?.iter().any(|one| matches(&mask, &one.name));
            found.then_some(()).ok_or(Failed {
                call: Call::List,
                errno: Errno::NOENT,
            })
        })
        .await
    }

    async fn unlink(&mut self, path: &str) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.unlink(path, false))
            .await
    }

    async fn rename(&mut self, path: &str, to: &str) -> Result<(), Refusal> {
        let to = native(to);
        self.on_name(path, move |calls, path| calls.rename(path, &to, false))
            .await
    }

    async fn make_folder(&mut self, path: &str) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.make_folder(path))
            .await
    }

    async fn remove_folder(&mut self, path: &str) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.unlink(path, true))
            .await
    }

    async fn remove_tree(&mut self, path: &str) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.unlink_tree(path))
            .await
    }

    async fn close(&mut self, file: OpenFile) -> Result<(), Refusal> {
        let path = Arc::clone(&file.path);
        self.calls(&path, move |calls| file.end(calls)).await
    }

    async fn release(&mut self, file: OpenFile) -> Result<(), Fault> {
        Ok(self.close(file).await?)
    }

    /// Closing a file can take long, especially over a network: not on the worker's thread.
    fn discard(&self, files: Vec<OpenFile>) {
        self.shared.io.later(move || drop(files));
    }

    fn room(&self, _: Way, wanted: u32) -> u32 {
        wanted.min(MOST_BYTES)
    }

    async fn read(
        &mut self,
        file: &OpenFile,
        piece: Piece,
        check: &Check<'_>,
    ) -> Result<u32, Refusal> {
        let bytes = piece.bytes as usize;
        let mut buffer = buffers::take(bytes)?;
        let mut tries = 0;
        // The kernel may cut a read short without reason. At the end of the file, the next read is
        // short as well.
        let came = loop {
            let (came, back) = self
                .transfer(Way::Read, file, piece.offset, buffer, bytes)
                .await?;
            buffer = back;
            tries += 1;
            if came == 0 || came == bytes || !piece.is_whole || tries == 2 {
                break came;
            }
        };
        let checked = if came == 0 {
            Ok(())
        } else {
            check(piece.offset, &buffer[..came])
        };
        buffers::give(buffer);
        checked?;
        Ok(came as u32)
    }

    async fn write(
        &mut self,
        file: &OpenFile,
        offset: u64,
        bytes: u32,
        make: &Make<'_>,
    ) -> Result<(), Refusal> {
        let bytes = bytes as usize;
        let mut buffer = buffers::take(bytes)?;
        make(offset, &mut buffer[..bytes]);
        let mut written = 0;
        // An almost full disk first takes a part, and then fails the rest.
        while written < bytes {
            let (at, left) = (offset + written as u64, bytes - written);
            let (took, back) = self.transfer(Way::Write, file, at, buffer, left).await?;
            buffer = back;
            if took == 0 {
                let path = &file.path;
                let sentence = format!("pwrite \"{path}\" at offset {at}: nothing was written");
                return Err(Fault::step(FaultKind::Refused, sentence).into());
            }
            written += took;
            buffer.copy_within(took..left, 0);
        }
        buffers::give(buffer);
        Ok(())
    }

    async fn flush(&mut self, file: &OpenFile) -> Result<(), Refusal> {
        let call = Call::Sync;
        self.requests.sent(call as usize);
        let synced = self.shared.io.sync(&file.target).await?;
        synced.map_err(|errno| refusal(Failed { call, errno }, &file.path))
    }

    async fn list(
        &mut self,
        file: &mut OpenFile,
        _pattern: &str,
        once: bool,
    ) -> Result<u64, Fault> {
        let target = file.target.clone();
        let listing = Listing {
            is_again: file.is_listed,
            once,
            is_whole: false,
        };
        let listed = self.calls(&file.path, move |calls| {
            calls.list(target.file().as_fd(), listing, |_, _, _| Ok(()))
        });
        let listed = listed.await;
        file.is_listed = true; // the next listing begins again, even after a failure
        Ok(listed?)
    }

    async fn entries(
        &mut self,
        file: &mut OpenFile,
        pattern: &str,
        once: bool,
        is_whole: bool,
    ) -> Result<(u64, Vec<Entry>), Fault> {
        let target = file.target.clone();
        let pattern: Box<str> = pattern.into();
        let listing = Listing {
            is_again: file.is_listed,
            once,
            is_whole,
        };
        let listed = self.calls(&file.path, move |calls| {
            calls.entries(target.file().as_fd(), listing, |name| {
                matches(&pattern, name)
            })
        });
        let listed = listed.await;
        file.is_listed = true;
        let (read_bytes, found) = listed?;
        check_count(&found, &file.path)?;
        Ok((read_bytes, found))
    }

    async fn query(&mut self, file: &OpenFile, query: Query) -> Result<Known, Refusal> {
        self.on_file(file, move |calls, file| calls.ask(query, file.as_fd()))
            .await
    }

    async fn rename_file(
        &mut self,
        file: &mut OpenFile,
        to: String,
        replace: bool,
    ) -> Result<(), Fault> {
        let to: Arc<str> = native(&to).into();
        let (path, wanted) = (Arc::clone(&file.path), Arc::clone(&to));
        let renamed = self.calls(&file.path, move |calls| {
            calls.rename(&path, &wanted, replace)
        });
        renamed.await?;
        file.path = to;
        Ok(())
    }

    async fn delete(&mut self, file: &mut OpenFile) -> Result<(), Fault> {
        file.is_doomed = true;
        Ok(())
    }

    async fn truncate(&mut self, file: &OpenFile, bytes: u64) -> Result<(), Fault> {
        let done = self.on_file(file, move |calls, file| calls.truncate(file, bytes));
        Ok(done.await?)
    }

    async fn set_times(&mut self, file: &OpenFile) -> Result<(), Refusal> {
        self.on_file(file, |calls, file| calls.touch(file)).await
    }

    async fn lock(
        &mut self,
        file: &OpenFile,
        lock: Lock,
        offset: u64,
        bytes: u64,
    ) -> Result<(), Refusal> {
        self.on_file(file, move |calls, file| {
            calls.lock(file, lock, offset, bytes)
        })
        .await
    }
}
