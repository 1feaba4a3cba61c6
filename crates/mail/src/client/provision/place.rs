//! Fills, restores and checks one folder.

use std::cell::Cell;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind};

use super::plan::Holding;
use crate::client::MailSession;
use crate::imap::{Change, Fetched, Uids, What};
use crate::message::{Body, Checker, Section, Verdict};

/// What was written.
#[derive(Debug, Default)]
pub struct Written {
    /// Messages.
    pub messages: Cell<u64>,
    /// Their bytes.
    pub bytes: Cell<u64>,
}

impl MailSession {
    /// Restores a folder to what it holds at the start. Returns whether any of its prepared
    /// messages were missing or, if `read_through`, damaged.
    pub(super) async fn restore(
        &mut self,
        holding: &Holding,
        read_through: bool,
        written: &Written,
    ) -> Result<bool, Fault> {
        self.select_anew(&holding.folder).await?;
        let exists = self.imap().await?.exists();
        if exists > 0 {
            let mut own = self
                .imap()
                .await?
                .search(&format!("KEYWORD {}", holding.keyword()))
                .await?;
            own.sort_unstable();
            let is_whole = own.len() == holding.messages as usize
                && (!read_through || self.are_intact(holding, &own).await?);
            let is_kept = |uid: &u32| is_whole && own.binary_search(uid).is_ok();
            if !is_whole || exists > holding.messages {
                let all = self.imap().await?.search("ALL").await?;
                let others: Uids = all.into_iter().filter(|uid| !is_kept(uid)).collect();
                self.remove(&others).await?;
            }
            if is_whole {
                return Ok(false);
            }
        }
        self.fill(holding, written).await?;
        Ok(holding.messages > 0)
    }

    /// Writes the messages of a folder.
    async fn fill(&mut self, holding: &Holding, written: &Written) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let own = shared.address.text(self.number);
        let number = self.number;
        let mut messages = (0..holding.messages).map(|nth| {
            let message = shared
                .options
                .prepared_message(number, holding.from + nth, &own);
            written.messages.set(written.messages.get() + 1);
            written.bytes.set(written.bytes.get() + message.len());
            message
        });
        let flags = format!("\\Seen {}", holding.keyword());
        let imap = self.imap().await?;
        imap.append(&holding.folder, &flags, &mut messages).await?;
        Ok(())
    }

    /// Whether these are exactly the prepared messages of the folder, unaltered.
    async fn are_intact(&mut self, holding: &Holding, uids: &[u32]) -> Result<bool, Fault> {
        let run = self.shared.options.prepared_run();
        let new = || Checker::new(run, Section::Text);
        let mut checker = new();
        let mut numbers = Vec::new();
        let mut on = |fetched: Fetched<'_>| match fetched {
            Fetched::Piece(piece) => checker.whole(piece.bytes),
            Fetched::Message(_) => {
                let found = std::mem::replace(&mut checker, new()).finish();
                let stamp = found.stamp.filter(|_| found.verdict == Verdict::Intact);
                numbers.extend(stamp.map(|stamp| (stamp.sender, stamp.sequence)));
            }
        };
        let uids: Uids = uids.iter().copied().collect();
        let imap = self.imap().await?;
        let fetched = imap.fetch(&uids, What::Whole, &mut on).await;
        match fetched {
            Err(fault) if fault.kind == FaultKind::Refused && !fault.ends_session => {
                return Ok(false); // the server cannot read its own messages
            }
            fetched => fetched?,
        };
        numbers.sort_unstable();
        let wanted = (0..holding.messages).map(|nth| (self.number, holding.from + nth));
        Ok(numbers.into_iter().eq(wanted))
    }

    /// Removes all messages from a folder. Returns how many there were.
    pub(super) async fn clear(&mut self, folder: &str) -> Result<u32, Fault> {
        self.select_anew(folder).await?;
        let imap = self.imap().await?;
        let exists = imap.exists();
        if exists > 0 {
            let all = Uids::all();
            imap.store(&all, Change::Add, "\\Deleted", true).await?;
            imap.expunge(None).await?;
        }
        Ok(exists)
    }
}
