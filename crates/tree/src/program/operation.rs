//! The operations of a program.

use super::answer::Answer;
use crate::query::Query;

/// One operation, and the answer that it expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// What is done.
    pub action: Action,
    /// Which answer is expected. Any other is a failure.
    pub expected: Answer,
    /// The line of the load file, from 1; in a generated program, its index.
    pub line: u32,
}

/// What is done. Files that are open are named by slot, paths and masks by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub enum Action {
    /// Opens or makes a file or folder.
    Open {
        path: u32,
        slot: u16,
        creation: Creation,
    },
    /// Closes it.
    Close { slot: u16 },
    /// Reads; `returned` bytes must come.
    Read {
        slot: u16,
        span: Span,
        returned: u32,
    },
    /// Writes.
    Write { slot: u16, span: Span },
    /// Has the server put on disk what was written.
    Flush { slot: u16 },
    /// Asks about a name.
    QueryPath { path: u32, query: Query },
    /// Asks about an open file.
    QueryFile { slot: u16, query: Query },
    /// Asks about the file system.
    QueryFs { query: Query },
    /// Sets the time of the last write.
    SetFile { slot: u16 },
    /// Looks for names in a folder: the first answer of a listing.
    Find { folder: u32, mask: u32 },
    /// Deletes a file.
    Unlink { path: u32 },
    /// Renames.
    Rename { path: u32, to: u32 },
    /// Makes a folder; one that exists is fine.
    Mkdir { path: u32 },
    /// Deletes an empty folder.
    Rmdir { path: u32 },
    /// Deletes a folder with everything in it, if it exists.
    DeleteTree { path: u32 },
    /// Locks a range of bytes.
    Lock { slot: u16, offset: u64, bytes: u64 },
    /// Unlocks it.
    Unlock { slot: u16, offset: u64, bytes: u64 },
}

/// A range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u32,
    /// The contents of its whole units: the number of the file in [`crate::block::Owner`]; 0 if
    /// unknown.
    pub contents: u32,
}

/// How a file or folder is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Creation {
    /// What to do if it exists, or does not.
    pub how: crate::parts::How,
    /// What it must be.
    pub kind: Wanted,
    /// Whether it is only read.
    pub is_read_only: bool,
}

/// What a name must be to be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Either.
    Either,
}

/// The kinds of operations, counted and timed separately under dbench's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the action of the same meaning")]
pub enum Kind {
    Open,
    Close,
    Read,
    Write,
    Flush,
    QueryPath,
    QueryFile,
    QueryFs,
    SetFile,
    Find,
    Unlink,
    Rename,
    Mkdir,
    Rmdir,
    DeleteTree,
    Lock,
    Unlock,
}

impl Kind {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 17] = [
        Self::Open,
        Self::Close,
        Self::Read,
        Self::Write,
        Self::Flush,
        Self::QueryPath,
        Self::QueryFile,
        Self::QueryFs,
        Self::SetFile,
        Self::Find,
        Self::Unlink,
        Self::Rename,
        Self::Mkdir,
        Self::Rmdir,
        Self::DeleteTree,
        Self::Lock,
        Self::Unlock,
    ];

    /// The word of dbench's load files and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "NTCreateX",
            Self::Close => "Close",
            Self::Read => "ReadX",
            Self::Write => "WriteX",
            Self::Flush => "Flush",
            Self::QueryPath => "QUERY_PATH_INFORMATION",
            Self::QueryFile => "QUERY_FILE_INFORMATION",
            Self::QueryFs => "QUERY_FS_INFORMATION",
            Self::SetFile => "SET_FILE_INFORMATION",
            Self::Find => "FIND_FIRST",
            Self::Unlink => "Unlink",
            Self::Rename => "Rename",
            Self::Mkdir => "Mkdir",
            Self::Rmdir => "Rmdir",
            Self::DeleteTree => "Deltree",
            Self::Lock => "LockX",
            Self::Unlock => "UnlockX",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

impl Action {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Open { .. } => Kind::Open,
            Self::Close { .. } => Kind::Close,
            Self::Read { .. } => Kind::Read,
            Self::Write { .. } => Kind::Write,
            Self::Flush { .. } => Kind::Flush,
            Self::QueryPath { .. } => Kind::QueryPath,
            Self::QueryFile { .. } => Kind::QueryFile,
            Self::QueryFs { .. } => Kind::QueryFs,
            Self::SetFile { .. } => Kind::SetFile,
            Self::Find { .. } => Kind::Find,
            Self::Unlink { .. } => Kind::Unlink,
            Self::Rename { .. } => Kind::Rename,
            Self::Mkdir { .. } => Kind::Mkdir,
            Self::Rmdir { .. } => Kind::Rmdir,
            Self::DeleteTree { .. } => Kind::DeleteTree,
            Self::Lock { .. } => Kind::Lock,
            Self::Unlock { .. } => Kind::Unlock,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_order_and_found_by_name() {
        for (index, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
            assert_eq!(Kind::of_word(kind.name()), Some(kind));
        }
        assert_eq!(Kind::of_word("Sleep"), None);
    }

    #[test]
    fn operations_are_small() {
        assert!(size_of::<Operation>() <= 40, "{}", size_of::<Operation>());
    }
}
