//! A workload's own paths on a real smbd, checked on the server's disk.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::time::{Duration, SystemTime};

use crate::common::{PASSWORD, Person, Samba, play, smb};
use headcount_load::{Compile, Session};
use headcount_script::{Names, Variables};
use headcount_tree::step::Step;
use serde_json::{Value, json};

fn open(path: &str, how: &str) -> Value {
    json!({"op": "open", "path": path, "access": "all", "how": how})
}

#[test]
fn files_are_read_and_written_at_the_workloads_paths() {
    let samba = Samba::start("auto");
    samba.give_home("reports");
    samba.give_home("copies");
    fs::write(samba.behind("reports/7.txt"), vec![b'x'; 70_001]).unwrap();
    play(async {
        let mut person = Person::arrive(&smb(samba.options()), 7).await.unwrap();
        let mut folder = open("copies/of {n:03}", "open-or-create");
        folder["folder"] = true.into();
        let moved = person
            .play_all([
                open("reports/{n}.txt", "open"),
                json!({"op": "read", "chunk_bytes": 8192}),
                folder,
                open(r"copies\of {n:03}\draft.txt", "empty-or-create"),
                json!({"op": "write", "text": "user {n}\n"}),
                json!({"op": "write", "from": "end", "text": "more\n"}),
                json!({"op": "rename", "to": "copies/of {n:03}/kept.txt"}),
                json!({"op": "close"}),
                json!({"op": "inspect", "path": "copies/of {n:03}/kept.txt"}),
                json!({"op": "probe", "path": "copies/of {n:03}/draft.txt"}),
                open(".", "open"),
                json!({"op": "list"}),
            ])
            .await;
        assert!(moved.read_bytes > 70_001, "{moved:?}");
        assert_eq!(moved.written_bytes, 12);
        let kept = samba.behind("copies/of 007/kept.txt");
        assert_eq!(fs::read_to_string(kept).unwrap(), "user 7\nmore\n");
        person.close_session().await;
    });
}

#[test]
fn paths_and_texts_can_contain_the_users_credentials() {
    let samba = Samba::start("auto");
    samba.give_home("out");
    play(async {
        let mut known = Names::default();
        let steps = [
            open("out/{username}.txt", "create"),
            json!({"op": "write", "text": "{password}"}),
        ]
        .map(|options| Step::compile_with(&options, &mut known).unwrap());
        let variables = Variables::compile(&[], 1, &mut known).unwrap();
        let variables = variables.with_slots(&known);
        let smb = smb(samba.options());
        let mut person = Person::arrive(&smb, 3).await.unwrap();
        person.user = person.user.with_variables(Some(variables));
        person.session = headcount_load::Protocol::open(&smb, &mut person.user)
            .await
            .unwrap();
        for step in &steps {
            person.session.play(step, &mut person.user).await.unwrap();
        }
        let written = fs::read_to_string(samba.behind("out/user00003.txt"));
        assert_eq!(written.unwrap(), PASSWORD);
        person.close_session().await;
    });
}

#[test]
fn the_newest_file_of_a_listing_is_found_read_and_inspected() {
    let samba = Samba::start("auto");
    samba.give_home("reports");
    for (name, text, at_s) in [
        ("a.txt", "total: 1", 1000),
        ("b.txt", "total: 23 EUR", 3000),
        ("c.txt", "total: 456", 2000),
        ("d.doc", "x", 9000),
    ] {
        let path = samba.behind(&format!("reports/{name}"));
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(at_s);
        file.set_modified(time).unwrap();
    }
    let mut known = Names::default();
    let steps = [
        json!({"op": "open", "path": "reports"}),
        json!({"op": "list", "pattern": "*.txt", "sort": "modified", "only": "files",
               "check": [{"of": "count", "equals": 3}],
               "capture": {"newest": {"of": "name", "pick": "last"},
                           "bytes": {"of": "size", "pick": "last"},
                           "at": {"of": "modified", "pick": "last"}}}),
        json!({"op": "open", "path": "reports/{newest}"}),
        json!({"op": "stat", "check": [{"of": "size", "equals": "{bytes}"}]}),
        json!({"op": "stat", "class": "network-open", "check": [{"of": "size", "equals": 13},
               {"of": "modified", "equals": "{at}"}]}),
        json!({"op": "inspect", "path": "reports/{newest}", "check": [
               {"of": "size", "equals": 13}, {"of": "modified", "equals": 3000}]}),
        json!({"op": "read", "check": [{"of": "size", "equals": 13}],
               "capture": {"total": {"regex": "total: ([0-9]+)"}}}),
    ]
    .map(|options| Step::compile_with(&options, &mut known).unwrap());
    let variables = Variables::compile(&[], 1, &mut known).unwrap();
    let variables = variables.with_slots(&known);
    play(async {
        let mut person = Person::arrive(&smb(samba.options()), 0).await.unwrap();
        person.user = person.user.with_variables(Some(variables));
        for step in &steps {
            person.session.play(step, &mut person.user).await.unwrap();
        }
        let values = person.user.scope().values();
        let expected = [
            ("newest", "b.txt"),
            ("bytes", "13"),
            ("at", "3000"),
            ("total", "23"),
        ];
        assert_eq!(values, expected);
        person.close_session().await;
    });
}
