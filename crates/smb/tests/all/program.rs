//! Programs against a real smbd: every operation of a hand-written load file, what it leaves on the
//! server's disk, and the fault if an answer is not the expected one.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::common::{Person, Samba, play, smb};
use headcount_load::{Fault, FaultKind, Moved, Protocol};
use headcount_smb::{Smb, SmbOptions};
use headcount_tree::program::source::Source;
use serde_json::json;

/// One of each operation. `@` stands for the client's folder.
const EACH: &str = r#"
Deltree "@" NT_STATUS_OK
Mkdir "\clients" NT_STATUS_OK
NTCreateX "@" 0x1 0x2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
QUERY_PATH_INFORMATION "@\deep\none" 1004 NT_STATUS_OBJECT_PATH_NOT_FOUND
Mkdir "@\deep" NT_STATUS_OK
NTCreateX "@\deep\A.DAT" 0x40 0x1 7 NT_STATUS_OBJECT_NAME_NOT_FOUND
NTCreateX "@\deep\A.DAT" 0x40 0x2 7 NT_STATUS_OK
NTCreateX "@\deep\A.DAT" 0x40 0x2 8 NT_STATUS_OBJECT_NAME_COLLISION
WriteX 7 0 262144 262144 NT_STATUS_OK
WriteX 7 270335 1 1 NT_STATUS_OK
WriteX 7 100000 5000 5000 NT_STATUS_OK
ReadX 7 0 61440 61440 NT_STATUS_OK
ReadX 7 99000 8000 8000 NT_STATUS_OK
ReadX 7 266240 8192 4096 NT_STATUS_OK
ReadX 7 999999 4096 0 NT_STATUS_OK
ReadX 7 999999 4096 0 NT_STATUS_END_OF_FILE
Flush 7 NT_STATUS_OK
LockX 7 2147483538 1 NT_STATUS_OK
NTCreateX "@\deep\a.dat" 0x0 0x1 9 NT_STATUS_OK
LockX 9 2147483538 1 NT_STATUS_FILE_LOCK_CONFLICT
UnlockX 7 2147483538 1 NT_STATUS_OK
UnlockX 7 2147483538 1 NT_STATUS_RANGE_NOT_LOCKED
QUERY_FILE_INFORMATION 7 258 NT_STATUS_OK
SET_FILE_INFORMATION 7 1004 NT_STATUS_OK
Close 9 NT_STATUS_OK
Close 7 NT_STATUS_OK
QUERY_PATH_INFORMATION "@\deep\A.DAT" 1035 NT_STATUS_OK
QUERY_PATH_INFORMATION "@\deep\B.DAT" 1005 NT_STATUS_OBJECT_NAME_NOT_FOUND
QUERY_FS_INFORMATION 259 NT_STATUS_OK
QUERY_FS_INFORMATION 258 NT_STATUS_OK
FIND_FIRST "@\deep\*" 260 1366 3 NT_STATUS_OK
FIND_FIRST "@\deep\<.JNK" 260 1366 0 NT_STATUS_NO_SUCH_FILE
Rename "@\deep\A.DAT" "@\deep\B.DAT" NT_STATUS_OK
NTCreateX "@\deep\B.DAT" 0x40 0x1 7 NT_STATUS_OK
ReadX 7 4096 65536 65536 NT_STATUS_OK
Close 7 NT_STATUS_OK
NTCreateX "@\C.DAT" 0x40 0x5 7 NT_STATUS_OK
WriteX 7 0 4096 4096 NT_STATUS_OK
Close 7 NT_STATUS_OK
Rename "@\C.DAT" "@\deep\B.DAT" NT_STATUS_OBJECT_NAME_COLLISION
Rmdir "@\deep" NT_STATUS_DIRECTORY_NOT_EMPTY
Unlink "@\deep\B.DAT" 0x6 NT_STATUS_OK
Unlink "@\deep\B.DAT" 0x6 NT_STATUS_OBJECT_NAME_NOT_FOUND
Rmdir "@\deep" NT_STATUS_OK
"#;

fn load_file(folder: &Path, text: &str) -> SmbOptions {
    let path = folder.join("program.txt");
    fs::write(&path, text.replace('@', r"\clients\client1")).unwrap();
    SmbOptions {
        program: Some(Source::LoadFile {
            path: path.display().to_string(),
            ignores_times: false,
        }),
        ..SmbOptions::new(
            "127.0.0.1",
            "data",
            "user{n:05}",
            headcount_smb::Password::new("x"),
        )
    }
}

fn with_program(samba: &Samba, text: &str) -> Smb {
    let folder = tempfile::tempdir().unwrap();
    smb(SmbOptions {
        program: load_file(folder.path(), text).program,
        ..samba.options()
    })
}

/// Plays turns of the program as the engine would.
async fn turns(smb: &Smb, person: &mut Person, count: u32) -> Vec<Result<Moved, Fault>> {
    let program = smb.turns().unwrap();
    let mut played = Vec::new();
    for _ in 0..count {
        person.user.begin_scenario();
        let turn = program.turn(person.user.id(), person.user.ordinal());
        person.user.take_turn(turn);
        played.push(person.play(json!({"op": "turn"})).await);
    }
    played
}

fn failures(played: &[Result<Moved, Fault>]) -> Vec<&Fault> {
    played.iter().filter_map(|one| one.as_ref().err()).collect()
}

#[test]
fn every_operation_is_played_in_every_round() {
    let samba = Samba::start("auto");
    samba.give_home("user00003");
    let smb = with_program(&samba, EACH);
    let lines = smb.turns().unwrap().order.len() as u32;
    play(async {
        let mut person = Person::arrive(&smb, 3).await.unwrap();
        for round in 0..3 {
            let played = turns(&smb, &mut person, lines).await;
            assert!(
                failures(&played).is_empty(),
                "round {round}: {:?}",
                failures(&played)
            );
            let sum = |of: fn(&Moved) -> u64| -> u64 { played.iter().flatten().map(of).sum() };
            assert_eq!(sum(|moved| moved.written_bytes), 262_144 + 1 + 5000 + 4096);
            assert_eq!(sum(|moved| moved.read_bytes), 61_440 + 8000 + 4096 + 65_536);
            // What the round leaves on the server's disk.
            let at = samba.behind(r"user00003\work");
            let names: Vec<_> = fs::read_dir(&at)
                .unwrap()
                .map(|e| e.unwrap().file_name())
                .collect();
            assert_eq!(names, ["C.DAT"]);
            assert_eq!(fs::metadata(at.join("C.DAT")).unwrap().len(), 4096);
            assert!(samba.behind(r"user00003\other\clients").is_dir());
        }
        // Only the user's own folder was touched.
        assert_eq!(fs::read_dir(samba.share()).unwrap().count(), 1);
    });
}

#[test]
fn unexpected_answers_are_failures_with_their_line() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let text = "NTCreateX \"@\\a\" 0x40 0x1 1 NT_STATUS_OK\n\
                ReadX 1 0 10 10 NT_STATUS_OK\n\
                Mkdir \"@\\d\" NT_STATUS_OBJECT_NAME_COLLISION\n\
                NTCreateX \"@\\b\" 0x40 0x2 2 NT_STATUS_OBJECT_NAME_NOT_FOUND\n\
                NTCreateX \"@\\c\" 0x40 0x2 3 NT_STATUS_OK\n\
                WriteX 3 0 100 100 NT_STATUS_OK\n\
                ReadX 3 0 4096 4096 NT_STATUS_OK\n\
                Unlink \"@\\none\" NT_STATUS_ACCESS_DENIED\n\
                Close 3 NT_STATUS_OK\n";
    let smb = with_program(&samba, text);
    play(async {
        let mut person = Person::arrive(&smb, 0).await.unwrap();
        let played = turns(&smb, &mut person, 9).await;
        let messages: Vec<_> = failures(&played)
            .iter()
            .map(|fault| fault.message.to_string())
            .collect();
        let starts = [
            "line 1: NTCreateX: CREATE \"user00000\\work\\a\": STATUS_OBJECT_NAME_NOT_FOUND",
            "line 2: ReadX: the file is not open, since opening it failed or its connection was lost",
            "line 3: Mkdir: it succeeded, though it should have been refused, since there is something",
            "line 4: NTCreateX: it succeeded, though it should have been refused, since there is nothing",
            "line 7: ReadX: 100 bytes came instead of 4096",
            "line 8: Unlink: CREATE \"user00000\\work\\none\": STATUS_OBJECT_NAME_NOT_FOUND",
        ];
        assert_eq!(messages.len(), starts.len(), "{messages:#?}");
        for (found, start) in messages.iter().zip(starts) {
            assert!(found.starts_with(start), "{found}");
        }
        assert!(
            messages[5].ends_with("it should have been refused, since it is not permitted"),
            "{}",
            messages[5]
        );
        assert_eq!(failures(&played)[4].kind, FaultKind::WrongData);
        // The next round begins with an empty folder, so exactly the same failures happen again.
        let again = turns(&smb, &mut person, 9).await;
        assert_eq!(failures(&again).len(), starts.len());
    });
}

#[test]
fn data_changed_behind_the_programs_back_are_found() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let text = "NTCreateX \"@\\a\" 0x40 0x2 1 NT_STATUS_OK\n\
                WriteX 1 0 16384 16384 NT_STATUS_OK\n\
                Flush 1 NT_STATUS_OK\n\
                ReadX 1 100 12000 12000 NT_STATUS_OK\n\
                Close 1 NT_STATUS_OK\n\
                Unlink \"@\\a\" NT_STATUS_OK\n";
    let smb = with_program(&samba, text);
    play(async {
        let mut person = Person::arrive(&smb, 0).await.unwrap();
        assert!(failures(&turns(&smb, &mut person, 6).await).is_empty());
        turns(&smb, &mut person, 3).await;
        let path = samba.behind(r"user00000\work\a");
        let mut data = fs::read(&path).unwrap();
        data[5000] ^= 1;
        fs::write(&path, data).unwrap();
        let played = turns(&smb, &mut person, 1).await;
        let fault = played[0].as_ref().unwrap_err();
        assert_eq!(fault.kind, FaultKind::WrongData);
        assert!(
            fault
                .message
                .starts_with("line 4: ReadX: wrong data in \"work\\a\" at offset 4096"),
            "{fault}"
        );
        // After a failure the rest of the round is not checked: it may follow from the first.
        assert!(failures(&turns(&smb, &mut person, 2).await).is_empty());
    });
}

#[test]
fn a_reconnected_user_goes_on_and_a_new_one_starts_over() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let text = "NTCreateX \"@\\a\" 0x40 0x2 1 NT_STATUS_OK\n\
                WriteX 1 0 10 10 NT_STATUS_OK\n\
                Close 1 NT_STATUS_OK\n\
                QUERY_PATH_INFORMATION \"@\\a\" 1004 NT_STATUS_OK\n\
                Unlink \"@\\a\" NT_STATUS_OK\n";
    let smb = with_program(&samba, text);
    play(async {
        let mut person = Person::arrive(&smb, 0).await.unwrap();
        assert!(failures(&turns(&smb, &mut person, 2).await).is_empty());
        // A new connection for the same user.
        person.session = smb.open(&mut person.user).await.unwrap();
        // Files that the first left open cannot be deleted until smbd notices that it has gone.
        while samba.status("-L").iter().any(|line| line.contains("DENY_")) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let played = turns(&smb, &mut person, 3).await;
        let lost = failures(&played);
        assert_eq!(lost.len(), 1, "{lost:?}");
        assert!(
            lost[0]
                .message
                .starts_with("line 3: Close: the file is not open"),
            "{}",
            lost[0]
        );
        assert!(failures(&turns(&smb, &mut person, 1).await).is_empty());
        // Another user with the same number finds what the first left, and deletes it.
        person.close_session().await;
        let mut next = Person::arrive(&smb, 0).await.unwrap();
        assert!(failures(&turns(&smb, &mut next, 5).await).is_empty());
    });
}

#[test]
fn unreadable_programs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sentence = |options| Smb::new(options).unwrap_err().to_string();
    let wrong = load_file(folder.path(), "Close 1 NT_STATUS_OK\n");
    assert!(sentence(wrong.clone()).ends_with(
        "program.txt, line 1: Close on handle 1, which no NTCreateX before it has opened"
    ));
    fs::write(folder.path().join("program.txt"), b"\n\n\xff\n").unwrap();
    assert!(sentence(wrong.clone()).ends_with("program.txt, line 3: it is not UTF-8 text"));
    fs::remove_file(folder.path().join("program.txt")).unwrap();
    assert!(sentence(wrong).ends_with("program.txt cannot be read: there is no such file"));
}

#[test]
fn a_turn_without_a_program_is_refused() {
    let samba = Samba::start("auto");
    play(async {
        let mut person = Person::arrive(&smb(samba.options()), 0).await.unwrap();
        let fault = person.play(json!({"op": "turn"})).await.unwrap_err();
        assert_eq!(
            &*fault.message,
            "\"turn\" plays a program, and this target has none"
        );
    });
}
