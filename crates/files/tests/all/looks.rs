//! What captures and checks see of folders and files, checked on a real folder.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use crate::common::{Disk, Person, play};
use headcount_files::Files;
use headcount_load::{Compile, Fault, Session};
use headcount_script::{Names, Variables};
use headcount_tree::step::Step;
use serde_json::{Value, json};

/// Plays steps of one user, and returns the variables that have values then.
async fn played(disk: &Disk, steps: &[Value]) -> Result<Vec<(String, String)>, Fault> {
    let mut known = Names::default();
    let compiled: Vec<_> = steps
        .iter()
        .map(|options| Step::compile_with(options, &mut known).unwrap())
        .collect();
    let variables = Variables::compile(&[], 1, &mut known).unwrap();
    let mut person = Person::of(&Files::new(disk.options()).unwrap(), 0).await;
    let variables = Some(variables.with_slots(&known));
    person.user = person.user.with_variables(variables);
    for step in &compiled {
        person.session.play(step, &mut person.user).await?;
    }
    let values = person.user.scope().values().into_iter();
    Ok(values
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect())
}

/// A folder with three reports, of which `b.txt` is the newest, and a folder newer than those.
fn reports() -> Disk {
    let disk = Disk::new();
    let folder = disk.path().join("reports");
    fs::create_dir_all(folder.join("old")).unwrap();
    for (name, text, at_s) in [
        ("a.txt", "total: 1", 1000),
        ("b.txt", "{\"total\": 23}", 3000),
        ("c.txt", "total: 456 EUR", 2000),
        ("notes.doc", "x", 9000),
    ] {
        fs::write(folder.join(name), text).unwrap();
        let file = File::options().write(true).open(folder.join(name)).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(at_s);
        file.set_modified(time).unwrap();
    }
    disk
}

fn open(path: &str) -> Value {
    json!({"op": "open", "path": path})
}

#[test]
fn the_newest_file_is_found_read_and_inspected() {
    let disk = reports();
    let values = play(played(
        &disk,
        &[
            open("reports"),
            json!({"op": "list", "pattern": "*.txt", "sort": "modified", "only": "files",
                   "check": [{"of": "count", "equals": 3}],
                   "capture": {"newest": {"of": "name", "pick": "last"},
                               "bytes": {"of": "size", "pick": "last"},
                               "at": {"of": "modified", "pick": "last"}}}),
            open("reports/{newest}"),
            json!({"op": "stat", "check": [{"of": "size", "equals": "{bytes}"}]}),
            json!({"op": "read", "check": [{"of": "size", "equals": "{bytes}"}],
                   "capture": {"total": {"json": "$.total"}, "text": {"of": "body"}}}),
            json!({"op": "inspect", "path": "reports/c.txt", "capture": {"other": {"of": "size"}}}),
            open("reports/c.txt"),
            json!({"op": "read", "capture": {"euros": {"regex": "total: ([0-9]+)"}}}),
        ],
    ))
    .unwrap();
    let expected = [
        ("newest", "b.txt"),
        ("bytes", "13"),
        ("at", "3000"),
        ("total", "23"),
        ("text", "{\"total\": 23}"),
        ("other", "14"),
        ("euros", "456"),
    ];
    for (name, value) in expected {
        let found = values.iter().find(|(known, _)| known == name);
        assert_eq!(found.map(|(_, found)| &**found), Some(value), "{name}");
    }
}

#[test]
fn a_listing_without_sizes_asks_for_none_and_can_be_repeated() {
    let disk = reports();
    let list = json!({"op": "list", "only": "folders", "capture": {"name": {}}});
    let values = play(played(&disk, &[open("reports"), list.clone(), list])).unwrap();
    assert_eq!(values, [("name".to_owned(), "old".to_owned())]);
}

#[test]
fn failed_checks_and_captures_fail_the_step() {
    let disk = reports();
    let big = vec![b'x'; (1 << 20) + 1];
    fs::write(disk.path().join("reports/big.txt"), big).unwrap();
    let fails = |steps: &[Value]| play(played(&disk, steps)).unwrap_err().message;
    let count = json!({"op": "list", "check": [{"of": "count", "above": 9}]});
    let few = fails(&[open("reports"), count]);
    assert!(few.contains("the number of files is \"6\""), "{few}");
    let none = json!({"op": "list", "pattern": "*.pdf", "capture": {"pdf": {}}});
    let none = fails(&[open("reports"), none]);
    assert!(none.contains("nothing to capture for pdf"), "{none}");
    let text = json!({"op": "read", "check": [{"contains": "y"}]});
    let large = fails(&[open("reports/big.txt"), text]);
    assert!(large.contains("more than 1 MiB were read"), "{large}");
    // Its size is known without its text.
    let size = json!({"op": "read", "check": [{"of": "size", "equals": (1 << 20) + 1}]});
    play(played(&disk, &[open("reports/big.txt"), size])).unwrap();
}

#[test]
fn invalid_checks_and_captures_are_refused() {
    let mistake = |options: Value| Step::compile(&options).unwrap_err();
    let class = mistake(json!({"op": "stat", "class": "volume", "check": [{"exists": true}]}));
    assert!(class.contains("all or network-open"), "{class}");
    let json = mistake(json!({"op": "list", "capture": {"a": {"json": "$.a"}}}));
    assert!(json.contains("capture, a: of files give"), "{json}");
    let sort = mistake(json!({"op": "list", "sort": "size"}));
    assert!(sort.contains("sort changes only"), "{sort}");
    let missing = json!({"op": "inspect", "path": "a", "missing": true, "capture": {"a": {}}});
    assert!(mistake(missing).contains("nothing to capture"));
    assert!(mistake(json!({"op": "open", "path": "a", "capture": {}})).contains("capture"));
}
