//! Somebody between client and server: what signatures notice, and what contents do.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

mod common;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Person, Samba, play, smb};
use headcount_load::FaultKind;
use headcount_smb::wire::negotiate::{Dialect, SigningAlgorithm};
use headcount_smb::{SigningPolicy, SmbOptions};
use serde_json::json;

/// A relay to the server with a hand in what the server sends: it gets the number of the answer and
/// its bytes.
fn relay(server: &str, change: impl Fn(u32, &mut [u8]) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut upstream = TcpStream::connect(server).unwrap();
        let (mut from_client, mut to_server) =
            (client.try_clone().unwrap(), upstream.try_clone().unwrap());
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Both);
        });
        let mut buffer = vec![0; 1 << 16];
        for answer in 0.. {
            let Ok(length @ 1..) = upstream.read(&mut buffer) else {
                break;
            };
            change(answer, &mut buffer[..length]);
            if client.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
    });
    address
}

/// Once told, changes the last byte of every answer.
fn last_byte(tampers: &Arc<AtomicBool>) -> impl Fn(u32, &mut [u8]) + Send + use<> {
    let tampers = Arc::clone(tampers);
    move |_, bytes| {
        if tampers.load(Ordering::Relaxed)
            && let Some(last) = bytes.last_mut()
        {
            *last ^= 1;
        }
    }
}

#[test]
fn a_changed_answer_is_noticed_by_every_signature() {
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
        // The dialect asks the server again, over a signature.
        (Dialect::Smb302, "the negotiation was changed on its way"),
        // The dialect derives the key of signatures from what was said.
        (Dialect::Smb311, "the signature of the answer is wrong"),
    ] {
        let options = SmbOptions {
            dialects: vec![dialect],
            ..samba.options()
        };
        // The first answer's number of the server: behind frame, header and eight bytes.
        let address = relay(&options.address, |answer, bytes| {
            if answer == 0 {
                bytes[4 + 64 + 8] ^= 1;
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
