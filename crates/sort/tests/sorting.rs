//! Files sorted as the standard library sorts them, whatever the memory, threads and folders.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use headcount_sort::{
    Far, Field, Kind, Order, Shape, SortError, Sorted, least_bytes, make, need_bytes, sort, verify,
};
use proptest::prelude::*;

/// A folder of one test, deleted afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("headcount-sort-{}-{number}", std::process::id()));
        fs::create_dir(&path).expect("works in a test's folder");
        Self(path)
    }

    fn work(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(&path).expect("works in a test's folder");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn on(_: Far) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn shape(record_bytes: usize, keys: &[(usize, usize)]) -> Shape {
    let fields = keys
        .iter()
        .map(|&(offset, bytes)| Field { offset, bytes })
        .collect();
    Shape::new(record_bytes, fields).expect("works in a test's folder")
}

/// Sorts `data`, and compares with the standard library's stable sort.
fn check(
    data: &[u8],
    shape: &Shape,
    sortsize_bytes: usize,
    threads: usize,
    folders: usize,
) -> Sorted {
    let folder = Folder::new();
    let order = Order {
        input: folder.0.join("input"),
        output: folder.0.join("output"),
        records: (data.len() / shape.record_bytes()) as u64,
        shape: shape.clone(),
        sortsize_bytes,
        threads,
        work: (0..folders)
            .map(|number| folder.work(&format!("work-{number}")))
            .collect(),
        cold: false,
    };
    fs::write(&order.input, data).expect("works in a test's folder");
    fs::write(&order.output, b"").expect("works in a test's folder");
    let sorted = sort(&order, &mut on).expect("works in a test's folder");
    let mut expected: Vec<&[u8]> = data.chunks_exact(shape.record_bytes()).collect();
    expected.sort_by_key(|record| {
        let keys = shape.keys().iter();
        keys.map(|key| &record[key.offset..key.offset + key.bytes])
            .collect::<Vec<_>>()
    });
    assert!(
        fs::read(&order.output).expect("works in a test's folder") == expected.concat(),
        "not in order, or not stable"
    );
    for work in &order.work {
        assert_eq!(
            fs::read_dir(work)
                .expect("works in a test's folder")
                .count(),
            0
        );
    }
    assert!(sorted.budget.arena_bytes <= sortsize_bytes);
    sorted
}

/// Records with few values of keys, so that many are equal.
fn data(records: usize, record_bytes: usize, values: u8) -> Vec<u8> {
    let mut state = 1_u64;
    (0..records * record_bytes)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u8) % values
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_records_are_sorted(
        record_bytes in 1_usize..300,
        values in 1_u8..=255,
        bytes in 0_usize..300_000,
        key in (0_usize..300, 1_usize..300),
        other in (0_usize..300, 1_usize..300),
        threads in 1_usize..4,
        folders in 1_usize..4,
        beyond in 0_usize..100_000,
    ) {
        let within = |(offset, length): (usize, usize)| {
            let offset = offset % record_bytes;
            (offset, length.min(record_bytes - offset))
        };
        let shape = shape(record_bytes, &[within(key), within(other)]);
        let records = (bytes / record_bytes).max(1);
        let sortsize = least_bytes(&shape, threads) + beyond;
        check(&data(records, record_bytes, values), &shape, sortsize, threads, folders);
    }
}

#[test]
fn several_passes_merge_all_runs() {
    let shape = shape(144, &[(12, 9), (21, 8), (29, 20), (49, 30)]);
    for threads in [1, 2] {
        let least = least_bytes(&shape, threads);
        let sorted = check(&data(20_000, 144, 3), &shape, least, threads, 2);
        assert_eq!(sorted.budget.fan_in, 2);
        // Two runs at a time: each pass halves the number of runs.
        let halved = sorted.budget.runs.next_power_of_two().trailing_zeros();
        assert_eq!(sorted.passes, halved);
        assert!(
            sorted.temporary_bytes > 2 * 20_000 * 144,
            "{}",
            sorted.temporary_bytes
        );
    }
}

#[test]
fn data_that_just_fits_needs_no_temporary_files() {
    let shape = shape(100, &[(0, 10)]);
    let records = 30_000;
    let input = data(records, 100, 250);
    for threads in [1, 2, 3] {
        let need = need_bytes(&shape, records as u64, threads) as usize;
        let fits = check(&input, &shape, need, threads, 1);
        assert_eq!(
            (fits.temporary_bytes, fits.passes, fits.budget.runs),
            (0, 0, 0)
        );
        assert_eq!(fits.written_bytes, 3_000_000);
        assert_eq!(fits.read_bytes, 3_000_000);
        let spills = check(&input, &shape, need - 1, threads, 1);
        assert_eq!((spills.temporary_bytes, spills.passes), (3_000_000, 1));
        assert_eq!(spills.written_bytes, 6_000_000);
        assert!(spills.read_bytes >= 6_000_000);
    }
}

#[test]
fn more_memory_than_needed_is_not_taken() {
    let shape = shape(100, &[(0, 10)]);
    let sorted = check(&data(1_000, 100, 9), &shape, 1 << 30, 1, 1);
    assert!(
        sorted.budget.arena_bytes < 1_000 * 116 + (300 << 10),
        "{}",
        sorted.budget.arena_bytes
    );
}

#[test]
fn impossible_sorts_are_refused_with_the_reason() {
    let shape = shape(100, &[(0, 10)]);
    let folder = Folder::new();
    let mut order = Order {
        input: folder.0.join("input"),
        output: folder.0.join("output"),
        records: 10_000,
        shape: shape.clone(),
        sortsize_bytes: 100_000,
        threads: 1,
        work: vec![folder.work("work")],
        cold: false,
    };
    let failed = |order: &Order| sort(order, &mut on).unwrap_err();
    let least = least_bytes(&shape, 1);
    match failed(&order) {
        SortError::TooSmall {
            given: 100_000,
            least: minimum,
            record_bytes: 100,
        } => {
            assert_eq!(minimum, least);
        }
        other => panic!("{other}"),
    }
    order.sortsize_bytes = least;
    assert!(
        failed(&order)
            .to_string()
            .starts_with("cannot open the data")
    );
    fs::write(&order.input, vec![7; 999_900]).unwrap();
    fs::write(&order.output, b"").unwrap();
    assert!(matches!(
        failed(&order),
        SortError::Size {
            found: 999_900,
            expected: 1_000_000
        }
    ));
    order.records = 9_999;
    let work = std::mem::take(&mut order.work);
    assert!(matches!(failed(&order), SortError::NoWork));
    order.work = vec![folder.0.join("missing")];
    assert!(failed(&order).to_string().contains("missing"));
    order.work = work;
    let stopped = sort(&order, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(SortError::Cancelled)));
    assert!(sort(&order, &mut on).is_ok());
}

#[test]
fn the_same_seed_makes_the_same_data_and_damage_is_found() {
    let folder = Folder::new();
    let shape = shape(144, &[(12, 9), (21, 8), (29, 20), (49, 30)]);
    let make_data = |name: &str, seed: u64| {
        let path = folder.0.join(name);
        fs::write(&path, b"").unwrap();
        let sum = make(&path, &shape, Kind::Observations, 5_000, seed, &mut on).unwrap();
        (fs::read(&path).unwrap(), sum)
    };
    let (bytes, sum) = make_data("one", 7);
    assert_eq!(make_data("again", 7), (bytes.clone(), sum));
    assert_ne!(make_data("other", 8).0, bytes);
    assert_eq!((bytes.len(), sum.records), (720_000, 5_000));
    assert!(bytes.chunks_exact(144).all(|record| record[143] == b'\n'));
    let firsts: std::collections::HashSet<&[u8]> = bytes
        .chunks_exact(144)
        .map(|record| &record[12..21])
        .collect();
    assert_eq!(firsts.len(), 100);

    let path = folder.0.join("one");
    let found = verify(&path, &shape, &mut on).unwrap();
    assert_eq!(found.checksum, sum);
    assert!(found.disorder.is_some());
    let mut records: Vec<&[u8]> = bytes.chunks_exact(144).collect();
    records.sort_by_key(|record| &record[12..79]);
    fs::write(&path, records.concat()).unwrap();
    let found = verify(&path, &shape, &mut on).unwrap();
    assert_eq!((found.checksum, found.disorder), (sum, None));
    records.swap(100, 4_000);
    let mut damaged = records.concat();
    fs::write(&path, &damaged).unwrap();
    let found = verify(&path, &shape, &mut on).unwrap();
    assert_eq!((found.checksum, found.disorder), (sum, Some(101)));
    damaged[143] = b' ';
    fs::write(&path, &damaged).unwrap();
    assert_ne!(verify(&path, &shape, &mut on).unwrap().checksum, sum);
}

#[test]
fn progress_ends_at_the_total() {
    let folder = Folder::new();
    let shape = shape(100, &[(0, 10)]);
    let path = folder.0.join("data");
    fs::write(&path, b"").unwrap();
    let mut last = None;
    make(&path, &shape, Kind::Records, 30_000, 1, &mut |far| {
        last = Some(far);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(
        last,
        Some(Far {
            done_bytes: 3_000_000,
            total_bytes: 3_000_000
        })
    );
    let stopped = make(&path, &shape, Kind::Records, 30_000, 1, &mut |_| {
        ControlFlow::Break(())
    });
    assert!(matches!(stopped, Err(SortError::Cancelled)));
}
