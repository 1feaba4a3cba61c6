//! A man in the middle: what signatures detect, and what the check of contents detects.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::relay::{Way, relay};
use crate::common::{Person, Samba, play, smb};
use headcount_load::FaultKind;
use headcount_smb::auth::spnego;
use headcount_smb::options::EncryptionPolicy;
use headcount_smb::wire::negotiate::{Dialect, SigningAlgorithm};
use headcount_smb::{SigningPolicy, SmbOptions};
use serde_json::json;

/// Once `tampers` is set, changes the last byte of every response.
fn last_byte(tampers: &Arc<AtomicBool>) -> impl Fn(Way, u32, &mut Vec<u8>) + Send + Sync + use<> {
    let tampers = Arc::clone(tampers);
    move |way, _, bytes| {
        if way == Way::ToClient
            && tampers.load(Ordering::Relaxed)
            && let Some(last) = bytes.last_mut()
        {
            *last ^= 1;
        }
    }
}

#[test]
fn every_signing_algorithm_detects_a_changed_answer() {
    use SigningAlgorithm::{AesCmac, AesGmac, HmacSha256};
    let samba = Samba::start("auto");
    for (dialect, algorithm) in [
        (Dialect::Smb21, HmacSha256),
        (Dialect::Smb302, AesCmac),
        (Dialect::Smb311, HmacSha256),
        (Dialect::Smb311, AesCmac),
        (Dialect::Smb311, AesGmac),
    ] {
        let tampers = Arc::new(AtomicBool::new(false));
        let options = SmbOptions {
            dialects: vec![dialect],
            algorithms: vec![algorithm],
            signing: SigningPolicy::Required,
            ..samba.options()
        };
        let address = relay(&options.address, last_byte(&tampers));
        play(async {
            let mut person = Person::arrive(&smb(SmbOptions { address, ..options }), 0)
                .await
                .unwrap();
            person.play_all([json!({"op": "echo"})]).await;
            tampers.store(true, Ordering::Relaxed);
            let fault = person.play(json!({"op": "echo"})).await.unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Malformed, true)
            );
            assert!(
                fault
                    .message
                    .contains("the signature of the answer is wrong"),
                "{fault}"
            );
        });
    }
}

#[test]
fn changed_contents_are_noticed_without_signatures() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let tampers = Arc::new(AtomicBool::new(false));
    let options = SmbOptions {
        signing: SigningPolicy::Off,
        ..samba.options()
    };
    let address = relay(&options.address, last_byte(&tampers));
    play(async {
        let mut person = Person::arrive(&smb(SmbOptions { address, ..options }), 0)
            .await
            .unwrap();
        let open = json!({"op": "open", "path": {"file": "new"}, "access": "all", "how": "create"});
        let read = json!({"op": "read", "from": "start"});
        person
            .play_all([open, json!({"op": "write", "bytes": 4096}), read.clone()])
            .await;
        tampers.store(true, Ordering::Relaxed);
        let fault = person.play(read).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::WrongData, "{fault}");
    });
}

#[test]
fn a_changed_negotiation_is_noticed() {
    let samba = Samba::start("auto");
    for (dialect, part) in [
        // In this dialect, the client validates the negotiation in a signed message.
        (
            Dialect::Smb302,
            "do not agree with its negotiation (it remembers another)",
        ),
        // In this dialect, the signing key is derived from the messages of the negotiation.
        (Dialect::Smb311, "the signature of the answer is wrong"),
    ] {
        let options = SmbOptions {
            dialects: vec![dialect],
            ..samba.options()
        };
        // The server's GUID in the first response: after the header and eight bytes.
        let address = relay(&options.address, |way, number, bytes| {
            if (way, number) == (Way::ToClient, 0) {
                bytes[64 + 8] ^= 1;
            }
        });
        let arriving = async { Person::arrive(&smb(SmbOptions { address, ..options }), 0).await };
        let fault = play(arriving).err().unwrap();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Malformed, true)
        );
        assert!(fault.message.contains(part), "{fault}");
    }
}

#[test]
fn a_changed_encrypted_answer_is_noticed() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    // Tag, nonce, length and session in the header; the start of the message.
    for (at, part) in [
        (4, "its tag is wrong"),
        (20, "its tag is wrong"),
        (36, "has another form"),
        (44, "belongs to another session"),
        (52, "its tag is wrong"),
    ] {
        for dialect in [Dialect::Smb302, Dialect::Smb311] {
            let tampers = Arc::new(AtomicBool::new(false));
            let options = SmbOptions {
                dialects: vec![dialect],
                encryption: EncryptionPolicy::Required,
                ..samba.options()
            };
            let switch = Arc::clone(&tampers);
            let address = relay(&options.address, move |way, _, bytes| {
                if way == Way::ToClient && switch.load(Ordering::Relaxed) {
                    bytes[at] ^= 1;
                }
            });
            play(async {
                let mut person = Person::arrive(&smb(SmbOptions { address, ..options }), 0)
                    .await
                    .unwrap();
                person.play_all([json!({"op": "echo"})]).await;
                tampers.store(true, Ordering::Relaxed);
                let fault = person.play(json!({"op": "echo"})).await.unwrap_err();
                assert_eq!(
                    (fault.kind, fault.ends_session),
                    (FaultKind::Malformed, true)
                );
                assert!(fault.message.contains(part), "{fault}");
            });
        }
    }
}

#[test]
fn a_plain_answer_to_an_encrypted_request_is_refused() {
    let samba = Samba::start("auto");
    let tampers = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&tampers);
    let address = relay(&samba.options().address, move |way, _, bytes| {
        if way == Way::ToClient && switch.load(Ordering::Relaxed) {
            // What the server would answer to an unencrypted ECHO.
            let mut plain = b"\xFESMB\x40\0\0\0\0\0\0\0\x0D\0\x01\0\x01\0\0\0\0\0\0\0".to_vec();
            plain.extend([0; 40]);
            plain.extend([4, 0, 0, 0]);
            // Its message id, after NEGOTIATE, two SESSION_SETUP and TREE_CONNECT.
            plain[24] = 4;
            plain[40..48].copy_from_slice(&bytes[44..52]);
            *bytes = plain;
        }
    });
    let options = SmbOptions {
        address,
        encryption: EncryptionPolicy::Required,
        ..samba.options()
    };
    play(async {
        let mut person = Person::arrive(&smb(options), 0).await.unwrap();
        tampers.store(true, Ordering::Relaxed);
        let fault = person.play(json!({"op": "echo"})).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Malformed, true)
        );
        assert!(
            fault.message.contains("ECHO: the answer is not encrypted"),
            "{fault}"
        );
    });
}

#[test]
fn a_changed_list_of_mechanisms_is_noticed() {
    let samba = Samba::start("auto");
    for (changes, expected) in [(false, None), (true, Some("mechListMIC is wrong"))] {
        let address = relay(&samba.options().address, move |way, number, bytes| {
            // The last response of the logon: without a signature, only the `mechListMIC` at the
            // end of its token protects the list of mechanisms.
            if (way, number) == (Way::ToClient, 2) {
                let token = &bytes[72..];
                assert!(spnego::server_mic(token).is_some_and(|mic| mic.len() == 16));
                bytes[16] &= !8;
                *bytes.last_mut().unwrap() ^= u8::from(changes);
            }
        });
        let options = SmbOptions {
            address,
            dialects: vec![Dialect::Smb21],
            signing: SigningPolicy::Off,
            ..samba.options()
        };
        let arriving = async { Person::arrive(&smb(options), 0).await };
        let fault = play(arriving).err();
        match expected {
            None => assert_eq!(fault, None),
            Some(part) => {
                let fault = fault.unwrap();
                assert_eq!(
                    (fault.kind, fault.ends_session),
                    (FaultKind::Malformed, true)
                );
                assert!(fault.message.contains(part), "{fault}");
            }
        }
    }
}
