//! The three messages of NTLM (MS-NLMP 2.2.1), with key exchange and message integrity code.

use super::ntlm::{Key, answer, hide, hmac_md5};
use crate::wire::fields::{Put, bytes, slice, u16_at, u32_at, utf16};

const SIGNATURE: &[u8; 8] = b"NTLMSSP\0";

/// `NTLMSSP_NEGOTIATE_KEY_EXCH` (MS-NLMP 2.2.2.5).
const KEY_EXCHANGE: u32 = 0x4000_0000;
/// Unicode, target, sign, NTLM, always sign, extended session security, target information,
/// version, 128 bits, key exchange, 56 bits (MS-NLMP 2.2.2.5).
const FLAGS: u32 = 0x1
    | 0x4
    | 0x10
    | 0x200
    | 0x8000
    | 0x8_0000
    | 0x80_0000
    | 0x200_0000
    | 0x2000_0000
    | KEY_EXCHANGE
    | 0x8000_0000;
/// Windows 10.0, build 0, NTLM revision 15 (MS-NLMP 2.2.2.10).
const VERSION: [u8; 8] = [10, 0, 0, 0, 0, 0, 0, 15];

const END: u16 = 0;
const AV_FLAGS: u16 = 6;
const AV_TIMESTAMP: u16 = 7;
/// `MsvAvFlags`: the message carries an integrity code (MS-NLMP 2.2.2.1).
const HAS_MIC: u32 = 2;
const MIC_AT: usize = 72;
const PAYLOAD_AT: usize = 88;

/// The first message.
#[must_use]
pub fn negotiate() -> Vec<u8> {
    let mut message = SIGNATURE.to_vec();
    message.put_u32(1);
    message.put_u32(FLAGS);
    message.put_zeros(16); // neither domain nor workstation
    message.put(&VERSION);
    message
}

/// The second message.
#[derive(Debug, Clone, Copy)]
pub struct Challenge<'a> {
    message: &'a [u8],
    flags: u32,
    nonce: [u8; 8],
    target: &'a [u8],
    filetime: Option<u64>,
}

impl<'a> Challenge<'a> {
    /// Parses the message; `None` if it is malformed.
    #[must_use]
    pub fn parse(message: &'a [u8]) -> Option<Self> {
        if message.get(..8)? != SIGNATURE || u32_at(message, 8)? != 2 {
            return None;
        }
        let length = u16_at(message, 40)?.into();
        let target = slice(message, u32_at(message, 44)? as usize, length)?;
        Some(Self {
            message,
            flags: u32_at(message, 20)?,
            nonce: bytes(message, 24)?,
            target,
            filetime: attributes(target)?
                .into_iter()
                .find(|(id, _)| *id == AV_TIMESTAMP)
                .and_then(|(_, value)| bytes(value, 0).map(u64::from_le_bytes)),
        })
    }

    /// Whether the server supports key exchange.
    #[must_use]
    pub const fn exchanges_keys(&self) -> bool {
        self.flags & KEY_EXCHANGE != 0
    }
}

/// The attributes of a list, without the terminator; `None` if there is no terminator.
fn attributes(list: &[u8]) -> Option<Vec<(u16, &[u8])>> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < 64 {
        let (id, length) = (u16_at(list, at)?, usize::from(u16_at(list, at + 2)?));
        if id == END {
            return Some(found);
        }
        found.push((id, slice(list, at + 4, length)?));
        at += 4 + length;
    }
    None
}

/// Who logs on, and the random numbers of this logon.
pub struct Logon<'a> {
    /// The user's name.
    pub user: &'a str,
    /// The domain, or empty.
    pub domain: &'a str,
    /// See [`super::ntlm::owner_key`].
    pub owner_key: &'a Key,
    /// Random.
    pub own_challenge: [u8; 8],
    /// Random: the session's key, if the server supports key exchange.
    pub session_key: Key,
    /// The time in 100 ns since 1601, used if the challenge has none.
    pub filetime: u64,
}

/// The third message, and the session's key.
#[must_use]
pub fn authenticate(logon: &Logon<'_>, first: &[u8], challenge: &Challenge<'_>) -> (Vec<u8>, Key) {
    let target = with_mic_flag(challenge.target);
    let filetime = challenge.filetime.unwrap_or(logon.filetime);
    let answer = answer(
        logon.owner_key,
        challenge.nonce,
        logon.own_challenge,
        filetime,
        &target,
    );
    let exchanges = challenge.exchanges_keys();
    let key = if exchanges {
        logon.session_key
    } else {
        answer.base_key
    };
    let hidden = if exchanges {
        hide(&answer.base_key, &key).to_vec()
    } else {
        Vec::new()
    };

    let mut message = SIGNATURE.to_vec();
    message.put_u32(3);
    let mut payload = Vec::with_capacity(256);
    let mut field = |message: &mut Vec<u8>, content: &[u8]| {
        message.put_u16(content.len() as u16);
        message.put_u16(content.len() as u16);
        message.put_u32((PAYLOAD_AT + payload.len()) as u32);
        payload.put(content);
    };
    field(&mut message, &[0; 24]); // no LM response when there is a time (MS-NLMP 3.1.5.1.2)
    field(&mut message, &answer.response);
    field(&mut message, &utf16(logon.domain));
    field(&mut message, &utf16(logon.user));
    field(&mut message, &[]); // no workstation
    field(&mut message, &hidden);
    message.put_u32(FLAGS & challenge.flags | FLAGS & 0x200_0000);
    message.put(&VERSION);
    message.put_zeros(PAYLOAD_AT - MIC_AT);
    message.put(&payload);
    let mic = hmac_md5(&key, &[first, challenge.message, &message]);
    message[MIC_AT..PAYLOAD_AT].copy_from_slice(&mic);
    (message, key)
}

/// The server's attributes with the flag that the message has an integrity code.
fn with_mic_flag(target: &[u8]) -> Vec<u8> {
    let mut list = Vec::with_capacity(target.len() + 12);
    let mut flags = HAS_MIC;
    for (id, value) in attributes(target).unwrap_or_default() {
        if id == AV_FLAGS {
            flags |= u32_at(value, 0).unwrap_or(0);
            continue;
        }
        list.put_u16(id);
        list.put_u16(value.len() as u16);
        list.put(value);
    }
    list.put_u16(AV_FLAGS);
    list.put_u16(4);
    list.put_u32(flags);
    list.put_u32(0); // the end
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_integrity_code_covers_all_three_messages() {
        let mut second = SIGNATURE.to_vec();
        second.put_u32(2);
        second.put_zeros(8);
        second.put_u32(FLAGS);
        second.put(&[7; 8]);
        second.put_zeros(8);
        second.put_u16(16);
        second.put_u16(16);
        second.put_u32(56);
        second.put(&VERSION);
        second.put_u16(AV_TIMESTAMP);
        second.put_u16(8);
        second.put_u64(99);
        second.put_u32(0);
        let challenge = Challenge::parse(&second).unwrap();
        assert_eq!(challenge.filetime, Some(99));
        let logon = Logon {
            user: "u",
            domain: "",
            owner_key: &[1; 16],
            own_challenge: [2; 8],
            session_key: [3; 16],
            filetime: 0,
        };
        let (mut third, key) = authenticate(&logon, &negotiate(), &challenge);
        assert_eq!(key, [3; 16]);
        let mic: Key = bytes(&third, MIC_AT).unwrap();
        third[MIC_AT..PAYLOAD_AT].fill(0);
        assert_eq!(hmac_md5(&key, &[&negotiate(), &second, &third]), mic);
    }

    proptest! {
        #[test]
        fn random_challenges_never_panic(mut message in prop::collection::vec(any::<u8>(), 12..200)) {
            message[..12].copy_from_slice(b"NTLMSSP\0\x02\0\0\0");
            if let Some(challenge) = Challenge::parse(&message) {
                let _ = with_mic_flag(challenge.target);
            }
        }
    }
}
