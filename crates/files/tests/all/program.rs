//! Programs on a real folder: every operation of a load file written by hand, and the errors for
//! unexpected answers.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;

use crate::common::{Disk, Person, names, play};
use headcount_files::{Engine, Files, FilesOptions, Mode};
use headcount_load::{Fault, FaultKind, Moved, Protocol};
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
NTCreateX "@\deep\A.DAT" 0x0 0x1 9 NT_STATUS_OK
LockX 9 2147483538 1 NT_STATUS_FILE_LOCK_CONFLICT
UnlockX 7 2147483538 1 NT_STATUS_OK
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

fn with_program(disk: &Disk, text: &str, engine: Engine, mode: Mode) -> FilesOptions {
    let path = disk.path().join("program.txt");
    fs::write(&path, text.replace('@', r"\clients\client1")).unwrap();
    FilesOptions {
        program: Some(Source::LoadFile {
            path: path.display().to_string(),
            ignores_times: false,
        }),
        ..disk.options_for((engine, mode))
    }
}

/// Plays `count` turns of the program as the engine would.
async fn turns(files: &Files, person: &mut Person, count: u32) -> Vec<Result<Moved, Fault>> {
    let program = files.turns().unwrap();
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
    for engine in [Engine::Ring, Engine::Threads] {
        for mode in [Mode::Buffered, Mode::Dsync] {
            let disk = Disk::new();
            let home = disk.give_home(3);
            let files = Files::new(with_program(&disk, EACH, engine, mode)).unwrap();
            let lines = files.turns().unwrap().order.len() as u32;
            play(async {
                let mut person = Person::of(&files, 3).await;
                for round in 0..3 {
                    let played = turns(&files, &mut person, lines).await;
                    assert_eq!(failures(&played), Vec::<&Fault>::new(), "round {round}");
                    let sum = played
                        .iter()
                        .flatten()
                        .fold((0, 0), |(read, written), moved| {
                            (read + moved.read_bytes, written + moved.written_bytes)
                        });
                    // What the lines above say, added by hand.
                    let read = 61_440 + 8000 + 4096 + 65_536;
                    assert_eq!(sum, (read, 262_144 + 1 + 5000 + 4096));
                }
                person.leave().await;
            });
            assert!(
                names(&home).contains(&"work".to_owned()),
                "{:?}",
                names(&home)
            );
        }
    }
}

#[test]
fn unexpected_answers_are_failures_with_their_line() {
    let disk = Disk::new();
    disk.give_home(0);
    let text = r#"Mkdir "@" NT_STATUS_OK
NTCreateX "@\A.DAT" 0x40 0x1 7 NT_STATUS_OK
Unlink "@\A.DAT" 0x6 NT_STATUS_OK
Rmdir "@" NT_STATUS_DIRECTORY_NOT_EMPTY
"#;
    let options = with_program(&disk, text, Engine::Auto, Mode::Buffered);
    let files = Files::new(options).unwrap();
    play(async {
        let mut person = Person::of(&files, 0).await;
        let played = turns(&files, &mut person, 4).await;
        let messages: Vec<_> = failures(&played).iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(
            messages[0].contains("line 2: NTCreateX: openat2"),
            "{messages:?}"
        );
        assert!(messages[0].contains("ENOENT"), "{messages:?}");
        assert!(
            messages[1].contains("line 3: Unlink: unlinkat"),
            "{messages:?}"
        );
        assert!(
            messages[2].contains("it succeeded, though it should have been"),
            "{messages:?}"
        );
    });
}

#[test]
fn programs_need_the_page_cache_and_turns_need_a_program() {
    let disk = Disk::new();
    disk.give_home(0);
    let options = with_program(&disk, EACH, Engine::Auto, Mode::Direct);
    let messages = Files::new(options).unwrap_err().to_string();
    assert!(
        messages.contains("leave out --client mode=direct"),
        "{messages}"
    );
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        let fault = person.fails(json!({"op": "turn"})).await;
        assert_eq!(fault.kind, FaultKind::Refused);
        assert!(fault.message.contains("this target has none"), "{fault}");
    });
}

#[test]
fn a_disk_mix_is_played() {
    let disk = Disk::new();
    let mut options = disk.options();
    options.program = Some(Source::DiskMix {});
    options.data_set = headcount_tree::data_set::DataSet {
        median_bytes: 100_000,
        sigma: 0.0,
        ..Default::default()
    };
    options.data_set.folders = 10;
    let order = headcount_files::provision::Order {
        first: 0,
        last: 0,
        read_through: false,
    };
    let mut go_on = |_| std::ops::ControlFlow::Continue(());
    headcount_files::provision::prepare(options.clone(), &order, &mut go_on).unwrap();
    let files = Files::new(options).unwrap();
    play(async {
        let mut person = Person::of(&files, 0).await;
        let played = turns(&files, &mut person, 3000).await;
        let messages: Vec<_> = failures(&played)
            .iter()
            .take(5)
            .map(ToString::to_string)
            .collect();
        assert_eq!(messages, Vec::<String>::new());
    });
}
