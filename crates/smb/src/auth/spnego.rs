//! SPNEGO (RFC 4178; MS-SPNG): the envelope of the logon, in DER (ITU-T X.690). Only NTLM is
//! offered. NTLM's message integrity code makes servers expect a `mechListMIC`, too, which protects
//! the list of mechanisms (MS-SPNG 3.1.5.1).

/// 1.3.6.1.5.5.2
const SPNEGO: [u8; 6] = [0x2B, 6, 1, 5, 5, 2];
/// 1.3.6.1.4.1.311.2.2.10
const NTLMSSP: [u8; 10] = [0x2B, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 0x0A];

const APPLICATION: u8 = 0x60;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const OCTET_STRING: u8 = 0x04;
const MECHANISM_TYPES: u8 = 0xA0;
const RESPONSE: u8 = 0xA1;
const TOKEN: u8 = 0xA2;
const MECHANISM_LIST_MIC: u8 = 0xA3;

/// The first token: offers NTLM and carries its first message, `ntlm`.
#[must_use]
pub fn initial(ntlm: &[u8]) -> Vec<u8> {
    let mut content = wrap(MECHANISM_TYPES, &mechanisms());
    content.extend(wrap(TOKEN, &wrap(OCTET_STRING, ntlm)));
    let mut both = wrap(OBJECT_IDENTIFIER, &SPNEGO);
    both.extend(wrap(0xA0, &wrap(SEQUENCE, &content)));
    wrap(APPLICATION, &both)
}

/// The list of offered mechanisms, which `mechListMIC` is computed over.
#[must_use]
pub fn mechanisms() -> Vec<u8> {
    wrap(SEQUENCE, &wrap(OBJECT_IDENTIFIER, &NTLMSSP))
}

/// The second token, which answers the server's; `mic` is over [`mechanisms`].
#[must_use]
pub fn response(ntlm: &[u8], mic: &[u8]) -> Vec<u8> {
    let mut content = wrap(TOKEN, &wrap(OCTET_STRING, ntlm));
    content.extend(wrap(MECHANISM_LIST_MIC, &wrap(OCTET_STRING, mic)));
    wrap(RESPONSE, &wrap(SEQUENCE, &content))
}

/// The NTLM message inside a server's token, which may also be a bare NTLM message.
#[must_use]
pub fn inside(token: &[u8]) -> Option<&[u8]> {
    if token.starts_with(b"NTLMSSP\0") {
        return Some(token);
    }
    field(token, TOKEN)
}

/// The server's `mechListMIC` over [`mechanisms`], if its token has one.
#[must_use]
pub fn server_mic(token: &[u8]) -> Option<&[u8]> {
    field(token, MECHANISM_LIST_MIC)
}

/// The bytes of a field of a server's token.
fn field(token: &[u8], wanted: u8) -> Option<&[u8]> {
    let (sequence, _) = expect(token, RESPONSE)?;
    let (mut fields, _) = expect(sequence, SEQUENCE)?;
    while !fields.is_empty() {
        let (tag, value, rest) = element(fields)?;
        if tag == wanted {
            return Some(expect(value, OCTET_STRING)?.0);
        }
        fields = rest;
    }
    None
}

fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + 4);
    out.push(tag);
    let length = content.len();
    match length {
        0..0x80 => out.push(length as u8),
        0x80..0x100 => out.extend([0x81, length as u8]),
        _ => out.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    out.extend_from_slice(content);
    out
}

/// Tag, contents and rest of the element at the start of `from`.
fn element(from: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = from.split_first()?;
    let (&first, mut rest) = rest.split_first()?;
    let length = if first < 0x80 {
        usize::from(first)
    } else {
        let count = usize::from(first & 0x7F);
        if !(1..=4).contains(&count) {
            return None;
        }
        let (digits, after) = rest.split_at_checked(count)?;
        rest = after;
        digits
            .iter()
            .fold(0, |sum, digit| sum << 8 | usize::from(*digit))
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

fn expect(from: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = element(from)?;
    (found == tag).then_some((content, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_token_matches_that_of_windows() {
        // Tag, length and identifiers as in the examples of MS-SPNG 4.
        let token = initial(b"NTLMSSP\0x");
        let expected_start = [
            0x60, 0x29, 0x06, 0x06, 0x2B, 6, 1, 5, 5, 2, 0xA0, 0x1F, 0x30, 0x1D, 0xA0, 0x0E, 0x30,
            0x0C, 0x06, 0x0A,
        ];
        assert_eq!(token[..20], expected_start);
        assert!(token.ends_with(b"\xA2\x0B\x04\x09NTLMSSP\0x"));
    }

    proptest! {
        #[test]
        fn wrapped_tokens_are_unwrapped(ntlm in prop::collection::vec(any::<u8>(), 0..70_000)) {
            prop_assume!(ntlm.len() < 0xFF00 && !ntlm.starts_with(b"NTLMSSP\0"));
            let token = response(&ntlm, &[7; 16]);
            prop_assert_eq!(inside(&token), Some(&ntlm[..]));
            prop_assert_eq!(server_mic(&token), Some(&[7; 16][..]));
        }

        #[test]
        fn random_tokens_never_panic(token in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = (inside(&token), server_mic(&token));
            let token = [&[RESPONSE, token.len() as u8], &token[..]].concat();
            let _ = (inside(&token), server_mic(&token));
        }
    }
}
