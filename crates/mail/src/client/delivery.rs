//! Delivery time: a user sends themselves a message and waits until it arrives.

use headcount_load::{Fault, FaultKind, User};

use super::session::{INBOX, MailSession};
use crate::imap::{Capability, Uids};
use crate::message::Part;
use crate::smtp::all_accepted;
use crate::task::Task;

/// Bytes of the message's text: the smallest that users send.
const TEXT_BYTES: u32 = 1024;
/// The polling interval for servers without IDLE, in s.
const POLL_S: f64 = 1.0;

impl MailSession {
    /// Sends the message, waits until it arrives, and removes it. The delivery is timed from when
    /// the server accepted the message until it was found.
    pub(super) async fn probe(
        &mut self,
        within_s: f64,
        poll_s: Option<f64>,
        user: &User,
    ) -> Result<(), Fault> {
        self.select(INBOX).await?;
        let own = [self.shared.address.text(self.number)];
        let message = self.compose("Headcount", &own, &[Part::text(TEXT_BYTES)]);
        let to_self = [Some(self.id)];
        let outcomes = self.post_noted(&[&own[0]], &to_self, &message).await?;
        all_accepted(&[&own[0]], &outcomes)?;
        let accepted_ns = self.stopwatch.now_ns();
        self.hang_up().await; // it must not take up a place at the server meanwhile
        let last_ns = accepted_ns + (within_s * 1e9) as u64;
        let id = message.stamp().message_id();
        let found = self.wait_for(&id, last_ns, poll_s, user).await;
        let found = found.and_then(|found| {
            found.ok_or_else(|| {
                let (name, number) = (&own[0], message.stamp().sequence);
                let sentence = format!(
                    "message {number} of {name} to themselves was accepted but is not in the inbox \
                     {within_s} s later"
                );
                Fault::step(FaultKind::Timeout, sentence)
            })
        });
        Task::Delivery.note(&self.stopwatch, accepted_ns, &found);
        let found = found?;
        if let Some(uid) = found.iter().next() {
            self.account_for(message.stamp(), uid)?;
        }
        self.remove(&found).await
    }

    async fn wait_for(
        &mut self,
        id: &str,
        last_ns: u64,
        poll_s: Option<f64>,
        user: &User,
    ) -> Result<Option<Uids>, Fault> {
        loop {
            let imap = self.imap().await?;
            imap.noop().await?;
            let exists = imap.exists();
            let idles = poll_s.is_none() && imap.offers(Capability::Idle);
            let from_uid = self
                .shared
                .memory
                .with(self.id, |known| known.next_uid.max(1));
            if exists > 0
                && let Some(found) = self.find(from_uid, id).await?
            {
                return Ok(Some(found));
            }
            let now_ns = user.now_ns();
            if now_ns >= last_ns {
                return Ok(None);
            }
            let imap = self.imap().await?;
            if imap.exists() > exists {
                continue; // mail arrived during the search
            }
            if idles {
                imap.idle(last_ns, user).await?;
            } else {
                let pause_ns = (poll_s.unwrap_or(POLL_S) * 1e9) as u64;
                user.sleep_until(last_ns.min(now_ns + pause_ns)).await;
            }
        }
    }
}
