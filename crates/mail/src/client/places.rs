//! The folders other than the inbox: old mail, deleted mail, the calendar.

use std::sync::Arc;

use headcount_load::{Fault, User};

use super::session::MailSession;
use crate::imap::{Change, Uids};
use crate::message::{Kind, Part};
use crate::task::Task;

impl MailSession {
    /// Reads a random message in a random folder of the user's own.
    pub(super) async fn read_old(&mut self, user: &mut User) -> Result<(), Fault> {
        let folders = self.shared.options.profile.start.folders.max(1);
        let folder = user.stream().below(u64::from(folders)) as u32;
        let began_ns = self.stopwatch.now_ns();
        let read = self.read_old_in(&Self::own_folder(folder), user).await;
        Task::Read.note(&self.stopwatch, began_ns, &read);
        read
    }

    async fn read_old_in(&mut self, folder: &str, user: &mut User) -> Result<(), Fault> {
        self.select(folder).await?;
        if self.imap().await?.exists() == 0 {
            return Ok(()); // an empty folder is not a fault
        }
        self.current = None;
        let uid = self.some_message(user).await?;
        self.read_message(uid, user).await.map(|_| ())
    }

    /// Empties the folder of deleted messages.
    pub(super) async fn empty_deleted(&mut self) -> Result<(), Fault> {
        self.claim().await?;
        let began_ns = self.stopwatch.now_ns();
        let emptied = self.empty(&self.shared.options.folders.trash.clone()).await;
        Task::EmptyDeleted.note(&self.stopwatch, began_ns, &emptied);
        emptied
    }

    async fn empty(&mut self, folder: &str) -> Result<(), Fault> {
        self.select_anew(folder).await?;
        let imap = self.imap().await?;
        if imap.exists() == 0 {
            return Ok(());
        }
        imap.store(&Uids::all(), Change::Add, "\\Deleted", true)
            .await?;
        imap.expunge(None).await
    }

    /// Adds an appointment to the calendar, and removes the oldest if there are now more than at
    /// the start.
    pub(super) async fn change_schedule(&mut self) -> Result<(), Fault> {
        self.claim().await?;
        let began_ns = self.stopwatch.now_ns();
        let changed = self.change_schedule_untimed().await;
        Task::ScheduleChange.note(&self.stopwatch, began_ns, &changed);
        changed
    }

    async fn change_schedule_untimed(&mut self) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let calendar = &*shared.options.folders.calendar;
        let own = [shared.address.text(self.number)];
        let parts = [Part::new(Kind::Invitation, 0)];
        let message = self.compose("Headcount", &own, &parts);
        self.put(calendar, "\\Seen", &message).await?;
        self.select_anew(calendar).await?;
        if self.imap().await?.exists() <= shared.options.profile.start.calendar.max(1) {
            return Ok(());
        }
        let oldest = Uids::one(self.uid_of(1).await?);
        self.remove(&oldest).await
    }

    /// Removes messages from the selected folder.
    pub(super) async fn remove(&mut self, uids: &Uids) -> Result<(), Fault> {
        let imap = self.imap().await?;
        imap.store(uids, Change::Add, "\\Deleted", true).await?;
        imap.expunge(Some(uids)).await?;
        self.took_out(uids.count() as u32);
        Ok(())
    }
}
