//! Encryption against a real smbd: of whole sessions and of one share, required by either side, and
//! the faults if the other side cannot.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::relay::{Way, relay};
use crate::common::{Person, Samba, play, smb, work};
use headcount_load::FaultKind;
use headcount_load::Requests;
use headcount_smb::connection::{Connection, Wanted};
use headcount_smb::options::EncryptionPolicy;
use headcount_smb::wire::negotiate::{Cipher, Dialect, SigningAlgorithm};
use headcount_smb::wire::transform::Transform;
use headcount_smb::{Password, SigningPolicy, Smb, SmbOptions};
use rustix::process::Signal;
use serde_json::json;

const INSISTS: [(&str, &str); 2] = [("server signing", "auto"), ("smb encrypt", "required")];
const ENCRYPTING: [Dialect; 2] = [Dialect::Smb302, Dialect::Smb311];

fn options(samba: &Samba, dialect: Dialect, encryption: EncryptionPolicy) -> SmbOptions {
    SmbOptions {
        dialects: vec![dialect],
        encryption,
        ..samba.options()
    }
}

#[test]
fn encrypting_dialects_work_with_a_server_that_requires_it() {
    for server in [
        &INSISTS[..],
        &[("smb encrypt", "desired")],
        &[
            ("smb encrypt", "required"),
            ("server signing", "mandatory"),
            ("server smb3 encryption algorithms", "AES-128-CCM"),
        ],
    ] {
        let samba = Samba::with(server);
        samba.give_home("user00000");
        for dialect in ENCRYPTING {
            for encryption in [EncryptionPolicy::Offered, EncryptionPolicy::Required] {
                for signing in [SigningPolicy::Offered, SigningPolicy::Required] {
                    let options = SmbOptions {
                        signing,
                        ..options(&samba, dialect, encryption)
                    };
                    let done = play(work(options));
                    assert_eq!(
                        done,
                        Ok(()),
                        "{dialect:?} {encryption:?} {signing:?} {server:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_cipher_is_that_of_the_dialect_or_preferred_by_the_server() {
    let ccm_only = [("server smb3 encryption algorithms", "AES-128-CCM")];
    let (any, ccm_only) = (Samba::start("auto"), Samba::with(&ccm_only));
    for (samba, dialect, encryption, expected) in [
        (&any, Dialect::Smb21, EncryptionPolicy::Offered, None),
        (
            &any,
            Dialect::Smb302,
            EncryptionPolicy::Offered,
            Some(Cipher::Aes128Ccm),
        ),
        (
            &any,
            Dialect::Smb311,
            EncryptionPolicy::Offered,
            Some(Cipher::Aes128Gcm),
        ),
        (&any, Dialect::Smb302, EncryptionPolicy::Off, None),
        (&any, Dialect::Smb311, EncryptionPolicy::Off, None),
        (
            &ccm_only,
            Dialect::Smb311,
            EncryptionPolicy::Offered,
            Some(Cipher::Aes128Ccm),
        ),
    ] {
        let wanted = Wanted {
            dialects: vec![dialect],
            algorithms: vec![SigningAlgorithm::AesGmac],
            signing: SigningPolicy::Offered,
            encryption,
        };
        let address = samba.options().address.parse().unwrap();
        let connection =
            async { Connection::establish(&[address], &wanted, Requests::default()).await };
        let agreed = play(connection).unwrap().state.agreed;
        assert_eq!(agreed.cipher, expected, "{dialect:?} {encryption:?}");
    }
}

#[test]
fn a_run_may_require_encryption_though_the_server_does_not() {
    for signing in ["auto", "mandatory"] {
        let samba = Samba::start(signing);
        samba.give_home("user00000");
        for dialect in ENCRYPTING {
            let options = options(&samba, dialect, EncryptionPolicy::Required);
            let done = play(work(options));
            assert_eq!(done, Ok(()), "{dialect:?} {signing}");
        }
    }
}

/// The messages relayed: the way, and the command, or `None` if encrypted.
type Seen = Arc<Mutex<Vec<(Way, Option<u8>)>>>;

/// A relay that notes each message.
fn noting_relay(samba: &Samba) -> (String, Seen) {
    let seen = Seen::default();
    let notes = Arc::clone(&seen);
    let address = relay(&samba.options().address, move |way, _, message| {
        let command = (!Transform::starts(message)).then(|| message[12]);
        notes.lock().unwrap().push((way, command));
    });
    (address, seen)
}

#[test]
fn all_but_the_logon_is_encrypted_if_either_side_requires_it() {
    let (negotiate, session_setup) = (Some(0), Some(1));
    for (server, policy, is_encrypted) in [
        (&INSISTS[..], EncryptionPolicy::Offered, true),
        (&[], EncryptionPolicy::Required, true),
        (&[], EncryptionPolicy::Offered, false),
        (&[], EncryptionPolicy::Off, false),
    ] {
        let samba = Samba::with(server);
        samba.give_home("user00000");
        for dialect in ENCRYPTING {
            let (address, seen) = noting_relay(&samba);
            let options = SmbOptions {
                address,
                ..options(&samba, dialect, policy)
            };
            play(work(options)).unwrap();
            let seen = seen.lock().unwrap();
            assert!(seen.len() > 30);
            for (way, command) in &*seen {
                let is_plain = *command == negotiate || *command == session_setup;
                let expected = is_encrypted && !is_plain;
                assert_eq!(
                    command.is_none(),
                    expected,
                    "{way:?} {command:?} {dialect:?}"
                );
            }
        }
    }
}

#[test]
fn only_the_share_that_requires_it_is_encrypted() {
    let (tree_connect, echo) = (3, 13);
    for signing in ["auto", "mandatory"] {
        let samba = Samba::start(signing);
        samba.give_home("user00000");
        for dialect in ENCRYPTING {
            let (address, seen) = noting_relay(&samba);
            let options = SmbOptions {
                address,
                share: "encrypted".into(),
                ..options(&samba, dialect, EncryptionPolicy::Offered)
            };
            assert_eq!(play(work(options)), Ok(()), "{dialect:?} {signing}");
            let seen = seen.lock().unwrap();
            let plain: Vec<_> = seen.iter().filter_map(|(_, command)| *command).collect();
            assert!(
                plain.contains(&tree_connect) && plain.contains(&echo),
                "{plain:?}"
            );
            // CREATE, CLOSE, READ, WRITE, QUERY_DIRECTORY, QUERY_INFO, SET_INFO.
            let files = [5, 6, 8, 9, 14, 16, 17];
            assert!(
                !plain.iter().any(|command| files.contains(command)),
                "{plain:?}"
            );
            assert!(seen.len() - plain.len() > 20);
        }
    }
}

#[test]
fn unencrypted_users_are_refused_with_advice() {
    let all = Samba::with(&INSISTS);
    let one = Samba::start("auto");
    for (samba, share, kind) in [
        (&all, "data", FaultKind::Login),
        (&one, "encrypted", FaultKind::Refused),
    ] {
        for (dialect, encryption, advice) in [
            (
                Dialect::Smb302,
                EncryptionPolicy::Off,
                "set encryption to offered or required",
            ),
            (
                Dialect::Smb311,
                EncryptionPolicy::Off,
                "set encryption to offered or required",
            ),
            (
                Dialect::Smb21,
                EncryptionPolicy::Offered,
                "offer dialect 3.0.2 or 3.1.1",
            ),
        ] {
            let options = SmbOptions {
                share: share.into(),
                ..options(samba, dialect, encryption)
            };
            let fault = play(work(options)).unwrap_err();
            assert_eq!((fault.kind, fault.ends_session), (kind, true), "{fault}");
            let sentence = format!("{fault}");
            assert!(
                sentence.contains("require encrypted messages"),
                "{sentence}"
            );
            assert!(sentence.contains(advice), "{sentence}");
        }
    }
}

#[test]
fn required_encryption_fails_if_the_server_offers_none() {
    let samba = Samba::with(&[("smb encrypt", "off")]);
    for (dialects, chosen) in [
        (vec![Dialect::Smb302], "3.0.2"),
        (vec![Dialect::Smb311], "3.1.1"),
        (Dialect::ALL.to_vec(), "3.1.1"),
    ] {
        let options = SmbOptions {
            dialects,
            ..options(&samba, Dialect::Smb311, EncryptionPolicy::Required)
        };
        let fault = play(work(options)).unwrap_err();
        assert_eq!((fault.kind, fault.ends_session), (FaultKind::Refused, true));
        let part = format!("the server offers no encryption in dialect {chosen}");
        assert!(fault.message.contains(&part), "{fault}");
    }
    let never = options(&samba, Dialect::Smb21, EncryptionPolicy::Required);
    let sentence = Smb::new(never).unwrap_err().to_string();
    assert!(sentence.contains("dialect 2.1 has none"), "{sentence}");
}

#[test]
fn failures_are_the_same_as_without_encryption() {
    let mut samba = Samba::with(&INSISTS);
    for dialect in ENCRYPTING {
        let wrong = SmbOptions {
            password: Password::new("wrong"),
            ..options(&samba, dialect, EncryptionPolicy::Required)
        };
        assert_eq!(play(work(wrong)).unwrap_err().kind, FaultKind::Login);
    }
    play(async {
        let smb = smb(options(&samba, Dialect::Smb311, EncryptionPolicy::Required));
        let mut person = Person::arrive(&smb, 0).await.unwrap();
        let echo = json!({"op": "echo"});
        samba.signal(Signal::STOP);
        let limit = Duration::from_millis(300);
        let waiting = tokio::time::timeout(limit, person.play(echo.clone())).await;
        assert!(waiting.is_err());
        samba.signal(Signal::CONT);
        let mut next = Person::arrive(&smb, 1).await.unwrap();
        next.play_all([echo.clone()]).await;
        samba.kill();
        let fault = next.play(echo).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::Disconnected, "{fault}");
    });
}
