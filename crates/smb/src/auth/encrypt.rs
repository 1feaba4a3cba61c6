//! Encryption of messages (MS-SMB2 3.1.4.3, 3.2.4.1.8, 3.2.5.1.1).

use aes::Aes128Enc;
use aes_gcm::AesGcm;
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::aes::cipher::consts::{U11, U12, U16};
use ccm::Ccm;

use super::kdf::CipherKeys;
use crate::wire::negotiate::Cipher;
use crate::wire::transform::{TRANSFORM_BYTES, Transform};

/// Both modes only encrypt blocks, so the decryption keys are never expanded.
type Aes128Gcm = AesGcm<Aes128Enc, U12>;
/// The fields' sizes are those of MS-SMB2 2.2.41: nonces of 11 bytes, tags of 16.
type Aes128Ccm = Ccm<Aes128Enc, U16, U11>;

/// Encrypts what a client sends in a session, and decrypts what it receives. Keys are expanded
/// once; the state is on the heap so that users without encryption do not carry it.
pub struct Encryptor {
    /// The nonce of the next message: a counter, so that none repeats in a session. A second
    /// encryptor with the same keys would reuse nonces and break the encryption.
    next_nonce: u64,
    state: State,
}

/// The ciphers for sent and for received messages.
enum State {
    Ccm(Box<[Aes128Ccm; 2]>),
    Gcm(Box<[Aes128Gcm; 2]>),
}

/// The tag of a message does not match its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forged;

impl Encryptor {
    /// Bytes of the largest state on the heap.
    pub const MOST_BYTES: usize = {
        let (ccm, gcm) = (size_of::<[Aes128Ccm; 2]>(), size_of::<[Aes128Gcm; 2]>());
        if ccm > gcm { ccm } else { gcm }
    };

    /// An encryptor for a new session.
    #[must_use]
    pub fn new(cipher: Cipher, keys: &CipherKeys) -> Self {
        let keys = [keys.sent, keys.received];
        Self {
            next_nonce: 0,
            state: match cipher {
                Cipher::Aes128Ccm => State::Ccm(Box::new(keys.map(|key| Ccm::new(&key.into())))),
                Cipher::Aes128Gcm => State::Gcm(Box::new(keys.map(|key| AesGcm::new(&key.into())))),
            },
        }
    }

    /// Encrypts the message in `framed` in place and fills in the header, whose room precedes it.
    pub fn seal(&mut self, session: u64, framed: &mut [u8]) {
        let nonce = self.next_nonce;
        self.next_nonce += 1;
        let mut start = [0; 16];
        start[..8].copy_from_slice(&nonce.to_le_bytes());
        self.seal_with(start, session, framed);
    }

    fn seal_with(&self, nonce: [u8; 16], session: u64, framed: &mut [u8]) {
        let Some((room, message)) = framed.split_first_chunk_mut::<TRANSFORM_BYTES>() else {
            return;
        };
        let mut head = Transform {
            tag: [0; 16],
            nonce,
            bytes: message.len() as u32,
            session,
        };
        let header = head.encode();
        let protected = Transform::protected(&header);
        let message = message.into();
        let tag = match &self.state {
            State::Ccm(keys) => {
                keys[0].encrypt_inout_detached(&start(&nonce).into(), protected, message)
            }
            State::Gcm(keys) => {
                keys[0].encrypt_inout_detached(&start(&nonce).into(), protected, message)
            }
        };
        // It fails only for messages larger than any frame can be.
        head.tag = tag.map_or([0; 16], Into::into);
        *room = head.encode();
    }

    /// Decrypts the message that follows the header in `framed` in place.
    pub fn open(&self, head: &Transform, framed: &mut [u8]) -> Result<(), Forged> {
        let (header, message) = framed
            .split_first_chunk_mut::<TRANSFORM_BYTES>()
            .ok_or(Forged)?;
        let (nonce, tag) = (&head.nonce, &head.tag.into());
        let (protected, message) = (Transform::protected(header), message.into());
        match &self.state {
            State::Ccm(keys) => {
                keys[1].decrypt_inout_detached(&start(nonce).into(), protected, message, tag)
            }
            State::Gcm(keys) => {
                keys[1].decrypt_inout_detached(&start(nonce).into(), protected, message, tag)
            }
        }
        .map_err(|_| Forged)
    }
}

/// The part of the header's nonce that the cipher uses; the rest is zero.
fn start<const N: usize>(nonce: &[u8; 16]) -> [u8; N] {
    std::array::from_fn(|at| nonce[at])
}

impl std::fmt::Debug for Encryptor {
    /// Without keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Encryptor")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::auth::hex::{array, bytes};

    /// A WRITE, and the answer to it, before and after their encryption.
    struct Published {
        cipher: Cipher,
        keys: CipherKeys,
        request: Vec<u8>,
        sealed_request: Vec<u8>,
        response: Vec<u8>,
        sealed_response: Vec<u8>,
    }

    /// From Microsoft's "Encryption in SMB 3.0: A protocol perspective".
    fn ccm() -> Published {
        Published {
            cipher: Cipher::Aes128Ccm,
            keys: CipherKeys {
                sent: array("261B72350558F2E9DCF613070383EDBF"),
                received: array("8FE2B57EC34D2DB5B1A9727F526BBDB5"),
            },
            request: bytes(
                "FE534D4240000100000000000900400008000000000000000400000000000000\
                 FFFE0000010000001100001400E4080000000000000000000000000000000000\
                 3100700017000000000000000000000015010000390000020100000039020000\
                 00000000000000007000000000000000536D623320656E6372797074696F6E20\
                 74657374696E67",
            ),
            sealed_request: bytes(
                "FD534D4281A286535415445DAE393921E44FA42E66E69A111892584FB5ED524A\
                 744DA3EE87000000000001001100001400E4080025C8FEE16605A437832D1CD5\
                 2DA9F4645333482A175FE5384563F45FCDAFAEF38BC62BA4D5C62897996625A4\
                 4C29BE5658DE2E6117585779E7B59FFD971278D08580D7FA899E410E910EABF5\
                 AA1DB43050B33B49182637759AC15D84BFCDF5B6B238993C0F4CF4D6012023F6\
                 C627297075D84B7803912D0A9639634453595EF3E33FFE4E7AC2AB",
            ),
            response: bytes(
                "FE534D4240000100000000000900210009000000000000000400000000000000\
                 FFFE0000010000001100001400E4080000000000000000000000000000000000\
                 11000000170000000000000000000000",
            ),
            sealed_response: bytes(
                "FD534D42A6015530A18F6D9AFFE22AFAE8E66484860000000000000011000014\
                 00E4080050000000000001001100001400E40800DBF46435C5F14169293CE079\
                 E344479BF670227E49873F458672C3098DAC467DD5809F369D67409166515787\
                 1483E01F7BECD02064EAC3E235F913668BBC2F097980D4B378F1993EFF6E60D1\
                 77309E5B",
            ),
        }
    }

    /// From Microsoft's "SMB 3.1.1 Encryption in Windows 10".
    fn gcm() -> Published {
        Published {
            cipher: Cipher::Aes128Gcm,
            keys: CipherKeys {
                sent: array("A2F5E80E5D59103034F32E52F698E5EC"),
                received: array("748C50868C90F302962A5C35F5F9A8BF"),
            },
            request: bytes(
                "FE534D4240000100000000000900010008000000000000000500000000000000\
                 FFFE000001000000250000000010000000000000000000000000000000000000\
                 3100700017000000000000000000000006000000040000000100000004000000\
                 00000000000000007000000000000000536D623320656E6372797074696F6E20\
                 74657374696E67",
            ),
            sealed_request: bytes(
                "FD534D42BD73D97D2BC9001BCAFAC0FDFF5FEEBCC7D6822D269CAF48904C664C\
                 0000000087000000000001002500000000100000\
                 6ECDD2A7AFC7B47763057A041B8FD4DAFFE990B70C9E09D36C084E02D14EF247\
                 F8BDE38ACF6256F8B1D3B56F77FBDEB312FEA5E92CBCC1ED8FB2EBBFAA75E49A\
                 4A394BB44576545567C24D4C014D47C9FBDFDAFD2C4F9B72F8D256452620A299\
                 F48E29E53D6B61D1C13A19E91AF013F00D17E3ABC2FC3D36C8C1B6B939732538\
                 52DBD442E46EE8",
            ),
            response: bytes(
                "FE534D4240000100000000000900010001000000000000000500000000000000\
                 FFFE000001000000250000000010000000000000000000000000000000000000\
                 11000000170000000000000000000000",
            ),
            sealed_response: bytes(
                "FD534D42ACBE1CB7ED343ADF1725EF144D90D4B0E06831DD2E8EB7B400000000\
                 0000000050000000000001002500000000100000\
                 26BBBF949983A6C1C796559D0F2C510CB651D1F7B6AC8DED32A2A0B8F2D793A8\
                 15C6F6B848D69767A215841A42D400AE6DDB5F0B44173A014973321FDD7950DA\
                 6179159B82E03C9E18A050FF0EA1C967",
            ),
        }
    }

    /// Room for the header, and the message.
    fn framed(message: &[u8]) -> Vec<u8> {
        [&[0; TRANSFORM_BYTES], message].concat()
    }

    #[test]
    fn encrypted_messages_match_microsofts_examples() {
        for published in [ccm(), gcm()] {
            let encryptor = Encryptor::new(published.cipher, &published.keys);
            let expected = Transform::parse(&published.sealed_request).unwrap();
            let mut sealed = framed(&published.request);
            encryptor.seal_with(expected.nonce, expected.session, &mut sealed);
            assert_eq!(sealed, published.sealed_request);

            let mut answer = published.sealed_response;
            let head = Transform::parse(&answer).unwrap();
            encryptor.open(&head, &mut answer).unwrap();
            assert_eq!(answer[TRANSFORM_BYTES..], published.response);
        }
    }

    #[test]
    fn nonces_are_never_reused() {
        for published in [ccm(), gcm()] {
            let mut encryptor = Encryptor::new(published.cipher, &published.keys);
            let mut nonces: Vec<_> = (0..300)
                .map(|_| {
                    let mut sealed = framed(&published.request);
                    encryptor.seal(7, &mut sealed);
                    Transform::parse(&sealed).unwrap().nonce
                })
                .collect();
            // The field is zero after the cipher's nonce.
            assert!(nonces.iter().all(|nonce| nonce[11..] == [0; 5]));
            nonces.sort_unstable();
            nonces.dedup();
            assert_eq!(nonces.len(), 300);
        }
    }

    proptest! {
        #[test]
        fn every_changed_byte_is_noticed(at: prop::sample::Index, flip in 1u8..) {
            for published in [ccm(), gcm()] {
                let encryptor = Encryptor::new(published.cipher, &published.keys);
                let mut answer = published.sealed_response;
                let at = at.index(answer.len());
                answer[at] ^= flip;
                if let Some(head) = Transform::parse(&answer) {
                    // All of the nonce field is protected, even bytes the cipher does not use.
                    prop_assert_eq!(encryptor.open(&head, &mut answer), Err(Forged));
                } else {
                    // A wrong protocol, length or flags: not an encrypted message.
                    prop_assert!(at < 4 || (36..44).contains(&at), "{}", at);
                }
            }
        }
    }
}
