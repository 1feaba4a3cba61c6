//! Messages of the selected mailbox: finding, reading, marking, moving and removing them.

use headcount_load::Fault;

use super::capability::Capability;
use super::connection::{Imap, once};
use super::faults::refused;
use super::line::Line;
use super::session::Heard;
use super::uids::Uids;
use super::wire::answer::Answer;
use super::wire::fetch::{self, Known, Section};
use super::wire::found;
use crate::task::Task;

/// What is asked for of messages. Nothing marks them as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What<'a> {
    /// Flags.
    Flags,
    /// Flags and envelope, as lists of messages show them.
    Envelope,
    /// The whole header.
    Header,
    /// These fields of the header.
    HeaderFields(&'a [&'a str]),
    /// What follows the header.
    Text,
    /// The part with this number.
    Part(u32),
    /// All of it.
    Whole,
    /// The size.
    Size,
}

/// What comes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetched<'a> {
    /// The next bytes of a section.
    Piece(Piece<'a>),
    /// What else is known of it. Its sections have come before.
    Message(Known<'a>),
}

/// Bytes of a section of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The message's number in the folder.
    pub number: u32,
    /// Its UID, if the server has said it by now; most do so first.
    pub uid: Option<u32>,
    /// Which section.
    pub section: Section,
    /// The bytes. A section without any has one piece of none.
    pub bytes: &'a [u8],
    /// How many came before.
    pub at: u64,
    /// How many there will be.
    pub of: u64,
}

/// How flags change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Flags are added.
    Add,
    /// Flags are removed.
    Remove,
}

impl Imap {
    /// Searches the mailbox: `key` is what stands behind `UID SEARCH`, such as `UNSEEN`. Returns UIDs.
    pub async fn search(&mut self, key: &str) -> Result<Vec<u32>, Fault> {
        if key.contains(['\r', '\n']) {
            return Err(refused("SEARCH: the key has several lines"));
        }
        let mut uids = Vec::new();
        let mut compose = |line: &mut Line<'_>| {
            line.raw("UID SEARCH ").raw(key);
        };
        let mut fill = once(&mut compose);
        self.command(Task::Search, &mut fill, &mut |heard| match heard {
            Heard::Answer(Answer::Search(numbers), _) => found::read_search(*numbers, &mut uids),
            Heard::Answer(Answer::Esearch(numbers), _) => found::read_esearch(*numbers, &mut uids),
            _ => Ok(()),
        })
        .await?;
        Ok(uids)
    }

    /// Fetches this of messages, and tells `on` of it as it arrives: nothing is kept. Also told is what
    /// the server says of other messages meanwhile. Returns the bytes of sections.
    pub async fn fetch(
        &mut self,
        uids: &Uids,
        what: What<'_>,
        on: &mut dyn FnMut(Fetched<'_>),
    ) -> Result<u64, Fault> {
        if uids.is_empty() {
            return Ok(0);
        }
        let mut total = 0;
        let mut compose = |line: &mut Line<'_>| {
            line.raw("UID FETCH ").uids(uids).raw(" (");
            what.write(line);
            line.raw(")");
        };
        let mut fill = once(&mut compose);
        self.command(Task::Fetch, &mut fill, &mut |heard| match heard {
            Heard::Piece {
                text,
                bytes,
                at,
                of,
            } => {
                total += bytes.len() as u64;
                passing(text, &mut |number, uid, section| {
                    on(Fetched::Piece(Piece {
                        number,
                        uid,
                        section,
                        bytes,
                        at,
                        of,
                    }));
                })
            }
            Heard::Answer(Answer::Fetch(_), text) => {
                total += whole(text, on)?;
                Ok(())
            }
            Heard::Answer(..) => Ok(()),
        })
        .await?;
        Ok(total)
    }

    /// Changes flags, such as `\Seen`, or several with spaces between. Silent: the server does not
    /// answer with what they are then.
    pub async fn store(
        &mut self,
        uids: &Uids,
        change: Change,
        flags: &str,
        silent: bool,
    ) -> Result<(), Fault> {
        if uids.is_empty() {
            return Ok(());
        }
        self.simple(Task::Store, &mut |line| {
            line.raw("UID STORE ").uids(uids);
            line.raw(match change {
                Change::Add => " +FLAGS",
                Change::Remove => " -FLAGS",
            });
            line.raw(if silent { ".SILENT (" } else { " (" })
                .raw(flags)
                .raw(")");
        })
        .await
    }

    /// Copies messages to another mailbox.
    pub async fn copy(&mut self, uids: &Uids, folder: &str) -> Result<(), Fault> {
        if uids.is_empty() {
            return Ok(());
        }
        self.simple(Task::CopyMessages, &mut |line| {
            line.raw("UID COPY ").uids(uids).raw(" ").name(folder);
        })
        .await
    }

    /// Moves messages to another mailbox: with MOVE where it is offered, else with what it stands for
    /// (RFC 6851, 3.3), and then each of those commands is timed by itself.
    pub async fn move_to(&mut self, uids: &Uids, folder: &str) -> Result<(), Fault> {
        if uids.is_empty() {
            return Ok(());
        }
        if self.offers(Capability::Move) {
            return self
                .simple(Task::MoveMessages, &mut |line| {
                    line.raw("UID MOVE ").uids(uids).raw(" ").name(folder);
                })
                .await;
        }
        self.copy(uids, folder).await?;
        self.store(uids, Change::Add, "\\Deleted", true).await?;
        self.expunge(Some(uids)).await
    }

    /// Removes those of these messages that are marked `\Deleted`, or all that are: also where the
    /// server cannot remove some of them only (RFC 4315).
    pub async fn expunge(&mut self, uids: Option<&Uids>) -> Result<(), Fault> {
        let uids = uids.filter(|_| self.offers(Capability::UidPlus));
        self.simple(Task::Expunge, &mut |line| {
            match uids {
                Some(uids) => line.raw("UID EXPUNGE ").uids(uids),
                None => line.raw("EXPUNGE"),
            };
        })
        .await
    }

    /// Does nothing but hear what is new.
    pub async fn noop(&mut self) -> Result<(), Fault> {
        self.simple(Task::Noop, &mut |line| {
            line.raw("NOOP");
        })
        .await
    }

    /// Has the server write the mailbox to disk (RFC 3501, 6.4.1). IMAP4rev2 has no such command.
    pub async fn check(&mut self) -> Result<(), Fault> {
        self.simple(Task::Check, &mut |line| {
            line.raw("CHECK");
        })
        .await
    }
}

impl What<'_> {
    fn write(self, line: &mut Line<'_>) {
        match self {
            Self::Flags => line.raw("FLAGS"),
            Self::Envelope => line.raw("FLAGS ENVELOPE"),
            Self::Header => line.raw("BODY.PEEK[HEADER]"),
            Self::HeaderFields(fields) => {
                line.raw("BODY.PEEK[HEADER.FIELDS (");
                for (index, field) in fields.iter().enumerate() {
                    line.raw(if index > 0 { " " } else { "" }).raw(field);
                }
                line.raw(")]")
            }
            Self::Text => line.raw("BODY.PEEK[TEXT]"),
            Self::Part(number) => line.raw("BODY.PEEK[").number(number.into()).raw("]"),
            Self::Whole => line.raw("BODY.PEEK[]"),
            Self::Size => line.raw("RFC822.SIZE"),
        };
    }
}

/// Says to which section of which message contents belong that pass by behind this text.
fn passing(
    text: &[u8],
    each: &mut dyn FnMut(u32, Option<u32>, Section),
) -> Result<(), &'static str> {
    let mut last = None;
    fetch::read(text, &mut |known, section, _| {
        last = Some((known.number, known.uid, section));
    })?;
    let (number, uid, section) = last.ok_or("a section")?;
    each(number, uid, section);
    Ok(())
}

/// Tells of an answer about a message that has come whole. Returns the bytes of sections in it.
fn whole(text: &[u8], on: &mut dyn FnMut(Fetched<'_>)) -> Result<u64, &'static str> {
    let mut bytes_inside = 0;
    let known = fetch::read(text, &mut |known, section, inline| {
        if let Some(bytes) = inline {
            let of = bytes.len() as u64;
            bytes_inside += of;
            let (number, uid) = (known.number, known.uid);
            on(Fetched::Piece(Piece {
                number,
                uid,
                section,
                bytes: &bytes,
                at: 0,
                of,
            }));
        }
    })?;
    on(Fetched::Message(known));
    Ok(bytes_inside)
}
