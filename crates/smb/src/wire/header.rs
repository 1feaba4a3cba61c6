//! The frame of direct TCP (MS-SMB2 2.1) and the SMB2 header (2.2.1).

use super::fields::{Put, bytes, u16_at, u32_at, u64_at};
use super::status::Status;

/// Bytes before each message: zero and its length, 24 bits, big-endian.
pub const FRAME_BYTES: usize = 4;
/// Bytes of a header.
pub const HEADER_BYTES: usize = 64;
/// Where the signature stands in a header, and how long it is.
pub const SIGNATURE_AT: usize = 48;
/// Bytes of a signature.
pub const SIGNATURE_BYTES: usize = 16;
/// The message id of unsolicited messages from a server (MS-SMB2 2.2.23).
pub const UNASKED: u64 = u64::MAX;

/// The command of a message (MS-SMB2 2.2.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
#[allow(missing_docs, reason = "the names are those of MS-SMB2")]
pub enum Command {
    Negotiate = 0,
    SessionSetup = 1,
    Logoff = 2,
    TreeConnect = 3,
    TreeDisconnect = 4,
    Create = 5,
    Close = 6,
    Flush = 7,
    Read = 8,
    Write = 9,
    Lock = 10,
    Ioctl = 11,
    Echo = 13,
    QueryDirectory = 14,
    QueryInfo = 16,
    SetInfo = 17,
    OplockBreak = 18,
}

impl Command {
    /// The names of all commands of the protocol, by their number.
    pub const NAMES: [&'static str; 19] = [
        "NEGOTIATE",
        "SESSION_SETUP",
        "LOGOFF",
        "TREE_CONNECT",
        "TREE_DISCONNECT",
        "CREATE",
        "CLOSE",
        "FLUSH",
        "READ",
        "WRITE",
        "LOCK",
        "IOCTL",
        "CANCEL",
        "ECHO",
        "QUERY_DIRECTORY",
        "CHANGE_NOTIFY",
        "QUERY_INFO",
        "SET_INFO",
        "OPLOCK_BREAK",
    ];

    /// Its name as in the specification, for messages to people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

const PROTOCOL: [u8; 4] = [0xFE, b'S', b'M', b'B'];
const RESPONSE: u32 = 1;
const ASYNC: u32 = 2;
/// The flag of a message that is related to the one before it in its frame.
const RELATED: u32 = 4;
/// The flag of a signed message.
pub const SIGNED: u32 = 8;
/// Where a header has the offset of the next message in its frame.
const NEXT_AT: usize = 20;
/// Messages of one frame start at multiples of this (MS-SMB2 3.2.4.1.4).
const ALIGNMENT: usize = 8;

/// A request's header.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The command.
    pub command: Command,
    /// Credits it costs.
    pub charge: u16,
    /// Credits asked for.
    pub credits: u16,
    /// The message id.
    pub message: u64,
    /// The tree id of the share.
    pub tree: u32,
    /// The session id.
    pub session: u64,
    /// Whether it will be signed.
    pub is_signed: bool,
    /// Whether it is related to the request before it in the same frame.
    pub is_related: bool,
}

impl Request {
    /// Appends the header.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let signed = if self.is_signed { SIGNED } else { 0 };
        let related = if self.is_related { RELATED } else { 0 };
        out.put(&PROTOCOL);
        out.put_u16(HEADER_BYTES as u16);
        out.put_u16(self.charge);
        out.put_u32(0); // status
        out.put_u16(self.command as u16);
        out.put_u16(self.credits);
        out.put_u32(signed | related);
        out.put_u32(0); // next command: none, unless `link` sets it
        out.put_u64(self.message);
        out.put_u32(0); // reserved
        out.put_u32(self.tree);
        out.put_u64(self.session);
        out.put(&[0; SIGNATURE_BYTES]);
    }
}

/// Pads the message that starts at `at` and links it to the next one in the same frame.
pub fn link(out: &mut Vec<u8>, at: usize) {
    let next = (out.len() - at).next_multiple_of(ALIGNMENT);
    out.resize(at + next, 0);
    out[at + NEXT_AT..at + NEXT_AT + 4].copy_from_slice(&(next as u32).to_le_bytes());
}

/// A response's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: Status,
    /// The code of the command it answers.
    pub command: u16,
    /// Credits granted.
    pub credits: u16,
    /// The flags.
    pub flags: u32,
    /// The message id of the request it answers.
    pub message: u64,
    /// The tree id of the share; 0 in an asynchronous response.
    pub tree: u32,
    /// The session id.
    pub session: u64,
    /// The offset of the next message in the frame, from the start of this one; 0 if there is none.
    next: u32,
}

impl Response {
    /// Reads the header at the start of a message; `None` if it is not the header of a response.
    #[must_use]
    pub fn parse(message: &[u8]) -> Option<Self> {
        let flags = u32_at(message, 16)?;
        let is_response = bytes(message, 0)? == PROTOCOL
            && u16_at(message, 4)? == HEADER_BYTES as u16
            && flags & RESPONSE != 0;
        if !is_response || message.len() < HEADER_BYTES {
            return None;
        }
        Some(Self {
            status: Status(u32_at(message, 8)?),
            command: u16_at(message, 12)?,
            credits: u16_at(message, 14)?,
            flags,
            message: u64_at(message, 24)?,
            tree: if flags & ASYNC == 0 {
                u32_at(message, 36)?
            } else {
                0
            },
            session: u64_at(message, 40)?,
            next: u32_at(message, NEXT_AT)?,
        })
    }

    /// Bytes of this response, where `available` bytes are left in the frame; `None` if the offset
    /// of the next one is impossible (MS-SMB2 3.2.5.1.9).
    #[must_use]
    pub const fn bytes(&self, available: usize) -> Option<usize> {
        match self.next as usize {
            0 => Some(available),
            next if next < HEADER_BYTES || !next.is_multiple_of(ALIGNMENT) => None,
            next if next.saturating_add(HEADER_BYTES) > available => None,
            next => Some(next),
        }
    }

    /// Whether it is related to the response before it in the same frame.
    #[must_use]
    pub const fn is_related(&self) -> bool {
        self.flags & RELATED != 0
    }

    /// Whether it only says that the final response comes later (MS-SMB2 3.2.5.1.5).
    #[must_use]
    pub fn is_interim(&self) -> bool {
        self.status == Status::PENDING && self.flags & ASYNC != 0
    }

    /// Whether it is signed.
    #[must_use]
    pub const fn is_signed(&self) -> bool {
        self.flags & SIGNED != 0
    }
}

/// Bytes of the frame at the start of `received`, prefix included; `None` if the prefix is
/// incomplete, an error if it is not a prefix (MS-SMB2 2.1: the first byte must be zero).
pub fn frame_bytes(received: &[u8]) -> Result<Option<usize>, NotAFrame> {
    match received {
        [0, high, middle, low, ..] => {
            let length = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
            Ok(Some(FRAME_BYTES + length))
        }
        [] | [0, ..] => Ok(None),
        _ => Err(NotAFrame),
    }
}

/// The bytes do not start as a frame does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAFrame;
