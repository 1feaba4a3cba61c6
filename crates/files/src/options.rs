//! Which folder, and in which way.

use std::path::PathBuf;

use headcount_tree::data_set::DataSet;
use headcount_tree::program::source::Source;
use serde::Deserialize;

/// How files are opened for reading and writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Through the page cache of this machine, as programs do unless they ask otherwise.
    #[default]
    Buffered,
    /// Bypassing it (`O_DIRECT`): each read and write goes to the device or the server.
    Direct,
    /// Through it, but each write is on stable storage before it returns (`O_DSYNC`).
    Dsync,
}

/// How reads, writes and syncs are made without keeping a worker waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
pub enum Engine {
    /// `io_uring` if it works here, otherwise threads.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// `io_uring`, one ring for each worker. Everything else goes to the threads.
    #[serde(rename = "io_uring")]
    Ring,
    /// Threads that all workers share.
    #[serde(rename = "threads")]
    Threads,
}

/// Which folder, and in which way.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilesOptions {
    /// The folder, absolute. Symbolic links on the way to it are followed; links below it are not.
    pub path: PathBuf,
    /// The folder of each user below it: a pattern, with backslashes between folders.
    #[serde(default = "default_folder")]
    pub folder: String,
    /// The number of the first user; user `n` of the engine is `first_user + n`. For load from
    /// several machines.
    #[serde(default)]
    pub first_user: u32,
    /// How files are opened.
    #[serde(default)]
    pub mode: Mode,
    /// How calls are made.
    #[serde(default)]
    pub engine: Engine,
    /// The most threads that wait for calls, and so the most concurrent calls.
    #[serde(default = "default_threads")]
    pub threads: u16,
    /// Whether data read is checked.
    #[serde(default = "yes")]
    pub verify: bool,
    /// The files of each user.
    #[serde(default)]
    pub data_set: DataSet,
    /// The program that users play, if any. Its transfers are not aligned, so it cannot be used
    /// with [`Mode::Direct`].
    #[serde(default)]
    pub program: Option<Source>,
}

impl FilesOptions {
    /// Options for buffered files, with the best engine that works here.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            folder: default_folder(),
            first_user: 0,
            mode: Mode::default(),
            engine: Engine::default(),
            threads: default_threads(),
            verify: true,
            data_set: DataSet::default(),
            program: None,
        }
    }
}

fn default_folder() -> String {
    "headcount\\user{n:05}".to_owned()
}

/// As many requests as good disks handle concurrently; each waiting thread costs some 20 KiB. Our
/// choice.
const fn default_threads() -> u16 {
    128
}

const fn yes() -> bool {
    true
}
