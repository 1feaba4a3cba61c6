//! One user's handles.

use std::rc::Rc;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, Requests, Session, User};
use headcount_ring::Target;
use headcount_tree::data_set::Place;
use headcount_tree::parts::{SLOTS, Share};
use headcount_tree::program::player::Player;
use headcount_tree::step::Step;
use std::os::fd::AsFd;

use super::Shared;
use super::program::OpenFile;
use crate::calls::{Call, Calls, Made, Tally};
use crate::errno;

/// One user and the files they have open.
#[derive(Debug)]
pub struct FilesSession {
    pub(super) shared: Arc<Shared>,
    pub(super) requests: Rc<Requests>,
    /// The user's number in names.
    pub(super) number: u32,
    pub(super) handles: [Option<Handle>; SLOTS],
    /// What was opened last in each slot.
    pub(super) last: [Option<Place>; SLOTS],
    /// The user's place in the target's program.
    pub(super) player: Option<Box<Player<OpenFile>>>,
}

/// One open file or folder.
#[derive(Debug, Clone)]
pub struct Handle {
    pub(super) file: Target,
    pub(super) place: Place,
    /// Its path below the folder of the target.
    pub(super) path: Arc<str>,
    /// Where the next sequential read or write starts.
    pub(super) position: u64,
    pub(super) end_of_file: u64,
    pub(super) is_folder: bool,
    /// Whether it is deleted when it is closed.
    pub(super) is_doomed: bool,
    /// Whether it was listed.
    pub(super) is_listed: bool,
}

impl Handle {
    /// The file, and what it is called.
    pub(super) fn named(&self) -> (&Target, &str) {
        (&self.file, &self.path)
    }

    /// Closes it, deleting it if that was asked for.
    pub(super) fn end(self, calls: &mut Calls<'_>) -> Made<()> {
        let gone = if self.is_doomed {
            calls.unlink(&self.path, self.is_folder)
        } else {
            Ok(())
        };
        calls.tally.count(Call::Close);
        drop(self); // of the last handle: closes the file
        gone
    }
}

impl FilesSession {
    pub(super) fn new(shared: &Arc<Shared>, user: &User) -> Self {
        Self {
            shared: Arc::clone(shared),
            requests: Rc::clone(user.requests()),
            number: shared.number(user.id()),
            handles: [const { None }; SLOTS],
            last: [None; SLOTS],
            player: None,
        }
    }

    /// Makes calls on a thread that may wait for them. A failure is about `path`.
    pub(super) async fn calls<T: Send + 'static>(
        &self,
        path: &Arc<str>,
        job: impl FnOnce(&mut Calls<'_>) -> Made<T> + Send + 'static,
    ) -> Result<T, Fault> {
        self.attempt(job)
            .await?
            .map_err(|failed| errno::fault(failed, path))
    }

    /// Makes calls whose failure may be the success.
    pub(super) async fn attempt<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Calls<'_>) -> Made<T> + Send + 'static,
    ) -> Result<Made<T>, Fault> {
        let shared = Arc::clone(&self.shared);
        let (made, tally): (Made<T>, Tally) = self
            .shared
            .io
            .elsewhere(move || {
                let mut calls = Calls::new(shared.root.as_fd());
                (job(&mut calls), calls.tally)
            })
            .await?;
        tally.each().for_each(|kind| self.requests.sent(kind));
        Ok(made)
    }

    /// The handle in a slot.
    pub(super) fn handle(&self, slot: u8) -> Result<Handle, Fault> {
        self.handles[usize::from(slot)].clone().ok_or_else(|| {
            let sentence = format!("slot {slot} holds no open file: open one before");
            Fault::step(FaultKind::Refused, sentence)
        })
    }

    pub(super) async fn close_slot(&mut self, slot: u8) -> Result<(), Fault> {
        self.handle(slot)?;
        let taken = self.handles[usize::from(slot)].take();
        let Some(handle) = taken else { return Ok(()) };
        let path = Arc::clone(&handle.path);
        self.calls(&path, move |calls| handle.end(calls)).await
    }

    /// Closes everything, as a server does when its user leaves the share.
    async fn leave(&mut self) -> Result<(), Fault> {
        if let Some(player) = self.player.take() {
            self.shared.io.later(move || drop(player));
        }
        for slot in 0..SLOTS {
            if self.handles[slot].is_some() {
                self.close_slot(slot as u8).await?;
            }
        }
        Ok(())
    }
}

impl Session for FilesSession {
    type Step = Step;

    async fn play(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        let nothing = |()| Moved::default();
        match step {
            // Files have no sessions. What an SMB server closes with one is closed.
            Step::Logon { .. }
            | Step::Logoff {}
            | Step::TreeConnect { share: Share::Data }
            | Step::TreeDisconnect { share: Share::Data } => self.leave().await.map(nothing),
            Step::TreeConnect { share: Share::Ipc }
            | Step::TreeDisconnect { share: Share::Ipc }
            | Step::Echo {}
            | Step::Ioctl { .. } => Ok(Moved::default()),
            Step::Turn {} => Box::pin(self.play_turn(user)).await,
            Step::Open(open) => self.open_file(open, user).await.map(nothing),
            Step::Probe { path } => self.probe(path, user).await.map(nothing),
            Step::Inspect {
                path,
                class,
                missing,
            } => self
                .inspect(path, *class, *missing, user)
                .await
                .map(nothing),
            Step::Close { slot } => self.close_slot(*slot).await.map(nothing),
            Step::Read(transfer) => self.read(transfer, user).await,
            Step::Write(transfer) => self.write(transfer, user).await,
            Step::Flush { slot } => self.flush(*slot).await.map(nothing),
            Step::List { slot, once, .. } => self.list(*slot, *once).await,
            Step::Stat { slot, class } => self.stat(*slot, *class).await.map(nothing),
            Step::Rename { slot, to, replace } => {
                self.rename(*slot, to, *replace, user).await.map(nothing)
            }
            Step::Delete { slot } => self.delete(*slot).map(nothing),
            Step::Truncate { slot, bytes } => self.truncate(*slot, *bytes).await.map(nothing),
            Step::SetTimes { slot } => self.set_times(*slot).await.map(nothing),
            Step::Lock(range) => self.lock(range).await.map(nothing),
            Step::Unlock {
                slot,
                offset,
                bytes,
            } => self.unlock(*slot, *offset, *bytes).await.map(nothing),
        }
    }

    /// Closes what is open, deleting what was to be deleted.
    async fn close(mut self, _user: &mut User) {
        let _ = self.leave().await; // the user has left; nobody is interested in a failure
    }
}

impl Drop for FilesSession {
    /// Closing a file can take its time, over a network above all: not on the worker's thread.
    fn drop(&mut self) {
        let handles = std::mem::replace(&mut self.handles, [const { None }; SLOTS]);
        let player = self.player.take();
        if player.is_some() || handles.iter().any(Option::is_some) {
            self.shared.io.later(move || drop((handles, player)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_small() {
        let bytes = size_of::<FilesSession>();
        assert!(bytes <= 512, "{bytes}");
    }
}
