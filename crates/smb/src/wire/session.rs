//! SESSION_SETUP (MS-SMB2 2.2.5, 2.2.6) and the bodies that are the same for LOGOFF, ECHO and
//! TREE_DISCONNECT.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use super::fields::{Put, u16_at};
use super::part;

/// The flag of a guest session (MS-SMB2 2.2.6).
pub const IS_GUEST: u16 = 1;
/// The flag of an anonymous session.
pub const IS_NULL: u16 = 2;
/// The flag of a session in which everything must be encrypted.
pub const ENCRYPT_DATA: u16 = 4;

/// Appends the body of a session setup. The server ends the lost session `previous`; 0 for none.
pub fn encode_setup(out: &mut Vec<u8>, security_mode: u8, previous: u64, token: &[u8]) {
    out.put_u16(25);
    out.put_u8(0); // flags: no binding to another session
    out.put_u8(security_mode);
    out.put_u32(0); // capabilities: no DFS
    out.put_u32(0); // channel
    out.put_u16(64 + 24);
    out.put_u16(token.len() as u16);
    out.put_u64(previous);
    out.put(token);
}

/// The session's flags and the next token in a response.
#[must_use]
pub fn parse_setup(body: &[u8]) -> Option<(u16, &[u8])> {
    if u16_at(body, 0)? != 9 {
        return None;
    }
    let token = part(body, u16_at(body, 4)?.into(), u16_at(body, 6)?.into())?;
    Some((u16_at(body, 2)?, token))
}

/// Appends the body of LOGOFF, ECHO and TREE_DISCONNECT, which has no parameters.
pub fn encode_nothing(out: &mut Vec<u8>) {
    out.put_u16(4);
    out.put_u16(0);
}
