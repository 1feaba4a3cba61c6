//! Steps whose answers captures and checks may look at.

use headcount_load::{Fault, Moved, User};
use headcount_script::Entry;

use super::FileSession;
use super::backend::FileBackend;
use super::seen::{Seen, bytes_text, note_done};
use crate::listing::List;
use crate::looks::Looks;
use crate::named::Named;
use crate::query::{Known, Query};
use crate::step::Step;

impl<B: FileBackend> FileSession<B> {
    pub(super) async fn list(&mut self, list: &List, user: &mut User) -> Result<Moved, Fault> {
        let pattern = list.pattern.of(user)?;
        let handle = self.handles.get(list.slot)?;
        let file = &mut handle.file;
        if list.looks.is_empty() && !user.keeps_notes() {
            return Ok(Moved {
                read_bytes: self.backend.list(file, &pattern, list.once).await?,
                written_bytes: 0,
            });
        }
        let is_whole = list.needs_attributes();
        let listed = self.backend.entries(file, &pattern, list.once, is_whole);
        let (read_bytes, mut entries) = listed.await?;
        list.arrange(&mut entries);
        let seen = Seen::files(entries);
        seen.note(user, "LIST", B::path(&handle.file));
        list.looks.inspect(&seen, user)?;
        Ok(Moved {
            read_bytes,
            written_bytes: 0,
        })
    }

    pub(super) async fn stat(
        &mut self,
        slot: u8,
        class: Query,
        looks: &Looks,
        user: &mut User,
    ) -> Result<(), Fault> {
        let handle = self.handles.get(slot)?;
        let known = self.backend.query(&handle.file, class).await?;
        look_at(known, B::path(&handle.file), "STAT", looks, user)
    }

    /// Asks about a name.
    pub(super) async fn inspect(
        &mut self,
        name: &Named,
        class: Query,
        looks: &Looks,
        user: &mut User,
    ) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        let known = loop {
            match self.backend.query_path(&path, class).await {
                Ok(known) => break known,
                Err(refusal) => self.survive(refusal.fault, None, user).await?,
            }
        };
        look_at(known, &path, "INSPECT", looks, user)
    }

    /// Adds a completed step to the trace, unless its answer has been added.
    pub(super) fn note(&mut self, step: &Step, moved: Moved, user: &mut User) {
        let (name, slot, sent) = match step {
            Step::Open(open) => ("OPEN", open.slot, ""),
            Step::Write(transfer) => {
                let text = transfer.text.as_ref();
                (
                    "WRITE",
                    transfer.slot,
                    text.map_or("", |text| text.written()),
                )
            }
            Step::Rename { slot, .. } => ("RENAME", *slot, ""),
            Step::Delete { slot } => ("DELETE", *slot, ""),
            _ => return,
        };
        let Some(handle) = self.handles.held(slot) else {
            return;
        };
        let outcome = match step {
            Step::Open(_) => bytes_text(handle.end_of_file),
            Step::Write(_) => bytes_text(moved.written_bytes),
            _ => "done".to_owned(),
        };
        note_done(user, name, B::path(&handle.file), sent, &outcome);
    }
}

/// Applies captures and checks to what is known of a file.
fn look_at(
    known: Known,
    path: &str,
    step: &str,
    looks: &Looks,
    user: &mut User,
) -> Result<(), Fault> {
    if looks.is_empty() && !user.keeps_notes() {
        return Ok(());
    }
    let name = path.rsplit(['\\', '/']).next().unwrap_or_default();
    let entry = Entry {
        name: name.to_owned(),
        is_folder: false,
        size: known.size,
        modified_ns: known.modified_ns,
    };
    let seen = Seen::files(vec![entry]);
    seen.note(user, step, path);
    looks.inspect(&seen, user)
}
