//! Messages of SMB that have come whole, and the tokens of its logon.

use headcount_smb::auth::ntlm::{Side, first_signature};
use headcount_smb::auth::ntlm_message::{Challenge, Logon, authenticate, negotiate};
use headcount_smb::auth::spnego;
use headcount_smb::wire::create::Opened;
use headcount_smb::wire::header::{Response, frame_bytes};
use headcount_smb::wire::info::QueryInfo;
use headcount_smb::wire::ioctl::Negotiated;
use headcount_smb::wire::oplock::Break;
use headcount_smb::wire::transform::{TRANSFORM_BYTES, Transform};
use headcount_smb::wire::{directory, ioctl, negotiate as hello, session, transfer, tree};
use headcount_tree::query::Query;

/// The longest token that fits in the two bytes of its length in DER, with what is around it.
const MOST_TOKEN_BYTES: usize = 0xFF00;

/// Gives a body to every reader, and what bodies hold to theirs.
pub fn parse_all(body: &[u8]) {
    let _ = (hello::Response::parse(body), tree::parse(body));
    if let Some((_, token)) = session::parse_setup(body) {
        let _ = (spnego::inside(token), spnego::server_mic(token));
    }
    let _ = (Opened::parse(body), transfer::parse_write(body));
    if let Some(data) = transfer::parse_read(body) {
        assert!(data.len() <= body.len());
    }
    if let Some(entries) = directory::parse(body) {
        list(entries);
    }
    if let Some(output) = ioctl::parse(body) {
        let _ = Negotiated::parse(output);
    }
    if let Some(taken) = Break::parse(body) {
        taken.encode_acknowledgement(&mut Vec::new());
    }
    for class in [Query::All, Query::Basic, Query::Security, Query::Stream] {
        let _ = class.parse(body);
    }
}

/// Reads entries in both ways: they agree on which are whole, and on how many there are at most.
fn list(entries: &[u8]) {
    let mut found = Vec::new();
    let count = directory::count(entries);
    let is_read = directory::read(entries, &mut found).is_some();
    assert_eq!(
        count.is_some(),
        is_read,
        "both readers find the same entries whole"
    );
    if let Some(count) = count {
        // Without `.` and `..`.
        assert!(
            found.len() <= count as usize,
            "both readers find the same entries"
        );
    }
}

/// Reads bytes as every kind of message.
pub fn bodies(data: &[u8]) {
    parse_all(data);
    list(data);
    let _ = (Negotiated::parse(data), frame_bytes(data));
    if let Some(head) = Response::parse(data) {
        if let Some(bytes) = head.bytes(data.len()) {
            assert!(bytes <= data.len());
        }
        let _ = (head.status.name(), head.status.fault("CREATE"));
    }
    if let Some(head) = Transform::parse(data) {
        let mut expected = data[..TRANSFORM_BYTES].to_vec();
        expected[40..42].fill(0); // reserved
        assert_eq!(head.encode()[..], expected);
    }
}

/// Answers a server's challenge: the token that comes of it holds what was put in.
pub fn logon(data: &[u8]) {
    let _ = spnego::server_mic(data);
    if data.len() < MOST_TOKEN_BYTES && !data.starts_with(b"NTLMSSP\0") {
        let token = spnego::response(data, &[7; 16]);
        assert_eq!(spnego::inside(&token), Some(data));
        assert_eq!(spnego::server_mic(&token), Some(&[7; 16][..]));
    }
    let Some(challenge) = spnego::inside(data).and_then(Challenge::parse) else {
        return;
    };
    let logon = Logon {
        user: "user",
        domain: "DOMAIN",
        owner_key: &[1; 16],
        own_challenge: [2; 8],
        session_key: [3; 16],
        filetime: 4,
    };
    let (third, key) = authenticate(&logon, &negotiate(), &challenge);
    let exchanges = challenge.exchanges_keys();
    let mechanisms = spnego::mechanisms();
    let mic = first_signature(&key, Side::Client, exchanges, &mechanisms);
    if third.len() < MOST_TOKEN_BYTES {
        let token = spnego::response(&third, &mic);
        assert_eq!(spnego::inside(&token), Some(&third[..]));
    }
}
