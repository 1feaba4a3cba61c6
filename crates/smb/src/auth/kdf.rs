//! The keys of a session (MS-SMB2 3.1.4.2) and the hash that binds them to the messages before the
//! end of the logon (3.1.4.4.1, 3.2.5.2).

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};

use super::ntlm::Key;
use crate::wire::negotiate::Dialect;

/// SHA-512 over all messages until the logon is complete (dialect 3.1.1).
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

/// The key that messages are signed with (MS-SMB2 3.2.5.3.1).
#[must_use]
pub fn signing_key(dialect: Dialect, session_key: &Key, preauth: &Preauth) -> Key {
    match dialect {
        Dialect::Smb21 => *session_key,
        Dialect::Smb302 => derive(session_key, b"SMB2AESCMAC\0", b"SmbSign\0"),
        Dialect::Smb311 => derive(session_key, b"SMBSigningKey\0", &preauth.0),
    }
}

/// The keys that client and server encrypt with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CipherKeys {
    /// `EncryptionKey`: for messages that the client sends.
    pub sent: Key,
    /// `DecryptionKey`: for messages that the server sends.
    pub received: Key,
}

/// The keys that messages are encrypted with (MS-SMB2 3.2.5.3.1). Dialect 2.1 has no encryption;
/// its result is never used.
#[must_use]
pub fn cipher_keys(dialect: Dialect, session_key: &Key, preauth: &Preauth) -> CipherKeys {
    let key = |label: &[u8], context: &[u8]| derive(session_key, label, context);
    if dialect == Dialect::Smb311 {
        CipherKeys {
            sent: key(b"SMBC2SCipherKey\0", &preauth.0),
            received: key(b"SMBS2CCipherKey\0", &preauth.0),
        }
    } else {
        // The space is part of the context.
        CipherKeys {
            sent: key(b"SMB2AESCCM\0", b"ServerIn \0"),
            received: key(b"SMB2AESCCM\0", b"ServerOut\0"),
        }
    }
}

impl std::fmt::Debug for CipherKeys {
    /// Without the keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CipherKeys")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::hex::{array, bytes};

    // From "Encryption in SMB 3.0: A protocol perspective" and "SMB 3.1.1 Encryption in Windows 10"
    // and "SMB 3.1.1 Pre-authentication integrity in Windows 10", of Microsoft's blog on its open
    // specifications.

    #[test]
    fn keys_of_3_0_2_match_microsofts_examples() {
        let session_key = array("B4546771B515F766A86735532DD6C4F0");
        let dialect = Dialect::Smb302;
        let signing = signing_key(dialect, &session_key, &Preauth::START);
        assert_eq!(signing, array("F773CD23C18FD1E08EE510CADA7CF852"));
        let keys = cipher_keys(dialect, &session_key, &Preauth::START);
        assert_eq!(keys.sent, array("261B72350558F2E9DCF613070383EDBF"));
        assert_eq!(keys.received, array("8FE2B57EC34D2DB5B1A9727F526BBDB5"));
        assert_eq!(format!("{keys:?}"), "CipherKeys");
    }

    #[test]
    fn keys_of_3_1_1_match_microsofts_examples() {
        let preauth = Preauth(array(
            "B23F3CBFD69487D9832B79B1594A367CDD950909B774C3A4C412B4FCEA9EDDDB\
             A7DB256BA2EA30E977F11F9B113247578E0E915C6D2A513B8F2FCA5707DC8770",
        ));
        let session_key = array("419FDDF34C1E001909D362AE7FB6AF79");
        let keys = cipher_keys(Dialect::Smb311, &session_key, &preauth);
        assert_eq!(keys.sent, array("A2F5E80E5D59103034F32E52F698E5EC"));
        assert_eq!(keys.received, array("748C50868C90F302962A5C35F5F9A8BF"));

        let preauth = Preauth(array(
            "0DD13628CC3ED218EF9DF9772D436D0887AB9814BFAE63A80AA845F36909DB79\
             28622DDDAD522D9751640A459762C5A9D6BB084CBB3CE6BDADEF5D5BCE3C6C01",
        ));
        let session_key = array("270E1BA896585EEB7AF3472D3B4C75A7");
        let signing = signing_key(Dialect::Smb311, &session_key, &preauth);
        assert_eq!(signing, array("73FE7A9A77BEF0BDE49C650D8CCB5F76"));
    }

    #[test]
    fn the_hash_chains_messages() {
        // The hash before and after the second SESSION_SETUP of the same publication.
        let before = Preauth(array(
            "324BFA92A4F3A190E466EBEA08D9C110DC88BFED758D9846ECC6F541CC1D02AE\
             3C94A79F36011E997E13F841B91B50957AD07B19C8E2539C0B23FDAE09D2C513",
        ));
        let request = bytes(
            "FE534D4240000100000000000100800000000000000000000200000000000000FFFE000000000000\
             00000000000000000000000000000000000000000000000019000001010000000000000058004A00\
             0000000000000000604806062B0601050502A03E303CA00E300C060A2B06010401823702020AA22A\
             04284E544C4D5353500001000000978208E200000000000000000000000000000000060380250000\
             000F",
        );
        let after = Preauth(array(
            "AC0B0F2B9986257700365E416D142A6EDC96DF03594A19E52A15F6BD0D041CD5\
             D432F8ED42C55E33197A50C9EC00F1462B50C592211B1471A04B56088FDFD5F9",
        ));
        assert_eq!(before.after(&request), after);
    }
}
