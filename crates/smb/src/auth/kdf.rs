//! The signing key of a session (MS-SMB2 3.1.4.2) and the hash that binds it to what was said before
//! the logon (3.1.4.4.1, 3.2.5.2).

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};

use super::ntlm::Key;
use crate::wire::negotiate::Dialect;

/// SHA-512 over all messages before the logon was complete, of 3.1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preauth([u8; 64]);

impl Preauth {
    /// Before the first message.
    pub const START: Self = Self([0; 64]);

    /// After one more message, without its frame.
    #[must_use]
    pub fn after(self, message: &[u8]) -> Self {
        let mut hash = Sha512::new();
        hash.update(self.0);
        hash.update(message);
        Self(hash.finalize().into())
    }
}

/// The key that messages are signed with.
#[must_use]
pub fn signing_key(dialect: Dialect, session_key: &Key, preauth: &Preauth) -> Key {
    match dialect {
        Dialect::Smb21 => *session_key,
        Dialect::Smb302 => derive(session_key, b"SMB2AESCMAC\0", b"SmbSign\0"),
        Dialect::Smb311 => derive(session_key, b"SMBSigningKey\0", &preauth.0),
    }
}

/// One block of NIST SP 800-108 in counter mode with HMAC-SHA256, 128 bits of it.
fn derive(key: &Key, label: &[u8], context: &[u8]) -> Key {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
    mac.update(&1u32.to_be_bytes());
    mac.update(label);
    mac.update(&[0]);
    mac.update(context);
    mac.update(&128u32.to_be_bytes());
    let block: [u8; 32] = mac.finalize().into_bytes().into();
    let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = block;
    first
}
