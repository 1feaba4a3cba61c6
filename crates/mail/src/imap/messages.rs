//! Messages in the selected mailbox: searches, fetches, flags, moves and removes them.

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

/// What to fetch of messages. Nothing here marks them as read.
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

/// What arrives of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetched<'a> {
    /// The next bytes of a section.
    Piece(Piece<'a>),
    /// Its other items, after its sections.
    Message(Known<'a>),
}

/// Bytes of a section of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The message's number in the folder.
    pub number: u32,
    /// Its UID, if the server has sent it by now; most send it first.
    pub uid: Option<u32>,
    /// The section.
    pub section: Section,
    /// The bytes. An empty section has one piece without bytes.
    pub bytes: &'a [u8],
    /// The offset of these bytes in the section.
    pub at: u64,
    /// The length of the section.
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
    /// Searches the mailbox: `key` is what follows `UID SEARCH`, such as `UNSEEN`. Returns UIDs.
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

    /// Fetches `what` of messages and passes it to `on` as it arrives, without buffering. `on` also
    /// gets what the server says about other messages meanwhile. Returns the bytes of all sections.
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
                with_section(text, &mut |number, uid, section| {
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
                total += pass_answer(text, on)?;
                Ok(())
            }
            Heard::Answer(..) => Ok(()),
        })
        .await?;
        Ok(total)
    }

    /// Changes a flag such as `\Seen`, or several separated by spaces. If `silent`, the server does
    /// not answer with the new flags.
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

    /// Moves messages to another mailbox: with MOVE if it is offered, otherwise with the commands
    /// it replaces (RFC 6851, 3.3), each of which is timed separately.
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

    /// Removes those of these messages that are flagged `\Deleted`. Removes all that are so flagged
    /// if `uids` is `None` or the server does not offer UIDPLUS (RFC 4315).
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

    /// Sends NOOP, to learn what is new.
    pub async fn noop(&mut self) -> Result<(), Fault> {
        self.simple(Task::Noop, &mut |line| {
            line.raw("NOOP");
        })
        .await
    }

    /// Sends CHECK: the server writes the mailbox to disk (RFC 3501, 6.4.1). Not in IMAP4rev2.
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

/// Calls `each` with message and section of the contents that follow this text.
fn with_section(
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

/// Passes a complete FETCH answer to `on`. Returns the bytes of the sections inside it.
fn pass_answer(text: &[u8], on: &mut dyn FnMut(Fetched<'_>)) -> Result<u64, &'static str> {
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
