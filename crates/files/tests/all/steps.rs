//! Every step on a real folder, in every way, checked behind the client's back.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::time::{Duration, SystemTime};

use crate::common::{Disk, Person, WAYS, names, play};
use headcount_load::{FaultKind, Moved};
use serde_json::{Value, json};

fn open(file: &str, how: &str) -> Value {
    json!({"op": "open", "path": {"file": file}, "access": "all", "how": how})
}

#[test]
fn a_file_lives_from_creation_to_deletion() {
    for way in WAYS {
        let disk = Disk::new();
        let home = disk.give_home(3);
        play(async {
            let mut person = Person::arrive(disk.options_for(way), 3).await;
            let moved = person
                .play_all([
                    open("new", "create"),
                    json!({"op": "write"}),
                    json!({"op": "flush"}),
                    json!({"op": "read", "from": "start", "chunk_bytes": 4096}),
                    json!({"op": "read", "from": "random", "bytes": 8192}),
                ])
                .await;
            // The data set gives every file the median here: 20,000 bytes, in whole units 20,480.
            let expected = Moved {
                read_bytes: 20_480 + 8192,
                written_bytes: 20_480,
            };
            assert_eq!(moved, expected, "{way:?}");
            let name = names(&home).remove(0);
            assert!(name.starts_with('n') && name.contains(".doc"), "{name}");
            let path = home.join(&name);
            let length = || fs::metadata(&path).unwrap().len();
            assert_eq!(length(), 20_480);
            person
                .play_all([json!({"op": "truncate", "bytes": 4096})])
                .await;
            assert_eq!(length(), 4096);
            person
                .play_all([json!({"op": "write", "from": "end", "bytes": 4096})])
                .await;
            assert_eq!(length(), 8192);
            let exists = person.fails(open_again("create")).await;
            assert!(exists.message.contains("EEXIST (17)"), "{exists}");
            let rename = json!({"op": "rename", "to": {"file": "same", "after": ".wbk"}});
            person.play_all([rename]).await;
            assert_eq!(names(&home), [format!("{name}.wbk")]);
            // Contents belong to the file, not to its current name.
            person
                .play_all([
                    json!({"op": "read", "from": "start"}),
                    json!({"op": "delete"}),
                ])
                .await;
            assert_eq!(names(&home).len(), 1, "before it is closed");
            person.play_all([json!({"op": "close"})]).await;
            assert_eq!(names(&home), [""; 0]);
            person.leave().await;
        });
    }
}

/// Opens the file that slot 0 holds once more.
fn open_again(how: &str) -> Value {
    json!({"op": "open", "slot": 1, "path": {"file": "same", "of": 0}, "access": "all", "how": how})
}

#[test]
fn every_how_opens_creates_or_empties_as_it_should() {
    let disk = Disk::new();
    let home = disk.give_home(0);
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        let missing = person.fails(open("new", "open")).await;
        assert_eq!(missing.kind, FaultKind::Refused);
        assert!(
            missing
                .message
                .starts_with("openat2 \"headcount/user00000/n"),
            "{missing}"
        );
        assert!(
            missing.message.contains("ENOENT (2): there is nothing"),
            "{missing}"
        );
        assert!(
            person
                .fails(open("new", "empty"))
                .await
                .message
                .contains("ENOENT")
        );
        for (how, bytes) in [
            ("open-or-create", 4096),
            ("open-or-create", 4096),
            ("empty-or-create", 0),
            ("replace-or-create", 0),
            ("empty", 0),
        ] {
            // The same file again: the first of these left it in slot 0.
            let path = if names(&home).is_empty() {
                json!({"file": "new"})
            } else {
                json!({"file": "same"})
            };
            person
                .play_all([json!({"op": "open", "path": path, "access": "all", "how": how})])
                .await;
            let file = home.join(names(&home).remove(0));
            if how == "open-or-create" {
                let write = json!({"op": "write", "from": "start", "bytes": 4096});
                person.play_all([write]).await;
            }
            assert_eq!(fs::metadata(&file).unwrap().len(), bytes, "{how}");
            fs::write(&file, [7; 4096]).unwrap();
        }
        assert_eq!(names(&home).len(), 1);
        person
            .play_all([
                json!({"op": "open", "slot": 2, "path": {"file": "home", "after": "x"}, "folder": true,
                       "how": "create"}),
                json!({"op": "delete", "slot": 2}),
            ])
            .await;
        assert!(disk.own("user00000x").is_dir());
        let again = json!({"op": "open", "slot": 3, "path": {"file": "home", "after": "x"},
                           "folder": true, "how": "create"});
        let again = person.fails(again).await;
        assert!(
            again.message.contains("mkdirat") && again.message.contains("EEXIST"),
            "{again}"
        );
        person.play_all([json!({"op": "close", "slot": 2})]).await;
        assert!(!disk.own("user00000x").exists());
        person.leave().await;
    });
}

#[test]
fn metadata_and_listings_are_read() {
    let disk = Disk::new();
    let home = disk.give_home(0);
    for index in 0..1500 {
        fs::write(
            home.join(format!("a file with a longer name {index:05}.txt")),
            "",
        )
        .unwrap();
    }
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        person
            .play_all([json!({"op": "open", "path": {"file": "home"}})])
            .await;
        let listed = person.play(json!({"op": "list"})).await.unwrap();
        // struct linux_dirent64: 19 bytes, the name of 36, its end, in whole words: 56 bytes. The
        // two others are "." and "..", of 24 bytes each.
        assert_eq!(listed.read_bytes, 1500 * 56 + 2 * 24);
        let again = person.play(json!({"op": "list"})).await.unwrap();
        assert_eq!(again, listed);
        let once = person
            .play(json!({"op": "list", "once": true}))
            .await
            .unwrap();
        assert!(once.read_bytes <= 32 << 10, "{once:?}");
        for class in [
            "all",
            "basic",
            "standard",
            "network-open",
            "stream",
            "file-system-size",
            "volume",
            "security",
        ] {
            person
                .play_all([json!({"op": "stat", "class": class})])
                .await;
            let inspect = json!({"op": "inspect", "path": {"file": "home"}, "class": class});
            person.play_all([inspect]).await;
        }
        person
            .play_all([
                json!({"op": "inspect", "path": {"file": "missing"}, "missing": true}),
                json!({"op": "probe", "path": {"file": "missing"}}),
            ])
            .await;
        let existing = person
            .fails(json!({"op": "probe", "path": {"file": "home"}}))
            .await;
        assert!(
            existing.message.contains("it exists, but should not"),
            "{existing}"
        );
        let existing = json!({"op": "inspect", "path": {"file": "home"}, "missing": true});
        assert!(
            person
                .fails(existing)
                .await
                .message
                .contains("it exists, but should not")
        );
        let gone = json!({"op": "inspect", "path": {"file": "missing"}});
        assert!(person.fails(gone).await.message.contains("ENOENT"));
    });
}

#[test]
fn times_are_set_to_now() {
    let disk = Disk::new();
    let home = disk.give_home(0);
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        person.play_all([open("new", "create")]).await;
        let file = home.join(names(&home).remove(0));
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let handle = fs::File::options().write(true).open(&file).unwrap();
        handle.set_modified(long_ago).unwrap();
        person.play_all([json!({"op": "set-times"})]).await;
        let set = fs::metadata(&file).unwrap().modified().unwrap();
        assert!(set > long_ago + Duration::from_secs(1_000_000_000));
    });
}

#[test]
fn locks_exclude_others_until_released() {
    let disk = Disk::new();
    fs::create_dir_all(disk.own("shared")).unwrap();
    let lock = |bytes: u64| json!({"op": "lock", "offset": 0, "bytes": bytes});
    let mut options = disk.options();
    options.data_set.shared_files = 1; // so that all draw the same
    play(async {
        let (mut one, mut other) = (
            Person::arrive(options.clone(), 0).await,
            Person::arrive(options, 1).await,
        );
        // Locks belong to handles, not to this process, which plays both users.
        one.play_all([open("shared", "open-or-create"), lock(4096)])
            .await;
        other.play_all([open("shared", "open")]).await;
        let held = other.fails(lock(100)).await;
        assert!(
            held.message
                .starts_with("fcntl \"headcount/shared/h0000.doc\""),
            "{held}"
        );
        assert!(
            held.message.contains("somebody else holds a lock"),
            "{held}"
        );
        other
            .play_all([json!({"op": "lock", "offset": 4096, "bytes": 10})])
            .await;
        one.play_all([json!({"op": "unlock", "bytes": 4096})]).await;
        other.play_all([lock(100)]).await;
        let shared = json!({"op": "lock", "bytes": 50, "shared": true});
        assert_eq!(one.fails(shared.clone()).await.kind, FaultKind::Refused);
        other.play_all([json!({"op": "close"})]).await;
        one.play_all([shared]).await;
        // A handle that cannot write gets a shared lock instead of an exclusive one.
        let read = json!({"op": "open", "path": {"file": "shared"}});
        other.play_all([read, lock(50)]).await;
    });
}

#[test]
fn renaming_replaces_only_if_allowed() {
    for way in WAYS {
        let disk = Disk::new();
        let home = disk.give_home(0);
        play(async {
            let mut person = Person::arrive(disk.options_for(way), 0).await;
            let aside = json!({"op": "open", "slot": 1, "access": "all", "how": "create",
                               "path": {"file": "same", "of": 0, "before": "~"}});
            let back = |replace: bool| {
                json!({"op": "rename", "slot": 1, "to": {"file": "same", "of": 0},
                       "replace": replace})
            };
            person
                .play_all([
                    open("new", "create"),
                    json!({"op": "write"}),
                    json!({"op": "close"}),
                    aside,
                    json!({"op": "write", "slot": 1, "bytes": 4096}),
                ])
                .await;
            let taken = person.fails(back(false)).await;
            assert!(taken.message.contains("renameat2"), "{taken}");
            assert!(taken.message.contains("EEXIST"), "{taken}");
            assert_eq!(names(&home).len(), 2);
            person
                .play_all([back(true), json!({"op": "close", "slot": 1})])
                .await;
            let left = names(&home);
            assert!(left.len() == 1 && left[0].starts_with('n'), "{left:?}");
            assert_eq!(fs::metadata(home.join(&left[0])).unwrap().len(), 4096);
        });
    }
}

#[test]
fn a_user_who_leaves_closes_everything() {
    let disk = Disk::new();
    disk.give_home(0);
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        person
            .play_all([
                open("new", "create"),
                json!({"op": "delete"}),
                json!({"op": "logoff"}),
            ])
            .await;
        // As an SMB server does when its user logs off.
        assert_eq!(names(&disk.own("user00000")), [""; 0]);
        let closed = person.fails(json!({"op": "stat"})).await;
        assert!(
            closed.message.contains("slot 0 holds no open file"),
            "{closed}"
        );
        person
            .play_all([
                json!({"op": "logon", "reconnect": true}),
                json!({"op": "tree-connect", "share": "ipc"}),
                json!({"op": "ioctl", "control": "dfs-referral"}),
                json!({"op": "echo"}),
                open("new", "create"),
                json!({"op": "delete"}),
            ])
            .await;
        person.leave().await;
        assert_eq!(names(&disk.own("user00000")), [""; 0]);
    });
}

#[test]
fn steps_that_a_handle_does_not_permit_are_refused() {
    let disk = Disk::new();
    disk.give_home(0);
    for way in WAYS {
        play(async {
            let mut person = Person::arrive(disk.options_for(way), 0).await;
            let read = json!({"op": "open", "path": {"file": "same"}});
            person
                .play_all([open("new", "open-or-create"), json!({"op": "write"}), read])
                .await;
            let fault = person.fails(json!({"op": "write", "from": "start"})).await;
            assert!(fault.message.contains("pwrite"), "{fault}");
            assert!(
                fault.message.contains("EBADF (9): it was not opened"),
                "{fault}"
            );
            assert!(!fault.ends_session);
            let folder = json!({"op": "open", "path": {"file": "same"}, "folder": true});
            assert!(person.fails(folder).await.message.contains("ENOTDIR"));
        });
    }
}
