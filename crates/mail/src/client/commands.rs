//! Steps that are one command, or a few.

use headcount_load::{Fault, User};

use super::session::{INBOX, MailSession};
use super::step::{Section, Step, Which};
use crate::imap::{Capability, Change, Fetched, Uids, What};
use crate::message::Body;
use crate::profile::{MixRow, mix};

impl MailSession {
    /// Plays a step that is a command.
    pub(super) async fn command(&mut self, step: &Step, user: &mut User) -> Result<(), Fault> {
        match step {
            Step::LoginSequence {} => self.login_sequence().await,
            Step::Select { folder } => self.select_anew(folder).await,
            Step::List { pattern } => self.imap().await?.list("", pattern).await.map(|_| ()),
            Step::Fetch {
                what,
                messages,
                which,
            } => self.fetch_some(*what, *messages, *which, user).await,
            Step::Search { key } => {
                self.select_any().await?;
                let found = self.imap().await?.search(key).await?;
                self.found = found.into_iter().max();
                Ok(())
            }
            Step::Append { folder, bytes } => self.add(folder, *bytes, user).await,
            Step::Move {} => self.file_some(true, user).await,
            Step::Copy {} => self.file_some(false, user).await,
            Step::Flag { flag } => self.flag(flag, user).await,
            Step::Delete {} => {
                self.select_any().await?;
                let uid = self.some_message_to_take(user).await?;
                self.delete(uid).await
            }
            Step::Expunge {} => self.expunge().await,
            Step::Idle {
                lasting,
                until_mail,
            } => {
                self.select_any().await?;
                let until_ns = user.now_ns() + lasting.draw_ns(user.stream());
                self.idle(until_ns, *until_mail, user).await
            }
            Step::Noop {} => self.imap().await?.noop().await,
            Step::Status { folder } => self.imap().await?.status(folder).await.map(|_| ()),
            Step::Quota {} => {
                let imap = self.imap().await?;
                // Mail programs do not send GETQUOTAROOT to servers without QUOTA (RFC 9208, 4).
                if imap.offers(Capability::Quota) {
                    imap.quota_root(INBOX).await.map(|_| ())
                } else {
                    imap.noop().await
                }
            }
            Step::Check {} => {
                self.select_any().await?;
                self.imap().await?.check().await
            }
            Step::Unselect {} => {
                self.select_any().await?;
                self.folder = None;
                self.imap().await?.unselect().await
            }
            Step::Logout {} => {
                self.folder = None;
                match self.imap.take() {
                    Some(imap) => imap.logout().await,
                    None => Ok(()),
                }
            }
            // Other steps are played elsewhere.
            _ => Ok(()),
        }
    }

    /// Moves or copies a message to a random folder: the current message, or a random one.
    async fn file_some(&mut self, moves: bool, user: &mut User) -> Result<(), Fault> {
        self.select_any().await?;
        let uid = if moves {
            self.claim().await?;
            self.some_message_to_take(user).await?
        } else {
            self.some_message(user).await?
        };
        let folders = self.shared.options.profile.start.folders.max(1);
        let folder = user.stream().below(u64::from(folders)) as u32;
        if moves {
            self.file(uid, folder).await
        } else {
            self.file_copy(uid, folder).await
        }
    }

    /// Removes the messages flagged as deleted.
    async fn expunge(&mut self) -> Result<(), Fault> {
        self.select_any().await?;
        self.claim().await?;
        self.imap().await?.expunge(None).await?;
        // As many may have arrived as have gone: the next look must search.
        self.looked_at = None;
        self.current = None;
        Ok(())
    }

    /// Selects the inbox, unless a folder is selected.
    async fn select_any(&mut self) -> Result<(), Fault> {
        if self.imap.is_some() && self.folder.is_some() {
            return Ok(());
        }
        self.select_anew(INBOX).await
    }

    async fn login_sequence(&mut self) -> Result<(), Fault> {
        // Servers refuse ENABLE once a mailbox is selected (RFC 9051, 6.3.1).
        let enables = self.shared.options.rev2 && self.folder.is_none();
        let imap = self.imap().await?;
        if enables {
            imap.enable_rev2().await?;
        }
        if imap.offers(Capability::Namespace) {
            imap.namespace().await?;
        }
        imap.list("", "*").await?;
        self.select_anew(INBOX).await?;
        let imap = self.imap().await?;
        if imap.exists() == 0 {
            return Ok(());
        }
        imap.fetch(&Uids::all(), What::Flags, &mut |_| {})
            .await
            .map(|_| ())
    }

    async fn fetch_some(
        &mut self,
        what: Section,
        messages: u32,
        which: Which,
        user: &mut User,
    ) -> Result<(), Fault> {
        self.select_any().await?;
        let exists = self.imap().await?.exists();
        if exists == 0 {
            return Ok(()); // an empty folder is not a fault
        }
        let messages = messages.min(exists);
        let first = match which {
            Which::Last => exists - messages + 1,
            Which::Random => {
                let places = u64::from(exists - messages) + 1;
                1 + user.stream().below(places) as u32
            }
        };
        let uids = self.uids_of(first, first + messages - 1).await?;
        self.current = uids.last().copied();
        let what = match what {
            Section::Flags => What::Flags,
            Section::Envelope => What::Envelope,
            Section::Headers => What::Header,
            Section::Body => What::Text,
            Section::Whole => What::Whole,
        };
        self.fetch_all(&uids.into_iter().collect(), what).await
    }

    /// Fetches messages and counts the bytes.
    pub(super) async fn fetch_all(&mut self, uids: &Uids, what: What<'_>) -> Result<(), Fault> {
        let mut bytes = 0;
        let mut on = |fetched: Fetched<'_>| match fetched {
            Fetched::Piece(piece) => bytes += piece.bytes.len() as u64,
            Fetched::Message(known) => {
                bytes += known.envelope.map_or(0, |envelope| envelope.len() as u64);
            }
        };
        self.imap().await?.fetch(uids, what, &mut on).await?;
        self.moved.read_bytes += bytes;
        Ok(())
    }

    /// Appends a new message of the user to a folder.
    pub(super) async fn add(
        &mut self,
        folder: &str,
        bytes: Option<u32>,
        user: &mut User,
    ) -> Result<(), Fault> {
        let row = mix::draw(&self.shared.options.profile.mix, user.stream());
        let row = bytes.map_or(row, MixRow::text);
        let own = [self.shared.address.text(self.number)];
        let message = self.compose("Headcount", &own, &row.parts());
        self.announce(message.len(), user);
        self.put(folder, "\\Seen", &message).await.map(|_| ())
    }

    /// Sets a flag of the current message, or of a random one.
    pub(super) async fn flag(&mut self, flag: &str, user: &mut User) -> Result<(), Fault> {
        self.select_any().await?;
        let uids = Uids::one(self.some_message(user).await?);
        let imap = self.imap().await?;
        imap.store(&uids, Change::Add, flag, false).await
    }

    /// Idles until `until_ns`, or until new mail if `until_mail`. The wait counts towards no
    /// response time.
    async fn idle(&mut self, until_ns: u64, until_mail: bool, user: &User) -> Result<(), Fault> {
        while user.now_ns() < until_ns {
            let imap = self.imap().await?;
            let before = imap.exists();
            user.rest();
            let idled = imap.idle(until_ns, user).await;
            user.resume();
            idled?;
            if until_mail && imap.exists() > before {
                break;
            }
        }
        Ok(())
    }
}
