//! Signatures of messages (MS-SMB2 3.1.4.1, 3.1.5.1).

use aes::Aes128;
use aes_gcm::Aes128Gcm;
use aes_gcm::aead::AeadInOut;
use cmac::Cmac;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::ntlm::Key;
use crate::wire::fields::{bytes, u16_at, u64_at};
use crate::wire::header::{SIGNATURE_AT, SIGNATURE_BYTES};
use crate::wire::negotiate::SigningAlgorithm;

const SIGNATURE_END: usize = SIGNATURE_AT + SIGNATURE_BYTES;
/// CANCEL, which is signed with another nonce; this client never sends it.
const CANCEL: u16 = 12;

/// Makes and checks the signatures of a session. Keys are expanded once; the state is on the heap
/// so that users without signing do not carry it.
pub struct Signer(State);

enum State {
    Hmac(Box<Hmac<Sha256>>),
    Cmac(Box<Cmac<Aes128>>),
    Gmac(Box<Aes128Gcm>),
}

impl Signer {
    /// Bytes of the largest state on the heap.
    pub const MOST_BYTES: usize = {
        let (gmac, cmac) = (size_of::<Aes128Gcm>(), size_of::<Cmac<Aes128>>());
        let larger = if gmac > cmac { gmac } else { cmac };
        let hmac = size_of::<Hmac<Sha256>>();
        if larger > hmac { larger } else { hmac }
    };

    /// A signer with this key.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "HMAC takes keys of any length")]
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    pub fn new(algorithm: SigningAlgorithm, key: &Key) -> Self {
        Self(match algorithm {
            SigningAlgorithm::HmacSha256 => State::Hmac(Box::new(
                Hmac::new_from_slice(key).expect("any length is a key"),
            )),
            SigningAlgorithm::AesCmac => State::Cmac(Box::new(Cmac::new(&(*key).into()))),
            SigningAlgorithm::AesGmac => State::Gmac(Box::new(Aes128Gcm::new(&(*key).into()))),
        })
    }

    /// Puts the signature into a message. Leaves a message shorter than a header as it is.
    pub fn sign(&self, message: &mut [u8]) {
        let Some(field) = message.get_mut(SIGNATURE_AT..SIGNATURE_END) else {
            return;
        };
        field.fill(0);
        let signature = self.signature(message, false);
        message[SIGNATURE_AT..SIGNATURE_END].copy_from_slice(&signature);
    }

    /// Whether a server's message has the right signature. Zeroes the field.
    pub fn verify(&self, message: &mut [u8]) -> bool {
        let Some(found) = bytes::<SIGNATURE_BYTES>(message, SIGNATURE_AT) else {
            return false;
        };
        message[SIGNATURE_AT..SIGNATURE_END].fill(0);
        self.signature(message, true) == found
    }

    fn signature(&self, message: &[u8], is_response: bool) -> [u8; SIGNATURE_BYTES] {
        match &self.0 {
            State::Hmac(mac) => {
                let mut mac = mac.clone();
                mac.update(message);
                let digest: [u8; 32] = mac.finalize().into_bytes().into();
                let mut signature = [0; SIGNATURE_BYTES];
                signature.copy_from_slice(&digest[..SIGNATURE_BYTES]);
                signature
            }
            State::Cmac(mac) => {
                let mut mac = mac.clone();
                mac.update(message);
                mac.finalize().into_bytes().into()
            }
            State::Gmac(cipher) => {
                let nonce = nonce(message, is_response);
                // GMAC: the tag over the message as associated data, with nothing to encrypt.
                cipher
                    .encrypt_inout_detached(&nonce.into(), message, (&mut [][..]).into())
                    .map_or([0; SIGNATURE_BYTES], Into::into)
            }
        }
    }
}

/// Message id, response flag and CANCEL flag (MS-SMB2 3.1.4.1).
fn nonce(message: &[u8], is_response: bool) -> [u8; 12] {
    let number = u64_at(message, 24).unwrap_or_default();
    let is_cancel = u16_at(message, 12) == Some(CANCEL);
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&number.to_le_bytes());
    nonce[8] = u8::from(is_response) | u8::from(is_cancel) << 1;
    nonce
}

impl std::fmt::Debug for Signer {
    /// Without keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer")
    }
}
