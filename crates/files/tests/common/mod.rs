//! What the integration tests share: a real folder, and users outside an engine.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use headcount_files::{Engine, Files, FilesOptions, Mode};
use headcount_load::context::WorkerContext;
use headcount_load::{Compile, Fault, Moved, Protocol, Session, User};
use headcount_tree::data_set::DataSet;
use headcount_tree::step::Step;
use serde_json::Value;

pub const PATIENCE: Duration = Duration::from_secs(30);

/// Every way in which files are opened and calls are made.
pub const WAYS: [(Engine, Mode); 6] = [
    (Engine::Ring, Mode::Buffered),
    (Engine::Ring, Mode::Direct),
    (Engine::Ring, Mode::Dsync),
    (Engine::Threads, Mode::Buffered),
    (Engine::Threads, Mode::Direct),
    (Engine::Threads, Mode::Dsync),
];

/// A folder on a disk, deleted when this value is dropped.
pub struct Disk(tempfile::TempDir);

impl Disk {
    pub fn new() -> Self {
        let target = option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp");
        Self(tempfile::tempdir_in(target).unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A path below the folder of the data set.
    pub fn own(&self, path: &str) -> PathBuf {
        self.path().join("headcount").join(path)
    }

    /// Options for the folder of one user and a small data set.
    pub fn options(&self) -> FilesOptions {
        let mut options = FilesOptions::new(self.path());
        options.data_set = DataSet {
            folders: 1,
            static_files: 3,
            volatile_files: 2,
            new_files: 4,
            shared_files: 2,
            median_bytes: 20_000,
            sigma: 0.0,
            ..DataSet::default()
        };
        options
    }

    /// Like [`Self::options`], with this engine and mode.
    pub fn options_for(&self, (engine, mode): (Engine, Mode)) -> FilesOptions {
        FilesOptions {
            engine,
            mode,
            ..self.options()
        }
    }

    pub fn give_home(&self, number: u32) -> PathBuf {
        let home = self.own(&format!("user{number:05}"));
        fs::create_dir_all(&home).unwrap();
        home
    }
}

/// The files below a folder and their contents.
pub fn files(below: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(below).unwrap().display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

pub fn step(options: &Value) -> Step {
    Step::compile(options).unwrap()
}

thread_local! {
    /// Steps that users of this thread have ended.
    static ENDED: Cell<u64> = const { Cell::new(0) };
}

/// Runs a future as a worker of the engine would, as long as steps complete: a busy machine takes
/// long for thousands of them.
pub fn play<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut future = pin!(future);
        loop {
            let before = ENDED.get();
            if let Ok(done) = tokio::time::timeout(PATIENCE, future.as_mut()).await {
                return done;
            }
            assert_ne!(ENDED.get(), before, "no step ended within {PATIENCE:?}");
        }
    })
}

/// One user.
pub struct Person {
    pub session: <Files as Protocol>::Session,
    pub user: User,
}

impl Person {
    pub async fn arrive(options: FilesOptions, id: u32) -> Self {
        Self::of(&Files::new(options).unwrap(), id).await
    }

    pub async fn of(files: &Files, id: u32) -> Self {
        let context = WorkerContext::outside(Files::requests().len(), 0);
        let mut user = User::outside(id, 1, context);
        let session = files.open(&mut user).await.unwrap();
        Self { session, user }
    }

    pub async fn play(&mut self, options: Value) -> Result<Moved, Fault> {
        let played = self.session.play(&step(&options), &mut self.user).await;
        ENDED.set(ENDED.get() + 1);
        played
    }

    /// Plays steps that must succeed; returns what they moved in all.
    pub async fn play_all(&mut self, steps: impl IntoIterator<Item = Value>) -> Moved {
        let mut sum = Moved::default();
        for options in steps {
            let moved = self.play(options.clone()).await;
            let moved = moved.unwrap_or_else(|fault| panic!("{options}: {fault}"));
            sum.read_bytes += moved.read_bytes;
            sum.written_bytes += moved.written_bytes;
        }
        sum
    }

    /// The fault of a step that must fail.
    pub async fn fails(&mut self, options: Value) -> Fault {
        let outcome = self.play(options.clone()).await;
        outcome.expect_err(&options.to_string())
    }

    /// The calls made so far, by name; kinds that were never called are left out.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let counts = self.user.requests().counts();
        let named = Files::requests().into_iter().zip(counts);
        named.filter(|(_, count)| *count > 0).collect()
    }

    /// Closes the session.
    pub async fn leave(mut self) {
        self.session.close(&mut self.user).await;
    }
}
