//! Reads messages and checks that they are as they were sent.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};

use super::session::{INBOX, MailSession};
use crate::day::Letter;
use crate::imap::{Change, Fetched, Uids, What};
use crate::message::{Checked, Checker, Section, Stamp, Verdict};

/// Most bytes of a header that are kept; Headcount's own have a few hundred.
const HEADER_BYTES: usize = 64 << 10;

/// The result of reading a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read {
    /// Who sent it, if it is of this run and its header is intact.
    pub(super) stamp: Option<Stamp>,
    /// Whether something is attached.
    pub(super) is_attached: bool,
}

impl Read {
    pub(super) fn letter(&self, session: &MailSession, population: u32) -> Letter {
        let first = session.shared.options.first_user;
        let id = self.stamp.and_then(|stamp| stamp.sender.checked_sub(first));
        Letter {
            sender: id.filter(|id| *id < population),
            is_attached: self.is_attached,
        }
    }
}

impl MailSession {
    /// Reads a message as a person does: fetches header and text, without attachments, and sets the
    /// flag `\Seen`. Checks it if it is of this run or of the prepared mailbox.
    pub(super) async fn read_message(&mut self, uid: u32, user: &mut User) -> Result<Read, Fault> {
        let is_checked = user.stream().unit() < self.shared.options.verify;
        let header = match self.header_of(uid).await {
            Err(fault) if fault.kind == FaultKind::Refused && !fault.ends_session => {
                self.keep_as_new(uid);
                return Err(fault);
            }
            header => header?,
        };
        let is_attached = is_multipart(&header);
        let section = if is_attached {
            Section::Part(1)
        } else {
            Section::Text
        };
        let stamp = self.check_header(&header)?;
        // It has arrived, even if its contents are wrong.
        let accounted = match &stamp {
            Some(stamp) if self.folder.as_deref() == Some(INBOX) => self.account_for(stamp, uid),
            _ => Ok(()),
        };
        self.read_section(uid, &header, section, is_checked).await?;
        let seen = Uids::one(uid);
        let imap = self.imap().await?;
        imap.store(&seen, Change::Add, "\\Seen", true).await?;
        (self.current, self.read) = (Some(uid), Some(uid));
        accounted?;
        Ok(Read { stamp, is_attached })
    }

    /// Fetches an attachment of a message.
    pub(super) async fn load_part(
        &mut self,
        uid: u32,
        part: u32,
        user: &mut User,
    ) -> Result<(), Fault> {
        let is_checked = user.stream().unit() < self.shared.options.verify;
        // Only a checked attachment needs the header, which says what it must contain.
        let header = if is_checked {
            self.header_of(uid).await?
        } else {
            Vec::new()
        };
        self.read_section(uid, &header, Section::Part(part), is_checked)
            .await
    }

    /// The header of a message.
    pub(super) async fn header_of(&mut self, uid: u32) -> Result<Vec<u8>, Fault> {
        let mut header = Vec::new();
        let mut bytes = 0;
        let mut on = |fetched: Fetched<'_>| {
            if let Fetched::Piece(piece) = fetched {
                bytes += piece.bytes.len() as u64;
                let room = HEADER_BYTES - header.len();
                header.extend_from_slice(&piece.bytes[..piece.bytes.len().min(room)]);
            }
        };
        let imap = self.imap().await?;
        imap.fetch(&Uids::one(uid), What::Header, &mut on).await?;
        self.moved.read_bytes += bytes;
        if header.is_empty() {
            let sentence = format!("the message with UID {uid} is gone from the folder");
            return Err(Fault::step(FaultKind::WrongData, sentence));
        }
        Ok(header)
    }

    /// Who sent a message, if it is of this run. Fails if its header is not as it was sent.
    pub(super) fn check_header(&self, header: &[u8]) -> Result<Option<Stamp>, Fault> {
        let mut checker = self.checker(self.shared.options.run, Section::Header);
        checker.header(header);
        let found = checker.finish();
        self.judge(&found)?;
        Ok(found.stamp.filter(|_| found.verdict == Verdict::Intact))
    }

    /// Fetches a section and, if `is_checked`, compares it with what was sent.
    async fn read_section(
        &mut self,
        uid: u32,
        header: &[u8],
        section: Section,
        is_checked: bool,
    ) -> Result<(), Fault> {
        let what = match section {
            Section::Part(part) => What::Part(part),
            Section::Header | Section::Text => What::Text,
        };
        let mut checker = is_checked.then(|| {
            let mut checker = self.checker(self.run_of(header), section);
            checker.header(header);
            checker
        });
        let mut bytes = 0;
        let mut on = |fetched: Fetched<'_>| {
            if let Fetched::Piece(piece) = fetched {
                bytes += piece.bytes.len() as u64;
                if let Some(checker) = &mut checker {
                    checker.body(piece.bytes);
                }
            }
        };
        let imap = self.imap().await?;
        imap.fetch(&Uids::one(uid), what, &mut on).await?;
        self.moved.read_bytes += bytes;
        checker.map_or(Ok(()), |checker| self.judge(&checker.finish()))
    }

    /// A checker that allows what the gateway adds.
    fn checker(&self, run: u64, section: Section) -> Checker {
        Checker::allowing(run, section, Arc::clone(&self.shared.marks))
    }

    /// The run that a message belongs to: that of prepared mailboxes, or this one.
    fn run_of(&self, header: &[u8]) -> u64 {
        let mut checker = self.checker(self.shared.options.run, Section::Header);
        checker.header(header);
        let own = self.shared.options.prepared_run();
        match checker.finish().stamp {
            Some(stamp) if stamp.run == own => own,
            _ => self.shared.options.run,
        }
    }

    fn judge(&self, checked: &Checked) -> Result<(), Fault> {
        let Verdict::Altered { at } = checked.verdict else {
            return Ok(());
        };
        let name = self.shared.user.text(self.number);
        let from = checked.stamp.map_or_else(
            || "a message of this run".to_owned(),
            |stamp| {
                let sender = self.shared.user.text(stamp.sender);
                format!("message {} of {sender}", stamp.sequence)
            },
        );
        let hint = checked.added.as_ref();
        let hint = hint.map_or_else(String::new, |added| format!(" ({added})"));
        let sentence = format!("{from} to {name} was altered {at}{hint}");
        Err(Fault::step(FaultKind::WrongData, sentence))
    }
}

/// Whether a header says that the message has several parts (RFC 2045, 5).
fn is_multipart(header: &[u8]) -> bool {
    const FIELD: &[u8] = b"content-type:";
    let lines = header.split(|byte| *byte == b'\n');
    let mut types = lines.filter_map(|line| {
        let (name, value) = line.split_at_checked(FIELD.len())?;
        name.eq_ignore_ascii_case(FIELD)
            .then(|| value.trim_ascii_start())
    });
    types.next().is_some_and(|value| {
        value
            .get(..10)
            .is_some_and(|begins| begins.eq_ignore_ascii_case(b"multipart/"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipart_messages_are_recognised_by_their_header() {
        let is = |text: &str| is_multipart(text.as_bytes());
        assert!(is(
            "From: a\r\nContent-type:  Multipart/mixed; boundary=x\r\n\r\n"
        ));
        assert!(!is(
            "From: a\r\nContent-Type: text/plain; name=\"multipart/\"\r\n\r\n"
        ));
        assert!(!is("Subject: multipart/mixed\r\n\r\n") && !is(""));
    }
}
