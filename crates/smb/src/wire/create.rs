//! CREATE and CLOSE (MS-SMB2 2.2.13 to 2.2.16).

use super::context::{self, Durable};
use super::fields::{Put, bytes, u16_at, u32_at, u64_at, utf16_bytes};
use super::{FileId, part};

/// What a handle may be used for (MS-SMB2 2.2.13.1).
pub mod access {
    /// Reading data, attributes and security.
    pub const READ: u32 = 0x0012_0089;
    /// Writing data and attributes.
    pub const WRITE: u32 = 0x0012_0116;
    /// Deleting and renaming.
    pub const DELETE: u32 = 0x0001_0000;
    /// Reading attributes only, which never causes a sharing violation.
    pub const READ_ATTRIBUTES: u32 = 0x0010_0080;
    /// Reading owner, group and access list.
    pub const READ_SECURITY: u32 = 0x0002_0000;
}

/// The share mode that lets others read, write and delete (MS-SMB2 2.2.13).
pub const SHARE_ALL: u32 = 7;
/// The option that it must be a folder.
pub const DIRECTORY: u32 = 0x0000_0001;
/// The option to delete it when it is closed.
pub const DELETE_ON_CLOSE: u32 = 0x0000_1000;
/// The option that it must not be a folder.
pub const NOT_DIRECTORY: u32 = 0x0000_0040;

/// What to do when the name exists, and when it does not (MS-SMB2 2.2.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Disposition {
    /// Replace it, or create it.
    Supersede = 0,
    /// It must exist.
    Open = 1,
    /// It must not exist.
    Create = 2,
    /// Open it, or create it.
    OpenIf = 3,
    /// It must exist; empty it.
    Overwrite = 4,
    /// Empty it, or create it.
    OverwriteIf = 5,
}

/// What the client may cache until the server breaks it (MS-SMB2 2.2.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oplock {
    /// Nothing.
    None,
    /// An oplock of this level: 1 shared, 8 exclusive, 9 batch.
    Level(u8),
    /// A lease for reads, writes and the handle, with a random key (MS-SMB2 2.2.13.2.8).
    Lease([u8; 16]),
}

impl Oplock {
    /// The oplock with which a client may keep a file open that its user has closed.
    pub const BATCH: Self = Self::Level(9);
}

const LEASE: u8 = 0xFF;
/// Where the body has the offset and length of its contexts.
const CONTEXTS_AT: usize = 48;

/// A CREATE request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The path below the share, with backslashes; empty for the share's root.
    pub path: &'a str,
    /// One or more of [`access`].
    pub access: u32,
    /// What others may do meanwhile.
    pub share: u32,
    /// What to do when it exists or not.
    pub disposition: Disposition,
    /// [`DIRECTORY`] or [`NOT_DIRECTORY`], or neither; [`DELETE_ON_CLOSE`].
    pub options: u32,
    /// The oplock or lease requested.
    pub oplock: Oplock,
    /// The durable handle to request or to reclaim.
    pub durable: Option<Durable>,
}

impl<'a> Request<'a> {
    /// A request without an oplock, and with [`SHARE_ALL`].
    #[must_use]
    pub const fn plain(path: &'a str, access: u32, disposition: Disposition) -> Self {
        Self {
            path,
            access,
            share: SHARE_ALL,
            disposition,
            options: 0,
            oplock: Oplock::None,
            durable: None,
        }
    }

    /// Appends the body.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let name_bytes = utf16_bytes(self.path);
        let level = match self.oplock {
            Oplock::None => 0,
            Oplock::Level(level) => level,
            Oplock::Lease(_) => LEASE,
        };
        out.put_u16(57);
        out.put_u8(0);
        out.put_u8(level);
        out.put_u32(2); // impersonation: the usual level
        out.put_u64(0);
        out.put_u64(0);
        out.put_u32(self.access);
        out.put_u32(if self.options & DIRECTORY == 0 {
            0x80
        } else {
            0x10
        });
        out.put_u32(self.share);
        out.put_u32(self.disposition as u32);
        out.put_u32(self.options);
        out.put_u16(64 + 56);
        out.put_u16(name_bytes as u16);
        out.put_u64(0); // no contexts yet
        out.put_utf16(self.path);
        if name_bytes == 0 {
            out.put_u8(0); // the variable part has at least one byte
        }
        let lease = match self.oplock {
            Oplock::Lease(key) => Some(key),
            _ => None,
        };
        if lease.is_some() || self.durable.is_some() {
            let body_bytes = out.len() - start;
            out.put_zeros(body_bytes.next_multiple_of(8) - body_bytes);
            let at = out.len();
            context::encode(out, lease, self.durable);
            let place = [(64 + at - start) as u32, (out.len() - at) as u32];
            let said = &mut out[start + CONTEXTS_AT..][..8];
            said.copy_from_slice(&place.map(u32::to_le_bytes).concat());
        }
    }
}

/// The response: what was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// The handle.
    pub file: FileId,
    /// Bytes of the file.
    pub end_of_file: u64,
    /// Attributes (MS-FSCC 2.6): 0x10 is a folder.
    pub attributes: u32,
    /// The oplock granted: 0 none, 0xFF a lease.
    pub oplock: u8,
    /// Whether the handle outlives its connection.
    pub is_durable: bool,
}

impl Opened {
    /// Reads the body.
    #[must_use]
    pub fn parse(body: &[u8]) -> Option<Self> {
        if u16_at(body, 0)? != 89 {
            return None;
        }
        let contexts = u32_at(body, 80).zip(u32_at(body, 84));
        let contexts = contexts.and_then(|(at, length)| part(body, at as usize, length as usize));
        Some(Self {
            file: bytes(body, 64)?,
            end_of_file: u64_at(body, 48)?,
            attributes: u32_at(body, 56)?,
            oplock: *body.get(2)?,
            is_durable: contexts.is_some_and(context::grants_durable),
        })
    }
}

/// Appends the body of CLOSE, without a request for attributes.
pub fn encode_close(out: &mut Vec<u8>, file: &FileId) {
    out.put_u16(24);
    out.put_u16(0);
    out.put_u32(0);
    out.put(file);
}
