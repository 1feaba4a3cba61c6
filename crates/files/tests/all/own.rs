//! Paths given by a workload, checked behind the client's back.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::{Disk, Person, WAYS, names, play};
use headcount_files::{Files, Mode};
use headcount_load::{Compile, Fault, FaultKind, Moved, Session};
use headcount_script::{Names, Variables};
use headcount_tree::step::Step;
use serde_json::{Value, json};

fn open(path: &str, how: &str) -> Value {
    json!({"op": "open", "path": path, "access": "all", "how": how})
}

#[test]
fn files_outside_the_data_set_are_read_to_their_end() {
    for way in WAYS {
        let disk = Disk::new();
        let folder = disk.path().join("reports");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("7.txt"), vec![b'x'; 70_001]).unwrap();
        fs::write(folder.join("empty"), "").unwrap();
        play(async {
            let mut person = Person::arrive(disk.options_for(way), 7).await;
            let read = json!({"op": "read", "chunk_bytes": 8192});
            let steps = [open("reports/{n}.txt", "open"), read.clone()];
            assert_eq!(person.play_all(steps).await.read_bytes, 70_001, "{way:?}");
            let part = json!({"op": "read", "from": "start", "bytes": 4096});
            assert_eq!(person.play_all([part]).await.read_bytes, 4096);
            let steps = [open("reports/empty", "open"), read];
            assert_eq!(person.play_all(steps).await.read_bytes, 0);
            // It is truncated while it is open.
            let whole = json!({"op": "read", "from": "start"});
            person.play_all([open(r"reports\{n}.txt", "open")]).await;
            fs::write(folder.join("7.txt"), "short").unwrap();
            assert_eq!(person.play_all([whole]).await.read_bytes, 5, "{way:?}");
            person.leave().await;
        });
    }
}

#[test]
fn texts_are_written_renamed_and_deleted_at_the_workloads_path() {
    for way in WAYS.into_iter().filter(|(_, mode)| *mode != Mode::Direct) {
        let disk = Disk::new();
        play(async {
            let mut person = Person::arrive(disk.options_for(way), 3).await;
            let mut folder = open("of {n:03}", "open-or-create");
            folder["folder"] = true.into();
            let moved = person
                .play_all([
                    folder,
                    open("of {n:03}/draft.txt", "empty-or-create"),
                    json!({"op": "write", "text": "user {n} {{wrote}\n"}),
                    json!({"op": "write", "from": "end", "text": "more\n"}),
                    json!({"op": "write", "from": "start", "text": "User"}),
                ])
                .await;
            assert_eq!(moved.written_bytes, 15 + 5 + 4);
            let draft = disk.path().join("of 003/draft.txt");
            assert_eq!(
                fs::read_to_string(&draft).unwrap(),
                "User 3 {wrote}\nmore\n"
            );
            let kept = json!({"op": "rename", "to": "of {n:03}/kept"});
            let same = json!({"op": "rename", "to": {"file": "same", "after": ".bak"}});
            person.play_all([kept, same]).await;
            assert_eq!(names(&disk.path().join("of 003")), ["draft.txt.bak"]);
            person
                .play_all([json!({"op": "delete"}), json!({"op": "close"})])
                .await;
            assert_eq!(names(&disk.path().join("of 003")), [""; 0]);
            person.leave().await;
        });
    }
}

#[test]
fn a_dot_is_the_targets_folder() {
    let disk = Disk::new();
    fs::write(disk.path().join("here"), "").unwrap();
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        let listed = person
            .play_all([open(".", "open"), json!({"op": "list"})])
            .await;
        // Three names in whole words: `.`, `..` and `here`.
        assert_eq!(listed.read_bytes, 24 + 24 + 24);
        person
            .play_all([json!({"op": "inspect", "path": "here"})])
            .await;
        person.leave().await;
    });
}

#[test]
fn sizes_that_the_data_set_would_give_are_required() {
    let disk = Disk::new();
    disk.give_home(0);
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        person.play_all([open("a.bin", "create")]).await;
        let write = person.fails(json!({"op": "write"})).await;
        assert!(write.message.contains("needs text or bytes"), "{write}");
        let cut = person.fails(json!({"op": "truncate"})).await;
        assert!(cut.message.contains("needs bytes"), "{cut}");
        person
            .play_all([
                json!({"op": "write", "bytes": 8192}),
                json!({"op": "truncate", "bytes": 4096}),
                json!({"op": "open", "path": {"file": "new"}, "how": "create", "access": "all"}),
            ])
            .await;
        let length = fs::metadata(disk.path().join("a.bin")).unwrap().len();
        assert_eq!(length, 4096);
        let text = person.fails(json!({"op": "write", "text": "x"})).await;
        assert!(text.message.contains("keeps its contents"), "{text}");
        person.leave().await;
    });
}

/// A user whose variable `name` has this value opens `in/{name}`.
async fn open_named(disk: &Disk, name: &str) -> Result<Moved, Fault> {
    let mut known = Names::default();
    let slot = known.set("name").unwrap();
    let options = json!({"op": "open", "path": "in/{name}"});
    let step = Step::compile_with(&options, &mut known).unwrap();
    let variables = Variables::compile(&[], 1, &mut known).unwrap();
    let files = Files::new(disk.options()).unwrap();
    let mut person = Person::of(&files, 0).await;
    person.user = person
        .user
        .with_variables(Some(variables.with_slots(&known)));
    person.user.scope().set(slot, name);
    let played = person.session.play(&step, &mut person.user).await;
    person.leave().await;
    played
}

#[test]
fn no_value_leads_out_of_the_folder() {
    let disk = Disk::new();
    fs::create_dir_all(disk.path().join("in/deep")).unwrap();
    fs::write(disk.path().join("in/deep/a"), "").unwrap();
    symlink("/etc", disk.path().join("in/etc")).unwrap();
    play(async {
        open_named(&disk, "deep/a").await.unwrap();
        for name in [
            "../../secret",
            "/etc/passwd",
            r"..\..\x",
            "a\0b",
            "",
            ".",
            "a/.. /b",
        ] {
            let fault = open_named(&disk, name).await.unwrap_err();
            assert_eq!(fault.kind, FaultKind::Refused);
            assert!(
                fault.message.contains("cannot be a path on the share"),
                "{fault}"
            );
        }
        let link = open_named(&disk, "etc/passwd").await.unwrap_err();
        assert!(link.message.contains("ELOOP"), "{link}");
    });
}
