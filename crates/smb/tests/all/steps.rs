//! Every step against a real smbd, checked on the server's disk.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;

use crate::common::{Person, Samba, play, smb, step};
use headcount_load::{Compile, FaultKind, Moved};
use headcount_smb::SmbOptions;
use headcount_smb::options::EncryptionPolicy;
use headcount_smb::wire::negotiate::Dialect;
use headcount_tree::step::Step;
use serde_json::json;

fn open(file: &str, how: &str) -> serde_json::Value {
    json!({"op": "open", "path": {"file": file}, "access": "all", "how": how})
}

#[test]
fn a_file_lives_from_creation_to_deletion() {
    let samba = Samba::start("auto");
    samba.give_home("user00003");
    play(async {
        let mut person = Person::arrive(&smb(samba.options()), 3).await.unwrap();
        let moved = person
            .play_all([
                open("new", "create"),
                json!({"op": "write"}),
                json!({"op": "flush"}),
                json!({"op": "read", "from": "start", "chunk_bytes": 4096}),
                json!({"op": "read", "from": "random", "bytes": 8192}),
            ])
            .await;
        // Here, every file in the data set has the median size: 20,000 bytes, in whole units
        // 20,480.
        assert_eq!(
            moved,
            Moved {
                read_bytes: 20_480 + 8192,
                written_bytes: 20_480
            }
        );
        let home = samba.behind("user00003");
        let names = || -> Vec<_> {
            let entries = fs::read_dir(&home).unwrap();
            entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        };
        let name = names().remove(0);
        assert!(name.starts_with('n') && name.contains(".doc"), "{name}");
        let path = home.join(&name);
        assert_eq!(fs::metadata(&path).unwrap().len(), 20_480);

        person
            .play_all([json!({"op": "truncate", "bytes": 4096})])
            .await;
        assert_eq!(fs::metadata(&path).unwrap().len(), 4096);
        person
            .play_all([json!({"op": "write", "from": "end", "bytes": 4096})])
            .await;
        assert_eq!(fs::metadata(&path).unwrap().len(), 8192);

        let rename = json!({"op": "rename", "to": {"file": "same", "after": ".wbk"}});
        person.play_all([rename]).await;
        assert_eq!(names(), [format!("{name}.wbk")]);
        // Contents belong to the file, not to its current name.
        person
            .play_all([json!({"op": "read", "from": "start"})])
            .await;

        person
            .play_all([json!({"op": "delete"}), json!({"op": "close"})])
            .await;
        assert!(names().is_empty());
        person.close_session().await;
    });
}

#[test]
fn metadata_listings_and_controls_are_played() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    for index in 0..1500 {
        fs::write(
            samba.behind(&format!(
                r"user00000\file with a longer name {index:05}.txt"
            )),
            "",
        )
        .unwrap();
    }
    play(async {
        let mut person = Person::arrive(&smb(samba.options()), 0).await.unwrap();
        person
            .play_all([json!({"op": "open", "path": {"file": "home"}})])
            .await;
        let listed = person.play(json!({"op": "list"})).await.unwrap();
        // 104 bytes and a name of 36 characters for each entry at least: several answers.
        assert!(listed.read_bytes > 1500 * (104 + 72), "{listed:?}");
        let one = json!({"op": "list", "pattern": "*00042.txt"});
        assert!((150..250).contains(&person.play(one).await.unwrap().read_bytes));
        let none = json!({"op": "list", "pattern": "nothing"});
        assert_eq!(person.play(none).await.unwrap().read_bytes, 0);
        for class in [
            "all",
            "basic",
            "standard",
            "network-open",
            "file-system-size",
            "volume",
            "security",
        ] {
            person
                .play_all([json!({"op": "stat", "class": class})])
                .await;
        }
        person
            .play_all([
                json!({"op": "close"}),
                open("new", "create"),
                json!({"op": "stat", "class": "stream"}),
                json!({"op": "ioctl", "control": "object-id"}),
                json!({"op": "ioctl", "control": "dfs-referral"}),
                json!({"op": "ioctl", "control": "network-interfaces"}),
                json!({"op": "tree-disconnect", "share": "ipc"}),
                json!({"op": "tree-connect", "share": "ipc"}),
                json!({"op": "probe", "path": {"file": "missing"}}),
                json!({"op": "probe", "path": {"file": "same", "before": "~$"}}),
                json!({"op": "echo"}),
            ])
            .await;
        let existing = person
            .play(json!({"op": "probe", "path": {"file": "same"}}))
            .await;
        assert!(
            existing
                .unwrap_err()
                .message
                .contains("it exists, but should not")
        );
    });
}

#[test]
fn times_are_set_to_the_servers_clock() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    let path = samba.behind(r"user00000\v0000.doc");
    for index in 0..2 {
        fs::write(samba.behind(&format!(r"user00000\v000{index}.doc")), "").unwrap();
    }
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    for index in 0..2 {
        let old = before - std::time::Duration::from_secs(86_400);
        let file = fs::File::open(samba.behind(&format!(r"user00000\v000{index}.doc"))).unwrap();
        file.set_modified(old).unwrap();
    }
    play(async {
        let mut person = Person::arrive(&smb(samba.options()), 0).await.unwrap();
        let steps = [
            open("volatile", "open"),
            json!({"op": "set-times"}),
            json!({"op": "close"}),
        ];
        person.play_all(steps).await;
    });
    let touched = (0..2).any(|index| {
        let path = samba.behind(&format!(r"user00000\v000{index}.doc"));
        let modified = fs::metadata(path).unwrap().modified().unwrap();
        modified >= before - std::time::Duration::from_secs(2)
    });
    assert!(touched);
}

#[test]
fn locks_exclude_others_until_released() {
    let samba = Samba::start("auto");
    fs::create_dir(samba.behind("shared")).unwrap();
    let options = || {
        let mut options = samba.options();
        options.data_set.shared_files = 1;
        options
    };
    play(async {
        let mut first = Person::arrive(&smb(options()), 0).await.unwrap();
        let mut second = Person::arrive(&smb(options()), 1).await.unwrap();
        let lock = json!({"op": "lock", "offset": 0, "bytes": 4096});
        let open = open("shared", "open-or-create");
        first
            .play_all([
                open.clone(),
                json!({"op": "write", "bytes": 8192}),
                lock.clone(),
            ])
            .await;
        second.play_all([open]).await;
        let refused = second.play(lock.clone()).await.unwrap_err();
        assert!(
            refused.message.contains("STATUS_LOCK_NOT_GRANTED"),
            "{refused}"
        );
        assert_eq!(
            (refused.kind, refused.ends_session),
            (FaultKind::Refused, false)
        );
        let read = second
            .play(json!({"op": "read", "from": "start"}))
            .await
            .unwrap_err();
        assert!(read.message.contains("STATUS_FILE_LOCK_CONFLICT"), "{read}");
        first
            .play_all([json!({"op": "unlock", "bytes": 4096})])
            .await;
        // Written by the first, read and checked by the second: shared files have no owner.
        second
            .play_all([lock, json!({"op": "read", "from": "start"})])
            .await;
        let shared = json!({"op": "lock", "offset": 4096, "bytes": 1, "shared": true});
        first.play_all([shared.clone()]).await;
        second.play_all([shared]).await;
    });
}

/// The first user holds an oplock or lease on a file, and gives it up when the second opens it.
pub async fn give_way(options: SmbOptions, oplock: &str) {
    let mut first = Person::arrive(&smb(options.clone()), 0).await.unwrap();
    let mut second = Person::arrive(&smb(options), 1).await.unwrap();
    let name = json!({"file": "shared"});
    let keeping = json!({"op": "open", "path": name, "how": "open-or-create",
                         "access": "read-write", "oplock": oplock});
    first.play_all([keeping]).await;
    // The server answers the second only when the first has given it up, or after 30 s.
    let coming = json!({"op": "open", "path": name, "access": "read-write"});
    let coming = second.play(coming);
    let working = async {
        for _ in 0..20 {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            first
                .play_all([json!({"op": "echo"}), json!({"op": "write", "bytes": 4096})])
                .await;
        }
    };
    let both = async { tokio::join!(coming, working).0 };
    let limit = std::time::Duration::from_secs(10);
    let opened = tokio::time::timeout(limit, both).await;
    opened
        .expect("the server waits for the acknowledgement")
        .unwrap();
}

#[test]
fn an_oplock_or_lease_is_given_up_for_another_user() {
    let (plain, insists) = (
        Samba::start("auto"),
        Samba::with(&[("smb encrypt", "required")]),
    );
    for samba in [&plain, &insists] {
        fs::create_dir(samba.behind("shared")).unwrap();
    }
    let (offered, required) = (EncryptionPolicy::Offered, EncryptionPolicy::Required);
    for (samba, oplock, dialect, encryption) in [
        (&plain, "batch", Dialect::Smb21, offered),
        (&plain, "exclusive", Dialect::Smb302, offered),
        (&plain, "batch", Dialect::Smb311, offered),
        (&plain, "lease", Dialect::Smb21, offered),
        (&plain, "lease", Dialect::Smb311, offered),
        // smbd sends breaks unencrypted here, too.
        (&plain, "batch", Dialect::Smb311, required),
        (&plain, "lease", Dialect::Smb302, required),
        (&insists, "batch", Dialect::Smb302, offered),
        (&insists, "lease", Dialect::Smb311, offered),
    ] {
        let mut options = SmbOptions {
            dialects: vec![dialect],
            encryption,
            ..samba.options()
        };
        options.data_set.shared_files = 1;
        play(give_way(options, oplock));
    }
}

#[test]
fn large_requests_cost_several_credits_and_users_do_not_starve() {
    let samba = Samba::start("auto");
    samba.give_home("user00000");
    play(async {
        for dialect in Dialect::ALL {
            let options = SmbOptions {
                dialects: vec![dialect],
                ..samba.options()
            };
            let mut person = Person::arrive(&smb(options), 0).await.unwrap();
            let bytes = 20 << 20;
            let moved = person
                .play_all([
                    open("new", "open-or-create"),
                    json!({"op": "write", "from": "start", "bytes": bytes, "chunk_bytes": 8 << 20}),
                    json!({"op": "read", "from": "start", "bytes": bytes, "chunk_bytes": 8 << 20}),
                    json!({"op": "read", "from": "start", "bytes": bytes, "chunk_bytes": 1 << 20}),
                    json!({"op": "close"}),
                ])
                .await;
            assert_eq!(
                moved,
                Moved {
                    read_bytes: 2 * bytes,
                    written_bytes: bytes
                }
            );
        }
    });
}

#[test]
fn a_user_logs_on_again_on_the_same_or_a_new_connection() {
    let samba = Samba::start("mandatory");
    samba.give_home("user00000");
    play(async {
        for dialect in Dialect::ALL {
            let options = SmbOptions {
                dialects: vec![dialect],
                ..samba.options()
            };
            let mut person = Person::arrive(&smb(options), 0).await.unwrap();
            for reconnect in [false, true, false] {
                let logon = json!({"op": "logon", "reconnect": reconnect});
                let open = open("new", "open-or-create");
                let write = json!({"op": "write", "bytes": 4096});
                person
                    .play_all([json!({"op": "logoff"}), logon, open, write])
                    .await;
            }
            // A scenario that did not clean up does not stop the next.
            person
                .play_all([json!({"op": "logoff"}), open("new", "open-or-create")])
                .await;
        }
    });
}

#[test]
fn invalid_steps_are_reported() {
    for (options, part) in [
        (json!({"op": "fly"}), "fly"),
        (
            json!({"op": "close", "slot": 4}),
            "slot must be from 0 to 3; it is 4",
        ),
        (json!({"op": "close", "handle": 1}), "handle"),
        (json!({"op": "read", "bytes": 1000}), "multiple of 4096"),
        (
            json!({"op": "write", "chunk_bytes": 16 << 20}),
            "up to 8388608",
        ),
        (json!({"op": "truncate", "bytes": 1}), "multiple of 4096"),
        (
            json!({"op": "open", "path": {"file": "other"}}),
            "shared-folder",
        ),
        (
            json!({"op": "open", "path": {"file": "new", "after": "a/b"}}),
            "a/b",
        ),
        (json!({"op": "ioctl", "control": "x"}), "x"),
    ] {
        let sentence = Step::compile(&options).unwrap_err();
        assert!(sentence.contains(part), "{options}: {sentence}");
    }
    assert_eq!(step(&json!({"op": "close"})), Step::Close { slot: 0 });
}
