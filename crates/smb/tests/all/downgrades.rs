//! A man in the middle who downgrades the dialect, and answers instead of the server.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::sync::Mutex;

use crate::common::relay::{Way, relay};
use crate::common::{Person, Samba, play, smb, work};
use headcount_load::{Fault, FaultKind};
use headcount_smb::wire::header::{Command, SIGNED};
use headcount_smb::wire::status::Status;
use headcount_smb::{SigningPolicy, SmbOptions};

/// The number of the validation request on its connection.
const QUESTION: u32 = 4;

fn put_u16(bytes: &mut [u8], at: usize, number: u16) {
    bytes[at..at + 2].copy_from_slice(&number.to_le_bytes());
}

/// Turns a response into an unsigned one.
fn forge(bytes: &mut Vec<u8>, command: Command, status: Status, body: &[u8]) {
    bytes.truncate(64);
    bytes[8..12].copy_from_slice(&status.0.to_le_bytes());
    put_u16(bytes, 12, command as u16);
    bytes[16..20].copy_from_slice(&1u32.to_le_bytes()); // a response, without a signature
    bytes[48..64].fill(0);
    bytes.extend_from_slice(body);
}

/// The body of a confirmation of this NEGOTIATE response.
fn confirmation(negotiated: &[u8]) -> Vec<u8> {
    let mut body = vec![0; 48];
    put_u16(&mut body, 0, 49);
    put_u16(&mut body, 32, 64 + 48); // where the output starts
    put_u16(&mut body, 36, 24);
    let part = |at: usize, count: usize| &negotiated[64 + at..64 + at + count];
    for (at, count) in [(24, 4), (8, 16), (2, 2), (4, 2)] {
        body.extend_from_slice(part(at, count));
    }
    body
}

/// Replaces the validation request by an ECHO.
fn swallow(bytes: &mut Vec<u8>) {
    assert_eq!(bytes[12], Command::Ioctl as u8);
    bytes.truncate(64);
    put_u16(bytes, 12, Command::Echo as u16);
    put_u16(bytes, 16, 0);
    bytes[48..64].fill(0);
    bytes.extend([4, 0, 0, 0]);
}

/// Lets the server see only the first of the dialects offered, oldest first. With a `forged`
/// status, answers the validation request instead of the server.
fn lower(server: &str, dialects: u16, forged: Option<Status>) -> String {
    let negotiated = Mutex::new(Vec::new());
    relay(server, move |way, number, bytes| match (way, number) {
        (Way::ToServer, 0) => put_u16(bytes, 64 + 2, dialects),
        (Way::ToClient, 0) => bytes.clone_into(&mut negotiated.lock().unwrap()),
        (Way::ToServer, QUESTION) if forged.is_some() => swallow(bytes),
        (Way::ToClient, QUESTION) => {
            if let Some(status) = forged {
                let body = match status {
                    Status::SUCCESS => confirmation(&negotiated.lock().unwrap()),
                    _ => vec![9, 0, 0, 0, 0, 0, 0, 0],
                };
                forge(bytes, Command::Ioctl, status, &body);
            }
        }
        _ => {}
    })
}

fn arrive(options: SmbOptions) -> Option<Fault> {
    play(async { Person::arrive(&smb(options), 0).await }).err()
}

fn assert_noticed(fault: Option<Fault>, reason: &str, dialect: &str) {
    let fault = fault.expect("nobody noticed");
    assert!(fault.ends_session, "{fault}");
    for part in [
        &format!("the server's answers do not agree with its negotiation ({reason}): "),
        &format!("somebody in between may have lowered the dialect to {dialect} "),
    ] {
        assert!(fault.message.contains(part), "{fault}");
    }
}

#[test]
fn a_forged_confirmation_of_a_lower_dialect_is_noticed() {
    let samba = Samba::start("auto");
    let offered = "its confirmation is not signed";
    let required = "IOCTL: the answer is not signed";
    for (signing, reason) in [
        (SigningPolicy::Off, offered),
        (SigningPolicy::Offered, offered),
        (SigningPolicy::Required, required),
    ] {
        for (dialects, dialect) in [(1, "2.1"), (2, "3.0.2")] {
            for forged in [Status::SUCCESS, Status::FILE_CLOSED, Status::NOT_SUPPORTED] {
                let options = SmbOptions {
                    address: lower(&samba.options().address, dialects, Some(forged)),
                    signing,
                    ..samba.options()
                };
                assert_noticed(arrive(options), reason, dialect);
            }
        }
    }
}

#[test]
fn a_server_that_notices_the_downgrade_closes_the_connection() {
    let samba = Samba::start("auto");
    for signing in [SigningPolicy::Offered, SigningPolicy::Required] {
        for (dialects, dialect) in [(1, "2.1"), (2, "3.0.2")] {
            let options = SmbOptions {
                address: lower(&samba.options().address, dialects, None),
                signing,
                ..samba.options()
            };
            let fault = arrive(options);
            let kind = fault.as_ref().map(|fault| fault.kind);
            assert_eq!(kind, Some(FaultKind::Disconnected), "{fault:?}");
            let reason = "the server closed the connection instead of answering";
            assert_noticed(fault, reason, dialect);
        }
    }
}

#[test]
fn a_rewritten_answer_to_the_negotiation_is_noticed() {
    let samba = Samba::start("auto");
    let negotiated = Mutex::new(Vec::new());
    // The server speaks 3.1.1, so both sides have different keys, and all later answers are forged.
    let address = relay(&samba.options().address, move |way, number, bytes| {
        match (way, number) {
            (Way::ToClient, 0) => {
                put_u16(bytes, 64 + 4, 0x0302);
                bytes.clone_into(&mut negotiated.lock().unwrap());
            }
            (Way::ToClient, 2) => bytes[16] &= !(SIGNED as u8),
            (Way::ToClient, 3) => {
                let body = [16, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 1, 31, 0];
                forge(bytes, Command::TreeConnect, Status::SUCCESS, &body);
            }
            (Way::ToServer, QUESTION) => swallow(bytes),
            (Way::ToClient, QUESTION) => {
                let body = confirmation(&negotiated.lock().unwrap());
                forge(bytes, Command::Ioctl, Status::SUCCESS, &body);
            }
            _ => {}
        }
    });
    let options = SmbOptions {
        address,
        ..samba.options()
    };
    assert_noticed(arrive(options), "its confirmation is not signed", "3.0.2");
}

#[test]
fn an_older_server_confirms_its_dialect() {
    for newest in ["SMB2_10", "SMB3_02"] {
        for server in ["auto", "mandatory", "disabled"] {
            let samba = Samba::with(&[("server max protocol", newest), ("server signing", server)]);
            samba.give_home("user00000");
            for signing in [SigningPolicy::Offered, SigningPolicy::Required] {
                let options = SmbOptions {
                    signing,
                    ..samba.options()
                };
                let done = play(work(options));
                assert_eq!(done, Ok(()), "{newest} {server} {signing:?}");
            }
        }
    }
}
