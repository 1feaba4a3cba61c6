//! Paths of a workload's own on a real smbd, checked on the server's disk.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;

use crate::common::{PASSWORD, Person, Samba, play, smb};
use headcount_load::{Compile, Session};
use headcount_script::{Names, Variables};
use headcount_tree::step::Step;
use serde_json::{Value, json};

fn open(path: &str, how: &str) -> Value {
    json!({"op": "open", "path": path, "access": "all", "how": how})
}

#[test]
fn files_of_others_are_read_and_copies_written_where_the_path_says() {
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
        person.session_ends().await;
    });
}

#[test]
fn paths_and_texts_know_as_whom_the_user_logs_on() {
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
        person.session_ends().await;
    });
}
