//! Blocks on the disk: written data is read back, and wrong data is detected.

use std::fs;
use std::os::unix::fs::FileExt;

use crate::common::{
    SHAPE, app, every_kind, folder, once, play, prepare, start, step, target, user,
};
use headcount_app::block::{Generation, Place, stamp};
use headcount_app::control;
use headcount_app::server::{FolderError, ServeError, Settings, WriteMode, serve};
use headcount_load::{FaultKind, Protocol, Session};
use serde_json::json;

#[test]
fn a_user_reads_what_it_wrote_even_in_later_sessions() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 0);
    let app = app(server.address());
    let (whole, mut user) = (128 << 10, user(0));
    let (write, read) = (
        json!({"op": "write", "bytes": whole}),
        json!({"op": "read", "bytes": whole}),
    );
    let (write, read) = (step(&write), step(&read));
    play(async {
        for _ in 0..3 {
            let mut session = app.open(&mut user).await.unwrap();
            session.play(&read, &mut user).await.unwrap();
            session.play(&write, &mut user).await.unwrap();
            session.play(&read, &mut user).await.unwrap();
        }
    });
}

#[test]
fn a_corrupted_byte_on_the_disk_is_reported_with_file_and_offset() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 3);
    let path = home.path().join("data/client-000003.dat");
    let file = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, 20_000).unwrap();
    file.write_all_at(&[byte[0] ^ 1], 20_000).unwrap();
    let whole = json!({"op": "read", "bytes": SHAPE.range_bytes});
    let fault = once(server.address(), 3, &whole).unwrap_err();
    assert_eq!(fault.kind, FaultKind::WrongData);
    assert!(!fault.ends_session);
    assert!(fault.message.contains("file 3 at offset 16384"), "{fault}");
    assert!(
        once(server.address(), 2, &whole).is_ok(),
        "the other files are whole"
    );
}

#[test]
fn a_lost_write_is_noticed_by_the_user_who_made_it() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 0);
    let (app, mut user) = (app(server.address()), user(0));
    let bytes = SHAPE.range_bytes;
    let (write, read) = (
        json!({"op": "write", "bytes": bytes}),
        json!({"op": "read", "bytes": bytes}),
    );
    let fault = play(async {
        let mut session = app.open(&mut user).await.unwrap();
        session.play(&step(&write), &mut user).await.unwrap();
        // The disk returns its former contents: whole, but old.
        let mut unit = [0; 4096];
        stamp(
            &mut unit,
            Place {
                file: 0,
                offset: 8192,
                seed: SHAPE.seed,
            },
            Generation::default(),
        );
        let path = home.path().join("data/client-000000.dat");
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.write_all_at(&unit, 8192).unwrap();
        session.play(&step(&read), &mut user).await.unwrap_err()
    });
    assert_eq!(fault.kind, FaultKind::WrongData);
    assert!(
        fault.message.contains("offset 8192") && fault.message.contains("lost"),
        "{fault}"
    );
}

#[test]
fn every_write_mode_stores_its_data() {
    for write_mode in [WriteMode::Buffered, WriteMode::Dsync, WriteMode::Direct] {
        let home = folder();
        let settings = Settings {
            write_mode,
            ..Settings::new(home.path().join("data"))
        };
        let server = match serve(settings) {
            Ok(server) => server,
            // Only a file system without direct I/O may refuse, and only this mode.
            Err(ServeError::Folder(FolderError::NoDirect(_)))
                if write_mode == WriteMode::Direct =>
            {
                assert!(
                    is_without_direct(home.path()),
                    "refused on a file system that can do it"
                );
                continue;
            }
            Err(error) => panic!("{write_mode:?}: {error}"),
        };
        prepare(&server, 0);
        assert_eq!(
            control::hello(&target(&server)).unwrap().write_mode,
            write_mode.name()
        );
        let (app, mut user) = (app(server.address()), user(0));
        play(async {
            let mut session = app.open(&mut user).await.unwrap();
            for (options, moved) in every_kind() {
                assert_eq!(
                    session.play(&step(&options), &mut user).await,
                    Ok(moved),
                    "{options}"
                );
            }
        });
    }
}

/// Asks the file system itself, not the server.
fn is_without_direct(folder: &std::path::Path) -> bool {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::DIRECT;
    rustix::fs::open(folder.join("probe"), flags, Mode::RUSR | Mode::WUSR).is_err()
}

#[test]
fn a_replaced_file_is_reopened() {
    let home = folder();
    let server = start(home.path(), |_| {});
    prepare(&server, 0);
    let (app, mut user) = (app(server.address()), user(0));
    let read = step(&json!({"op": "read", "bytes": 4096}));
    play(async {
        let mut session = app.open(&mut user).await.unwrap();
        session.play(&read, &mut user).await.unwrap();
        control::cleanup(&target(&server)).unwrap();
        let fault = session.play(&read, &mut user).await.unwrap_err();
        assert!(fault.message.contains("no data set is prepared"), "{fault}");
        prepare(&server, 0);
        session.play(&read, &mut user).await.unwrap();
    });
}
