//! Composes and sends messages.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};

use super::Shared;
use super::session::MailSession;
use crate::day::{Draft, Reason};
use crate::imap::Uids;
use crate::message::{Body, Kind, Message, Part, Stamp};
use crate::options::SendOptions;
use crate::profile::{Addressee, Attachment, MixRow, People, mix};
use crate::smtp::{Credentials, Outcome, Smtp, all_accepted};
use crate::task::Task;

/// What a step asks of a new message, beyond the profile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) recipients: Option<u32>,
    pub(super) bytes: Option<u32>,
    pub(super) attached_bytes: u32,
    pub(super) invitation: bool,
}

impl MixRow {
    /// The parts of a message of this row.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = vec![Part::text(self.text_bytes)];
        if self.attached_bytes > 0 {
            let kind = match self.attached {
                Attachment::Text => Kind::TextFile,
                Attachment::Excel => Kind::Spreadsheet,
                Attachment::Word => Kind::Document,
                Attachment::Bitmap => Kind::Bitmap,
                Attachment::Binary => Kind::Archive,
            };
            parts.push(Part::new(kind, self.attached_bytes));
        }
        parts
    }
}

impl Shared {
    /// The address of a recipient.
    fn address_of(&self, addressee: Addressee) -> String {
        match addressee {
            Addressee::User(id) => self.address.text(self.number(id)),
            Addressee::Elsewhere {
                destination,
                number,
            } => {
                let name = self.user.text(number);
                let name = name.split('@').next().unwrap_or(&name);
                let domain = &self.options.profile.destinations[destination].domain;
                format!("{name}@{domain}")
            }
        }
    }
}

impl MailSession {
    /// Sends a new message, as the profile and the step say.
    pub(super) async fn send_new(&mut self, asked: &Asked, user: &mut User) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let profile = &shared.options.profile;
        let people = People {
            own: user.id(),
            population: user.population(),
        };
        let drawn = profile.draw_count(user.stream());
        let count = asked.recipients.unwrap_or(drawn);
        let mut to = Vec::new();
        profile.draw_recipients(people, count, &mut to, user.stream());
        let row = mix::draw(&profile.mix, user.stream());
        let row = asked.bytes.map_or(row, |text_bytes| MixRow {
            text_bytes,
            attached_bytes: asked.attached_bytes,
            attached: Attachment::Binary,
            ..row
        });
        let parts = if asked.invitation {
            vec![
                Part::text(row.text_bytes.min(1024)),
                Part::new(Kind::Invitation, 0),
            ]
        } else {
            row.parts()
        };
        self.send_timed(Reason::New, &to, &parts, user).await
    }

    /// Sends a reply or another message that the user writes while processing the inbox.
    pub(super) async fn send_draft(&mut self, draft: &Draft, user: &User) -> Result<(), Fault> {
        let parts = draft.row.parts();
        self.send_timed(draft.reason, &draft.to, &parts, user).await
    }

    async fn send_timed(
        &mut self,
        reason: Reason,
        to: &[Addressee],
        parts: &[Part],
        user: &User,
    ) -> Result<(), Fault> {
        let began_ns = self.stopwatch.now_ns();
        let sent = self.send_and_keep(reason, to, parts, user).await;
        let task = match reason {
            Reason::New => Task::Send,
            Reason::Reply => Task::Reply,
            Reason::ReplyAll => Task::ReplyAll,
            Reason::Forward => Task::Forward,
        };
        task.note(&self.stopwatch, began_ns, &sent);
        sent
    }

    async fn send_and_keep(
        &mut self,
        reason: Reason,
        to: &[Addressee],
        parts: &[Part],
        user: &User,
    ) -> Result<(), Fault> {
        let subject = match reason {
            Reason::New => "Headcount",
            Reason::Reply | Reason::ReplyAll => "Re: Headcount",
            Reason::Forward => "Fwd: Headcount",
        };
        let addresses: Vec<String> = to.iter().map(|to| self.shared.address_of(*to)).collect();
        let message = self.compose(subject, &addresses, parts);
        self.announce(message.len(), user);
        let names: Vec<&str> = addresses.iter().map(String::as_str).collect();
        let ids = to.iter().map(|to| match to {
            Addressee::User(id) => Some(*id),
            Addressee::Elsewhere { .. } => None,
        });
        let ids: Vec<Option<u32>> = ids.collect();
        let outcomes = self.post_noted(&names, &ids, &message).await?;
        let all = all_accepted(&names, &outcomes);
        if self.shared.options.profile.save_sent {
            self.put(
                &self.shared.options.folders.sent.clone(),
                "\\Seen",
                &message,
            )
            .await?;
        }
        all
    }

    /// A new message of this user.
    pub(super) fn compose(&self, subject: &str, to: &[String], parts: &[Part]) -> Message {
        let shared = &*self.shared;
        let stamp = Stamp {
            run: shared.options.run,
            sender: self.number,
            sequence: shared.memory.next_sequence(self.id),
            sent_unix_us: headcount_load::clock::unix_us(),
        };
        let to: Vec<&str> = to.iter().map(String::as_str).collect();
        let from = shared.address.text(self.number);
        Message::new(stamp, &from, &to, subject, parts)
    }

    /// Sends a message, and notes in the ledger which users of the run must get it. Returns the
    /// outcome for each recipient.
    pub(super) async fn post_noted(
        &mut self,
        to: &[&str],
        ids: &[Option<u32>],
        message: &Message,
    ) -> Result<Vec<Outcome>, Fault> {
        let (sender, sequence) = (message.stamp().sender, message.stamp().sequence);
        let shared = Arc::clone(&self.shared);
        let ledger = &shared.ledger;
        let all: Vec<u32> = ids.iter().flatten().copied().collect();
        self.prepare_to_send().await?;
        ledger.posting(sender, sequence, &all);
        let sent = self.post(to, message).await;
        let accepted_ns = self.stopwatch.now_ns();
        let outcomes = match sent {
            Ok(outcomes) => outcomes,
            Err(fault) => {
                // After a lost connection, the server may still deliver it.
                if !fault.ends_session {
                    ledger.refused(sender, sequence, &all);
                }
                return Err(of_sending(fault));
            }
        };
        let of = |wanted: bool| -> Vec<u32> {
            let ended = ids.iter().zip(&outcomes);
            ended
                .filter(|(_, outcome)| (**outcome == Outcome::Accepted) == wanted)
                .filter_map(|(id, _)| *id)
                .collect()
        };
        ledger.posted(sender, sequence, &of(true), accepted_ns);
        ledger.refused(sender, sequence, &of(false));
        Ok(outcomes)
    }

    /// Connects to the server that mail is sent through, unless there is a connection.
    pub(super) async fn prepare_to_send(&mut self) -> Result<(), Fault> {
        if self.smtp.is_none() {
            let opened = Box::pin(self.connect_to_send()).await;
            self.smtp = Some(Box::new(opened.map_err(of_sending)?));
        }
        Ok(())
    }

    /// Sends a message. Returns the outcome for each recipient.
    pub(super) async fn post(
        &mut self,
        to: &[&str],
        message: &impl Body,
    ) -> Result<Vec<Outcome>, Fault> {
        let from = self.shared.address.text(self.number);
        let smtp = self.smtp.as_mut().ok_or_else(super::session::gone)?;
        let sent = smtp.send(&from, to, message).await;
        if let Err(fault) = &sent
            && fault.ends_session
        {
            self.smtp = None;
        }
        self.moved.written_bytes += message.len();
        sent
    }

    async fn connect_to_send(&self) -> Result<Smtp, Fault> {
        let Some((endpoint, sending)) = &self.shared.sending else {
            return Err(Fault::step(
                FaultKind::Refused,
                "the target has no server to send through: give it one (smtp or lmtp)",
            ));
        };
        let name = self.shared.user.text(self.number);
        let credentials = sending.authenticate.then(|| Credentials {
            user: &name,
            password: self.shared.password(self.number),
            mechanism: sending.mechanism,
        });
        Smtp::connect(
            endpoint,
            sending.language,
            &sending.client_name,
            credentials,
            self.stopwatch.clone(),
        )
        .await
    }

    /// Connects to the server that mail is sent through, and disconnects again.
    pub(super) async fn try_sending(&mut self) -> Result<(), Fault> {
        Box::pin(self.connect_to_send()).await?.quit().await;
        Ok(())
    }

    /// Closes the sending connection, unless the options keep it open.
    pub(super) async fn hang_up(&mut self) {
        let keeps = |(_, sending): &(_, SendOptions)| sending.keep_connection;
        if self.shared.sending.as_ref().is_some_and(keeps) {
            return;
        }
        if let Some(smtp) = self.smtp.take() {
            smtp.quit().await;
        }
    }

    /// Appends a message to a folder. Returns its UID there, if the server says it.
    pub(super) async fn put(
        &mut self,
        folder: &str,
        flags: &str,
        message: &Message,
    ) -> Result<Option<u32>, Fault> {
        let imap = self.imap().await?;
        let uid = imap
            .append(folder, flags, &mut std::iter::once(message))
            .await?;
        self.moved.written_bytes += message.len();
        Ok(uid)
    }

    /// The message with this Message-ID among those from `from_uid` on, if it is there.
    pub(super) async fn find(&mut self, from_uid: u32, id: &str) -> Result<Option<Uids>, Fault> {
        let key = format!("UID {from_uid}:* HEADER Message-ID \"{id}\"");
        let found = self.imap().await?.search(&key).await?;
        Ok(found.first().map(|uid| Uids::one(*uid)))
    }
}

/// Turns a fault of the sending connection into one of the step: the IMAP session stays usable.
pub(super) fn of_sending(fault: Fault) -> Fault {
    let Fault { kind, message, .. } = fault;
    Fault::step(kind, format!("sending: {message}"))
}
