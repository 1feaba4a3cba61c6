//! Trees of pages: repairing their contents, and deleting them without anything else.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::path::Path;

use headcount_http::pages::PageSet;
use headcount_http::pages::sweep::{Swept, sweep_tree};
use headcount_http::pages::tree::{Kept, MARKER, TreeError, Written, write_tree};
use serde_json::json;

fn small() -> PageSet {
    serde_json::from_value(json!({
        "seed": 7,
        "directories": ["", "a", "a/b"],
        "classes": [
            {"name": "text", "percent": 70, "sizes": [100, 5000], "files": 3},
            {"name": "made", "percent": 10, "sizes": [300], "files": 4, "cgi": true},
        ],
    }))
    .unwrap()
}

fn write(folder: &Path, kept: Kept) -> Written {
    write_tree(folder, &small(), kept, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn damage_is_found_only_by_reading() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("pages");
    write(&folder, Kept::Long);
    let page = folder.join("a/b/text-0001.html");
    let whole = fs::read(&page).unwrap();
    let mut damaged = whole.clone();
    damaged[4321] ^= 1;
    fs::write(&page, &damaged).unwrap();
    let looked = write(&folder, Kept::Long);
    assert_eq!((looked.created, looked.kept), (0, 9));
    assert_eq!(fs::read(&page).unwrap(), damaged);
    let repaired = write(&folder, Kept::Right);
    assert_eq!((repaired.created, repaired.kept), (1, 8));
    assert_eq!(repaired.written_bytes, whole.len() as u64);
    assert_eq!(fs::read(&page).unwrap(), whole);
}

#[test]
fn a_tree_is_deleted_whole() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("pages");
    write(&folder, Kept::Long);
    fs::write(folder.join("a/.text-0000.html.new"), "half").unwrap(); // left by a killed run
    let swept = sweep_tree(&folder).unwrap().unwrap();
    // Three files in each of three directories, the program, and the unfinished one.
    assert_eq!(swept, Swept { files: 11, left: 0 });
    assert!(!folder.exists());
    assert!(sweep_tree(&folder).unwrap().is_none());
    fs::create_dir(&folder).unwrap();
    assert!(sweep_tree(&folder).unwrap().is_none());
    assert!(folder.exists());
}

#[test]
fn a_tree_is_deleted_without_the_files_of_others() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("pages");
    write(&folder, Kept::Long);
    fs::write(folder.join("index.html"), "theirs").unwrap();
    fs::write(folder.join("a/b/notes"), "theirs").unwrap();
    fs::create_dir(folder.join("a/own")).unwrap();
    let swept = sweep_tree(&folder).unwrap().unwrap();
    assert_eq!(swept.files, 10);
    for name in ["index.html", "a/b/notes", "a/own", MARKER] {
        assert!(folder.join(name).exists(), "{name}");
    }
    assert!(!folder.join("text-0000.html").exists());
    assert!(!folder.join("cgi-bin").exists());
    // One in the root, the folders `b` and `own` in `a`, and one in `a/b`.
    assert_eq!(swept.left, 4);
}

#[test]
fn folders_of_others_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let theirs = home.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("text-0000.html"), "precious").unwrap();
    assert!(matches!(sweep_tree(&theirs), Err(TreeError::NotOurs(_))));
    for marker in ["", "{}", "{\"directories\": 0, \"classes\": []}"] {
        fs::write(theirs.join(MARKER), marker).unwrap();
        let refused = sweep_tree(&theirs);
        assert!(matches!(refused, Err(TreeError::NotOurs(_))), "{marker}");
    }
    let link = home.path().join("link");
    symlink(&theirs, &link).unwrap();
    assert!(matches!(sweep_tree(&link), Err(TreeError::NotAFolder(_))));

    // A link inside a folder of ours is not followed.
    let ours = home.path().join("ours");
    write(&ours, Kept::Long);
    fs::remove_dir_all(ours.join("a")).unwrap();
    symlink(&theirs, ours.join("a")).unwrap();
    sweep_tree(&ours).unwrap().unwrap();
    let kept = fs::read_to_string(theirs.join("text-0000.html")).unwrap();
    assert_eq!(kept, "precious");
}
