//! Answers of servers, and forged ones.

use super::*;
use crate::wire::fields::Put;
use crate::wire::header::SIGNED;
use crate::wire::negotiate::Dialect;

/// What a server of 3.0.2 agreed on.
fn agreed() -> Agreed {
    Agreed {
        dialect: Dialect::Smb302,
        server: [7; 16],
        capabilities: 0x47,
        security_mode: 3,
        ..Agreed::nothing([1; 16])
    }
}

fn head(status: Status) -> Response {
    let mut message = b"\xFESMB\x40\0\0\0".to_vec();
    message.put_u32(status.0);
    message.put_u16(Command::Ioctl as u16);
    message.put_u16(1);
    message.put_u32(1 | SIGNED);
    message.put_zeros(64 - message.len());
    Response::parse(&message).unwrap()
}

/// The answer of a server that negotiated this.
fn confirmation(capabilities: u32, server: u8, security_mode: u16, dialect: Dialect) -> Vec<u8> {
    let mut body = Vec::new();
    body.put_u16(49);
    body.put_zeros(30);
    body.put_u32(64 + 48); // where the output starts
    body.put_u32(ANSWER_BYTES);
    body.put_zeros(8);
    body.put_u32(capabilities);
    body.put(&[server; 16]);
    body.put_u16(security_mode);
    body.put_u16(dialect.code());
    body
}

fn judged(status: Status, body: &[u8], is_protected: bool) -> Result<(), Fault> {
    judge(&head(status), body, is_protected, &agreed())
}

fn assert_disagrees(answer: Result<(), Fault>, reason: &str) {
    let fault = answer.unwrap_err();
    assert!(fault.ends_session, "{fault}");
    let start = "the server's answers do not agree with its negotiation";
    assert!(
        fault.message.starts_with(&format!("{start} ({reason}): ")),
        "{fault}"
    );
    assert!(
        fault.message.contains("lowered the dialect to 3.0.2"),
        "{fault}"
    );
}

#[test]
fn a_confirmation_must_be_signed() {
    let same = confirmation(0x47, 7, 3, Dialect::Smb302);
    assert_eq!(judged(Status::SUCCESS, &same, true), Ok(()));
    let unsigned = judged(Status::SUCCESS, &same, false);
    assert_disagrees(unsigned, "its confirmation is not signed");
}

#[test]
fn a_difference_in_any_part_of_the_negotiation_is_noticed() {
    for other in [
        confirmation(0x07, 7, 3, Dialect::Smb302),
        confirmation(0x47, 8, 3, Dialect::Smb302),
        confirmation(0x47, 7, 1, Dialect::Smb302),
        confirmation(0x47, 7, 3, Dialect::Smb21),
    ] {
        assert_disagrees(
            judged(Status::SUCCESS, &other, true),
            "it remembers another",
        );
    }
    let short = judged(Status::SUCCESS, &[49, 0], true);
    assert_disagrees(short, "its confirmation has another form");
}

#[test]
fn a_server_without_validation_must_sign_its_refusal() {
    for status in [
        Status::FILE_CLOSED,
        Status::NOT_SUPPORTED,
        Status::INVALID_DEVICE_REQUEST,
        Status::FS_DRIVER_REQUIRED,
    ] {
        assert_eq!(judged(status, &[], true), Ok(()), "{status:?}");
        assert_disagrees(judged(status, &[], false), "its confirmation is not signed");
    }
}

#[test]
fn a_refused_validation_ends_the_session() {
    let denied = judged(Status::ACCESS_DENIED, &[], true);
    assert_disagrees(denied, "STATUS_ACCESS_DENIED (0xC0000022)");
    for (status, kind) in [
        (Status::INSUFFICIENT_RESOURCES, FaultKind::Refused),
        (Status::USER_SESSION_DELETED, FaultKind::Disconnected),
    ] {
        let fault = judged(status, &[], true).unwrap_err();
        assert_eq!((fault.kind, fault.ends_session), (kind, true), "{fault}");
    }
    // Nobody can sign for a session that is gone.
    let fault = judged(Status::USER_SESSION_DELETED, &[], false).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Disconnected, "{fault}");
}
