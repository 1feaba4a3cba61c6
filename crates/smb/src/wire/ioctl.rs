//! IOCTL (MS-SMB2 2.2.31, 2.2.32).

use super::fields::{Put, bytes, u16_at, u32_at};
use super::negotiate::Dialect;
use super::{FileId, part};

/// `FSCTL_VALIDATE_NEGOTIATE_INFO`: whether both sides saw the same negotiation.
pub const VALIDATE_NEGOTIATE_INFO: u32 = 0x0014_0204;
/// `FSCTL_QUERY_NETWORK_INTERFACE_INFO`: the server's network interfaces.
pub const QUERY_NETWORK_INTERFACE_INFO: u32 = 0x0014_01FC;
/// `FSCTL_DFS_GET_REFERRALS`: where a path of a distributed file system leads.
pub const DFS_GET_REFERRALS: u32 = 0x0006_0194;
/// `FSCTL_CREATE_OR_GET_OBJECT_ID`: the file's object id, which Explorer and Office ask for.
pub const CREATE_OR_GET_OBJECT_ID: u32 = 0x0009_00C0;

/// Appends the body of a file system control.
pub fn encode(out: &mut Vec<u8>, control: u32, file: &FileId, most: u32, input: &[u8]) {
    out.put_u16(57);
    out.put_u16(0);
    out.put_u32(control);
    out.put(file);
    out.put_u32(64 + 56);
    out.put_u32(input.len() as u32);
    out.put_u32(0); // most bytes of input in the response
    out.put_u32(0);
    out.put_u32(0);
    out.put_u32(most);
    out.put_u32(1); // a file system control
    out.put_u32(0);
    out.put(input);
}

/// The output.
#[must_use]
pub fn parse(body: &[u8]) -> Option<&[u8]> {
    if u16_at(body, 0)? != 49 {
        return None;
    }
    part(body, u32_at(body, 32)? as usize, u32_at(body, 36)? as usize)
}

/// The input of `FSCTL_VALIDATE_NEGOTIATE_INFO` (MS-SMB2 2.2.31.4).
pub fn encode_negotiation(
    out: &mut Vec<u8>,
    capabilities: u32,
    client: &[u8; 16],
    security_mode: u16,
    dialects: &[Dialect],
) {
    out.put_u32(capabilities);
    out.put(client);
    out.put_u16(security_mode);
    out.put_u16(dialects.len() as u16);
    for dialect in dialects {
        out.put_u16(dialect.code());
    }
}

/// What the server says it negotiated (MS-SMB2 2.2.32.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Negotiated {
    /// Its capabilities.
    pub capabilities: u32,
    /// Its GUID.
    pub server: [u8; 16],
    /// Its security mode.
    pub security_mode: u16,
    /// The code of the dialect.
    pub dialect: u16,
}

impl Negotiated {
    /// Reads the output.
    #[must_use]
    pub fn parse(output: &[u8]) -> Option<Self> {
        Some(Self {
            capabilities: u32_at(output, 0)?,
            server: bytes(output, 4)?,
            security_mode: u16_at(output, 20)?,
            dialect: u16_at(output, 22)?,
        })
    }
}

/// The input of `FSCTL_DFS_GET_REFERRALS` for `path` (MS-DFSC 2.2.2).
pub fn encode_referral(out: &mut Vec<u8>, path: &str) {
    out.put_u16(4); // the newest version of referral understood
    out.put_utf16(path);
    out.put_u16(0);
}
