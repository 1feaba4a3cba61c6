//! The steps of `NotesBench`'s scripts as IMAP commands: the user opens the inbox, pages through
//! it, reads from the newest message down, tidies up and closes it.

use headcount_load::{Fault, User};

use super::session::{INBOX, MailSession};
use super::step::Step;
use crate::imap::{Capability, Uids, What};
use crate::task::Task;

/// Entries fetched on opening: one screen (the scripts read 20).
const SCREEN: u32 = 20;

impl MailSession {
    /// Plays a step of these scripts.
    pub(super) async fn notes(&mut self, step: &Step, user: &mut User) -> Result<(), Fault> {
        match step {
            Step::OpenInbox {} => {
                self.select_anew(INBOX).await?;
                self.page(SCREEN).await?;
                // Opening does not count as paging: the next page starts with the same entries.
                self.page_from = None;
                Ok(())
            }
            Step::Page { entries } => {
                self.select(INBOX).await?;
                self.page(*entries).await
            }
            Step::ReadNext {} => {
                self.select(INBOX).await?;
                let began_ns = self.stopwatch.now_ns();
                let read = self.read_next(user).await;
                Task::Read.note(&self.stopwatch, began_ns, &read);
                read
            }
            Step::Categorise {} => {
                self.select(INBOX).await?;
                self.flag("\\Flagged", user).await
            }
            Step::DeleteOne {} => {
                self.select(INBOX).await?;
                let uid = self.some_message_to_take(user).await?;
                self.delete(uid).await
            }
            Step::AddMessage { bytes } => self.add(INBOX, Some(*bytes), user).await,
            Step::CloseInbox {} => self.leave().await,
            _ => Ok(()),
        }
    }

    /// Fetches the next page, from the newest message to the oldest.
    async fn page(&mut self, entries: u32) -> Result<(), Fault> {
        let exists = self.imap().await?.exists();
        let above = self.page_from.unwrap_or(exists + 1).min(exists + 1);
        let last = if above > 1 { above - 1 } else { exists };
        if last == 0 {
            return Ok(());
        }
        let first = last.saturating_sub(entries) + 1;
        let uids = self.uids_of(first, last).await?;
        self.page_from = Some(first);
        self.fetch_all(&uids.into_iter().collect::<Uids>(), What::Envelope)
            .await
    }

    /// Reads the next older message; after the oldest, the newest again.
    async fn read_next(&mut self, user: &mut User) -> Result<(), Fault> {
        let exists = self.imap().await?.exists();
        if exists == 0 {
            return Ok(()); // an empty inbox is not a fault
        }
        let below = self.reading.map_or(exists, |number| number - 1);
        let number = if below == 0 {
            exists
        } else {
            below.min(exists)
        };
        let uid = self.uid_of(number).await?;
        self.reading = Some(number);
        self.read_message(uid, user).await.map(|_| ())
    }

    /// Leaves the folder with UNSELECT, or sends NOOP if the server does not offer it.
    pub(super) async fn leave(&mut self) -> Result<(), Fault> {
        if self.folder.take().is_none() {
            return Ok(());
        }
        let imap = self.imap().await?;
        if imap.offers(Capability::Unselect) {
            return imap.unselect().await;
        }
        imap.noop().await
    }
}
