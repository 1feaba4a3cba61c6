//! What goes wrong behind a user's back: data that changes, files that go, disks that fill up.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::Command;

use crate::common::{Disk, Person, WAYS, names, play};
use headcount_files::{Engine, Files, FilesOptions};
use headcount_load::FaultKind;
use serde_json::{Value, json};

const MAKE: &str = r#"{"op": "open", "path": {"file": "new"}, "access": "all", "how": "create"}"#;

fn make() -> Value {
    serde_json::from_str(MAKE).unwrap()
}

fn read() -> Value {
    json!({"op": "read", "from": "start", "chunk_bytes": 8192})
}

#[test]
fn damage_is_found_at_its_offset() {
    for way in WAYS {
        let disk = Disk::new();
        let home = disk.give_home(0);
        play(async {
            let mut person = Person::arrive(disk.options_for(way), 0).await;
            person
                .play_all([make(), json!({"op": "write"}), read()])
                .await;
            let path = home.join(names(&home).remove(0));
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.write_all_at(b"!", 12_300).unwrap();
            file.sync_all().unwrap();
            let fault = person.fails(read()).await;
            assert_eq!(fault.kind, FaultKind::WrongData, "{way:?}: {fault}");
            assert!(
                fault.message.contains("at offset 12288: its checksum"),
                "{fault}"
            );
            assert!(!fault.ends_session);
            // What is not read is not checked.
            person
                .play_all([json!({"op": "read", "from": "start", "bytes": 4096})])
                .await;
        });
    }
}

#[test]
fn a_truncated_file_is_wrong_data() {
    for way in WAYS {
        let disk = Disk::new();
        let home = disk.give_home(0);
        play(async {
            let mut person = Person::arrive(disk.options_for(way), 0).await;
            person.play_all([make(), json!({"op": "write"})]).await;
            let path = home.join(names(&home).remove(0));
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_len(12_288).unwrap();
            let fault = person.fails(read()).await;
            assert_eq!(fault.kind, FaultKind::WrongData, "{way:?}: {fault}");
            let message = "at offset 8192: 4096 bytes came instead of 8192";
            assert!(fault.message.contains(message), "{fault}");
        });
    }
}

#[test]
fn another_users_data_is_recognised() {
    let disk = Disk::new();
    let (mine, theirs) = (disk.give_home(0), disk.give_home(1));
    play(async {
        let options = disk.options();
        let mut one = Person::arrive(options.clone(), 0).await;
        let mut other = Person::arrive(options, 1).await;
        one.play_all([make(), json!({"op": "write"})]).await;
        other.play_all([make(), json!({"op": "write"})]).await;
        let name = names(&mine).remove(0);
        fs::copy(theirs.join(names(&theirs).remove(0)), mine.join(name)).unwrap();
        let fault = one.fails(read()).await;
        assert!(fault.message.contains("it holds data of user 1"), "{fault}");
    });
}

#[test]
fn a_file_deleted_behind_its_users_back_can_be_read_but_not_deleted_again() {
    let disk = Disk::new();
    let home = disk.give_home(0);
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        person.play_all([make(), json!({"op": "write"})]).await;
        fs::remove_file(home.join(names(&home).remove(0))).unwrap();
        person.play_all([read(), json!({"op": "delete"})]).await;
        let fault = person.fails(json!({"op": "close"})).await;
        assert!(fault.message.contains("unlinkat"), "{fault}");
        assert!(fault.message.contains("ENOENT"), "{fault}");
        // It is closed nevertheless.
        let closed = person.fails(json!({"op": "stat"})).await;
        assert!(closed.message.contains("holds no open file"), "{closed}");
    });
}

#[test]
fn unusable_folders_are_reported() {
    let disk = Disk::new();
    let message = |path: PathBuf| Files::new(FilesOptions::new(path)).unwrap_err().to_string();
    let missing = message(disk.path().join("nothing"));
    assert!(
        missing.contains("nothing cannot be used: it does not exist"),
        "{missing}"
    );
    fs::write(disk.path().join("file"), "").unwrap();
    assert!(message(disk.path().join("file")).contains("it is not a folder"));
    assert!(message("relative".into()).contains("it must be absolute"));
    let mut options = disk.options();
    options.threads = 0;
    let error = Files::new(options).unwrap_err().to_string();
    assert!(error.contains("threads must be from 1 to"), "{error}");
}

/// The environment variable with the path of the small disk.
const SMALL_DISK: &str = "HEADCOUNT_TEST_SMALL_DISK";

#[test]
fn a_full_disk_is_reported_and_damages_no_file() {
    let Some(path) = std::env::var_os(SMALL_DISK) else {
        return run_on_a_small_disk();
    };
    let path = PathBuf::from(path);
    fs::create_dir_all(path.join("headcount/user00000")).unwrap();
    for engine in [Engine::Ring, Engine::Threads] {
        let options = FilesOptions {
            engine,
            path: path.clone(),
            ..Disk::new().options()
        };
        play(async {
            let mut person = Person::arrive(options, 0).await;
            let small = json!({"op": "write", "bytes": 65_536});
            person.play_all([make(), small]).await;
            let other = json!({"op": "open", "slot": 1, "path": {"file": "new", "after": "x"},
                               "access": "all", "how": "create"});
            let large = json!({"op": "write", "slot": 1, "bytes": 4 << 20, "chunk_bytes": 1 << 20});
            person.play_all([other]).await;
            let fault = person.fails(large).await;
            assert_eq!(fault.kind, FaultKind::Refused);
            assert!(
                fault.message.contains("ENOSPC (28): the disk is full"),
                "{fault}"
            );
            assert!(!fault.ends_session);
            person
                .play_all([
                    json!({"op": "read", "from": "start"}),
                    json!({"op": "delete", "slot": 1}),
                    json!({"op": "close", "slot": 1}),
                    json!({"op": "delete"}),
                    json!({"op": "close"}),
                ])
                .await;
        });
    }
}

/// Runs the test above once more, in a process that sees a disk of 2 MiB.
fn run_on_a_small_disk() {
    let folder = Disk::new();
    let script = "mount -t tmpfs -o size=2m tmpfs \"$1\" && exec \"$2\" --exact --nocapture \"$3\"";
    let mut command = Command::new("unshare");
    command.arg("--mount");
    if !rustix::process::getuid().is_root() {
        command.arg("--map-root-user");
    }
    let ended = command
        .args(["sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .arg("failures::a_full_disk_is_reported_and_damages_no_file")
        .env(SMALL_DISK, folder.path())
        .output()
        .unwrap();
    let message = format!("{ended:?}");
    assert!(ended.status.success(), "{message}");
    assert!(message.contains("1 passed"), "{message}");
}
