//! One user of a file server, whatever the protocol.
//!
//! * [`FileSession`]: the user's handles and place in the program; steps become requests here.
//! * [`backend`]: what a protocol does for it.
//! * `meant`: what steps name; `naming`: steps about a name; `asking` and `seen`: steps whose
//!   answers captures and checks see; `handle`: what is open; `transfer`: reading and writing;
//!   `survival`: recovering from a lost session.

mod asking;
pub mod backend;
mod handle;
mod meant;
mod naming;
mod seen;
mod survival;
mod transfer;

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, Session, User};

use crate::file_tree::FileTree;
use crate::lock::{Lock, Range};
use crate::parts::Share;
use crate::program::player::Player;
use crate::program::stage::Stage;
use crate::slot::SLOTS;
use crate::step::Step;
use backend::FileBackend;
use handle::Handles;
use meant::{Meant, needs};
use survival::is_repeatable;

/// One user and what they have open.
#[derive(Debug)]
pub struct FileSession<B: FileBackend> {
    tree: Arc<FileTree>,
    backend: B,
    /// The user's number in names.
    number: u32,
    handles: Handles<B::File>,
    /// What was opened last in each slot.
    last: [Option<Meant>; SLOTS],
    /// The user's place in the target's program.
    player: Option<Box<Player<B::File>>>,
}

impl<B: FileBackend> FileSession<B> {
    /// A session of the user with this number in names, with nothing open.
    pub const fn new(tree: Arc<FileTree>, number: u32, backend: B) -> Self {
        Self {
            tree,
            backend,
            number,
            handles: Handles::new(),
            last: [const { None }; SLOTS],
            player: None,
        }
    }

    /// The user's access to the files, for requests outside steps.
    pub const fn backend(&mut self) -> &mut B {
        &mut self.backend
    }

    async fn close_slot(&mut self, slot: u8, user: &User) -> Result<(), Fault> {
        self.handles.get(slot)?;
        self.close_left(slot, user).await
    }

    /// Closes what a slot holds, if anything. A file whose session is lost is closed by the server.
    async fn close_left(&mut self, slot: u8, user: &User) -> Result<(), Fault> {
        let Some(handle) = self.handles.take(slot) else {
            return Ok(());
        };
        match self.backend.close(handle.file).await {
            Ok(()) => Ok(()),
            Err(refusal) if handle.is_bound => Err(refusal.fault), // was it deleted, unlocked?
            Err(refusal) => self.survive(refusal.fault, None, user).await,
        }
    }

    async fn truncate(&mut self, slot: u8, bytes: Option<u64>) -> Result<(), Fault> {
        let handle = self.handles.get(slot)?;
        let bytes = match (bytes, handle.place) {
            (Some(bytes), _) => bytes,
            (None, Some(place)) => self.tree.data_set.bytes(self.number, place),
            (None, None) => return Err(needs(B::path(&handle.file), "truncate", "bytes")),
        };
        self.backend.truncate(&handle.file, bytes).await?;
        handle.end_of_file = bytes;
        Ok(())
    }

    async fn lock(&mut self, slot: u8, lock: Lock, offset: u64, bytes: u64) -> Result<(), Fault> {
        let handle = self.handles.get(slot)?;
        let locked = self.backend.lock(&handle.file, lock, offset, bytes).await;
        handle.is_bound |= locked.is_ok() && lock != Lock::None;
        Ok(locked?)
    }

    /// Plays the user's turn of the target's program.
    async fn turn(&mut self, user: &User) -> Result<Moved, Fault> {
        let Some(program) = &self.tree.program else {
            let sentence = "\"turn\" plays a program, and this target has none";
            return Err(Fault::step(FaultKind::Refused, sentence));
        };
        let player = self
            .player
            .get_or_insert_with(|| Box::new(Player::new(program)));
        let mut stage = Stage::new(&self.tree, self.number, &mut self.backend);
        player.play(&mut stage, program, user).await
    }

    /// Releases everything, for a user who leaves the share.
    async fn leave(&mut self) -> Result<(), Fault> {
        if let Some(player) = self.player.take() {
            self.backend.discard(player.into_files());
        }
        for file in self.handles.drain() {
            self.backend.release(file).await?;
        }
        Ok(())
    }

    /// Releases everything if this is the share with the files.
    async fn leave_share(&mut self, share: Share) -> Result<(), Fault> {
        match share {
            Share::Data => self.leave().await,
            Share::Ipc => Ok(()),
        }
    }

    /// The steps about the server and its shares.
    async fn visit(&mut self, step: &Step) -> Result<(), Fault> {
        match step {
            Step::Logon { reconnect } => {
                self.leave().await?;
                self.backend.log_on(*reconnect).await
            }
            Step::Logoff {} => {
                self.leave().await?;
                self.backend.log_off().await
            }
            Step::TreeConnect { share } => {
                self.leave_share(*share).await?;
                self.backend.connect(*share).await
            }
            Step::TreeDisconnect { share } => {
                self.leave_share(*share).await?;
                self.backend.disconnect(*share).await
            }
            _ => Ok(()),
        }
    }

    /// Plays a step, during which the session may be lost.
    async fn act(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        match step {
            // Boxed: rare and large, they would otherwise enlarge every user's step.
            Step::Logon { .. }
            | Step::Logoff {}
            | Step::TreeConnect { .. }
            | Step::TreeDisconnect { .. } => Box::pin(self.visit(step)).await?,
            Step::Turn {} => return Box::pin(self.turn(user)).await,
            Step::Read(transfer) => return self.read(transfer, user).await,
            Step::Write(transfer) => return self.write(transfer, user).await,
            Step::List(list) => return self.list(list, user).await,
            Step::Echo {} => self.backend.echo().await?,
            Step::Open(open) => self.open(open, user).await?,
            Step::Probe { path } => self.probe(path, user).await?,
            Step::Inspect {
                path,
                class,
                missing: false,
                looks,
            } => self.inspect(path, *class, looks, user).await?,
            Step::Inspect { path, class, .. } => self.inspect_missing(path, *class, user).await?,
            Step::Close { slot } => self.close_slot(*slot, user).await?,
            Step::Flush { slot } => {
                let handle = self.handles.get(*slot)?;
                self.backend.flush(&handle.file).await?;
            }
            Step::Stat { slot, class, looks } => self.stat(*slot, *class, looks, user).await?,
            Step::Rename { slot, to, replace } => self.rename(*slot, to, *replace, user).await?,
            Step::Delete { slot } => {
                let handle = self.handles.get(*slot)?;
                self.backend.delete(&mut handle.file).await?;
                handle.is_bound = true;
            }
            Step::Truncate { slot, bytes } => self.truncate(*slot, *bytes).await?,
            Step::SetTimes { slot } => {
                let handle = self.handles.get(*slot)?;
                self.backend.set_times(&handle.file).await?;
            }
            Step::Lock(range) => {
                let Range {
                    slot,
                    offset,
                    bytes,
                    ..
                } = *range;
                self.lock(slot, range.lock(), offset, bytes).await?;
            }
            Step::Unlock {
                slot,
                offset,
                bytes,
            } => self.lock(*slot, Lock::None, *offset, *bytes).await?,
            Step::Ioctl { control, slot } => {
                let file = if control.is_about_file() {
                    Some(&self.handles.get(*slot)?.file)
                } else {
                    None
                };
                self.backend.control(*control, file).await?;
            }
        }
        Ok(Moved::default())
    }
}

impl<B: FileBackend> Session for FileSession<B> {
    type Step = Step;

    async fn play(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        loop {
            match self.act(step, user).await {
                Err(fault) if is_repeatable(step) => self.survive(fault, None, user).await?,
                Ok(moved) => {
                    if user.keeps_notes() {
                        self.note(step, moved, user);
                    }
                    return Ok(moved);
                }
                failed => return failed,
            }
        }
    }

    /// Closes what is open and logs off, if the server still answers.
    fn close(self, _user: &mut User) -> impl Future<Output = ()> {
        let mut session = Box::new(self); // keeps users' futures small
        async move {
            // The user has left; a failure does not matter.
            let _ = session.leave().await;
            let _ = session.backend.log_off().await;
        }
    }
}

impl<B: FileBackend> Drop for FileSession<B> {
    fn drop(&mut self) {
        let mut files: Vec<B::File> = self.handles.drain().collect();
        if let Some(player) = self.player.take() {
            files.append(&mut player.into_files());
        }
        if !files.is_empty() {
            self.backend.discard(files);
        }
    }
}
