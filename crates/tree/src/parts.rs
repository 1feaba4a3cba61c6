//! Parts of steps: opening, transfers and controls.

use headcount_load::User;
use serde::Deserialize;

use crate::block::UNIT_BYTES;
use crate::looks::Looks;
use crate::named::Named;
use crate::slot::check_slot;
use crate::text::Text;

/// The largest request of a read or write; servers may allow less.
const MOST_CHUNK_BYTES: u32 = 8 << 20;

/// Which share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// The share with the users' files.
    #[default]
    Data = 0,
    /// `IPC$`, which clients ask for services.
    Ipc = 1,
}

/// What is opened, and how.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The handle.
    #[serde(default)]
    pub slot: u8,
    /// What is opened.
    pub path: Named,
    /// What for.
    #[serde(default)]
    pub access: Access,
    /// What to do if it exists, or does not.
    #[serde(default)]
    pub how: How,
    /// Whether what is made is a folder. Groups of folders are folders anyway.
    #[serde(default)]
    pub folder: bool,
    /// The oplock or lease that the client asks for.
    #[serde(default)]
    pub oplock: OplockWish,
    /// Whether others may open it meanwhile.
    #[serde(default)]
    pub alone: bool,
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Reading.
    #[default]
    Read,
    /// Writing.
    Write,
    /// Both.
    ReadWrite,
    /// Both, renaming and deleting.
    All,
    /// Deleting and renaming.
    Delete,
    /// Asking about it.
    Attributes,
}

/// What to do if a name exists, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// It must exist.
    #[default]
    Open,
    /// It must not exist.
    Create,
    /// It is made if it does not exist.
    OpenOrCreate,
    /// It is emptied, or made.
    EmptyOrCreate,
    /// It is replaced, or made.
    ReplaceOrCreate,
    /// It must exist, and is emptied.
    Empty,
}

/// The oplock or lease that a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum OplockWish {
    /// Nothing.
    #[default]
    None,
    /// A shared oplock (level 2).
    Shared,
    /// An exclusive oplock.
    Exclusive,
    /// A batch oplock, which Windows clients ask for.
    Batch,
    /// A lease to read, write and keep the handle.
    Lease,
}

/// What is read or written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// The handle.
    #[serde(default)]
    pub slot: u8,
    /// Where it starts.
    #[serde(default)]
    pub from: From,
    /// How much, a multiple of 4,096. By default to the end of the file or, for a write, to the
    /// size that the data set gives the file.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Bytes of each request, as far as the server allows: a multiple of 4,096 up to 8 MiB.
    #[serde(default = "chunk_bytes")]
    pub chunk_bytes: u32,
    /// For a write to a path given by the workload: the text to write.
    #[serde(default)]
    pub text: Option<Text>,
    /// Of a read: its captures and checks.
    #[serde(skip)]
    pub looks: Looks,
}

/// Where a read or write starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum From {
    /// Where the last one ended.
    #[default]
    Next,
    /// At the start.
    Start,
    /// At a random unit of the file, chosen so that the whole transfer fits if possible.
    Random,
    /// At the end.
    End,
}

/// What a file system control asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The target of a path of a distributed file system; asked of `IPC$`.
    DfsReferral,
    /// The server's network interfaces; asked of `IPC$`.
    NetworkInterfaces,
    /// The object id of an open file.
    ObjectId,
}

impl Control {
    /// Whether it is asked of an open file.
    #[must_use]
    pub const fn is_about_file(self) -> bool {
        matches!(self, Self::ObjectId)
    }
}

/// What Windows clients read and write at a time over SMB 2.0; Office still does.
const fn chunk_bytes() -> u32 {
    64 << 10
}

impl Transfer {
    /// Where the transfer starts in a file whose last transfer ended at `position`: a multiple of
    /// the unit.
    pub fn start(&self, position: u64, end_of_file: u64, user: &mut User) -> u64 {
        let unit = u64::from(UNIT_BYTES);
        match self.from {
            From::Next => position,
            From::Start => 0,
            From::End => end_of_file / unit * unit,
            From::Random => {
                let room = end_of_file.saturating_sub(self.bytes.unwrap_or(unit));
                user.stream().below(room / unit + 1) * unit
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        check_slot(self.slot)?;
        let chunk = self.chunk_bytes;
        if chunk == 0 || chunk > MOST_CHUNK_BYTES || !chunk.is_multiple_of(UNIT_BYTES) {
            return Err(format!(
                "chunk_bytes must be a multiple of {UNIT_BYTES} up to {MOST_CHUNK_BYTES}; it is \
                 {chunk}"
            ));
        }
        if self.text.is_some() && self.bytes.is_some() {
            return Err("give text or bytes, not both: a text has its own length".into());
        }
        match self.bytes {
            Some(bytes) if bytes == 0 || !bytes.is_multiple_of(UNIT_BYTES.into()) => Err(format!(
                "bytes must be a multiple of {UNIT_BYTES} above 0, or absent for all; it is {bytes}"
            )),
            _ => Ok(()),
        }
    }
}
