//! Data sets of many users: made once, repaired, replaced, deleted, and nothing else touched.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, symlink};

use crate::common::{Disk, Person, files, names, play};
use headcount_files::provision::{
    Cleaned, Order, Prepared, Progress, ProvisionError, cleanup, hello, prepare,
};
use headcount_files::{Engine, FilesOptions, Mode};
use serde_json::json;

fn order(first: u32, last: u32) -> Order {
    Order {
        first,
        last,
        read_through: false,
    }
}

fn quietly(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn make(options: &FilesOptions, order: &Order) -> Prepared {
    prepare(options.clone(), order, &mut quietly).unwrap()
}

fn clean(options: &FilesOptions) -> Cleaned {
    cleanup(options.clone(), &mut quietly).unwrap()
}

/// Five files of 20,480 bytes for each user, and two for all.
const FILE_BYTES: u64 = 20_480;

#[test]
fn files_are_made_once_and_all_deleted_again() {
    let disk = Disk::new();
    let options = disk.options();
    fs::write(disk.path().join("letter.txt"), "mine").unwrap();
    let made = make(&options, &order(0, 2));
    let expected = Prepared {
        created: 3,
        kept: 0,
        written_bytes: (3 * 5 + 2) * FILE_BYTES,
    };
    assert_eq!(made, expected);
    let found = files(disk.path());
    let documents = found.keys().filter(|name| name.contains(".doc"));
    assert_eq!(documents.count(), 3 * 5 + 2);
    assert_eq!(
        names(&disk.own("user00001")),
        [
            ".headcount",
            "s0000.doc",
            "s0001.doc",
            "s0002.doc",
            "v0000.doc",
            "v0001.doc"
        ]
    );
    assert!(found["headcount/.headcount"].starts_with(b"This folder belongs to Headcount"));

    let inodes = || -> Vec<_> {
        let found = files(disk.path()).into_keys();
        found
            .map(|name| fs::metadata(disk.path().join(name)).unwrap().ino())
            .collect()
    };
    let before = inodes();
    let again = make(&options, &order(0, 2));
    assert_eq!((again.created, again.kept, again.written_bytes), (0, 3, 0));
    assert_eq!(inodes(), before);
    let more = make(&options, &order(1, 3));
    assert_eq!((more.created, more.kept), (1, 2));
    assert_eq!(more.written_bytes, 5 * FILE_BYTES);

    // Users read what was made.
    play(async {
        let mut person = Person::arrive(options.clone(), 3).await;
        for file in ["static", "volatile", "shared"] {
            let open = json!({"op": "open", "path": {"file": file}});
            person
                .play_all([open, json!({"op": "read"}), json!({"op": "close"})])
                .await;
        }
    });

    let cleaned = clean(&options);
    let expected = Cleaned {
        users: 4,
        files: 4 * 6 + 2, // with the notes that mark users as complete
        shares: 1,
        left: 0,
    };
    assert_eq!(cleaned, expected);
    assert_eq!(names(disk.path()), ["letter.txt"]);
    assert_eq!(clean(&options), Cleaned::default());
}

#[test]
fn damage_is_repaired_when_files_are_read_through() {
    let disk = Disk::new();
    let options = disk.options();
    make(&options, &order(0, 1));
    let whole = files(disk.path());
    let path = disk.own("user00001/s0001.doc");
    let mut content = fs::read(&path).unwrap();
    content[5000] ^= 1;
    fs::write(&path, content).unwrap();
    fs::write(disk.own("user00000/v0000.doc"), vec![1; 30_000]).unwrap();
    fs::remove_file(disk.own("shared/h0001.doc")).unwrap();
    assert_eq!(make(&options, &order(0, 1)).created, 0);
    let through = Order {
        read_through: true,
        ..order(0, 1)
    };
    let repaired = make(&options, &through);
    assert_eq!((repaired.created, repaired.kept), (2, 0));
    assert_eq!(repaired.written_bytes, 3 * FILE_BYTES);
    assert_eq!(files(disk.path()), whole);
}

#[test]
fn another_data_set_replaces_the_last() {
    let disk = Disk::new();
    let mut options = disk.options();
    make(&options, &order(0, 2));
    options.data_set.seed = 7;
    assert_eq!(make(&options, &order(0, 0)).created, 1);
    assert_eq!(names(&disk.own("")), [".headcount", "shared", "user00000"]);
}

#[test]
fn a_folder_without_the_marker_is_never_touched() {
    let disk = Disk::new();
    let home = disk.give_home(0);
    fs::write(home.join("s0000.doc"), "mine").unwrap();
    let before = files(disk.path());
    let prepared = prepare(disk.options(), &order(0, 0), &mut quietly).unwrap_err();
    assert!(matches!(prepared, ProvisionError::NotOurs { .. }));
    let message = prepared.to_string();
    assert!(
        message.contains("/headcount is not empty and was not made by Headcount"),
        "{message}"
    );
    let cleaned = cleanup(disk.options(), &mut quietly).unwrap_err();
    assert!(matches!(cleaned, ProvisionError::NotOurs { .. }));
    assert_eq!(files(disk.path()), before);
}

#[test]
fn cleanup_leaves_files_of_no_data_set_and_follows_no_links() {
    let disk = Disk::new();
    let options = disk.options();
    make(&options, &order(0, 1));
    let outside = Disk::new();
    fs::write(outside.path().join("letter.txt"), "mine").unwrap();
    // Links in a user's folder are deleted like files, and their targets stay.
    symlink(outside.path(), disk.own("user00000/link")).unwrap();
    fs::write(disk.own("somebody's.txt"), "mine").unwrap();
    let cleaned = clean(&options);
    assert_eq!((cleaned.users, cleaned.left), (2, 1));
    assert_eq!(names(&disk.own("")), [".headcount", "somebody's.txt"]);
    assert_eq!(names(outside.path()), ["letter.txt"]);
    // A user's folder that is a link belongs to somebody else.
    symlink(outside.path(), disk.own("user00005")).unwrap();
    let message = cleanup(options.clone(), &mut quietly)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("ELOOP (40): it is a symbolic link"),
        "{message}"
    );
    let message = prepare(options, &order(5, 5), &mut quietly)
        .unwrap_err()
        .to_string();
    assert!(message.contains("ELOOP (40)"), "{message}");
    assert_eq!(names(outside.path()), ["letter.txt"]);
}

#[test]
fn the_folder_of_the_data_set_must_not_be_a_link() {
    let (disk, outside) = (Disk::new(), Disk::new());
    symlink(outside.path(), disk.path().join("headcount")).unwrap();
    let message = prepare(disk.options(), &order(0, 0), &mut quietly)
        .unwrap_err()
        .to_string();
    assert!(message.contains("ELOOP (40)"), "{message}");
    assert_eq!(names(outside.path()), [""; 0]);
}

#[test]
fn data_sets_that_do_not_fit_are_refused_in_advance() {
    let disk = Disk::new();
    let mut options = disk.options();
    options.data_set.median_bytes = 1 << 40;
    options.data_set.most_bytes = 1 << 40;
    let message = prepare(options, &order(0, 99), &mut quietly)
        .unwrap_err()
        .to_string();
    assert!(message.contains("MB are free there"), "{message}");
    assert_eq!(names(disk.path()), [""; 0]);
}

#[test]
fn a_cancelled_preparation_can_be_continued() {
    let disk = Disk::new();
    let mut options = disk.options();
    options.data_set.static_files = 50;
    let mut enough = |far: Progress| {
        if far.users_done >= 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let ended = prepare(options.clone(), &order(0, 199), &mut enough);
    assert!(matches!(ended, Err(ProvisionError::Cancelled)), "{ended:?}");
    let kept = make(&options, &order(0, 199));
    assert!(kept.kept >= 3 && kept.created > 0, "{kept:?}");
    let through = Order {
        read_through: true,
        ..order(0, 199)
    };
    assert_eq!(make(&options, &through).written_bytes, 0);
    assert_eq!(clean(&options).users, 200);
}

#[test]
fn hello_describes_the_folder() {
    let disk = Disk::new();
    let found = hello(FilesOptions {
        engine: Engine::Threads,
        mode: Mode::Direct,
        ..disk.options()
    })
    .unwrap();
    assert_eq!((found.engine, found.threads), ("threads", 128));
    assert!(found.without_ring.is_some());
    assert!(found.free_bytes > 0);
    assert_eq!(names(disk.path()), [""; 0]);
    let found = hello(FilesOptions {
        engine: Engine::Ring,
        ..disk.options()
    })
    .unwrap();
    assert_eq!((found.engine, found.without_ring), ("io_uring", None));
    let message = hello(FilesOptions {
        folder: "user{n:05}".to_owned(),
        ..disk.options()
    });
    assert!(
        message.is_ok(),
        "only what writes needs a folder around those of the users"
    );
    let message = prepare(
        FilesOptions {
            folder: "user{n:05}".to_owned(),
            ..disk.options()
        },
        &order(0, 0),
        &mut quietly,
    );
    let message = message.unwrap_err().to_string();
    assert!(message.contains("need a folder around them"), "{message}");
}
