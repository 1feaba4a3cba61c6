//! A program's operations, as requests of one user's session.

use crate::file_tree::FileTree;
use crate::parts::{Access, OplockWish};
use crate::query::Query;
use crate::session::backend::{Check, FileBackend, Make, Opening, Piece, Refusal, Way};

use super::Path;
use super::operation::{Creation, Wanted};

/// What plays a user's program.
#[derive(Debug)]
pub struct Stage<'a, B> {
    /// The files of all users.
    pub tree: &'a FileTree,
    /// The user's number in names and in the marks of blocks.
    pub number: u32,
    /// The user's access to them.
    pub backend: &'a mut B,
}

impl<'a, B: FileBackend> Stage<'a, B> {
    /// The stage of the user with this number in names.
    pub const fn new(tree: &'a FileTree, number: u32, backend: &'a mut B) -> Self {
        Self {
            tree,
            number,
            backend,
        }
    }

    fn path(&self, path: &Path) -> String {
        self.tree.program_path(self.number, path)
    }

    /// Opens or makes a file or folder.
    pub(super) async fn open(
        &mut self,
        path: &Path,
        creation: Creation,
    ) -> Result<B::File, Refusal> {
        let opening = Opening {
            kind: creation.kind,
            access: if creation.is_read_only || creation.kind == Wanted::Folder {
                Access::Read
            } else {
                Access::ReadWrite
            },
            how: creation.how,
            oplock: OplockWish::None,
            is_alone: false,
        };
        let opened = self.backend.open(self.path(path), opening).await?;
        Ok(opened.file)
    }

    /// Reads up to `bytes`, and passes the data to `check`; returns how many came, 0 at the end of
    /// the file.
    pub(super) async fn read(
        &mut self,
        file: &B::File,
        offset: u64,
        bytes: u32,
        check: &Check<'_>,
    ) -> Result<u32, Refusal> {
        let mut done = 0;
        loop {
            let piece = Piece {
                offset: offset + u64::from(done),
                bytes: self.backend.room(Way::Read, bytes - done),
                is_whole: false,
            };
            let came = self.backend.read(file, piece, check).await?;
            done += came;
            if came < piece.bytes || done == bytes {
                return Ok(done);
            }
        }
    }

    /// Writes `bytes` bytes, which `make` generates.
    pub(super) async fn write(
        &mut self,
        file: &B::File,
        offset: u64,
        bytes: u32,
        make: &Make<'_>,
    ) -> Result<(), Refusal> {
        let mut done = 0;
        loop {
            let some = self.backend.room(Way::Write, bytes - done);
            let at = offset + u64::from(done);
            self.backend.write(file, at, some, make).await?;
            done += some;
            if done == bytes {
                return Ok(());
            }
        }
    }

    /// Asks about a name.
    pub(super) async fn query_path(&mut self, path: &Path, query: Query) -> Result<(), Refusal> {
        let path = self.path(path);
        self.backend.query_path(&path, query).await.map(drop)
    }

    /// Asks about the file system of the user's folder.
    pub(super) async fn query_fs(&mut self, query: Query) -> Result<(), Refusal> {
        let home = self.tree.home(self.number);
        self.backend.query_path(&home, query).await.map(drop)
    }

    /// Looks for names in a folder.
    pub(super) async fn find(&mut self, folder: &Path, mask: &str) -> Result<(), Refusal> {
        let folder = self.path(folder);
        self.backend.find(&folder, mask).await
    }

    /// Deletes a file.
    pub(super) async fn unlink(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.path(path);
        self.backend.unlink(&path).await
    }

    /// Renames.
    pub(super) async fn rename(&mut self, path: &Path, to: &Path) -> Result<(), Refusal> {
        let (path, to) = (self.path(path), self.path(to));
        self.backend.rename(&path, &to).await
    }

    /// Makes a folder.
    pub(super) async fn make_folder(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.path(path);
        self.backend.make_folder(&path).await
    }

    /// Deletes an empty folder.
    pub(super) async fn remove_folder(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.path(path);
        self.backend.remove_folder(&path).await
    }

    /// Deletes a folder with everything in it.
    pub(super) async fn remove_tree(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.path(path);
        self.backend.remove_tree(&path).await
    }
}
