//! A folder beside those of the users for records written while users play, to check afterwards
//! that the server has everything it acknowledged.
//!
//! The session cannot move between threads, so it has a thread of its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use headcount_load::provision::bounded;
use headcount_load::{Fault, FaultKind};
use headcount_tree::data_set::RECORDS;
use headcount_tree::program::answer::Answer;
use headcount_tree::provision::Ground;
use headcount_tree::session::backend::{FileBackend, Piece, Way};
use tokio::runtime::Runtime;

use super::errand::{arrive_within, log_off};
use super::error::ProvisionError;
use super::territory::root;
use crate::client::Smb;
use crate::client::open_file::OpenFile;
use crate::client::session::SmbSession;
use crate::options::SmbOptions;
use crate::wire::create::{DIRECTORY, Disposition, NOT_DIRECTORY, Request, access};

/// Bytes of each request that reads.
const CHUNK_BYTES: u64 = 64 << 10;

type Errand = Box<dyn FnOnce(&Runtime, &mut Shelf) + Send>;

/// Files of records, in a folder of Headcount's own.
#[derive(Debug)]
pub struct Records {
    /// `None` once closed.
    errands: Option<Sender<Errand>>,
    thread: Option<JoinHandle<()>>,
}

impl Records {
    /// Logs on as the first user. The logon and each later call have the time limit `patience`.
    /// Fails if the data set's folder lacks Headcount's marker.
    pub fn open(options: SmbOptions, patience: Duration) -> Result<Self, ProvisionError> {
        let smb = Smb::new(options)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (errands, received) = channel();
        let (answer, opened) = channel();
        let thread =
            std::thread::Builder::new()
                .name("records".into())
                .spawn(
                    move || match runtime.block_on(Shelf::open(&smb, patience)) {
                        Ok(shelf) => {
                            let _ = answer.send(Ok(())); // the caller may have gone
                            serve(&runtime, shelf, &received);
                        }
                        Err(error) => drop(answer.send(Err(error))),
                    },
                )?;
        opened.recv().map_err(|_| thread_error())??;
        Ok(Self {
            errands: Some(errands),
            thread: Some(thread),
        })
    }

    /// Makes the folder if it is missing, otherwise empties it.
    pub fn clear(&self) -> Result<(), ProvisionError> {
        self.ask(|runtime, shelf| runtime.block_on(shelf.clear()))
    }

    /// Writes `data` at `offset` of a file, creating it if needed. Returns when the server has
    /// acknowledged the data.
    pub fn write(&self, name: String, offset: u64, data: Vec<u8>) -> Result<(), ProvisionError> {
        self.ask(move |runtime, shelf| runtime.block_on(shelf.write(name, offset, &data)))
    }

    /// The `last` bytes of a file, or all of it; empty if the file is missing.
    pub fn read(&self, name: String, last: Option<u64>) -> Result<Vec<u8>, ProvisionError> {
        self.ask(move |runtime, shelf| runtime.block_on(shelf.read(&name, last)))
    }

    /// The names of all files.
    pub fn names(&self) -> Result<Vec<String>, ProvisionError> {
        self.ask(|runtime, shelf| runtime.block_on(shelf.names()))
    }

    /// Deletes the folder.
    pub fn remove(&self) -> Result<(), ProvisionError> {
        self.ask(|runtime, shelf| runtime.block_on(shelf.remove()))
    }

    fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Runtime, &mut Shelf) -> Result<T, ProvisionError> + Send + 'static,
    ) -> Result<T, ProvisionError> {
        let (answer, answered) = channel();
        let errand: Errand = Box::new(move |runtime, shelf| {
            let done = work(runtime, shelf);
            shelf.is_well = done.is_ok();
            let _ = answer.send(done); // the caller may have gone
        });
        let sent = self.errands.as_ref().map(|errands| errands.send(errand));
        if !matches!(sent, Some(Ok(()))) {
            return Err(thread_error());
        }
        answered.recv().map_err(|_| thread_error())?
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.errands = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic has been reported already
        }
    }
}

/// Runs errands until the channel is closed. Logs off if the last errand succeeded.
fn serve(runtime: &Runtime, mut shelf: Shelf, errands: &Receiver<Errand>) {
    for errand in errands {
        errand(runtime, &mut shelf);
    }
    if shelf.is_well {
        runtime.block_on(log_off(&mut shelf.session));
    }
}

fn thread_error() -> ProvisionError {
    ProvisionError::System(std::io::Error::other(
        "the thread that kept the records has ended",
    ))
}

/// The session, with the files that are open for writing.
struct Shelf {
    session: SmbSession,
    folder: String,
    open: BTreeMap<String, OpenFile>,
    patience: Duration,
    /// Whether the last errand succeeded.
    is_well: bool,
}

impl Shelf {
    async fn open(smb: &Smb, patience: Duration) -> Result<Self, ProvisionError> {
        let root = root(&smb.shared)?;
        let mut session = arrive_within(smb, 0, patience).await?;
        let silent = || format!("no answer within {patience:?}");
        match bounded(patience, session.survey(&root), silent).await? {
            Ground::Ours(_) => {}
            Ground::Missing | Ground::Empty | Ground::Theirs => return Err(session.not_ours(&root)),
        }
        Ok(Self {
            session,
            folder: format!("{root}\\{RECORDS}"),
            open: BTreeMap::new(),
            patience,
            is_well: true,
        })
    }

    /// Runs `work` with the time limit.
    async fn within<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Self) -> Result<T, ProvisionError>,
    ) -> Result<T, ProvisionError> {
        let patience = self.patience;
        bounded(patience, work(self), || {
            format!("no answer within {patience:?}")
        })
        .await
    }

    async fn clear(&mut self) -> Result<(), ProvisionError> {
        self.remove().await?;
        self.within(async |this| {
            let folder = this.folder.clone();
            Ok(this.session.make_folders(&folder).await?)
        })
        .await
    }

    async fn write(
        &mut self,
        name: String,
        offset: u64,
        data: &[u8],
    ) -> Result<(), ProvisionError> {
        self.within(async |this| {
            if !this.open.contains_key(&name) {
                let path = format!("{}\\{name}", this.folder);
                let rights = access::READ | access::WRITE;
                let mut request = Request::plain(&path, rights, Disposition::OpenIf);
                request.options = NOT_DIRECTORY;
                let id = this.session.create(&request).await?.file;
                this.open.insert(name.clone(), OpenFile::plain(id, path));
            }
            let Some(file) = this.open.get(&name) else {
                return Ok(());
            };
            let make = |_: u64, out: &mut [u8]| out.copy_from_slice(data);
            let bytes = data.len() as u32;
            Ok(this.session.write(file, offset, bytes, &make).await?)
        })
        .await
    }

    async fn read(&mut self, name: &str, last: Option<u64>) -> Result<Vec<u8>, ProvisionError> {
        self.within(async |this| {
            let path = format!("{}\\{name}", this.folder);
            let request = Request::plain(&path, access::READ, Disposition::Open);
            let Some(opened) = this.session.create_if_there(&request).await? else {
                return Ok(Vec::new());
            };
            let file = OpenFile::plain(opened.file, path);
            let end = opened.end_of_file;
            let mut offset = last.map_or(0, |last| end.saturating_sub(last));
            let found = RefCell::new(Vec::new());
            let keep = |_: u64, data: &[u8]| {
                found.borrow_mut().extend_from_slice(data);
                Ok(())
            };
            while offset < end {
                let wanted = (end - offset).min(CHUNK_BYTES) as u32;
                let piece = Piece {
                    offset,
                    bytes: this.session.room(Way::Read, wanted),
                    is_whole: true,
                };
                match this.session.read(&file, piece, &keep).await? {
                    0 => break,
                    came => offset += u64::from(came),
                }
            }
            this.session.close(file).await?;
            Ok(found.into_inner())
        })
        .await
    }

    async fn names(&mut self) -> Result<Vec<String>, ProvisionError> {
        self.within(async |this| {
            let mut request = Request::plain(&this.folder, access::READ, Disposition::Open);
            request.options = DIRECTORY;
            let Some(opened) = this.session.create_if_there(&request).await? else {
                let sentence = format!("the folder \"{}\" is gone", this.folder);
                return Err(Fault::step(FaultKind::WrongData, sentence).into());
            };
            let entries = this.session.all_entries(&opened.file, &this.folder).await?;
            this.session.close_id(&opened.file).await?;
            Ok(entries.into_iter().map(|entry| entry.name).collect())
        })
        .await
    }

    async fn remove(&mut self) -> Result<(), ProvisionError> {
        self.within(async |this| {
            for (_, file) in std::mem::take(&mut this.open) {
                this.session.close(file).await?;
            }
            match FileBackend::remove_tree(&mut this.session, &this.folder).await {
                Err(refusal) if refusal.answer == Answer::Missing => Ok(()),
                removed => Ok(removed?),
            }
        })
        .await
    }
}
