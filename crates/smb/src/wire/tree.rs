//! TREE_CONNECT (MS-SMB2 2.2.9, 2.2.10).
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use super::fields::{Put, u16_at, u32_at, utf16_bytes};

/// Appends the body; `path` is `\\server\share`.
pub fn encode(out: &mut Vec<u8>, path: &str) {
    out.put_u16(9);
    out.put_u16(0);
    out.put_u16(64 + 8);
    out.put_u16(utf16_bytes(path) as u16);
    out.put_utf16(path);
}

/// The flag of a share that must be encrypted (MS-SMB2 2.2.10).
pub const ENCRYPT_SHARE: u32 = 0x8000;

/// The flags of the share.
#[must_use]
pub fn parse(body: &[u8]) -> Option<u32> {
    (u16_at(body, 0)? == 16).then(|| u32_at(body, 4))?
}
