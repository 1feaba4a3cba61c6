//! One user of a file server, whatever the protocol.
//!
//! * [`FileSession`]: the user's handles and place in the program; steps become requests here.
//! * [`backend`]: what a protocol does for it.
//! * `handle`: what is open; `transfer`: reading and writing; `survival`: going on after a lost session.

pub mod backend;
mod handle;
mod survival;
mod transfer;

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, Session, User};

use crate::data_set::Place;
use crate::file_tree::FileTree;
use crate::lock::{Lock, Range};
use crate::parts::{How, Name, Open, SLOTS, Share};
use crate::program::answer::Answer;
use crate::program::operation::Wanted;
use crate::program::player::Player;
use crate::program::stage::Stage;
use crate::query::Query;
use crate::step::Step;
use backend::{FileBackend, Opening};
use handle::{Handle, Handles};
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
    last: [Option<Place>; SLOTS],
    /// The user's place in the target's program.
    player: Option<Box<Player<B::File>>>,
}

impl<B: FileBackend> FileSession<B> {
    /// The user with this number in names, who has nothing open.
    pub const fn new(tree: Arc<FileTree>, number: u32, backend: B) -> Self {
        Self {
            tree,
            backend,
            number,
            handles: Handles::new(),
            last: [None; SLOTS],
            player: None,
        }
    }

    /// The user's way to the files, for requests that no step makes.
    pub const fn backend(&mut self) -> &mut B {
        &mut self.backend
    }

    /// The place that a name means, and its path.
    fn resolve(&self, name: &Name, slot: u8, user: &mut User) -> Result<(Place, String), Fault> {
        let refused = |sentence: String| Fault::step(FaultKind::Refused, sentence);
        let drawn = name.draw(&self.tree.data_set, user.stream());
        let place = match drawn.map_err(refused)? {
            Some(place) => place,
            None => self.last[usize::from(name.of.unwrap_or(slot))].ok_or_else(|| {
                let sentence = "\"same\" means the name last opened in this slot; none was";
                refused(sentence.to_owned())
            })?,
        };
        Ok((place, self.path(name, place)))
    }

    /// The path of a name that means this place.
    fn path(&self, name: &Name, place: Place) -> String {
        let path = self.tree.path(self.number, place);
        around(path, &name.before, &name.after)
    }

    async fn open(&mut self, open: &Open, user: &mut User) -> Result<(), Fault> {
        let (place, mut path) = self.resolve(&open.path, open.slot, user)?;
        self.close_left(open.slot, user).await?;
        self.last[usize::from(open.slot)] = Some(place);
        let opening = Opening {
            kind: if open.folder || place.group.is_folder() {
                Wanted::Folder
            } else {
                Wanted::File
            },
            access: open.access,
            how: open.how,
            oplock: open.oplock,
            is_alone: open.alone,
        };
        let opened = loop {
            match self.backend.open(path, opening).await {
                Ok(opened) => break opened,
                // The server may have made it, and would refuse to make it twice.
                Err(refusal) if open.how == How::Create => return Err(refusal.fault),
                Err(refusal) => self.survive(refusal.fault, None, user).await?,
            }
            path = self.path(&open.path, place);
        };
        let handle = Handle {
            file: opened.file,
            place,
            opening,
            is_bound: false,
            position: 0,
            end_of_file: opened.end_of_file,
        };
        self.handles.put(open.slot, handle);
        Ok(())
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

    /// Asks for a name that must not be there.
    async fn probe(&mut self, name: &Name, user: &mut User) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        loop {
            match self.backend.exists(&path).await {
                Ok(false) => return Ok(()),
                Ok(true) => return Err(unexpected(&path)),
                Err(fault) => self.survive(fault, None, user).await?,
            }
        }
    }

    /// Asks about a name. `missing`: that there is nothing of this name is the success.
    async fn inspect(
        &mut self,
        name: &Name,
        class: Query,
        missing: bool,
        user: &mut User,
    ) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        loop {
            match self.backend.query_path(&path, class).await {
                Ok(()) if missing => return Err(unexpected(&path)),
                Ok(()) => return Ok(()),
                Err(refusal) if missing && refusal.answer == Answer::Missing => return Ok(()),
                Err(refusal) => self.survive(refusal.fault, None, user).await?,
            }
        }
    }

    async fn list(&mut self, slot: u8, pattern: &str, once: bool) -> Result<Moved, Fault> {
        let handle = self.handles.get(slot)?;
        let listed = self.backend.list(&mut handle.file, pattern, once);
        Ok(Moved {
            read_bytes: listed.await?,
            written_bytes: 0,
        })
    }

    async fn rename(
        &mut self,
        slot: u8,
        to: &Name,
        replace: bool,
        user: &mut User,
    ) -> Result<(), Fault> {
        self.handles.get(slot)?;
        let (_, path) = self.resolve(to, slot, user)?;
        let handle = self.handles.get(slot)?;
        let file = &mut handle.file;
        self.backend.rename_file(file, path, replace).await
    }

    async fn truncate(&mut self, slot: u8, bytes: Option<u64>) -> Result<(), Fault> {
        let handle = self.handles.get(slot)?;
        let whole = self.tree.data_set.bytes(self.number, handle.place);
        let bytes = bytes.unwrap_or(whole);
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

    /// The same, if it is the share with the files.
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

    /// Plays a step, whose session may be lost.
    async fn act(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        match step {
            // On the heap: rare and large, they would otherwise be a part of every user's step.
            Step::Logon { .. }
            | Step::Logoff {}
            | Step::TreeConnect { .. }
            | Step::TreeDisconnect { .. } => Box::pin(self.visit(step)).await?,
            Step::Turn {} => return Box::pin(self.turn(user)).await,
            Step::Read(transfer) => return self.read(transfer, user).await,
            Step::Write(transfer) => return self.write(transfer, user).await,
            Step::List {
                slot,
                pattern,
                once,
            } => return self.list(*slot, pattern, *once).await,
            Step::Echo {} => self.backend.echo().await?,
            Step::Open(open) => self.open(open, user).await?,
            Step::Probe { path } => self.probe(path, user).await?,
            Step::Inspect {
                path,
                class,
                missing,
            } => self.inspect(path, *class, *missing, user).await?,
            Step::Close { slot } => self.close_slot(*slot, user).await?,
            Step::Flush { slot } => {
                let handle = self.handles.get(*slot)?;
                self.backend.flush(&handle.file).await?;
            }
            Step::Stat { slot, class } => {
                let handle = self.handles.get(*slot)?;
                self.backend.query(&handle.file, *class).await?;
            }
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
                played => return played,
            }
        }
    }

    /// Closes what is open and logs off, if the server still answers.
    fn close(self, _user: &mut User) -> impl Future<Output = ()> {
        let mut session = Box::new(self); // not twice in every user's future
        async move {
            // The user has left; nobody is interested in a failure.
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

/// The fault of a name that should not be there.
fn unexpected(path: &str) -> Fault {
    let sentence = format!("\"{path}\": it exists, but should not");
    Fault::step(FaultKind::Refused, sentence)
}

/// A path with something put around its last part.
fn around(path: String, before: &str, after: &str) -> String {
    if before.is_empty() && after.is_empty() {
        return path;
    }
    match path.rsplit_once('\\') {
        Some((folder, last)) => format!("{folder}\\{before}{last}{after}"),
        None => format!("{before}{path}{after}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_put_around_the_last_part() {
        let named = |path: &str, before, after| around(path.to_owned(), before, after);
        assert_eq!(named(r"a\b\c.doc", "~$", ".tmp"), r"a\b\~$c.doc.tmp");
        assert_eq!(named("c.doc", "~", ""), "~c.doc");
        assert_eq!(named(r"a\c.doc", "", ""), r"a\c.doc");
    }
}
