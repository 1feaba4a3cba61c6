//! One user's place in a program: the open files, and whether answers are as expected.

use headcount_load::{Fault, FaultKind, Moved, User};

use super::answer::Answer;
use super::operation::{Action, Creation, Operation, Span};
use super::stage::Stage;
use super::{Path, Program, WORK};
use crate::block::{self, Owner};
use crate::content::Content;
use crate::data_set::Group;
use crate::lock::Lock;
use crate::session::backend::{FileBackend, Refusal};

/// One user's place in a program. `F` is a protocol's open file.
#[derive(Debug)]
pub struct Player<F> {
    slots: Box<[Option<Opened<F>>]>,
    /// Whether the user has played a turn.
    has_begun: bool,
    /// Whether something failed since the last entry, which may affect what follows.
    is_disturbed: bool,
}

#[derive(Debug)]
struct Opened<F> {
    file: F,
    path: u32,
}

impl<F> Player<F> {
    /// Nothing is open.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self {
            slots: (0..program.slots).map(|_| None).collect(),
            has_begun: false,
            is_disturbed: false,
        }
    }

    /// What is open.
    #[must_use]
    pub fn into_files(self) -> Vec<F> {
        let open = self.slots.into_iter().flatten();
        open.map(|opened| opened.file).collect()
    }

    /// Plays the user's turn. An answer other than the expected one is a fault that names the line.
    ///
    /// At an entry of the program the user's folder is emptied first, if this is the user's first
    /// turn or something failed since the last entry. A user whose connection was lost in between
    /// continues without the files that were open on it.
    pub async fn play<B: FileBackend<File = F>>(
        &mut self,
        stage: &mut Stage<'_, B>,
        program: &Program,
        user: &User,
    ) -> Result<Moved, Fault> {
        let turn = user.turn();
        let is_entry = program.entries.binary_search(&turn).is_ok();
        if is_entry {
            self.close_all(stage).await?;
            if !self.has_begun || self.is_disturbed {
                clear(stage, program).await?;
            }
            self.is_disturbed = false;
        } else if !self.has_begun {
            self.is_disturbed = true;
        }
        self.has_begun = true;
        let operation = &program.operations[turn as usize];
        let played = self.act(stage, program, operation, user).await;
        played.map_err(|fault| {
            self.is_disturbed = true;
            let word = operation.action.kind().name();
            Fault {
                message: format!(
                    "{} {}: {word}: {}",
                    program.counts, operation.line, fault.message
                )
                .into(),
                ..fault
            }
        })
    }

    async fn act<B: FileBackend<File = F>>(
        &mut self,
        stage: &mut Stage<'_, B>,
        program: &Program,
        operation: &Operation,
        user: &User,
    ) -> Result<Moved, Fault> {
        let expected = operation.expected;
        let answered = match operation.action {
            Action::Open {
                path,
                slot,
                creation,
            } => {
                return self
                    .open(stage, program, operation, (path, slot, creation))
                    .await;
            }
            Action::Read {
                slot,
                span,
                returned,
            } => {
                user.expect_bytes(returned.into());
                let read = self.read(stage, program, slot, span).await;
                return judge_read(read, returned, expected);
            }
            Action::Write { slot, span } => {
                user.expect_bytes(span.bytes.into());
                self.write(stage, slot, span).await
            }
            _ => self.ask(stage, program, operation).await,
        };
        judge(answered, expected)?;
        let mut moved = Moved::default();
        if let (Action::Write { span, .. }, Answer::Done) = (operation.action, expected) {
            moved.written_bytes = span.bytes.into();
        }
        Ok(moved)
    }

    /// Operations that move no data.
    async fn ask<B: FileBackend<File = F>>(
        &mut self,
        stage: &mut Stage<'_, B>,
        program: &Program,
        operation: &Operation,
    ) -> Result<(), Refusal> {
        let path = |index: u32| &program.paths[index as usize];
        match operation.action {
            Action::Close { slot } => self.close(stage, slot).await,
            Action::Flush { slot } => stage.backend.flush(self.file(slot)?).await,
            Action::QueryPath { path: at, query } => stage.query_path(path(at), query).await,
            Action::QueryFile { slot, query } => {
                let file = self.file(slot)?;
                stage.backend.query(file, query).await.map(drop)
            }
            Action::QueryFs { query } => stage.query_fs(query).await,
            Action::SetFile { slot } => stage.backend.set_times(self.file(slot)?).await,
            Action::Find { folder, mask } => {
                stage
                    .find(path(folder), &program.masks[mask as usize])
                    .await
            }
            Action::Unlink { path: at } => stage.unlink(path(at)).await,
            Action::Rename { path: at, to } => stage.rename(path(at), path(to)).await,
            Action::Mkdir { path: at } => match stage.make_folder(path(at)).await {
                Err(refusal)
                    if refusal.answer == Answer::Exists && operation.expected == Answer::Done =>
                {
                    Ok(())
                }
                made => made,
            },
            Action::Rmdir { path: at } => stage.remove_folder(path(at)).await,
            Action::DeleteTree { path: at } => ignore_missing(stage.remove_tree(path(at)).await),
            Action::Lock {
                slot,
                offset,
                bytes,
            } => {
                stage
                    .backend
                    .lock(self.file(slot)?, Lock::Exclusive, offset, bytes)
                    .await
            }
            Action::Unlock {
                slot,
                offset,
                bytes,
            } => {
                stage
                    .backend
                    .lock(self.file(slot)?, Lock::None, offset, bytes)
                    .await
            }
            // The others are played by `act`.
            Action::Open { .. } | Action::Read { .. } | Action::Write { .. } => Ok(()),
        }
    }

    async fn close<B: FileBackend<File = F>>(
        &mut self,
        stage: &mut Stage<'_, B>,
        slot: u16,
    ) -> Result<(), Refusal> {
        self.file(slot)?;
        match self.slots[usize::from(slot)].take() {
            Some(opened) => stage.backend.close(opened.file).await,
            None => Ok(()),
        }
    }

    async fn open<B: FileBackend<File = F>>(
        &mut self,
        stage: &mut Stage<'_, B>,
        program: &Program,
        operation: &Operation,
        (path, slot, creation): (u32, u16, Creation),
    ) -> Result<Moved, Fault> {
        let at = usize::from(slot);
        if let Some(left) = self.slots[at].take() {
            stage.backend.close(left.file).await?;
        }
        let opened = stage.open(&program.paths[path as usize], creation).await;
        match opened {
            Ok(file) if operation.expected != Answer::Done => {
                stage.backend.close(file).await?;
                judge(Ok(()), operation.expected)?;
            }
            Ok(file) => self.slots[at] = Some(Opened { file, path }),
            Err(refusal) => judge(Err(refusal), operation.expected)?,
        }
        Ok(Moved::default())
    }

    async fn read<B: FileBackend<File = F>>(
        &self,
        stage: &mut Stage<'_, B>,
        program: &Program,
        slot: u16,
        span: Span,
    ) -> Result<u32, Refusal> {
        let opened = self.opened(slot)?;
        let is_checked = stage.tree.verify && span.contents != 0 && !self.is_disturbed;
        let owner = owner(stage, span.contents);
        let check = |at: u64, data: &[u8]| {
            if !is_checked {
                return Ok(());
            }
            block::verify_within(data, owner, at).map_err(|(at, wrong)| {
                let path = &program.paths[opened.path as usize].below;
                let sentence = format!("wrong data in \"{path}\" at offset {at}: {wrong}");
                Fault::step(FaultKind::WrongData, sentence)
            })
        };
        stage
            .read(&opened.file, span.offset, span.bytes, &check)
            .await
    }

    async fn write<B: FileBackend<File = F>>(
        &self,
        stage: &mut Stage<'_, B>,
        slot: u16,
        span: Span,
    ) -> Result<(), Refusal> {
        let opened = self.opened(slot)?;
        let owner = owner(stage, span.contents);
        let make = |at: u64, data: &mut [u8]| block::fill(data, owner, at);
        stage
            .write(&opened.file, span.offset, span.bytes, &make)
            .await
    }

    async fn close_all<B: FileBackend<File = F>>(
        &mut self,
        stage: &mut Stage<'_, B>,
    ) -> Result<(), Fault> {
        for slot in &mut self.slots {
            if let Some(left) = slot.take() {
                stage.backend.close(left.file).await?;
            }
        }
        Ok(())
    }

    fn opened(&self, slot: u16) -> Result<&Opened<F>, Fault> {
        self.slots[usize::from(slot)].as_ref().ok_or_else(|| {
            let sentence =
                "the file is not open, since opening it failed or its connection was lost";
            Fault::step(FaultKind::Refused, sentence)
        })
    }

    fn file(&self, slot: u16) -> Result<&F, Fault> {
        self.opened(slot).map(|opened| &opened.file)
    }
}

/// The owner that the blocks of a file carry.
const fn owner<B>(stage: &Stage<'_, B>, contents: u32) -> Owner {
    Owner {
        user: if contents >> 24 == Group::Shared as u32 {
            u32::MAX
        } else {
            stage.number
        },
        file: contents,
        seed: stage.tree.data_set.seed,
        content: Content::Compressed,
    }
}

/// Empties the program's part of the user's folder, and makes the folders that it expects.
async fn clear<B: FileBackend>(stage: &mut Stage<'_, B>, program: &Program) -> Result<(), Fault> {
    let own = |below: &str| Path {
        below: below.into(),
        is_common: false,
    };
    let top = |folder: &&str| !folder.contains('\\');
    let folders = || program.folders.iter().map(|folder| &**folder);
    let others = folders().filter(top).filter(|folder| *folder != WORK);
    for folder in std::iter::once(WORK).chain(others) {
        ignore_missing(stage.remove_tree(&own(folder)).await).map_err(|refusal| refusal.fault)?;
    }
    for folder in folders() {
        stage.make_folder(&own(folder)).await?;
    }
    Ok(())
}

/// Treats deleting something that does not exist as a success.
fn ignore_missing(deleted: Result<(), Refusal>) -> Result<(), Refusal> {
    match deleted {
        Err(refusal) if refusal.answer == Answer::Missing => Ok(()),
        deleted => deleted,
    }
}

fn judge(answered: Result<(), Refusal>, expected: Answer) -> Result<(), Fault> {
    match answered {
        Ok(()) if expected == Answer::Done => Ok(()),
        Ok(()) => {
            let sentence = format!(
                "it succeeded, though it should have been {}",
                expected.words()
            );
            Err(Fault::step(FaultKind::Refused, sentence))
        }
        Err(Refusal { fault, .. }) if fault.ends_session => Err(fault),
        Err(Refusal { answer, .. }) if answer == expected => Ok(()),
        Err(Refusal { fault, .. }) if expected == Answer::Done => Err(fault),
        Err(Refusal { fault, .. }) => {
            let message = format!(
                "{}; it should have been {}",
                fault.message,
                expected.words()
            );
            Err(Fault {
                message: message.into(),
                ..fault
            })
        }
    }
}

/// A read at the end of a file returns nothing; SMB 1, with which load files were recorded, reports
/// that as no bytes or as an error.
fn judge_read(read: Result<u32, Refusal>, returned: u32, expected: Answer) -> Result<Moved, Fault> {
    match read {
        Ok(0) if expected == Answer::EndOfFile => Ok(Moved::default()),
        Ok(came) if expected == Answer::Done && came != returned => {
            let sentence = format!("{came} bytes came instead of {returned}");
            Err(Fault::step(FaultKind::WrongData, sentence))
        }
        Ok(came) => judge(Ok(()), expected).map(|()| Moved {
            read_bytes: came.into(),
            written_bytes: 0,
        }),
        Err(refusal) => judge(Err(refusal), expected).map(|()| Moved::default()),
    }
}
