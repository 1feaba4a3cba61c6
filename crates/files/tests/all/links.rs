//! Symbolic links below the folder, which somebody else may have put there.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::{Disk, Person, names, play};
use serde_json::{Value, json};

fn open(file: &str, how: &str) -> Value {
    json!({"op": "open", "path": {"file": file}, "access": "all", "how": how})
}

#[test]
fn symbolic_links_are_not_followed() {
    let disk = Disk::new();
    let home = disk.give_home(0);
    let outside = Disk::new();
    fs::write(outside.path().join("s0000.doc"), "not yours").unwrap();
    for index in 0..3 {
        symlink(
            outside.path().join("s0000.doc"),
            home.join(format!("s{index:04}.doc")),
        )
        .unwrap();
    }
    symlink(outside.path(), disk.own("user00001")).unwrap();
    play(async {
        let mut person = Person::arrive(disk.options(), 0).await;
        for how in ["open", "open-or-create", "empty", "replace-or-create"] {
            let fault = person.fails(open("static", how)).await;
            assert!(
                fault.message.contains("ELOOP (40): it is a symbolic link"),
                "{fault}"
            );
        }
        let doomed = json!({"op": "open", "path": {"file": "static"}, "access": "delete"});
        assert!(person.fails(doomed).await.message.contains("ELOOP"));
        let mut other = Person::arrive(disk.options(), 1).await;
        for step in [
            open("new", "create"),
            json!({"op": "open", "path": {"file": "home"}}),
            json!({"op": "inspect", "path": {"file": "static"}}),
        ] {
            let fault = other.fails(step).await;
            assert!(fault.message.contains("ELOOP"), "{fault}");
        }
    });
    let left = fs::read_to_string(outside.path().join("s0000.doc")).unwrap();
    assert_eq!(left, "not yours");
    assert_eq!(names(outside.path()), ["s0000.doc"]);
}
