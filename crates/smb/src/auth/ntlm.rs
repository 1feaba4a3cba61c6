//! The computations of `NTLMv2` (MS-NLMP 3.3.2 and 3.4.5).

use hmac::{Hmac, KeyInit, Mac};
use md4::Digest;
use rc4::{Rc4, StreamCipher};

use crate::wire::fields::utf16;

/// A key or digest of 128 bits.
pub type Key = [u8; 16];

/// HMAC-MD5 (RFC 2104) over the concatenated parts.
#[must_use]
#[expect(clippy::missing_panics_doc, reason = "HMAC takes keys of any length")]
pub fn hmac_md5(key: &[u8], parts: &[&[u8]]) -> Key {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    let mut mac = Hmac::<md5::Md5>::new_from_slice(key).expect("any length is a key");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The hash of a password: `NTOWFv1` (MS-NLMP 3.3.1). It protects nothing: it is enough to log on.
#[must_use]
pub fn password_hash(password: &str) -> Key {
    md4::Md4::digest(utf16(password)).into()
}

/// The key derived from user and password: `NTOWFv2` (MS-NLMP 3.3.2).
#[must_use]
pub fn owner_key(user: &str, domain: &str, password: &str) -> Key {
    let of_password = password_hash(password);
    let name: String = user.chars().map(upper).chain(domain.chars()).collect();
    hmac_md5(&of_password, &[&utf16(&name)])
}

/// A letter in upper case as servers have it: one letter stays one, so `ß` does not become `SS`.
fn upper(letter: char) -> char {
    let mut all = letter.to_uppercase();
    match (all.next(), all.next()) {
        (Some(only), None) => only,
        _ => letter,
    }
}

/// The answer to a challenge.
#[derive(Debug)]
pub struct Answer {
    /// `NtChallengeResponse` (MS-NLMP 2.2.2.8).
    pub response: Vec<u8>,
    /// `SessionBaseKey`, which the server derives, too.
    pub base_key: Key,
}

/// Answers `challenge`: `ComputeResponse` (MS-NLMP 3.3.2). `filetime` is in 100 ns since 1601,
/// `target` the server's list of attributes.
#[must_use]
pub fn answer(
    owner_key: &Key,
    challenge: [u8; 8],
    own_challenge: [u8; 8],
    filetime: u64,
    target: &[u8],
) -> Answer {
    let mut blob = Vec::with_capacity(32 + target.len());
    blob.extend([1, 1, 0, 0, 0, 0, 0, 0]);
    blob.extend(filetime.to_le_bytes());
    blob.extend(own_challenge);
    blob.extend([0; 4]);
    blob.extend_from_slice(target);
    blob.extend([0; 4]);
    let proof = hmac_md5(owner_key, &[&challenge, &blob]);
    Answer {
        base_key: hmac_md5(owner_key, &[&proof]),
        response: [&proof[..], &blob].concat(),
    }
}

/// Who signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The user's side.
    Client,
    /// The server.
    Server,
}

/// The signature of a side's first message under the session's key, with extended session security
/// and keys of 128 bits (MS-NLMP 3.4.4.2, 3.4.5.2, 3.4.5.3).
#[must_use]
pub fn first_signature(session_key: &Key, side: Side, exchanges: bool, message: &[u8]) -> Key {
    let (signing, sealing) = signature_keys(session_key, side);
    let mut checksum = [0; 16];
    checksum[..8].copy_from_slice(&hmac_md5(&signing, &[&[0; 4], message])[..8]);
    if exchanges {
        checksum = hide(&sealing, &checksum);
    }
    let mut signature = [0; 16];
    signature[0] = 1; // version; the sequence number at the end is 0
    signature[4..12].copy_from_slice(&checksum[..8]);
    signature
}

/// `SIGNKEY` and `SEALKEY` (MS-NLMP 3.4.5.2, 3.4.5.3).
fn signature_keys(session_key: &Key, side: Side) -> (Key, Key) {
    let derived = |purpose: &[u8]| -> Key {
        let mut hash = md5::Md5::new();
        hash.update(session_key);
        hash.update(purpose);
        hash.finalize().into()
    };
    match side {
        Side::Client => (
            derived(b"session key to client-to-server signing key magic constant\0"),
            derived(b"session key to client-to-server sealing key magic constant\0"),
        ),
        Side::Server => (
            derived(b"session key to server-to-client signing key magic constant\0"),
            derived(b"session key to server-to-client sealing key magic constant\0"),
        ),
    }
}

/// Encrypts the session's key for the way to the server: RC4 (MS-NLMP 3.4.5.1).
#[must_use]
#[expect(
    clippy::missing_panics_doc,
    reason = "RC4 takes keys of 1 to 256 bytes"
)]
pub fn hide(key: &Key, secret: &Key) -> Key {
    let mut hidden = *secret;
    #[expect(clippy::expect_used, reason = "RC4 takes keys of 1 to 256 bytes")]
    let mut cipher = Rc4::new_from_slice(key).expect("a key of 16 bytes");
    cipher.apply_keystream(&mut hidden);
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::hex::bytes as hex;

    #[test]
    fn results_match_the_specification() {
        // MS-NLMP 4.2.4: user "User", domain "Domain", password "Password".
        let key = owner_key("User", "Domain", "Password");
        assert_eq!(key[..], hex("0c868a403bfd7a93a3001ef22ef02e3f"));
        let mut target = Vec::new();
        for (id, name) in [(2u16, "Domain"), (1, "Server")] {
            target.extend(id.to_le_bytes());
            target.extend(12u16.to_le_bytes());
            target.extend(utf16(name));
        }
        target.extend([0; 4]);
        let challenge = 0x0123_4567_89ab_cdef_u64.to_be_bytes();
        let answer = answer(&key, challenge, [0xaa; 8], 0, &target);
        assert_eq!(
            answer.response[..16],
            hex("68cd0ab851e51c96aabc927bebef6a1c")
        );
        assert_eq!(answer.base_key[..], hex("8de40ccadbc14a82f15cb0ad0de95ca3"));
        let hidden = hide(&answer.base_key, &[0x55; 16]);
        assert_eq!(hidden[..], hex("c5dad2544fc9799094ce1ce90bc9d03e"));
    }

    #[test]
    fn names_in_upper_case_have_as_many_letters() {
        let key = |user| owner_key(user, "Domain", "Password");
        assert_eq!(key("groß"), key("GROß"));
        assert_eq!(key("jürgen"), key("JÜRGEN"));
        assert_ne!(key("groß"), key("GROSS"));
        assert_ne!(key("user"), owner_key("user", "DOMAIN", "Password"));
    }

    #[test]
    fn signatures_match_the_specification() {
        // MS-NLMP 4.2.4.4: the session key is 16 times 0x55.
        let (signing, sealing) = signature_keys(&[0x55; 16], Side::Client);
        assert_eq!(signing[..], hex("4788dc861b4782f35d43fd98fe1a2d39"));
        assert_eq!(sealing[..], hex("59f600973cc4960a25480a7c196e4c58"));
        // The example seals its 18 bytes first, with the same stream of RC4.
        let message: Vec<u8> = utf16("Plaintext");
        let checksum = &hmac_md5(&signing, &[&[0; 4], &message])[..8];
        let mut stream = [vec![0; message.len()], checksum.to_vec()].concat();
        Rc4::new_from_slice(&sealing)
            .unwrap()
            .apply_keystream(&mut stream);
        assert_eq!(stream[message.len()..], hex("7fb38ec5c55d4976"));
        // Without key exchange the checksum is not encrypted.
        let signature = first_signature(&[0x55; 16], Side::Client, false, &message);
        assert_eq!(signature[4..12], *checksum);
        assert_eq!(
            (&signature[..4], &signature[12..]),
            (&[1, 0, 0, 0][..], &[0; 4][..])
        );
    }
}
