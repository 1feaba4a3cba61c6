//! Random and mutated messages: parsers answer, and never panic.

use headcount_smb::wire::create::Opened;
use headcount_smb::wire::header::{HEADER_BYTES, Response, frame_bytes};
use headcount_smb::wire::info::Query;
use headcount_smb::wire::ioctl::Negotiated;
use headcount_smb::wire::oplock::Break;
use headcount_smb::wire::{directory, ioctl, negotiate, session, transfer, tree};
use proptest::prelude::*;

/// Gives a body to every parser.
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
}

/// A negotiate response of 3.1.1 with both contexts, as smbd sends it.
fn negotiation() -> Vec<u8> {
    let mut body = vec![0; 64];
    body[0] = 65;
    body[4..6].copy_from_slice(&0x0311u16.to_le_bytes());
    body[6] = 2;
    body[28..40].copy_from_slice(&[0, 0, 128, 0, 0, 0, 128, 0, 0, 0, 128, 0]);
    body[56] = 128;
    body[60..64].copy_from_slice(&((HEADER_BYTES + 64) as u32).to_le_bytes());
    body.extend([1, 0, 38, 0, 0, 0, 0, 0, 1, 0, 32, 0, 1, 0]);
    body.extend([9; 34]);
    body.extend([8, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0]);
    body
}

#[test]
fn the_contexts_of_a_negotiation_are_read() {
    let body = negotiation();
    let response = negotiate::Response::parse(&body).unwrap();
    assert!(response.has_preauth);
    assert_eq!(response.signing, Some(negotiate::SigningAlgorithm::AesGmac));
    assert_eq!(response.max_read, 8 << 20);
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
