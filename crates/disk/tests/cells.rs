//! Cells on a real disk: counts match those of the kernel, and data read is right.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use headcount_disk::cell::{Access, Block};
use headcount_disk::setup::Engine;
use headcount_disk::{Bench, Cell, DiskError, Measured, Progress, Setup};

const MIB: u64 = 1 << 20;

/// The kernel counts for the whole process, so cells run one at a time.
static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn on_disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on the disk")
}

fn setup(folder: &Path, engine: Engine) -> Setup {
    Setup {
        folder: folder.to_owned(),
        size_bytes: 16 * MIB,
        direct: true,
        sync: false,
        verify: true,
        engine,
        seed: 11,
        unit_bytes: 4096,
    }
}

fn cell(threads: u32, depth: u32, access: Access, bytes: usize, read_share: f64) -> Cell {
    Cell {
        threads,
        depth,
        access,
        read_share,
        blocks: vec![Block { bytes, share: 1.0 }],
        warm_up_s: 0.05,
        seconds: 0.2,
        batches: 4,
    }
}

fn on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn measured(setup: &Setup, cell: &Cell) -> Measured {
    let mut bench = Bench::open(setup.clone()).expect("a test file");
    bench.fill(on).expect("a full test file");
    measure_until(&mut bench, cell, |figures| {
        figures.reads + figures.writes > 0
    })
}

/// Measures longer and longer until enough has happened: a busy machine may do nothing for a while.
fn measure_until(bench: &mut Bench, cell: &Cell, enough: impl Fn(&Measured) -> bool) -> Measured {
    let mut cell = cell.clone();
    for _ in 0..7 {
        let figures = bench.measure(&cell, on).expect("a measured cell");
        if enough(&figures) {
            return figures;
        }
        cell.seconds *= 2.0;
    }
    panic!("nothing of {cell:?} in the last of several tries");
}

fn check_counts(figures: &Measured, bytes: u64) {
    assert_eq!(figures.read_bytes, figures.reads * bytes);
    assert_eq!(figures.written_bytes, figures.writes * bytes);
    let moved: u64 = figures.batch_bytes.iter().sum();
    assert_eq!(moved, figures.read_bytes + figures.written_bytes);
    let latency = figures.latency;
    assert!(latency.p50_us <= latency.p99_us && latency.p99_us <= latency.max_us * 1.001);
    assert!(latency.mean_us > 0.0 && figures.process_cpu_s > 0.0);
    assert!(
        figures
            .machine_busy
            .is_some_and(|busy| (0.0..=1.0).contains(&busy))
    );
}

#[test]
fn every_pattern_is_measured_by_both_engines_and_leaves_no_file() {
    let _alone = ONE_AT_A_TIME.lock();
    for engine in [Engine::IoUring, Engine::Threads] {
        let folder = on_disk();
        let mut bench = Bench::open(setup(folder.path(), engine)).unwrap();
        bench.fill(on).unwrap();
        for access in [Access::Sequential, Access::Random] {
            for read_share in [1.0, 0.0, 0.5] {
                let wanted = (read_share > 0.0, read_share < 1.0);
                let cell = cell(2, 3, access, 65_536, read_share);
                let done = |figures: &Measured| (figures.reads > 0, figures.writes > 0);
                let figures = measure_until(&mut bench, &cell, |figures| done(figures) == wanted);
                check_counts(&figures, 65_536);
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

/// Bytes that the kernel moved between this process and disks: `/proc/self/io`.
fn kernel_io_bytes() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/self/io").expect("the kernel's count");
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse().ok())
            .expect("a number")
    };
    (field("read_bytes:"), field("write_bytes:"))
}

#[test]
fn counts_match_those_of_the_kernel() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = on_disk();
    let mut bench = Bench::open(setup(folder.path(), Engine::Threads)).unwrap();
    bench.fill(on).unwrap();
    for read_share in [1.0, 0.0] {
        let mut whole = cell(2, 1, Access::Random, 16_384, read_share);
        whole.warm_up_s = 0.0; // all I/O is counted, except what ends too late
        let before = kernel_io_bytes();
        let figures = bench.measure(&whole, on).unwrap();
        let after = kernel_io_bytes();
        let kernel = [after.0 - before.0, after.1 - before.1];
        let ours = [figures.read_bytes, figures.written_bytes];
        for (kernel, ours) in kernel.into_iter().zip(ours) {
            // I/O that ends after the time, and what the kernel also counts: the program's own
            // pages and the file system's blocks, read when they are first touched.
            let late = 2 * 16_384 * u64::from(ours > 0);
            let pages = 64 * 4096;
            assert!(
                ours <= kernel && kernel <= ours + late + pages,
                "{ours} bytes counted, {kernel} by the kernel"
            );
        }
    }
}

#[test]
fn sizes_below_a_page_and_mixed_sizes_work() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = on_disk();
    let mut small = setup(folder.path(), Engine::IoUring);
    small.unit_bytes = 512;
    let mut mixed = cell(2, 8, Access::Random, 512, 0.8);
    mixed.blocks.push(Block {
        bytes: 65_536,
        share: 3.0,
    });
    let mut bench = Bench::open(small).unwrap();
    bench.fill(on).unwrap();
    let enough = |figures: &Measured| figures.reads > 20 && figures.writes > 0;
    let figures = measure_until(&mut bench, &mixed, enough);
    let mean = figures.read_bytes as f64 / figures.reads as f64;
    assert!((512.0..65_536.0).contains(&mean), "{mean}");
}

#[test]
fn buffered_and_synchronous_cells_work() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = on_disk();
    for (direct, sync) in [(false, false), (false, true), (true, true)] {
        let setup = Setup {
            direct,
            sync,
            ..setup(folder.path(), Engine::IoUring)
        };
        let figures = measured(&setup, &cell(1, 2, Access::Random, 4096, 0.5));
        check_counts(&figures, 4096);
    }
}

#[test]
fn data_that_was_not_written_is_noticed() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = on_disk();
    for engine in [Engine::IoUring, Engine::Threads] {
        for verify in [false, true] {
            let setup = Setup {
                verify,
                direct: false,
                ..setup(folder.path(), engine)
            };
            let mut bench = Bench::open(setup).unwrap();
            bench.fill(on).unwrap();
            damage();
            let through = cell(1, 1, Access::Sequential, 65_536, 1.0);
            let mut errors = (0..50).filter_map(|_| bench.measure(&through, on).err());
            let error = errors.next().expect("the damaged block was read in 10 s");
            assert!(matches!(error, DiskError::WrongData { .. }), "{error}");
        }
    }
}

/// Overwrites the head of a block of each test file of this process, through its nameless handle.
fn damage() {
    use std::os::unix::fs::FileExt;
    for entry in std::fs::read_dir("/proc/self/fd")
        .expect("handles")
        .flatten()
    {
        let path: PathBuf = entry.path();
        let name = std::fs::read_link(&path).unwrap_or_default();
        let ours = name.to_string_lossy().contains(env!("CARGO_TARGET_TMPDIR"));
        if ours && name.to_string_lossy().ends_with("(deleted)") {
            let file = std::fs::OpenOptions::new().write(true).open(&path);
            let file = file.expect("the test file");
            file.write_all_at(&[0; 16], 3 * 65_536).expect("a write");
        }
    }
}

#[test]
fn measuring_can_be_cancelled_at_any_time() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = on_disk();
    for engine in [Engine::IoUring, Engine::Threads] {
        let mut bench = Bench::open(setup(folder.path(), engine)).unwrap();
        bench.fill(on).unwrap();
        let mut long = cell(4, 4, Access::Random, 4096, 0.0);
        long.seconds = 3600.0;
        let mut calls = 0;
        let ended = bench.measure(&long, |_| {
            calls += 1;
            if calls > 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert!(matches!(ended, Err(DiskError::Cancelled)));
        let again = cell(1, 1, Access::Random, 4096, 1.0);
        let figures = measure_until(&mut bench, &again, |figures| figures.reads > 0);
        check_counts(&figures, 4096);
    }
}
