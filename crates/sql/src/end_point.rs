//! The hash of the server's certificate, to which a proof is bound (`tls-server-end-point`, RFC
//! 5929, section 4).

use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// Tags of DER (X.690).
const SEQUENCE: u8 = 0x30;
const OID: u8 = 0x06;
/// The first parameter of RSASSA-PSS: the hash (RFC 4055, 3.1).
const HASH_OF_PSS: u8 = 0xa0;

/// `1.2.840.113549.1.1` (RFC 8017, appendix C), `1.2.840.10045.4` (RFC 5758, 3.2) and
/// `2.16.840.1.101.3.4.2` (RFC 4055, 2.1), encoded.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04];
const HASHES: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02];

/// The hash of a certificate (DER) by the hash function of its own signature; SHA-256 if that is
/// MD5 or SHA-1. `None` if the signature has no such function, as with Ed25519.
#[must_use]
pub fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let (parts, _) = element(certificate, SEQUENCE)?;
    let (_, after_body) = element(parts, SEQUENCE)?;
    let (algorithm, _) = element(after_body, SEQUENCE)?;
    let (name, parameters) = element(algorithm, OID)?;
    let bits = if let Some(which) = name.strip_prefix(RSA) {
        match which {
            [4 | 5 | 11] => 256,
            [12] => 384,
            [13] => 512,
            [14] => 224,
            [10] => bits_of_pss(parameters)?,
            _ => return None,
        }
    } else {
        match name.strip_prefix(ECDSA)? {
            [1] | [3, 2] => 256,
            [3, 1] => 224,
            [3, 3] => 384,
            [3, 4] => 512,
            _ => return None,
        }
    };
    Some(match bits {
        224 => Sha224::digest(certificate).to_vec(),
        256 => Sha256::digest(certificate).to_vec(),
        384 => Sha384::digest(certificate).to_vec(),
        _ => Sha512::digest(certificate).to_vec(),
    })
}

/// The length of the hash in these parameters of RSASSA-PSS; without one it is SHA-1.
fn bits_of_pss(parameters: &[u8]) -> Option<u32> {
    let (all, _) = element(parameters, SEQUENCE)?;
    let Some((hash, _)) = element(all, HASH_OF_PSS) else {
        return Some(256);
    };
    let (algorithm, _) = element(hash, SEQUENCE)?;
    let (name, _) = element(algorithm, OID)?;
    match name.strip_prefix(HASHES)? {
        [1] => Some(256),
        [2] => Some(384),
        [3] => Some(512),
        [4] => Some(224),
        _ => None,
    }
}

/// The contents of an element with this tag, and what is behind it.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if digits.len() > 4 {
            return None;
        }
        let add = |sum, digit: &u8| (sum << 8) | usize::from(*digit);
        (digits.iter().fold(0, add), rest)
    };
    let parts = rest.split_at_checked(length)?;
    (found == tag).then_some(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The relevant parts of a certificate: a body, and the algorithm of the signature.
    fn certificate(algorithm: &[u8]) -> Vec<u8> {
        let sequence = |parts: &[u8]| [&[SEQUENCE, parts.len() as u8][..], parts].concat();
        sequence(&[sequence(b"body"), sequence(algorithm)].concat())
    }

    fn algorithm_id(prefix: &[u8], last: &[u8]) -> Vec<u8> {
        let name = [prefix, last].concat();
        [&[OID, name.len() as u8][..], &name].concat()
    }

    #[test]
    fn the_hash_is_that_of_the_signature_unless_it_is_broken() {
        // Signature, and bytes of the hash.
        let cases = [
            (algorithm_id(RSA, &[5]), 32),
            (algorithm_id(RSA, &[11]), 32),
            (algorithm_id(RSA, &[12]), 48),
            (algorithm_id(RSA, &[13]), 64),
            (algorithm_id(ECDSA, &[1]), 32),
            (algorithm_id(ECDSA, &[3, 1]), 28),
            (algorithm_id(ECDSA, &[3, 3]), 48),
            ([algorithm_id(RSA, &[10]), vec![SEQUENCE, 0]].concat(), 32),
        ];
        for (algorithm, bytes) in cases {
            let found = end_point(&certificate(&algorithm)).unwrap();
            assert_eq!(found.len(), bytes, "{algorithm:?}");
        }
        let one = certificate(&algorithm_id(RSA, &[11]));
        assert_eq!(end_point(&one).unwrap(), Sha256::digest(&one).to_vec());
        let ed25519 = certificate(&[OID, 3, 0x2b, 0x65, 0x70]);
        assert_eq!(end_point(&ed25519), None);
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..60), cut in 0usize..20,
        ) {
            let _ = end_point(&bytes);
            let whole = certificate(&algorithm_id(RSA, &[10]));
            let _ = end_point(&whole[..whole.len().min(cut)]);
        }
    }
}
