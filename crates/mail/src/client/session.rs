//! One user: the connection for reading, and at times one for sending.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, Stopwatch, User};

use super::Shared;
use crate::imap::{Imap, Uids};
use crate::smtp::Smtp;

pub(crate) use crate::imap::folders::INBOX;

/// One user.
#[derive(Debug)]
pub struct MailSession {
    pub(super) shared: Arc<Shared>,
    pub(super) stopwatch: Stopwatch,
    /// The user's number in the run, from 0.
    pub(super) id: u32,
    /// The user's number in names.
    pub(super) number: u32,
    /// `None` after a logout.
    pub(super) imap: Option<Imap>,
    pub(super) smtp: Option<Box<Smtp>>,
    /// The folder that is selected.
    pub(super) folder: Option<Box<str>>,
    /// Messages in the inbox when it was last searched for new ones, less those removed since.
    pub(super) looked_at: Option<u32>,
    /// When the last look at the inbox began, on the engine's clock; `None` if it may have missed
    /// mail, because the server refused a command.
    pub(super) looked_from_ns: Option<u64>,
    /// The UID of the current message in the selected folder.
    pub(super) current: Option<u32>,
    /// The UID of the newest message that the last search found there.
    pub(super) found: Option<u32>,
    /// The UID of the message whose contents were read last there.
    pub(super) read: Option<u32>,
    /// The sequence number of the first message on the last page.
    pub(super) page_from: Option<u32>,
    /// The sequence number of the last message that was read in order.
    pub(super) reading: Option<u32>,
    /// Bytes moved in the current step.
    pub(super) moved: Moved,
    /// Those of them that the step announced in advance.
    pub(super) announced: u64,
}

impl MailSession {
    /// Connects and logs on.
    pub(super) async fn open(shared: &Arc<Shared>, user: &mut User) -> Result<Self, Fault> {
        let number = shared.number(user.id());
        user.scope().renumber(number);
        if user.scope().needs_identity() {
            user.scope().identify(Some(shared.identity(number)));
        }
        let mut session = Self {
            shared: Arc::clone(shared),
            stopwatch: user.stopwatch(),
            id: user.id(),
            number,
            imap: None,
            smtp: None,
            folder: None,
            looked_at: None,
            looked_from_ns: None,
            current: None,
            found: None,
            read: None,
            page_from: None,
            reading: None,
            moved: Moved::default(),
            announced: 0,
        };
        session.imap().await?;
        Ok(session)
    }

    /// The connection for reading. Logs on if there is none.
    pub(super) async fn imap(&mut self) -> Result<&mut Imap, Fault> {
        if self.imap.is_none() {
            self.imap = Some(Box::pin(self.log_on()).await?);
        }
        self.imap.as_mut().ok_or_else(gone)
    }

    async fn log_on(&self) -> Result<Imap, Fault> {
        let shared = &*self.shared;
        let mut imap = Imap::connect(&shared.imap, self.stopwatch.clone()).await?;
        let name = shared.user.text(self.number);
        imap.login(
            &name,
            shared.password(self.number),
            shared.options.authentication,
        )
        .await
        .map_err(|fault| Fault {
            message: format!("user {name}: {}", fault.message).into(),
            ..fault
        })?;
        Ok(imap)
    }

    /// Selects a folder, unless it is selected already.
    pub(super) async fn select(&mut self, folder: &str) -> Result<(), Fault> {
        if self.imap.is_some() && self.folder.as_deref() == Some(folder) {
            return Ok(());
        }
        self.select_anew(folder).await
    }

    /// Selects a folder, even if it is selected already.
    pub(super) async fn select_anew(&mut self, folder: &str) -> Result<(), Fault> {
        (self.folder, self.current, self.read) = (None, None, None);
        (self.page_from, self.reading, self.found) = (None, None, None);
        let selected = self.imap().await?.select(folder).await?;
        self.folder = Some(folder.into());
        if folder == INBOX {
            let is_new = self.shared.memory.with(self.id, |known| {
                if known.uid_validity != selected.uid_validity {
                    (known.uid_validity, known.next_uid) = (selected.uid_validity, 1);
                }
                // Without UIDNEXT, any mail may be new (RFC 3501, 6.3.1).
                selected.uid_next == 0 || selected.uid_next > known.next_uid
            });
            // Mail that arrived before the selection counts as new, too.
            self.looked_at = (!is_new).then_some(selected.exists);
        }
        Ok(())
    }

    /// Fails unless the mailbox has Headcount's marker: only then may a step delete mail that was
    /// not made in this run.
    pub(super) async fn claim(&mut self) -> Result<(), Fault> {
        let known = self.shared.memory.with(self.id, |known| known.is_ours);
        let is_ours = if let Some(is_ours) = known {
            is_ours
        } else {
            let shared = Arc::clone(&self.shared);
            let marker = &*shared.options.folders.marker;
            let is_ours = match self.imap().await?.status(marker).await {
                Ok(status) => status.messages > 0,
                Err(fault) if fault.kind == FaultKind::Refused && !fault.ends_session => false,
                Err(fault) => return Err(fault),
            };
            shared
                .memory
                .with(self.id, |known| known.is_ours = Some(is_ours));
            is_ours
        };
        if is_ours {
            return Ok(());
        }
        let name = self.shared.user.text(self.number);
        Err(Fault::step(
            FaultKind::Refused,
            format!(
                "the mailbox of {name} lacks Headcount's marker, so nothing in it is deleted: \
                 prepare it first"
            ),
        ))
    }

    /// The UID of the current message in the folder, or of a random one.
    pub(super) async fn some_message(&mut self, user: &mut User) -> Result<u32, Fault> {
        if let Some(uid) = self.current {
            return Ok(uid);
        }
        let exists = self.imap().await?.exists();
        if exists == 0 {
            let folder = self.folder.as_deref().unwrap_or("no folder");
            let sentence = format!("there is no message in {folder}");
            return Err(Fault::step(FaultKind::Refused, sentence));
        }
        let number = 1 + user.stream().below(u64::from(exists)) as u32;
        let uid = self.uid_of(number).await?;
        self.current = Some(uid);
        Ok(uid)
    }

    /// The same, for a message that is about to leave the folder: its arrival is noted first.
    pub(super) async fn some_message_to_take(&mut self, user: &mut User) -> Result<u32, Fault> {
        let uid = self.some_message(user).await?;
        if self.folder.as_deref() == Some(INBOX) && self.read != Some(uid) {
            let header = self.header_of(uid).await?;
            if let Some(stamp) = self.check_header(&header)? {
                self.account_for(&stamp, uid)?;
            }
        }
        Ok(uid)
    }

    /// The UID of the message with this sequence number.
    pub(super) async fn uid_of(&mut self, number: u32) -> Result<u32, Fault> {
        let uids = self.uids_of(number, number).await?;
        uids.first().copied().ok_or_else(|| {
            let sentence = format!("message {number} of the folder is gone");
            Fault::step(FaultKind::Refused, sentence)
        })
    }

    /// The UIDs of the messages with these sequence numbers.
    pub(super) async fn uids_of(&mut self, first: u32, last: u32) -> Result<Vec<u32>, Fault> {
        let key = if first == last {
            first.to_string()
        } else {
            format!("{first}:{last}")
        };
        self.imap().await?.search(&key).await
    }

    /// Announces that the current step moves this many bytes more.
    pub(super) fn announce(&mut self, bytes: u64, user: &User) {
        self.announced += bytes;
        user.expect_bytes(bytes);
    }

    /// Notes that this session removed `count` messages from the selected folder.
    pub(super) fn took_out(&mut self, count: u32) {
        if self.folder.as_deref() == Some(INBOX) {
            self.looked_at = self.looked_at.map(|seen| seen.saturating_sub(count));
        }
    }

    /// Moves messages to the folder of deleted messages.
    pub(super) async fn trash(&mut self, uids: &Uids) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let trash = &*shared.options.folders.trash;
        self.imap().await?.move_to(uids, trash).await?;
        self.took_out(uids.count() as u32);
        Ok(())
    }

    /// The name of the user's own folder with this number.
    pub(super) fn own_folder(number: u32) -> String {
        format!("f{number:02}")
    }
}

pub(super) fn gone() -> Fault {
    Fault::session(FaultKind::Disconnected, "there is no connection")
}
