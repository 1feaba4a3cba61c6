//! The header of an encrypted message (MS-SMB2 2.2.41).

use super::fields::{bytes, u16_at, u32_at, u64_at};

/// Bytes of the header.
pub const TRANSFORM_BYTES: usize = 52;

const PROTOCOL: [u8; 4] = [0xFD, b'S', b'M', b'B'];
const TAG_AT: usize = 4;
/// The tag protects the header from here on.
const NONCE_AT: usize = 20;
/// In dialect 3.1.1: the message is encrypted; in the older ones: with AES-128-CCM.
const ENCRYPTED: u16 = 1;

/// The header's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transform {
    /// The tag over header and message: the field `Signature`.
    pub tag: [u8; 16],
    /// The nonce field; ciphers use only its start.
    pub nonce: [u8; 16],
    /// Bytes of the message that follows.
    pub bytes: u32,
    /// The session that has the keys.
    pub session: u64,
}

impl Transform {
    /// Whether a message starts as an encrypted one does.
    #[must_use]
    pub fn starts(message: &[u8]) -> bool {
        message.starts_with(&PROTOCOL)
    }

    /// Parses the header; `None` if it is malformed, or if the message has another length.
    #[must_use]
    pub fn parse(message: &[u8]) -> Option<Self> {
        let found = Self {
            tag: bytes(message, TAG_AT)?,
            nonce: bytes(message, NONCE_AT)?,
            bytes: u32_at(message, 36)?,
            session: u64_at(message, 44)?,
        };
        let is_whole = message.len() == TRANSFORM_BYTES + found.bytes as usize;
        (Self::starts(message) && u16_at(message, 42)? == ENCRYPTED && is_whole).then_some(found)
    }

    /// The bytes of the header.
    #[must_use]
    pub fn encode(&self) -> [u8; TRANSFORM_BYTES] {
        let mut header = [0; TRANSFORM_BYTES];
        header[..TAG_AT].copy_from_slice(&PROTOCOL);
        header[TAG_AT..NONCE_AT].copy_from_slice(&self.tag);
        header[NONCE_AT..36].copy_from_slice(&self.nonce);
        header[36..40].copy_from_slice(&self.bytes.to_le_bytes());
        header[42..44].copy_from_slice(&ENCRYPTED.to_le_bytes());
        header[44..].copy_from_slice(&self.session.to_le_bytes());
        header
    }

    /// The part that the tag protects along with the message.
    #[must_use]
    pub fn protected(header: &[u8; TRANSFORM_BYTES]) -> &[u8] {
        &header[NONCE_AT..]
    }
}
