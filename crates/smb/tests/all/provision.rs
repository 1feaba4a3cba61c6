//! Data sets of many users, made and deleted on a real server.
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::common::{PASSWORD, Samba};
use headcount_smb::client::provision::{Order, Progress, ProvisionError, cleanup, hello, prepare};
use headcount_smb::{Password, SmbOptions};
use headcount_tree::content::Content;
use headcount_tree::data_set::{DataSet, Group, Place};
use headcount_tree::library::{Class, Library};

const ALL: Order = Order {
    first: 0,
    last: 4,
    read_through: false,
};

fn options(samba: &Samba) -> SmbOptions {
    let data_set = DataSet {
        folders: 5,
        static_files: 6,
        sigma: 1.0,
        ..samba.options().data_set
    };
    SmbOptions {
        folder: r"headcount\user{n:05}".into(),
        data_set,
        ..samba.options()
    }
}

fn quietly(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Every file below a folder with its length.
fn files(below: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let mut folders = vec![below.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(below).unwrap().to_owned();
                found.insert(
                    name.to_string_lossy().into_owned(),
                    entry.metadata().unwrap().len(),
                );
            }
        }
    }
    found
}

#[test]
fn files_are_made_once_and_all_deleted_again() {
    let samba = Samba::start("auto");
    fs::write(samba.behind("somebody.txt"), "mine").unwrap();
    let options = options(&samba);
    let data_set = options.data_set.clone();
    let mut heard = Vec::new();
    let mut hear = |progress| {
        heard.push(progress);
        ControlFlow::Continue(())
    };
    let first = prepare(options.clone(), &ALL, &mut hear).unwrap();
    assert_eq!((first.created, first.kept), (5, 0));
    assert_eq!(heard.last().map(|p| (p.users_done, p.users)), Some((5, 5)));
    let found = files(&samba.behind("headcount"));
    let mut expected = 0;
    for user in 0..5 {
        for place in data_set.prepared() {
            let path = data_set
                .path(&format!("user{user:05}"), place)
                .replace('\\', "/");
            if let Group::Static | Group::Volatile = place.group {
                assert_eq!(
                    found.get(&path),
                    Some(&data_set.bytes(user, place)),
                    "{path}"
                );
                expected += data_set.bytes(user, place);
            }
        }
    }
    for index in 0..data_set.shared_files {
        let place = Place {
            group: Group::Shared,
            index,
        };
        assert_eq!(
            found[&format!("shared/h{index:04}.doc")],
            data_set.bytes(0, place)
        );
        expected += data_set.bytes(0, place);
    }
    assert_eq!(first.written_bytes, expected);

    let again = prepare(options.clone(), &Order { last: 6, ..ALL }, &mut quietly).unwrap();
    assert_eq!((again.created, again.kept), (2, 5));

    let cleaned = cleanup(options.clone(), &mut quietly).unwrap();
    assert_eq!((cleaned.users, cleaned.shares, cleaned.left), (7, 1, 0));
    assert_eq!(cleaned.files, 7 * (6 + 2 + 1) + 2);
    assert_eq!(
        files(&samba.share()).into_keys().collect::<Vec<_>>(),
        ["somebody.txt"]
    );
    assert!(!samba.behind("headcount").exists());
    assert_eq!(cleanup(options, &mut quietly).unwrap().shares, 0);
}

#[test]
fn a_library_is_made_once_per_share_and_deleted_with_the_rest() {
    let samba = Samba::start("auto");
    let class = |name: &str, content, files| Class {
        name: name.to_owned(),
        content,
        bytes: 65536,
        files,
        uploads: 2,
    };
    let mut options = options(&samba);
    options.data_set = DataSet {
        folders: 1,
        static_files: 0,
        volatile_files: 0,
        new_files: 0,
        shared_files: 0,
        library: Library::new(vec![
            class("text", Content::Text, 3),
            class("data-compressed", Content::Compressed, 2),
        ]),
        ..options.data_set
    };
    let first = prepare(options.clone(), &ALL, &mut quietly).unwrap();
    assert_eq!((first.created, first.kept), (5, 0));
    assert_eq!(first.written_bytes, 5 * 65536);
    let mut found = files(&samba.behind("headcount"));
    found.retain(|path, _| path.starts_with("library"));
    let expected = [
        "library/data-compressed/f0000.zip",
        "library/data-compressed/f0001.zip",
        "library/text/f0000.txt",
        "library/text/f0001.txt",
        "library/text/f0002.txt",
    ];
    assert_eq!(found.keys().collect::<Vec<_>>(), expected);
    assert!(found.values().all(|bytes| *bytes == 65536));
    let text = fs::read(samba.behind(r"headcount\library\text\f0001.txt")).unwrap();
    let words = String::from_utf8_lossy(&text[32..4096]);
    assert!(words.contains(" the "), "{words}");

    fs::remove_file(samba.behind(r"headcount\library\text\f0001.txt")).unwrap();
    let order = Order {
        read_through: true,
        ..ALL
    };
    let repaired = prepare(options.clone(), &order, &mut quietly).unwrap();
    assert_eq!(repaired.written_bytes, 65536);
    let path = samba.behind(r"headcount\library\text\f0001.txt");
    assert_eq!(fs::read(path).unwrap(), text);

    let cleaned = cleanup(options, &mut quietly).unwrap();
    assert_eq!((cleaned.users, cleaned.left), (5, 0));
    assert!(!samba.behind("headcount").exists());
}

#[test]
fn damage_is_repaired_when_files_are_read_through() {
    let samba = Samba::start("auto");
    let options = options(&samba);
    prepare(options.clone(), &ALL, &mut quietly).unwrap();
    let place = Place {
        group: Group::Static,
        index: 2,
    };
    let path = options.data_set.path(r"headcount\user00003", place);
    let sound = fs::read(samba.behind(&path)).unwrap();
    let mut damaged = sound.clone();
    damaged[5000] ^= 1;
    fs::write(samba.behind(&path), &damaged).unwrap();
    prepare(options.clone(), &ALL, &mut quietly).unwrap();
    assert_eq!(fs::read(samba.behind(&path)).unwrap(), damaged);
    let order = Order {
        read_through: true,
        ..ALL
    };
    let repaired = prepare(options, &order, &mut quietly).unwrap();
    assert_eq!(repaired.written_bytes, sound.len() as u64);
    assert_eq!((repaired.created, repaired.kept), (1, 4));
    assert_eq!(fs::read(samba.behind(&path)).unwrap(), sound);
}

#[test]
fn another_data_set_replaces_the_last() {
    let samba = Samba::start("auto");
    let old = options(&samba);
    prepare(old.clone(), &ALL, &mut quietly).unwrap();
    let data_set = DataSet {
        seed: 7,
        static_files: 2,
        ..old.data_set
    };
    let new = SmbOptions { data_set, ..old };
    let done = prepare(new, &Order { last: 1, ..ALL }, &mut quietly).unwrap();
    assert_eq!(done.created, 2);
    let homes = fs::read_dir(samba.behind("headcount")).unwrap().count();
    assert_eq!(homes, 2 + 1 + 1, "two users, the shared folder, the marker");
}

#[test]
fn a_folder_without_the_marker_is_never_touched() {
    let samba = Samba::start("auto");
    samba.give_home("headcount");
    fs::write(samba.behind(r"headcount\thesis.txt"), "years of work").unwrap();
    for error in [
        prepare(options(&samba), &ALL, &mut quietly).unwrap_err(),
        cleanup(options(&samba), &mut quietly).unwrap_err(),
    ] {
        assert!(matches!(error, ProvisionError::NotOurs { .. }), "{error}");
        assert!(
            error.to_string().contains("nothing in it is touched"),
            "{error}"
        );
    }
    let found: Vec<_> = files(&samba.share()).into_keys().collect();
    assert_eq!(found, ["headcount/thesis.txt"]);
}

#[test]
fn cleanup_leaves_files_of_no_data_set() {
    let samba = Samba::start("auto");
    prepare(options(&samba), &ALL, &mut quietly).unwrap();
    fs::write(samba.behind(r"headcount\notes.txt"), "mine").unwrap();
    let cleaned = cleanup(options(&samba), &mut quietly).unwrap();
    assert_eq!((cleaned.users, cleaned.left), (5, 1));
    let found: Vec<_> = files(&samba.share()).into_keys().collect();
    assert_eq!(found, ["headcount/.headcount", "headcount/notes.txt"]);
}

#[test]
fn folders_of_users_without_a_login_are_deleted_by_the_first() {
    let samba = Samba::start("auto");
    let options = options(&samba);
    prepare(options.clone(), &ALL, &mut quietly).unwrap();
    let only = (Box::<str>::from("user00000"), Password::new(PASSWORD));
    let fewer = SmbOptions {
        user: "{n}".into(),
        password: Password::new("of nobody"),
        logins: vec![only].into(),
        ..options
    };
    let cleaned = cleanup(fewer, &mut quietly).unwrap();
    assert_eq!((cleaned.users, cleaned.left), (5, 0));
    assert!(!samba.behind("headcount").exists());
}

#[test]
fn mistakes_are_named() {
    let samba = Samba::start("auto");
    let wrong = |change: &dyn Fn(&mut SmbOptions)| {
        let mut options = options(&samba);
        change(&mut options);
        prepare(options, &ALL, &mut quietly)
            .unwrap_err()
            .to_string()
    };
    let error = wrong(&|options| options.password = Password::new("no"));
    assert!(
        error.contains("user user00000") && error.contains("password is wrong"),
        "{error}"
    );
    let error = wrong(&|options| options.share = "nowhere".into());
    assert!(error.contains("no share of this name"), "{error}");
    let error = wrong(&|options| options.share = "readonly".into());
    assert!(
        error.contains("\"readonly\" cannot be written to by user user00000"),
        "{error}"
    );
    let error = wrong(&|options| options.folder = "user{n:05}".into());
    assert!(error.contains(r"headcount\user{n:05}"), "{error}");
    let error = wrong(&|options| {
        options.data_set.static_files = 100_000;
        options.data_set.sigma = 0.0;
        options.data_set.median_bytes = 1 << 39;
        options.data_set.most_bytes = 1 << 40;
    });
    assert!(error.contains("MB more on share \"data\""), "{error}");
    assert_eq!(files(&samba.share()).len(), 0, "nothing was written");
}

#[test]
fn a_cancelled_preparation_can_be_continued() {
    let samba = Samba::start("auto");
    let mut stop = |progress: Progress| {
        if progress.written_bytes > 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut options = options(&samba);
    options.data_set.static_files = 400;
    let error = prepare(options.clone(), &ALL, &mut stop).unwrap_err();
    assert!(matches!(error, ProvisionError::Cancelled), "{error}");
    let done = prepare(options, &ALL, &mut quietly).unwrap();
    assert_eq!(done.created + done.kept, 5);
    assert_eq!(
        files(&samba.behind(r"headcount\user00004")).len(),
        400 + 2 + 1
    );
}

#[test]
fn hello_describes_the_server() {
    let samba = Samba::start("mandatory");
    let found = hello(options(&samba)).unwrap();
    assert_eq!((found.dialect, found.share.as_str()), ("3.1.1", "data"));
    assert_eq!((found.signing, found.encryption), ("AES-128-GMAC", "off"));
    assert!(found.max_read_bytes >= 1 << 20 && found.free_bytes > 1 << 20);
}
