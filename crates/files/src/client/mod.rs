//! The client: virtual users with their files below a folder.
//!
//! * [`backend`]: a user's operations, as system calls; `open`: opening and making files;
//!   [`open_file`]: an open file; `mask`: names with wildcards; `refusal`: what failed calls mean.

pub mod backend;
mod mask;
mod open;
pub mod open_file;
mod refusal;

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use headcount_load::{Blame, Blamed, Fault, Protocol, Turns, User};
use headcount_ring::available;
use headcount_tree::data_set::Place;
use headcount_tree::file_tree::FileTree;
use headcount_tree::session::FileSession;
use headcount_tree::step::Step;
use rustix::fs::{Mode as FileMode, OFlags};
use rustix::io::Errno;

use backend::Folder;

use crate::calls::Call;
use crate::errno;
use crate::io::Io;
use crate::options::{Engine, FilesOptions, Mode};

/// Why a target cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// An option is out of bounds, or contradicts another.
    #[error("{0}")]
    Options(String),
    /// The folder does not exist, is not a folder, or is closed to this user.
    #[error("the folder {} cannot be used: {why}", .path.display())]
    Folder {
        /// As it was given.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// The engine that was asked for does not work here.
    #[error("--client engine=io_uring: {0}; or use engine=threads")]
    NoRing(headcount_ring::Unavailable),
}

impl Blamed for FilesError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_) | Self::Folder { .. } => Blame::Input,
            Self::NoRing(_) => Blame::System,
        }
    }
}

/// The files below a folder as a target of load.
#[derive(Debug, Clone)]
pub struct Files {
    pub(crate) shared: Arc<Shared>,
}

/// What all users share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The folder itself, to which all names are relative.
    pub root: OwnedFd,
    pub path: PathBuf,
    pub mode: Mode,
    pub tree: Arc<FileTree>,
    pub io: Io,
    pub threads: u16,
    /// Why there is no ring, where there is none.
    pub without_ring: Option<String>,
}

impl Files {
    /// Opens the folder and checks the options. Nothing is written.
    pub fn new(options: FilesOptions) -> Result<Self, FilesError> {
        let wrong = |sentence: String| FilesError::Options(sentence);
        if !(1..=MOST_THREADS).contains(&options.threads) {
            let threads = options.threads;
            let sentence = format!("threads must be from 1 to {MOST_THREADS}; it is {threads}");
            return Err(wrong(sentence));
        }
        if options.program.is_some() && options.mode == Mode::Direct {
            let sentence = "direct I/O needs whole blocks, and a program also reads and writes \
                            parts of them; leave out --client mode=direct";
            return Err(wrong(sentence.to_owned()));
        }
        let tree = FileTree::new(
            &options.folder,
            options.first_user,
            options.data_set,
            options.program.as_ref(),
            options.verify,
        );
        let tree = Arc::new(tree.map_err(wrong)?);
        let without_ring = match (options.engine, available()) {
            (Engine::Threads, _) => Some("threads were asked for".to_owned()),
            (_, Ok(())) => None,
            (Engine::Auto, Err(why)) => Some(why.to_string()),
            (Engine::Ring, Err(why)) => return Err(FilesError::NoRing(why)),
        };
        let shared = Shared {
            root: open_root(&options.path)?,
            path: options.path,
            mode: options.mode,
            tree,
            io: Io::new(without_ring.is_none(), options.threads),
            threads: options.threads,
            without_ring,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

/// With more threads than this, they wait for each other.
const MOST_THREADS: u16 = 4096;

fn open_root(path: &std::path::Path) -> Result<OwnedFd, FilesError> {
    let refused = |why: String| FilesError::Folder {
        path: path.to_owned(),
        why,
    };
    if !path.is_absolute() {
        return Err(refused("it must be absolute, as in /mnt/share".to_owned()));
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, FileMode::empty()).map_err(|errno| {
        refused(match errno {
            Errno::NOENT => "it does not exist: create or mount it first".to_owned(),
            Errno::NOTDIR => "it is not a folder".to_owned(),
            Errno::ACCESS => "this user may not enter it".to_owned(),
            other => format!("{}: {}", errno::name(other), io::Error::from(other)),
        })
    })
}

impl Shared {
    /// The path of a user's place below the folder.
    pub fn path_of(&self, number: u32, place: Place) -> String {
        native(&self.tree.path(number, place))
    }
}

/// Names of the data set have backslashes between folders; the folder of the target has none.
pub(crate) fn native(path: &str) -> String {
    if path.is_empty() {
        return ".".to_owned();
    }
    path.replace('\\', "/")
}

impl Protocol for Files {
    type Step = Step;
    type Session = FileSession<Folder>;
    fn requests() -> Vec<&'static str> {
        Call::NAMES.to_vec()
    }

    fn turns(&self) -> Option<Turns> {
        self.shared.tree.turns()
    }

    /// There is nothing to connect to: users begin with the first file they open.
    async fn open(&self, user: &mut User) -> Result<Self::Session, Fault> {
        let tree = Arc::clone(&self.shared.tree);
        let number = tree.number(user.id());
        user.scope().renumber(number);
        let folder = Folder::new(Arc::clone(&self.shared), user.requests());
        Ok(FileSession::new(tree, number, folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_small() {
        let bytes = size_of::<FileSession<Folder>>();
        assert!(bytes <= 512, "{bytes}");
    }
}
