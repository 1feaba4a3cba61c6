//! Names of mailboxes in modified UTF-7 (RFC 3501, 5.1.3), for servers that do not speak IMAP4rev2.

/// The alphabet of base64, with a comma instead of the slash.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

/// Appends a name as IMAP4rev1 writes it.
pub fn encode(name: &str, out: &mut Vec<u8>) {
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_direct = |c: char| (' '..='~').contains(&c);
        let split = rest.find(|c| is_direct(c) != is_direct(first));
        let (run, after) = rest.split_at(split.unwrap_or(rest.len()));
        rest = after;
        if is_direct(first) {
            for byte in run.bytes() {
                out.push(byte);
                if byte == b'&' {
                    out.push(b'-');
                }
            }
        } else {
            encode_run(run, out);
        }
    }
}

/// Appends characters other than printable ASCII: their UTF-16 in base64, between `&` and `-`.
fn encode_run(run: &str, out: &mut Vec<u8>) {
    out.push(b'&');
    let (mut bits, mut held) = (0u32, 0);
    for unit in run.encode_utf16() {
        bits = bits << 16 | u32::from(unit);
        held += 16;
        while held >= 6 {
            held -= 6;
            out.push(ALPHABET[(bits >> held & 63) as usize]);
        }
        bits &= (1 << held) - 1;
    }
    if held > 0 {
        out.push(ALPHABET[(bits << (6 - held) & 63) as usize]);
    }
    out.push(b'-');
}

/// Decodes a name from the server. Text that is not modified UTF-7 stays as it is: servers with
/// IMAP4rev2 write UTF-8, where `&` may stand for itself.
#[must_use]
pub fn decode(name: &[u8]) -> String {
    let as_it_is = || String::from_utf8_lossy(name).into_owned();
    if !name.contains(&b'&') {
        return as_it_is();
    }
    decode_shifted(name).unwrap_or_else(as_it_is)
}

fn decode_shifted(mut name: &[u8]) -> Option<String> {
    let mut text = String::new();
    while let Some(at) = name.iter().position(|byte| *byte == b'&') {
        text.push_str(std::str::from_utf8(&name[..at]).ok()?);
        name = &name[at + 1..];
        let end = name.iter().position(|byte| *byte == b'-')?;
        if end == 0 {
            text.push('&');
        } else {
            decode_run(&name[..end], &mut text)?;
        }
        name = &name[end + 1..];
    }
    text.push_str(std::str::from_utf8(name).ok()?);
    Some(text)
}

fn decode_run(run: &[u8], text: &mut String) -> Option<()> {
    let (mut bits, mut held) = (0u32, 0);
    let mut units = Vec::new();
    for byte in run {
        let value = ALPHABET.iter().position(|known| known == byte)?;
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 16 {
            held -= 16;
            units.push((bits >> held & 0xffff) as u16);
            bits &= (1 << held) - 1;
        }
    }
    // Up to five zero bits may remain as padding.
    if held > 5 || bits != 0 {
        return None;
    }
    text.push_str(&String::from_utf16(&units).ok()?);
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(name: &str) -> String {
        let mut out = Vec::new();
        encode(name, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// The examples of RFC 3501, 5.1.3, and RFC 2152 with the comma.
    #[test]
    fn examples_of_the_specification() {
        for (name, wire) in [
            (
                "~peter/mail/\u{53f0}\u{5317}/\u{65e5}\u{672c}\u{8a9e}",
                "~peter/mail/&U,BTFw-/&ZeVnLIqe-",
            ),
            ("Jelly & Bean", "Jelly &- Bean"),
            ("Entw\u{fc}rfe", "Entw&APw-rfe"),
            ("\u{1f600}", "&2D3eAA-"),
            ("INBOX", "INBOX"),
        ] {
            assert_eq!(encoded(name), wire);
            assert_eq!(decode(wire.as_bytes()), name);
        }
    }

    #[test]
    fn invalid_modified_utf7_stays_as_it_is() {
        for name in ["a&b", "&", "&AB", "&A-", "&2D0-", "&AP9-", "R&D - x", "&!-"] {
            assert_eq!(decode(name.as_bytes()), name, "{name}");
        }
        assert_eq!(decode("Entw\u{fc}rfe".as_bytes()), "Entw\u{fc}rfe");
    }

    proptest! {
        #[test]
        fn names_survive_a_round_trip(name in ".{0,30}") {
            let wire = encoded(&name);
            prop_assert!(wire.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}", wire);
            prop_assert_eq!(decode(wire.as_bytes()), name);
        }

        #[test]
        fn any_bytes_can_be_decoded(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            shifted in "&[A-Za-z0-9+,]{0,12}-",
        ) {
            let _ = decode(&bytes);
            let _ = decode(shifted.as_bytes());
        }
    }
}
