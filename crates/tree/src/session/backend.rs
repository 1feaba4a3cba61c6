//! What a protocol does for its users' files: the interface between [`super::FileSession`] and a
//! server.

use std::future::{Future, ready};

use headcount_load::{Fault, FaultKind};
use headcount_script::Entry;

use crate::lock::Lock;
use crate::parts::{Access, Control, How, OplockWish, Share};
use crate::program::answer::Answer;
use crate::program::operation::Wanted;
use crate::query::{Known, Query};

/// A refused request: the answer, and the fault for callers that did not expect it. A program may
/// expect it; a step never does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The answer.
    pub answer: Answer,
    /// The fault, with a sentence that says what was asked and answered.
    pub fault: Fault,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self {
            answer: Answer::Other,
            fault,
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        refusal.fault
    }
}

/// How a name is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// What it must be.
    pub kind: Wanted,
    /// What it is opened for.
    pub access: Access,
    /// What to do if it exists, or does not.
    pub how: How,
    /// The oplock or lease that the client asks for.
    pub oplock: OplockWish,
    /// Whether nobody else may open it meanwhile.
    pub is_alone: bool,
}

/// What was opened.
#[derive(Debug)]
pub struct Opened<F> {
    /// The open file or folder.
    pub file: F,
    /// Its bytes; 0 for a folder.
    pub end_of_file: u64,
}

/// What one request reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u32,
    /// Whether all of them must exist, so that a short read justifies a second request.
    pub is_whole: bool,
}

/// More names in a folder than captures and checks look at.
const MOST_ENTRIES: usize = 100_000;

/// Checks that a folder has no more names than are kept of it.
pub fn check_count(found: &[Entry], path: &str) -> Result<(), Fault> {
    if found.len() <= MOST_ENTRIES {
        return Ok(());
    }
    let sentence = format!(
        "\"{path}\": it has more than {MOST_ENTRIES} names, which is too much for captures and checks; \
         give a pattern"
    );
    Err(Fault::step(FaultKind::Refused, sentence))
}

/// The direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the file.
    Read,
    /// To the file.
    Write,
}

/// Checks data that were read at this offset of the file.
pub type Check<'a> = dyn Fn(u64, &[u8]) -> Result<(), Fault> + 'a;

/// Generates the data to write at this offset of the file.
pub type Make<'a> = dyn Fn(u64, &mut [u8]) + 'a;

/// One user's access to the files: only the requests, which differ by protocol.
/// [`super::FileSession`] has the handles, the positions, the data set and the program.
///
/// Paths are relative to the share or the folder of the target, with backslashes between their
/// parts.
pub trait FileBackend {
    /// An open file or folder, which knows its name.
    type File;

    /// Its path, as messages show it.
    fn path(file: &Self::File) -> &str;

    /// Logs on again, on a new connection if asked. Open files have been released.
    fn log_on(&mut self, reconnect: bool) -> impl Future<Output = Result<(), Fault>> {
        let _ = reconnect;
        ready(Ok(()))
    }

    /// Logs off. Open files have been released.
    fn log_off(&mut self) -> impl Future<Output = Result<(), Fault>> {
        ready(Ok(()))
    }

    /// Connects to a share again. Open files on it have been released.
    fn connect(&mut self, share: Share) -> impl Future<Output = Result<(), Fault>> {
        let _ = share;
        ready(Ok(()))
    }

    /// Leaves a share. Open files on it have been released.
    fn disconnect(&mut self, share: Share) -> impl Future<Output = Result<(), Fault>> {
        let _ = share;
        ready(Ok(()))
    }

    /// Checks that the server responds.
    fn echo(&mut self) -> impl Future<Output = Result<(), Fault>> {
        ready(Ok(()))
    }

    /// Sends a control, about an open file if it is [`Control::is_about_file`].
    fn control(
        &mut self,
        control: Control,
        file: Option<&Self::File>,
    ) -> impl Future<Output = Result<(), Fault>> {
        let _ = (control, file);
        ready(Ok(()))
    }

    /// Opens or makes a file or folder.
    fn open(
        &mut self,
        path: String,
        opening: Opening,
    ) -> impl Future<Output = Result<Opened<Self::File>, Refusal>>;

    /// Whether the user reconnects after this fault, which ended the session: see
    /// [`Self::come_back`].
    fn outlives(&self, fault: &Fault) -> bool {
        let _ = fault;
        false
    }

    /// Logs on again after the session was lost. Open files are then [`reclaimed`](Self::reclaim)
    /// or [reopened](Self::reopen).
    fn come_back(&mut self) -> impl Future<Output = Result<(), Fault>> {
        ready(Ok(()))
    }

    /// Reclaims a file that was open when the session was lost; returns false if it is no longer
    /// open.
    fn reclaim(&mut self, file: &mut Self::File) -> impl Future<Output = Result<bool, Fault>> {
        let _ = file;
        ready(Ok(false))
    }

    /// Reopens a file that could not be reclaimed.
    fn reopen(
        &mut self,
        path: String,
        opening: Opening,
    ) -> impl Future<Output = Result<Opened<Self::File>, Refusal>> {
        self.open(path, opening)
    }

    /// Whether there is something of this name.
    fn exists(&mut self, path: &str) -> impl Future<Output = Result<bool, Fault>>;

    /// Asks about a name.
    fn query_path(
        &mut self,
        path: &str,
        query: Query,
    ) -> impl Future<Output = Result<Known, Refusal>>;

    /// Looks for names in a folder: the first answer of a listing. No match is [`Answer::Missing`].
    fn find(&mut self, folder: &str, mask: &str) -> impl Future<Output = Result<(), Refusal>>;

    /// Deletes a file.
    fn unlink(&mut self, path: &str) -> impl Future<Output = Result<(), Refusal>>;

    /// Renames a file or folder; a taken name is [`Answer::Exists`].
    fn rename(&mut self, path: &str, to: &str) -> impl Future<Output = Result<(), Refusal>>;

    /// Makes a folder.
    fn make_folder(&mut self, path: &str) -> impl Future<Output = Result<(), Refusal>>;

    /// Deletes an empty folder.
    fn remove_folder(&mut self, path: &str) -> impl Future<Output = Result<(), Refusal>>;

    /// Deletes a folder with everything in it.
    fn remove_tree(&mut self, path: &str) -> impl Future<Output = Result<(), Refusal>>;

    /// Closes a file, and deletes it if requested.
    fn close(&mut self, file: Self::File) -> impl Future<Output = Result<(), Refusal>>;

    /// Releases a file when its user leaves the share. A server closes it by itself; a disk does
    /// not.
    fn release(&mut self, file: Self::File) -> impl Future<Output = Result<(), Fault>>;

    /// Drops files whose session has ended, without blocking the worker.
    fn discard(&self, files: Vec<Self::File>) {
        drop(files);
    }

    /// How many of `wanted` bytes one request can move now.
    fn room(&self, way: Way, wanted: u32) -> u32;

    /// Reads, and passes the data, if any, to `check`; returns how many bytes came, 0 at the end of
    /// the file.
    fn read(
        &mut self,
        file: &Self::File,
        piece: Piece,
        check: &Check<'_>,
    ) -> impl Future<Output = Result<u32, Refusal>>;

    /// Writes `bytes` bytes, which `make` generates.
    fn write(
        &mut self,
        file: &Self::File,
        offset: u64,
        bytes: u32,
        make: &Make<'_>,
    ) -> impl Future<Output = Result<(), Refusal>>;

    /// Has the server flush a file to disk.
    fn flush(&mut self, file: &Self::File) -> impl Future<Output = Result<(), Refusal>>;

    /// Lists a folder to its end, or asks only `once`; returns the bytes received.
    fn list(
        &mut self,
        file: &mut Self::File,
        pattern: &str,
        once: bool,
    ) -> impl Future<Output = Result<u64, Fault>>;

    /// Like [`Self::list`], but returns the entries that match `pattern`, except `.` and `..`.
    /// Sizes and times may be left out unless `is_whole`.
    fn entries(
        &mut self,
        file: &mut Self::File,
        pattern: &str,
        once: bool,
        is_whole: bool,
    ) -> impl Future<Output = Result<(u64, Vec<Entry>), Fault>>;

    /// Asks about an open file.
    fn query(
        &mut self,
        file: &Self::File,
        query: Query,
    ) -> impl Future<Output = Result<Known, Refusal>>;

    /// Renames an open file.
    fn rename_file(
        &mut self,
        file: &mut Self::File,
        to: String,
        replace: bool,
    ) -> impl Future<Output = Result<(), Fault>>;

    /// Marks an open file for deletion when it is closed.
    fn delete(&mut self, file: &mut Self::File) -> impl Future<Output = Result<(), Fault>>;

    /// Sets the length of an open file.
    fn truncate(
        &mut self,
        file: &Self::File,
        bytes: u64,
    ) -> impl Future<Output = Result<(), Fault>>;

    /// Sets the time of the last write.
    fn set_times(&mut self, file: &Self::File) -> impl Future<Output = Result<(), Refusal>>;

    /// Locks or unlocks a range of bytes. If somebody else holds it, the answer is
    /// [`Answer::Locked`] at once.
    fn lock(
        &mut self,
        file: &Self::File,
        lock: Lock,
        offset: u64,
        bytes: u64,
    ) -> impl Future<Output = Result<(), Refusal>>;
}
