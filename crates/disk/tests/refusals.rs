//! What cannot be measured, and the messages that say why.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use headcount_disk::cell::{Access, Block};
use headcount_disk::file::{Kept, kept};
use headcount_disk::setup::Engine;
use headcount_disk::{Bench, Cell, DiskError, Setup};

fn setup(folder: &Path) -> Setup {
    Setup {
        folder: folder.to_owned(),
        size_bytes: 4 << 20,
        direct: true,
        sync: false,
        verify: false,
        engine: Engine::Threads,
        seed: 1,
        unit_bytes: 4096,
    }
}

fn cell() -> Cell {
    Cell {
        threads: 1,
        depth: 1,
        access: Access::Random,
        read_share: 1.0,
        blocks: vec![Block {
            bytes: 4096,
            share: 1.0,
        }],
        warm_up_s: 0.0,
        seconds: 0.1,
        batches: 2,
    }
}

fn refused(setup: Setup) -> String {
    Bench::open(setup)
        .expect_err("cannot be measured")
        .to_string()
}

#[test]
fn only_folders_are_measured() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "precious").unwrap();
    let text = refused(setup(&file));
    assert!(text.contains("not a folder"), "{text}");
    assert_eq!(std::fs::read(&file).unwrap(), b"precious");
    assert!(refused(setup(Path::new("/dev/null"))).contains("not a folder"));
    let text = refused(setup(&home.path().join("missing")));
    assert!(text.contains("there is no folder"), "{text}");
}

#[test]
fn memory_is_measured_only_on_request() {
    let memory = PathBuf::from("/dev/shm");
    assert_eq!(kept(&memory).unwrap(), Kept::Memory);
    let text = refused(setup(&memory));
    assert!(text.contains("--buffered"), "{text}");
    let buffered = Setup {
        direct: false,
        ..setup(&memory)
    };
    let mut bench = Bench::open(buffered).unwrap();
    bench.fill(|_| ControlFlow::Continue(())).unwrap();
    let figures = bench.measure(&cell(), |_| ControlFlow::Continue(()));
    assert!(figures.is_ok());
}

#[test]
fn a_file_system_without_room_is_refused_in_advance() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let huge = Setup {
        size_bytes: 1 << 60,
        ..setup(home.path())
    };
    let text = refused(huge);
    assert!(text.contains("--size") && text.contains("free"), "{text}");
}

#[test]
fn a_folder_of_the_kernel_is_refused() {
    let text = refused(setup(Path::new("/proc/self")));
    assert!(text.contains("cannot create a test file"), "{text}");
}

#[test]
fn values_out_of_bounds_are_reported() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut bench = Bench::open(setup(home.path())).unwrap();
    let mut message = |change: &dyn Fn(&mut Cell)| {
        let mut cell = cell();
        change(&mut cell);
        let measured = bench.measure(&cell, |_| ControlFlow::Continue(()));
        match measured.expect_err("out of bounds") {
            DiskError::Options(text) => text,
            other => format!("not refused as an option: {other}"),
        }
    };
    assert!(message(&|cell| cell.threads = 0).starts_with("0 threads"));
    assert!(message(&|cell| cell.depth = 5000).contains("1 to 1024"));
    assert!(message(&|cell| cell.blocks[0].bytes = 5000).contains("5000 bytes"));
    assert!(message(&|cell| cell.blocks[0].bytes = 32 << 20).contains("16 MiB"));
    assert!(message(&|cell| cell.blocks[0].share = f64::NAN).contains("share of NaN"));
    assert!(message(&|cell| cell.blocks.clear()).contains("at least one"));
    assert!(message(&|cell| cell.read_share = 1.5).contains("1.5"));
    assert!(message(&|cell| cell.seconds = 0.0).contains("0 s"));
    assert!(message(&|cell| cell.seconds = f64::INFINITY).contains("inf"));
    assert!(message(&|cell| cell.batches = 0).contains("0 parts"));
    assert!(message(&|cell| cell.threads = 1000).contains("too small"));
    let odd = Setup {
        size_bytes: 1000,
        ..setup(home.path())
    };
    assert!(refused(odd).contains("1 MiB"));
    let odd = Setup {
        unit_bytes: 3,
        ..setup(home.path())
    };
    assert!(refused(odd).contains("3 bytes"));
}
