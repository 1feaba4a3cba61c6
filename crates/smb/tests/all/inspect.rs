//! Three requests in one frame, against a real smbd.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::common::relay::{Way, relay};
use crate::common::{Person, Samba, play, smb, user};
use headcount_load::{FaultKind, Protocol};
use headcount_smb::options::EncryptionPolicy;
use headcount_smb::wire::header::Command;
use headcount_smb::wire::negotiate::Dialect;
use headcount_smb::{SigningPolicy, SmbOptions};
use serde_json::{Value, json};

const CLASSES: [&str; 8] = [
    "all",
    "basic",
    "standard",
    "network-open",
    "stream",
    "file-system-size",
    "volume",
    "security",
];

fn inspect(file: &str) -> Value {
    json!({"op": "inspect", "path": {"file": file}})
}

fn make(file: &str) -> [Value; 2] {
    let open = json!({"op": "open", "path": {"file": file}, "access": "all",
                      "how": "open-or-create"});
    [open, json!({"op": "close"})]
}

/// Asks about existing and missing names, in every class.
async fn ask(options: SmbOptions) {
    let mut person = Person::arrive(&smb(options), 0).await.unwrap();
    person.play_all(make("new")).await;
    for class in CLASSES {
        for path in [json!({"file": "same"}), json!({"file": "home"})] {
            let is_file = path["file"] == "same";
            if class == "stream" && !is_file {
                continue; // a folder has none
            }
            person
                .play_all([json!({"op": "inspect", "path": path, "class": class})])
                .await;
        }
    }
    let missing = json!({"op": "inspect", "path": {"file": "missing"}, "missing": true});
    person.play_all([missing]).await;

    let fault = person.play(inspect("missing")).await.unwrap_err();
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Refused, false)
    );
    let part = "STATUS_OBJECT_NAME_NOT_FOUND (0xC0000034): there is nothing with this name";
    assert!(fault.message.contains(r#"CREATE "user00000\m"#), "{fault}");
    assert!(fault.message.contains(part), "{fault}");

    let unexpected = json!({"op": "inspect", "path": {"file": "same"}, "missing": true});
    let fault = person.play(unexpected).await.unwrap_err();
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Refused, false)
    );
    assert!(
        fault.message.contains("it exists, but should not"),
        "{fault}"
    );

    // Responses still match requests: none is left over.
    person.play_all(make("new")).await;
    person.play_all([json!({"op": "echo"})]).await;
}

#[test]
fn inspect_works_plain_signed_and_encrypted_in_every_dialect() {
    for signing in ["auto", "mandatory"] {
        let samba = Samba::start(signing);
        samba.give_home("user00000");
        for dialect in Dialect::ALL {
            for encryption in [EncryptionPolicy::Off, EncryptionPolicy::Required] {
                if (dialect, encryption) == (Dialect::Smb21, EncryptionPolicy::Required) {
                    continue; // that dialect has none
                }
                play(ask(SmbOptions {
                    dialects: vec![dialect],
                    encryption,
                    ..samba.options()
                }));
            }
        }
    }
}

#[test]
fn three_requests_are_counted_and_one_frame_is_sent() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let frames = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&frames);
    let address = relay(&samba.options().address, move |way, _, _| {
        if way == Way::ToServer {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    play(async {
        let mut user = user(0);
        let requests = user.requests();
        let smb = smb(SmbOptions {
            address,
            ..samba.options()
        });
        let session = smb.open(&mut user).await.unwrap();
        let mut person = Person { session, user };
        let (frames_before, before) = (frames.load(Ordering::Relaxed), requests.counts());
        for _ in 0..5 {
            person.play_all([inspect("home")]).await;
        }
        let sent: Vec<_> = requests
            .counts()
            .iter()
            .zip(&before)
            .zip(Command::NAMES)
            .filter(|((now, before), _)| now > before)
            .map(|((now, before), name)| (name, now - before))
            .collect();
        assert_eq!(sent, [("CREATE", 5), ("CLOSE", 5), ("QUERY_INFO", 5)]);
        assert_eq!(frames.load(Ordering::Relaxed) - frames_before, 5);
    });
}

#[test]
fn the_failed_request_is_named() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    for (part, name) in [(1, "QUERY_INFO"), (2, "CLOSE")] {
        let tampers = Arc::new(AtomicBool::new(false));
        let switch = Arc::clone(&tampers);
        let address = relay(&samba.options().address, move |way, _, bytes| {
            if way == Way::ToClient && switch.load(Ordering::Relaxed) {
                let mut at = 0;
                for _ in 0..part {
                    let next = bytes[at + 20..at + 24].try_into().unwrap();
                    at += u32::from_le_bytes(next) as usize;
                }
                bytes[at + 8..at + 12].copy_from_slice(&0xC000_0022_u32.to_le_bytes());
            }
        });
        let options = SmbOptions {
            address,
            signing: SigningPolicy::Off,
            ..samba.options()
        };
        play(async {
            let mut person = Person::arrive(&smb(options), 0).await.unwrap();
            person.play_all([inspect("home")]).await;
            tampers.store(true, Ordering::Relaxed);
            let fault = person.play(inspect("home")).await.unwrap_err();
            let expected = format!(
                "{name} \"user00000\": STATUS_ACCESS_DENIED (0xC0000022): the server does not \
                 permit this user to do it"
            );
            assert_eq!(&*fault.message, expected);
            assert!(!fault.ends_session);
        });
    }
}
