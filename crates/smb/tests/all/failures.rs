//! Failures with real servers, and the faults that users get.

use std::io::{Read, Seek, SeekFrom, Write};
use std::net::TcpListener;
use std::time::Duration;
use std::{fs, io};

use crate::common::relay::{Way, relay};
use crate::common::{Person, Samba, play, smb};
use headcount_load::FaultKind;
use headcount_smb::wire::header::Command;
use headcount_smb::{Password, SigningPolicy, SmbOptions};
use rustix::process::Signal;
use serde_json::json;

#[test]
fn wrong_passwords_and_shares_are_reported() {
    let samba = Samba::start("auto");
    play(async {
        let wrong = SmbOptions {
            password: Password::new("hunter2"),
            ..samba.options()
        };
        let fault = Person::arrive(&smb(wrong), 7).await.err().unwrap();
        assert_eq!((fault.kind, fault.ends_session), (FaultKind::Login, true));
        assert!(fault.message.contains("user user00007"), "{fault}");
        assert!(fault.message.contains("STATUS_LOGON_FAILURE"), "{fault}");
        assert!(!fault.message.contains("hunter2"), "{fault}");

        let missing = SmbOptions {
            share: "nowhere".into(),
            ..samba.options()
        };
        let fault = Person::arrive(&smb(missing), 0).await.err().unwrap();
        assert_eq!((fault.kind, fault.ends_session), (FaultKind::Refused, true));
        assert!(fault.message.contains("STATUS_BAD_NETWORK_NAME"), "{fault}");
        assert!(fault.message.contains("nowhere"), "{fault}");
    });
}

#[test]
fn a_read_only_share_refuses_writers_and_serves_readers() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    play(async {
        let options = SmbOptions {
            share: "readonly".into(),
            ..samba.options()
        };
        let mut person = Person::arrive(&smb(options), 0).await.unwrap();
        let create = json!({"op": "open", "path": {"file": "new"}, "access": "write",
                            "how": "create"});
        let fault = person.play(create).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Refused, false)
        );
        assert!(fault.message.contains("STATUS_ACCESS_DENIED"), "{fault}");
        assert!(fault.message.contains(r"user00000\n00"), "{fault}");
        person
            .play_all([
                json!({"op": "open", "path": {"file": "home"}}),
                json!({"op": "list"}),
            ])
            .await;
        let closed = person
            .play(json!({"op": "read", "slot": 2}))
            .await
            .unwrap_err();
        assert!(
            closed.message.contains("slot 2 holds no open file"),
            "{closed}"
        );
    });
}

#[test]
fn a_write_that_the_server_cuts_short_is_refused() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let address = relay(&samba.options().address, |way, _, message| {
        if way == Way::ToClient && message[12] == Command::Write as u8 {
            message[64 + 4..64 + 8].copy_from_slice(&4096_u32.to_le_bytes());
        }
    });
    let options = SmbOptions {
        address,
        signing: SigningPolicy::Off,
        ..samba.options()
    };
    play(async {
        let mut person = Person::arrive(&smb(options), 0).await.unwrap();
        let open = json!({"op": "open", "path": {"file": "new"}, "access": "write",
                          "how": "create"});
        person.play_all([open]).await;
        let write = json!({"op": "write", "bytes": 65_536});
        let fault = person.play(write).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Refused, false)
        );
        assert!(
            fault.message.contains("only 4096 of 65536 bytes"),
            "{fault}"
        );
    });
}

#[test]
fn a_file_changed_behind_the_servers_back_is_wrong_data_at_its_offset() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let options = |verify| {
        let mut options = SmbOptions {
            verify,
            ..samba.options()
        };
        options.data_set.volatile_files = 1;
        options
    };
    let write = [
        json!({"op": "open", "path": {"file": "volatile"}, "access": "read-write",
               "how": "open-or-create"}),
        json!({"op": "write", "bytes": 40_960}),
    ];
    let read = json!({"op": "read", "from": "start"});
    play(async {
        let mut person = Person::arrive(&smb(options(true)), 0).await.unwrap();
        person.play_all(write).await;
        person.play_all([read.clone()]).await;
        let path = samba.behind(r"user00000\v0000.doc");
        flip(&path, 12_345).unwrap();
        let fault = person.play(read.clone()).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::WrongData, false)
        );
        let sentence = r#"wrong data in "user00000\v0000.doc" at offset 12288: its checksum"#;
        assert!(fault.message.starts_with(sentence), "{fault}");

        let mut careless = Person::arrive(&smb(options(false)), 0).await.unwrap();
        let open = json!({"op": "open", "path": {"file": "volatile"}});
        careless.play_all([open, read.clone()]).await;

        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(8192)
            .unwrap();
        let fault = person.play(read).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::WrongData);
        assert!(
            fault.message.contains("8192 bytes came instead of 40960"),
            "{fault}"
        );
    });
}

fn flip(path: &std::path::Path, at: u64) -> io::Result<()> {
    let mut file = fs::File::options().read(true).write(true).open(path)?;
    let mut byte = [0];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut byte)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&[byte[0] ^ 1])
}

#[test]
fn a_killed_server_is_a_lost_connection_and_then_a_refused_one() {
    let mut samba = Samba::start("auto");
    play(async {
        let smb = smb(samba.options());
        let mut person = Person::arrive(&smb, 0).await.unwrap();
        samba.kill();
        let fault = person.play(json!({"op": "echo"})).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Disconnected, true),
            "{fault}"
        );
        let fault = Person::arrive(&smb, 0).await.err().unwrap();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Connect, true),
            "{fault}"
        );
    });
}

#[test]
fn users_wait_for_a_frozen_server_and_are_served_afterwards() {
    let samba = Samba::start("auto");
    play(async {
        let smb = smb(samba.options());
        let mut person = Person::arrive(&smb, 0).await.unwrap();
        samba.signal(Signal::STOP);
        let limit = Duration::from_millis(300);
        let echo = json!({"op": "echo"});
        assert!(
            tokio::time::timeout(limit, person.play(echo.clone()))
                .await
                .is_err()
        );
        assert!(
            tokio::time::timeout(limit, Person::arrive(&smb, 1))
                .await
                .is_err()
        );
        samba.signal(Signal::CONT);
        let mut next = Person::arrive(&smb, 2).await.unwrap();
        next.play_all([echo]).await;
    });
}

#[test]
fn servers_of_other_protocols_are_recognised() {
    for (answer, part) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            "not as an SMB server: HTTP/1.1 400",
        ),
        (b"", "closed the connection"),
        (b"\x00\x00\x00\x04\xFFSMB", "not an SMB2 response"),
        (b"\x00\xFF\xFF\xFF", "more than was agreed on"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let impostor = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer);
        });
        let options = SmbOptions::new(&address, "s", "u", Password::new("p"));
        let fault = play(async { Person::arrive(&smb(options), 0).await.err().unwrap() });
        assert!(fault.message.contains(part), "{fault}");
        assert!(fault.message.contains(&address), "{fault}");
        impostor.join().unwrap();
    }
}
