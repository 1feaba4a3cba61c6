//! What a protocol does for a program: the seam between [`super::player`] and a connection.

use std::future::Future;

use headcount_load::Fault;

use super::Path;
use super::answer::Answer;
use super::operation::Creation;
use crate::query::Query;

/// An answer other than "done", and the fault that it is if nobody expected it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What was answered.
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

/// Looks at data that were read, at this offset of the file.
pub type Check<'a> = dyn Fn(u64, &[u8]) -> Result<(), Fault> + 'a;

/// Makes data that are to be written at this offset of the file.
pub type Make<'a> = dyn Fn(u64, &mut [u8]) + 'a;

/// One user's connection, as a program uses it. Paths lie below the user's folder.
pub trait Stage {
    /// An open file or folder.
    type File;

    /// Opens or makes a file or folder.
    fn open(
        &mut self,
        path: &Path,
        creation: Creation,
    ) -> impl Future<Output = Result<Self::File, Refusal>>;

    /// Closes it.
    fn close(&mut self, file: Self::File) -> impl Future<Output = Result<(), Refusal>>;

    /// Reads up to `bytes`; returns how many came, 0 at the end of the file. All of them pass
    /// through `check`.
    fn read(
        &mut self,
        file: &Self::File,
        offset: u64,
        bytes: u32,
        check: &Check<'_>,
    ) -> impl Future<Output = Result<u32, Refusal>>;

    /// Writes all of `bytes`, which `make` makes.
    fn write(
        &mut self,
        file: &Self::File,
        offset: u64,
        bytes: u32,
        make: &Make<'_>,
    ) -> impl Future<Output = Result<(), Refusal>>;

    /// Has the server put the file on disk.
    fn flush(&mut self, file: &Self::File) -> impl Future<Output = Result<(), Refusal>>;

    /// Asks about a name.
    fn query_path(
        &mut self,
        path: &Path,
        query: Query,
    ) -> impl Future<Output = Result<(), Refusal>>;

    /// Asks about an open file.
    fn query_file(
        &mut self,
        file: &Self::File,
        query: Query,
    ) -> impl Future<Output = Result<(), Refusal>>;

    /// Asks about the file system of the user's folder.
    fn query_fs(&mut self, query: Query) -> impl Future<Output = Result<(), Refusal>>;

    /// Sets the time of the last write.
    fn set_file(&mut self, file: &Self::File) -> impl Future<Output = Result<(), Refusal>>;

    /// Looks for names in a folder; none found is [`Answer::Missing`].
    fn find(&mut self, folder: &Path, mask: &str) -> impl Future<Output = Result<(), Refusal>>;

    /// Deletes a file.
    fn unlink(&mut self, path: &Path) -> impl Future<Output = Result<(), Refusal>>;

    /// Renames; a name that is taken is [`Answer::Exists`].
    fn rename(&mut self, path: &Path, to: &Path) -> impl Future<Output = Result<(), Refusal>>;

    /// Makes a folder.
    fn mkdir(&mut self, path: &Path) -> impl Future<Output = Result<(), Refusal>>;

    /// Deletes an empty folder.
    fn rmdir(&mut self, path: &Path) -> impl Future<Output = Result<(), Refusal>>;

    /// Deletes a folder with everything in it.
    fn delete_tree(&mut self, path: &Path) -> impl Future<Output = Result<(), Refusal>>;

    /// Locks a range of bytes against everybody else, or is [`Answer::Locked`] at once.
    fn lock(
        &mut self,
        file: &Self::File,
        offset: u64,
        bytes: u64,
    ) -> impl Future<Output = Result<(), Refusal>>;

    /// Unlocks it.
    fn unlock(
        &mut self,
        file: &Self::File,
        offset: u64,
        bytes: u64,
    ) -> impl Future<Output = Result<(), Refusal>>;
}
