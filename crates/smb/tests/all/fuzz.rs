//! Random and mutated messages: parsers answer, and never panic.

use headcount_smb::auth::spnego;
use headcount_smb::wire::create::Opened;
use headcount_smb::wire::header::{HEADER_BYTES, Response, frame_bytes};
use headcount_smb::wire::info::QueryInfo;
use headcount_smb::wire::ioctl::Negotiated;
use headcount_smb::wire::oplock::Break;
use headcount_smb::wire::transform::{TRANSFORM_BYTES, Transform};
use headcount_smb::wire::{directory, ioctl, negotiate, session, transfer, tree};
use headcount_tree::query::Query;
use proptest::prelude::*;

/// Passes a body to every parser.
fn parse_all(body: &[u8]) {
    let _ = (
        negotiate::Response::parse(body),
        session::parse_setup(body),
        tree::parse(body),
    );
    let _ = (
        Opened::parse(body),
        transfer::parse_read(body),
        transfer::parse_write(body),
    );
    let _ = (
        directory::parse(body).map(directory::count),
        directory::count(body),
    );
    let _ = (
        ioctl::parse(body),
        Negotiated::parse(body),
        Break::parse(body),
    );
    for class in [Query::All, Query::Basic, Query::Security, Query::Stream] {
        let _ = class.parse(body);
    }
    let _ = (Response::parse(body), frame_bytes(body));
    let _ = (spnego::inside(body), spnego::server_mic(body));
    let _ = Transform::parse(body);
}

/// Walks the responses of a frame. Returns how many there are, if their offsets are right.
fn walk(mut frame: &[u8]) -> Option<usize> {
    for count in 1.. {
        let bytes = Response::parse(frame)?.bytes(frame.len())?;
        frame = &frame[bytes..];
        if frame.is_empty() {
            return Some(count);
        }
    }
    None
}

/// A negotiate response of 3.1.1 with three contexts, as smbd sends it.
fn negotiation() -> Vec<u8> {
    let mut body = vec![0; 64];
    body[0] = 65;
    body[4..6].copy_from_slice(&0x0311u16.to_le_bytes());
    body[6] = 3;
    body[28..40].copy_from_slice(&[0, 0, 128, 0, 0, 0, 128, 0, 0, 0, 128, 0]);
    body[56] = 128;
    body[60..64].copy_from_slice(&((HEADER_BYTES + 64) as u32).to_le_bytes());
    body.extend([1, 0, 38, 0, 0, 0, 0, 0, 1, 0, 32, 0, 1, 0]);
    body.extend([9; 34]);
    body.extend([2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0]);
    body.extend([8, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0]);
    body
}

#[test]
fn the_contexts_of_a_negotiation_are_read() {
    let mut body = negotiation();
    let response = negotiate::Response::parse(&body).unwrap();
    assert!(response.has_preauth);
    assert_eq!(response.signing, Some(negotiate::SigningAlgorithm::AesGmac));
    assert_eq!(response.cipher, Some(negotiate::Cipher::Aes128Gcm));
    assert_eq!(response.max_read, 8 << 20);
    let cipher_at = 64 + 48 + 10;
    body[cipher_at] = 0; // no cipher in common
    assert_eq!(negotiate::Response::parse(&body).unwrap().cipher, None);
    body[cipher_at] = 4; // one that was not offered
    assert_eq!(negotiate::Response::parse(&body), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bodies(
        size in prop::sample::select(vec![9u8, 16, 17, 24, 44, 49, 65, 89]),
        mut body in prop::collection::vec(any::<u8>(), 2..300),
    ) {
        parse_all(&body);
        body[0] = size;
        body[1] = 0;
        parse_all(&body);
    }

    #[test]
    fn random_headers(mut head in prop::collection::vec(any::<u8>(), 6..100)) {
        head[..6].copy_from_slice(b"\xFESMB\x40\0");
        let _ = Response::parse(&head);
    }

    #[test]
    fn a_chain_of_responses_ends_whatever_its_offsets(
        nexts in prop::collection::vec(prop::sample::select(
            vec![0u32, 1, 8, 63, 64, 72, 73, 80, 128, 1 << 31, u32::MAX]), 1..12),
        length in 0usize..1200,
    ) {
        let mut frame = vec![0; length];
        let mut at = 0;
        for next in &nexts {
            let Some(head) = frame.get_mut(at..at + HEADER_BYTES) else {
                break;
            };
            head[..6].copy_from_slice(b"\xFESMB\x40\0");
            head[16] = 1;
            head[20..24].copy_from_slice(&next.to_le_bytes());
            at += (*next as usize).clamp(8, 4096);
        }
        if let Some(count) = walk(&frame) {
            prop_assert!(count <= nexts.len());
        }
    }

    #[test]
    fn random_encrypted_messages(
        mut message in prop::collection::vec(any::<u8>(), TRANSFORM_BYTES..200),
        is_whole: bool,
    ) {
        message[..4].copy_from_slice(b"\xFDSMB");
        message[42..44].copy_from_slice(&[1, 0]);
        if is_whole {
            let bytes = (message.len() - TRANSFORM_BYTES) as u32;
            message[36..40].copy_from_slice(&bytes.to_le_bytes());
            let head = Transform::parse(&message).unwrap();
            // Everything except the two reserved bytes is kept.
            message[40..42].fill(0);
            prop_assert_eq!(&head.encode()[..], &message[..TRANSFORM_BYTES]);
        } else {
            let _ = Transform::parse(&message);
        }
    }

    #[test]
    fn mutated_tokens_of_the_logon(
        ntlm in prop::collection::vec(any::<u8>(), 0..300),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut: prop::sample::Index,
    ) {
        let mut token = spnego::response(&ntlm, &[7; 16]);
        for (at, byte) in changes {
            let at = at.index(token.len());
            token[at] = byte;
        }
        let _ = (spnego::inside(&token), spnego::server_mic(&token));
        token.truncate(cut.index(token.len()));
        let _ = (spnego::inside(&token), spnego::server_mic(&token));
    }

    #[test]
    fn a_mutated_negotiation(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut: prop::sample::Index,
    ) {
        let mut body = negotiation();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        let _ = negotiate::Response::parse(&body);
        body.truncate(cut.index(body.len()));
        let _ = negotiate::Response::parse(&body);
    }

    #[test]
    fn a_listing_ends_whatever_its_offsets(
        next in prop::collection::vec(prop::sample::select(vec![0u32, 1, 104, 112, 200, u32::MAX]), 1..20),
    ) {
        let mut entries = vec![0; 4096];
        let mut at = 0;
        for next in next {
            if at + 104 > entries.len() {
                break;
            }
            entries[at..at + 4].copy_from_slice(&next.to_le_bytes());
            at += 112;
        }
        let _ = directory::count(&entries);
    }
}
