//! The client: virtual users with their files below a folder.
//!
//! * [`session`]: one user's handles; `open`, `data`, `metadata`: the steps, played; `program`:
//!   programs, played.

mod data;
mod metadata;
mod open;
mod program;
pub mod session;

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use headcount_load::{Blame, Blamed, Fault, Pattern, Protocol, Turns, User};
use headcount_ring::available;
use headcount_tree::data_set::{DataSet, Place};
use headcount_tree::program::Program;
use headcount_tree::step::Step;
use rustix::fs::{Mode as FileMode, OFlags};
use rustix::io::Errno;

pub use session::FilesSession;

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
    /// The folder is not there, or no folder, or closed to this user.
    #[error("the folder {} cannot be used: {why}", .path.display())]
    Folder {
        /// As it was given.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// The engine that was asked for does not work here.
    #[error("--client engine=io_uring: {0}; or let engine=threads do without it")]
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
    pub folder: Pattern,
    pub first_user: u32,
    pub mode: Mode,
    pub verify: bool,
    pub data_set: DataSet,
    pub program: Option<Arc<Program>>,
    pub io: Io,
    pub threads: u16,
    /// Why there is no ring, where there is none.
    pub without_ring: Option<String>,
}

impl Files {
    /// Opens the folder and checks the options. Nothing is written.
    pub fn new(options: FilesOptions) -> Result<Self, FilesError> {
        let wrong = |sentence: String| FilesError::Options(sentence);
        options.data_set.check().map_err(wrong)?;
        let folder = options.folder.parse::<Pattern>();
        let folder = folder.map_err(|error| wrong(error.to_string()))?;
        if !(1..=MOST_THREADS).contains(&options.threads) {
            let threads = options.threads;
            let sentence = format!("threads must be from 1 to {MOST_THREADS}; it is {threads}");
            return Err(wrong(sentence));
        }
        if options.program.is_some() && options.mode == Mode::Direct {
            let sentence = "a program reads and writes what direct I/O does not: it needs whole \
                            blocks; leave out --client mode=direct";
            return Err(wrong(sentence.to_owned()));
        }
        let program = options
            .program
            .map(|source| source.load(&options.data_set))
            .transpose();
        let program = program.map_err(wrong)?.map(Arc::new);
        let without_ring = match (options.engine, available()) {
            (Engine::Threads, _) => Some("threads were asked for".to_owned()),
            (_, Ok(())) => None,
            (Engine::Auto, Err(why)) => Some(why.to_string()),
            (Engine::Ring, Err(why)) => return Err(FilesError::NoRing(why)),
        };
        let shared = Shared {
            root: open_root(&options.path)?,
            path: options.path,
            folder,
            first_user: options.first_user,
            mode: options.mode,
            verify: options.verify,
            data_set: options.data_set,
            program,
            io: Io::new(without_ring.is_none(), options.threads),
            threads: options.threads,
            without_ring,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

/// More threads than this wait for each other.
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
    /// The number in names of a user of the run.
    pub const fn number(&self, id: u32) -> u32 {
        self.first_user.saturating_add(id)
    }

    /// The path of a user's place below the folder.
    pub fn path_of(&self, number: u32, place: Place) -> String {
        let home = self.folder.text(number);
        native(&self.data_set.path(&home, place))
    }
}

/// Names of the data set have backslashes between folders.
pub(crate) fn native(path: &str) -> String {
    path.replace('\\', "/")
}

impl Protocol for Files {
    type Step = Step;
    type Session = FilesSession;
    const REQUESTS: &'static [&'static str] = Call::NAMES;

    fn turns(&self) -> Option<Turns> {
        self.shared.program.as_ref().map(|program| program.turns())
    }

    /// There is nobody to connect to: users begin with the first file they open.
    async fn open(&self, user: &mut User) -> Result<FilesSession, Fault> {
        Ok(FilesSession::new(&self.shared, user))
    }
}
