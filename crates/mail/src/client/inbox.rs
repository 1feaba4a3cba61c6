//! The inbox as [`crate::day`] needs it.

use std::sync::Arc;

use headcount_load::stream::Stream;
use headcount_load::{Fault, FaultKind, User};

use super::session::{INBOX, MailSession};
use crate::day::{Draft, Letter, Mailbox};
use crate::imap::Uids;
use crate::ledger::Seen;
use crate::message::Stamp;
use crate::profile::People;
use crate::task::Task;

/// A user processing the inbox.
pub(super) struct Sitting<'a> {
    pub(super) session: &'a mut MailSession,
    pub(super) user: &'a mut User,
}

impl Mailbox for Sitting<'_> {
    type Id = u32;

    fn stream(&mut self) -> &mut Stream {
        self.user.stream()
    }

    fn people(&self) -> People {
        People {
            own: self.user.id(),
            population: self.user.population(),
        }
    }

    async fn look(&mut self) -> Result<Vec<u32>, Fault> {
        self.session.look().await
    }

    async fn read(&mut self, uid: u32) -> Result<Letter, Fault> {
        let (session, user) = (&mut *self.session, &mut *self.user);
        let began_ns = session.stopwatch.now_ns();
        session.past(uid);
        let read = session.read_message(uid, user).await;
        Task::Read.note(&session.stopwatch, began_ns, &read);
        let read = read?;
        Ok(read.letter(session, user.population()))
    }

    async fn load_attachment(&mut self, uid: u32) -> Result<(), Fault> {
        let began_ns = self.session.stopwatch.now_ns();
        let loaded = self.session.load_part(uid, 2, self.user).await;
        Task::LoadAttachment.note(&self.session.stopwatch, began_ns, &loaded);
        loaded
    }

    async fn send(&mut self, draft: Draft) -> Result<(), Fault> {
        self.session.send_draft(&draft, self.user).await
    }

    async fn move_to(&mut self, uid: u32, folder: u32) -> Result<(), Fault> {
        self.session.file(uid, folder).await
    }

    async fn copy_to(&mut self, uid: u32, folder: u32) -> Result<(), Fault> {
        self.session.file_copy(uid, folder).await
    }

    async fn delete(&mut self, uid: u32) -> Result<(), Fault> {
        self.session.delete(uid).await
    }

    async fn trim(&mut self, cap: u32) -> Result<(), Fault> {
        let exists = self.session.imap().await?.exists();
        if exists <= cap {
            return Ok(());
        }
        self.session.claim().await?;
        let oldest = self.session.uids_of(1, exists - cap).await?;
        // Messages that the user has not looked at stay.
        let session = &mut *self.session;
        let next = session
            .shared
            .memory
            .with(session.id, |known| known.next_uid);
        let uids: Uids = oldest.into_iter().filter(|uid| *uid < next).collect();
        session.trash(&uids).await
    }
}

impl MailSession {
    /// New messages in the inbox, in order of arrival. Searches only if there may be some.
    async fn look(&mut self) -> Result<Vec<u32>, Fault> {
        let began_ns = self.stopwatch.now_ns();
        self.looked_from_ns = None;
        if self.folder.as_deref() == Some(INBOX) {
            self.imap().await?.noop().await?;
        } else {
            self.select_anew(INBOX).await?;
        }
        let exists = self.imap().await?.exists();
        if self.looked_at == Some(exists) {
            self.looked_from_ns = Some(began_ns);
            return Ok(Vec::new());
        }
        let next = self
            .shared
            .memory
            .with(self.id, |known| known.next_uid.max(1));
        let imap = self.imap().await?;
        let mut new = imap.search(&format!("UID {next}:* UNSEEN")).await?;
        // `n:*` names the last message even if its UID is below n (RFC 9051, 9).
        new.retain(|uid| *uid >= next);
        new.sort_unstable();
        // The count from before the search: mail that arrived during it may not have been found.
        self.looked_at = Some(exists);
        self.looked_from_ns = Some(began_ns);
        Ok(new)
    }

    /// Marks a message as no longer new, even if reading it fails; but not while the server hides
    /// an earlier one.
    fn past(&self, uid: u32) {
        if self.looked_from_ns.is_none() {
            return;
        }
        self.shared.memory.with(self.id, |known| {
            known.next_uid = known.next_uid.max(uid.saturating_add(1));
        });
    }

    /// Notes that the server refuses to show the header of a message. In the inbox it stays new,
    /// and nothing counts as lost, since this may be it.
    pub(super) fn keep_as_new(&mut self, uid: u32) {
        if self.folder.as_deref() != Some(INBOX) {
            return;
        }
        (self.looked_from_ns, self.looked_at) = (None, None);
        self.shared.memory.with(self.id, |known| {
            if known.next_uid == uid.saturating_add(1) {
                known.next_uid = uid;
            }
        });
    }

    /// Notes in the ledger that a message of this run was received. Fails if it arrived twice or
    /// was not sent to this user.
    pub(super) fn account_for(&self, stamp: &Stamp, uid: u32) -> Result<(), Fault> {
        let now_ns = self.stopwatch.now_ns();
        let what = match self.shared.ledger.seen(self.id, stamp, uid, now_ns) {
            Seen::First { .. } | Seen::Known => return Ok(()),
            // Users append messages to their own inbox without sending them.
            Seen::Unexpected if stamp.sender == self.number => return Ok(()),
            Seen::Duplicate => "was delivered twice",
            Seen::Unexpected => "was not sent to them",
        };
        let (name, sender) = self.names(stamp.sender);
        let sentence = format!(
            "message {} of {sender} in the inbox of {name} {what}",
            stamp.sequence
        );
        Err(Fault::step(FaultKind::WrongData, sentence))
    }

    /// Fails if mail for this user was accepted long ago and was not in the inbox at the last look,
    /// if that was complete.
    pub(super) fn missing(&self) -> Result<(), Fault> {
        let Some(looked_ns) = self.looked_from_ns else {
            return Ok(());
        };
        let shared = Arc::clone(&self.shared);
        let limit_ns = shared.lost_after_ns;
        let lost = shared.ledger.looked(self.id, looked_ns, limit_ns);
        let Some(first) = lost.first() else {
            return Ok(());
        };
        let (name, sender) = self.names(first.sender);
        let sentence = format!(
            "message {} of {sender} to {name} was accepted but is not in the inbox {} s later \
             ({} in all)",
            first.sequence,
            looked_ns.saturating_sub(first.accepted_ns) / 1_000_000_000,
            lost.len()
        );
        Err(Fault::step(FaultKind::WrongData, sentence))
    }

    fn names(&self, sender: u32) -> (String, String) {
        let user = &self.shared.user;
        (user.text(self.number), user.text(sender))
    }

    /// Moves a message to one of the user's folders.
    pub(super) async fn file(&mut self, uid: u32, folder: u32) -> Result<(), Fault> {
        let began_ns = self.stopwatch.now_ns();
        let moved = self.file_untimed(uid, folder).await;
        Task::Move.note(&self.stopwatch, began_ns, &moved);
        moved
    }

    async fn file_untimed(&mut self, uid: u32, folder: u32) -> Result<(), Fault> {
        let (uids, folder) = (Uids::one(uid), Self::own_folder(folder));
        self.imap().await?.move_to(&uids, &folder).await?;
        self.took_out(1);
        self.current = None;
        Ok(())
    }

    /// Copies a message to one of the user's folders.
    pub(super) async fn file_copy(&mut self, uid: u32, folder: u32) -> Result<(), Fault> {
        let began_ns = self.stopwatch.now_ns();
        let (uids, folder) = (Uids::one(uid), Self::own_folder(folder));
        let copied = self.imap().await?.copy(&uids, &folder).await;
        Task::Copy.note(&self.stopwatch, began_ns, &copied);
        copied
    }

    /// Moves a message to the folder of deleted messages.
    pub(super) async fn delete(&mut self, uid: u32) -> Result<(), Fault> {
        self.claim().await?;
        let began_ns = self.stopwatch.now_ns();
        let deleted = self.trash(&Uids::one(uid)).await;
        Task::Delete.note(&self.stopwatch, began_ns, &deleted);
        self.current = None;
        deleted
    }
}
