//! OPLOCK_BREAK (MS-SMB2 2.2.23 to 2.2.25): the server takes back what the client may cache.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use super::FileId;
use super::fields::{Put, bytes, u16_at, u32_at};

/// An oplock or lease break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// An oplock on a handle goes down to this level.
    Oplock {
        /// The handle.
        file: FileId,
        /// The new level.
        level: u8,
    },
    /// A lease goes down to this state.
    Lease {
        /// Its key.
        key: [u8; 16],
        /// The new state.
        state: u32,
        /// Whether the server waits for an answer.
        is_awaited: bool,
    },
}

impl Break {
    /// Reads the body of a notification.
    #[must_use]
    pub fn parse(body: &[u8]) -> Option<Self> {
        match u16_at(body, 0)? {
            24 => Some(Self::Oplock {
                file: bytes(body, 8)?,
                level: *body.get(2)?,
            }),
            44 => Some(Self::Lease {
                key: bytes(body, 8)?,
                state: u32_at(body, 28)?,
                is_awaited: u32_at(body, 4)? & 1 != 0,
            }),
            _ => None,
        }
    }

    /// Appends the body of the acknowledgement.
    pub fn encode_acknowledgement(&self, out: &mut Vec<u8>) {
        match self {
            Self::Oplock { file, level } => {
                out.put_u16(24);
                out.put_u8(*level);
                out.put_u8(0);
                out.put_u32(0);
                out.put(file);
            }
            Self::Lease { key, state, .. } => {
                out.put_u16(36);
                out.put_u16(0);
                out.put_u32(0);
                out.put(key);
                out.put_u32(*state);
                out.put_u64(0);
            }
        }
    }
}
