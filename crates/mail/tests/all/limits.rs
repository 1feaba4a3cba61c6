//! Servers that do not answer before a run: each conversation times out, and names the stage.

use std::time::Duration;

use crate::common::house::read;
use crate::common::liar::Then::{self, Drip, Flood, Silence};
use crate::common::liar::liar;
use headcount_load::{Fault, FaultKind};
use headcount_mail::client::provision::{ProvisionError, hello_within};
use serde_json::{Value, json};

/// Shorter than the real limit, which is too long for a test.
const LIMIT: Duration = Duration::from_millis(400);

const GREETING: &str = "* OK [CAPABILITY IMAP4rev1] ready\r\n";
const STARTTLS: &str = "* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n";
/// The greeting of an IMAP server that considers everybody logged on.
const LET_IN: &str = "* PREAUTH [CAPABILITY IMAP4rev1] ready\r\n";

fn endpoint(address: &str, security: &str) -> Value {
    json!({"address": address, "security": security, "verify_certificates": false})
}

/// The fault of the hello with these servers for reading and for sending.
fn hello_fault(imap: &Value, send: Option<&Value>) -> Fault {
    let options = read(&json!({
        "imap": imap, "send": send, "user": "u{n}", "address": "u{n}@test.invalid",
        "password": "secret", "run": 1,
    }));
    match hello_within(LIMIT, options) {
        Err(ProvisionError::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

fn assert_late(fault: &Fault, address: &str, stage: &str) {
    let sentence = format!("no answer from {address} within 400ms: it did not get past {stage}");
    assert_eq!(
        (fault.kind, &*fault.message),
        (FaultKind::Timeout, &*sentence)
    );
}

#[test]
fn a_slow_imap_server_times_out_and_is_named_with_the_stage() {
    let cases: [(&[&str], Then, &str, &str); 8] = [
        (&[], Silence, "none", "the greeting"),
        (
            &[],
            Drip("* OK a greeting without end"),
            "none",
            "the greeting",
        ),
        (&[], Silence, "implicit", "the TLS handshake"),
        (&[STARTTLS], Silence, "starttls", "STARTTLS"),
        (
            &[STARTTLS, "a1 OK begin\r\n"],
            Silence,
            "starttls",
            "the TLS handshake",
        ),
        (
            &["* OK ready\r\n"],
            Drip("* OK wait\r\n"),
            "none",
            "CAPABILITY",
        ),
        (
            &[GREETING],
            Flood("* OK go on waiting\r\n"),
            "none",
            "the logon",
        ),
        (&[LET_IN], Silence, "none", "STATUS INBOX"),
    ];
    for (lines, then, security, stage) in cases {
        let address = liar(lines, then);
        let fault = hello_fault(&endpoint(&address, security), None);
        assert_late(&fault, &address, stage);
    }
}

#[test]
fn a_slow_server_for_sending_times_out_and_is_named_with_the_stage() {
    let cases: [(&[&str], Then, &str, &str, &str); 5] = [
        (&[], Drip("220-"), "smtp", "none", "the greeting"),
        (&["220 hi\r\n"], Silence, "smtp", "none", "EHLO"),
        (&["220 hi\r\n"], Drip("250-hi\r\n"), "lmtp", "none", "LHLO"),
        (
            &["220 hi\r\n", "250-hi\r\n250 STARTTLS\r\n"],
            Silence,
            "smtp",
            "starttls",
            "STARTTLS",
        ),
        (
            &["220 hi\r\n", "250-hi\r\n250 STARTTLS\r\n", "220 go\r\n"],
            Silence,
            "smtp",
            "starttls",
            "the TLS handshake",
        ),
    ];
    let imap = endpoint(&liar(&[LET_IN], Silence), "none");
    for (lines, then, language, security, stage) in cases {
        let address = liar(lines, then);
        let send = json!({"server": endpoint(&address, security), "language": language});
        let fault = hello_fault(&imap, Some(&send));
        assert_late(&fault, &address, stage);
    }
}

#[test]
fn endless_answers_are_refused_at_once() {
    let cases: [(&str, &str); 3] = [
        (
            "* LIST () \"/\" {99999999999}\r\n",
            "announced 99999999999 bytes where no contents",
        ),
        (
            "* 1 FETCH (BODY[] {99999999999}\r\nx",
            "where no contents of a message was expected",
        ),
        ("* OK endless ", "an answer of the server does not end"),
    ];
    for (text, part) in cases {
        let address = liar(&["* OK ready\r\n", ""], Flood(text));
        let fault = hello_fault(&endpoint(&address, "none"), None);
        assert_eq!(fault.kind, FaultKind::Malformed, "{fault}");
        assert!(
            fault.message.starts_with(&format!("{address}: ")),
            "{fault}"
        );
        assert!(fault.message.contains(part), "{fault}");
    }
    let imap = endpoint(&liar(&[LET_IN], Silence), "none");
    let address = liar(&["220 hi\r\n", ""], Flood("250-and on "));
    let send = json!({"server": endpoint(&address, "none"), "language": "smtp"});
    let fault = hello_fault(&imap, Some(&send));
    assert_eq!(fault.kind, FaultKind::Malformed, "{fault}");
    let sentence = format!("{address}: EHLO: a line of a reply does not end");
    assert_eq!(&*fault.message, &*sentence);
}
