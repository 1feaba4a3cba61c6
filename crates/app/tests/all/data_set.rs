//! Preparing, verifying and deleting the data set, and everything that must be left alone.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;

use crate::common;
use crate::common::{SHAPE, folder, order, prepare, start, target};
use headcount_app::control::{self, ControlError};
use headcount_app::message::{Cleaned, DataSet, Order, Prepared, Progress, Shape};
use headcount_app::server::{FolderError, Handle, ServeError, Settings, serve};

fn carry_out(server: &Handle, order: &Order) -> Result<Prepared, ControlError> {
    control::prepare(&target(server), order, |_| ControlFlow::Continue(()))
}

fn counts(prepared: Prepared) -> (u32, u32, u32) {
    (prepared.created, prepared.kept, prepared.repaired)
}

fn corrupt(folder: &Path, file: u32, offset: u64) {
    let path = folder.join(format!("data/client-{file:06}.dat"));
    let file = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).unwrap();
    file.write_all_at(&[byte[0] ^ 0x40], offset).unwrap();
}

#[test]
fn preparing_twice_changes_nothing_and_survives_a_restart() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let first = prepare(&server, 4);
    assert_eq!(counts(first), (5, 0, 0));
    assert_eq!(first.written_bytes, 5 * SHAPE.file_bytes);
    assert_eq!(counts(prepare(&server, 4)), (0, 5, 0));
    assert_eq!(counts(carry_out(&server, &order(3, 6)).unwrap()), (2, 2, 0));
    let one = control::hello(&target(&server)).unwrap();
    assert_eq!(
        one.data_set,
        Some(DataSet {
            shape: SHAPE,
            files: 7
        })
    );
    server.stop();
    let server = start(home.path(), |_| {});
    let two = control::hello(&target(&server)).unwrap();
    assert_eq!(two.data_set, one.data_set);
    assert!(
        two.session > one.session,
        "sessions are numbered upwards across restarts"
    );
    assert_eq!(counts(prepare(&server, 6)), (0, 7, 0));
}

#[test]
fn damaged_files_are_repaired_as_thoroughly_as_asked() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 3);
    corrupt(home.path(), 1, 100); // at the start, where the quick check sees it
    corrupt(home.path(), 2, 150_000); // in the middle, where only reading through sees it
    let short = fs::OpenOptions::new()
        .write(true)
        .open(home.path().join("data/client-000003.dat"));
    short.unwrap().set_len(4096).unwrap();
    assert_eq!(counts(prepare(&server, 3)), (0, 2, 2));
    let thorough = Order {
        read_through: true,
        ..order(0, 3)
    };
    assert_eq!(counts(carry_out(&server, &thorough).unwrap()), (0, 3, 1));
    assert_eq!(counts(carry_out(&server, &thorough).unwrap()), (0, 4, 0));
}

#[test]
fn another_seed_or_size_replaces_the_whole_data_set() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 5);
    let shape = Shape {
        seed: SHAPE.seed + 1,
        ..SHAPE
    };
    let other = Order {
        shape,
        ..order(0, 1)
    };
    assert_eq!(counts(carry_out(&server, &other).unwrap()), (2, 0, 0));
    let hello = control::hello(&target(&server)).unwrap();
    assert_eq!(hello.data_set, Some(DataSet { shape, files: 2 }));
}

#[test]
fn data_sets_that_do_not_fit_are_refused_in_advance() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let shape = Shape {
        file_bytes: 64 << 30,
        ..SHAPE
    };
    let huge = Order {
        shape,
        ..order(0, 999_999)
    };
    let error = carry_out(&server, &huge).unwrap_err();
    let ControlError::NoSpace(sentence) = &error else {
        panic!("{error}")
    };
    assert!(sentence.contains("MiB are free"), "{sentence}");
    assert_eq!(control::hello(&target(&server)).unwrap().data_set, None);
    assert_eq!(
        fs::read_dir(home.path().join("data")).unwrap().count(),
        1,
        "the marker alone"
    );
}

#[test]
fn cleaning_up_deletes_the_data_set_and_nothing_else() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 2);
    let data = home.path().join("data");
    let outside = home.path().join("outside");
    fs::write(&outside, "precious").unwrap();
    symlink(&outside, data.join("client-000009.dat")).unwrap();
    fs::write(data.join("notes.txt"), "keep me").unwrap();
    fs::create_dir(data.join("client-000008.dat")).unwrap();
    let cleaned = control::cleanup(&target(&server)).unwrap();
    assert_eq!(
        cleaned,
        Cleaned {
            files: 3,
            bytes: 3 * SHAPE.file_bytes
        }
    );
    let mut left: Vec<_> = fs::read_dir(&data)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            ".headcount",
            "client-000008.dat",
            "client-000009.dat",
            "notes.txt"
        ]
    );
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
    assert_eq!(
        control::cleanup(&target(&server)).unwrap(),
        Cleaned::default()
    );
}

#[test]
fn a_link_in_place_of_a_file_is_neither_read_nor_written() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 1);
    let outside = home.path().join("outside");
    let linked = home.path().join("data/client-000001.dat");
    fs::rename(&linked, &outside).unwrap(); // valid contents, but elsewhere
    symlink(&outside, &linked).unwrap();
    let before = fs::read(&outside).unwrap();
    let mut stream = common::greeted(server.address());
    let read = headcount_app::request::Request::Read {
        file: 1,
        offset: 0,
        bytes: 4096,
    };
    std::io::Write::write_all(&mut stream, &common::frame(&read)).unwrap();
    assert_eq!(
        common::receive(&mut stream).unwrap().0,
        headcount_app::frame::Kind::Error
    );
    // Preparing replaces the link by a file.
    assert_eq!(counts(prepare(&server, 1)), (1, 1, 0));
    assert!(fs::symlink_metadata(&linked).unwrap().is_file());
    assert_eq!(fs::read(&outside).unwrap(), before);
}

#[test]
fn folders_of_others_are_refused() {
    let home = folder();
    fs::write(home.path().join("thesis.doc"), "x").unwrap();
    let error = serve(Settings::new(home.path())).unwrap_err();
    assert!(
        matches!(error, ServeError::Folder(FolderError::NotOurs(_))),
        "{error}"
    );
    assert!(error.to_string().contains(".headcount"), "{error}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn preparing_reports_progress_can_be_cancelled_and_excludes_others() {
    let home = folder();
    let server = start(home.path(), |_| {});
    // Large enough to take longer than the pause between two reports: 2 GiB, never finished.
    let shape = Shape {
        file_bytes: 64 << 20,
        ..SHAPE
    };
    let large = Order {
        shape,
        ..order(0, 31)
    };
    let mut reports = Vec::new();
    let result = control::prepare(&target(&server), &large, |progress: Progress| {
        if reports.is_empty() {
            let error = control::cleanup(&target(&server)).unwrap_err();
            assert!(error.to_string().contains("under way"), "{error}");
        }
        reports.push(progress);
        if reports.len() < 2 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert_eq!(result, Err(ControlError::Cancelled));
    assert_eq!((reports[0].files, reports.len()), (32, 2));
    assert!(
        reports[0].written_bytes < reports[1].written_bytes,
        "{reports:?}"
    );
    // The server notices that the client has gone; only complete files remain.
    common::eventually("the preparation ends", || {
        control::cleanup(&target(&server)).is_ok()
    });
    assert_eq!(
        fs::read_dir(home.path().join("data")).unwrap().count(),
        1,
        "the marker alone"
    );
}

#[test]
fn stopping_the_server_ends_a_preparation() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let shape = Shape {
        file_bytes: 64 << 20,
        ..SHAPE
    };
    let large = Order {
        shape,
        ..order(0, 31)
    };
    let target = target(&server);
    let mut server = Some(server);
    let result = control::prepare(&target, &large, |_| {
        drop(server.take());
        ControlFlow::Continue(())
    });
    assert!(
        matches!(result, Err(ControlError::Lost { .. })),
        "{result:?}"
    );
    assert!(server.is_none());
}
