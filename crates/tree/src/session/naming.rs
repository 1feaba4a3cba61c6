//! Steps about a name: opening, asking, renaming.

use headcount_load::{Fault, FaultKind, User};

use super::FileSession;
use super::backend::{FileBackend, Opening};
use super::handle::Handle;
use crate::named::Named;
use crate::parts::{How, Open};
use crate::program::answer::Answer;
use crate::program::operation::Wanted;
use crate::query::Query;

impl<B: FileBackend> FileSession<B> {
    pub(super) async fn open(&mut self, open: &Open, user: &mut User) -> Result<(), Fault> {
        let (meant, mut path) = self.resolve(&open.path, open.slot, user)?;
        self.close_left(open.slot, user).await?;
        self.last[usize::from(open.slot)] = Some(meant.clone());
        let place = meant.place();
        let opening = Opening {
            kind: if open.folder || place.is_some_and(|place| place.group.is_folder()) {
                Wanted::Folder
            } else if place.is_none() && open.how == How::Open {
                Wanted::Either // whatever exists
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
                // The server may have created it before the loss, and would refuse to do so again.
                Err(refusal) if open.how == How::Create => return Err(refusal.fault),
                Err(refusal) => self.survive(refusal.fault, None, user).await?,
            }
            path = self.path(&open.path, &meant);
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

    /// Looks up a name that must not exist.
    pub(super) async fn probe(&mut self, name: &Named, user: &mut User) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        loop {
            match self.backend.exists(&path).await {
                Ok(false) => return Ok(()),
                Ok(true) => return Err(unexpected(&path)),
                Err(fault) => self.survive(fault, None, user).await?,
            }
        }
    }

    /// Asks about a name that must not exist.
    pub(super) async fn inspect_missing(
        &mut self,
        name: &Named,
        class: Query,
        user: &mut User,
    ) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        loop {
            match self.backend.query_path(&path, class).await {
                Ok(_) => return Err(unexpected(&path)),
                Err(refusal) if refusal.answer == Answer::Missing => return Ok(()),
                Err(refusal) => self.survive(refusal.fault, None, user).await?,
            }
        }
    }

    pub(super) async fn rename(
        &mut self,
        slot: u8,
        to: &Named,
        replace: bool,
        user: &mut User,
    ) -> Result<(), Fault> {
        self.handles.get(slot)?;
        let (_, path) = self.resolve(to, slot, user)?;
        let handle = self.handles.get(slot)?;
        let file = &mut handle.file;
        self.backend.rename_file(file, path, replace).await
    }
}

/// The fault of a name that should not exist.
fn unexpected(path: &str) -> Fault {
    let sentence = format!("\"{path}\": it exists, but should not");
    Fault::step(FaultKind::Refused, sentence)
}
