//! Messages of MS-SMB2: requests are appended to a buffer, responses are parsed in place.
//!
//! `body` below is what follows the 64 bytes of the header. On the wire, offsets count from the
//! start of the header; they are converted here.

pub mod context;
pub mod create;
pub mod directory;
pub mod fields;
pub mod header;
pub mod info;
pub mod ioctl;
pub mod lock;
pub mod negotiate;
pub mod oplock;
pub mod session;
pub mod status;
pub mod transfer;
pub mod transform;
pub mod tree;

use header::HEADER_BYTES;

/// The part of a message that a response's offset (from the header's start) and length point to.
fn part(body: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    if length == 0 {
        return Some(&[]);
    }
    fields::slice(body, offset.checked_sub(HEADER_BYTES)?, length)
}

/// The handle of a request about no file, and of one that is related to the CREATE before it in the
/// same frame (MS-SMB2 2.2.31, 3.2.4.1.4).
pub const NO_FILE: FileId = [0xFF; 16];

/// A handle: the server's persistent and volatile ids (MS-SMB2 2.2.14.1).
pub type FileId = [u8; 16];
