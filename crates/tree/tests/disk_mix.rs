//! The disk mix against the published statistics, counted independently over the program as users
//! play it.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::collections::{BTreeMap, BTreeSet};

use headcount_tree::data_set::DataSet;
use headcount_tree::parts::How;
use headcount_tree::program::Program;
use headcount_tree::program::answer::Answer;
use headcount_tree::program::disk_mix::{REPEATS, make};
use headcount_tree::program::facts::Facts;
use headcount_tree::program::operation::{Action, Wanted};

fn data_set(files: u32) -> DataSet {
    DataSet {
        folders: 1,
        static_files: files,
        volatile_files: 1,
        new_files: 1,
        shared_files: 20,
        median_bytes: 262_144,
        sigma: 0.0,
        ..DataSet::default()
    }
}

fn program() -> Program {
    make(&data_set(80)).unwrap()
}

/// Checks that a figure is within `tolerance` of the published one.
fn assert_near(what: &str, found: f64, published: f64, tolerance: f64) {
    assert!(
        (found - published).abs() <= tolerance,
        "{what}: {found:.2}, published {published}, tolerance {tolerance}"
    );
}

#[test]
fn operations_have_the_published_shares() {
    let facts = Facts::of(&program());
    let all: u64 = facts.operations.values().sum();
    assert_near(
        "operations a repeat",
        all as f64 / f64::from(REPEATS),
        3553.0,
        36.0,
    );
    // In percent of all operations; within 0.5 points.
    for (name, published) in [
        ("ReadX", 27.10),
        ("NTCreateX", 17.29),
        ("QUERY_PATH_INFORMATION", 15.67),
        ("Close", 12.70),
        ("WriteX", 8.62),
        ("FIND_FIRST", 6.06),
        ("Unlink", 3.49),
        ("QUERY_FS_INFORMATION", 2.87),
        ("QUERY_FILE_INFORMATION", 2.75),
        ("SET_FILE_INFORMATION", 1.41),
        ("Flush", 1.21),
        ("Rename", 0.73),
        ("LockX", 0.06),
        ("UnlockX", 0.06),
    ] {
        let share = 100.0 * facts.operations[name] as f64 / all as f64;
        assert_near(name, share, published, 0.5);
    }
    assert_eq!(facts.operations.len(), 14, "{facts:?}");
}

#[test]
fn designed_failures_have_the_published_shares() {
    let facts = Facts::of(&program());
    // In percent of the operations of the kind; within 2 points.
    for (name, published) in [
        ("QUERY_PATH_INFORMATION", 34.0),
        ("NTCreateX", 26.5),
        ("FIND_FIRST", 51.6),
    ] {
        let share = 100.0 * facts.refused[name] as f64 / facts.operations[name] as f64;
        assert_near(name, share, published, 2.0);
    }
    let all: u64 = facts.operations.values().sum();
    let refused: u64 = facts.refused.values().sum();
    assert_near("all", 100.0 * refused as f64 / all as f64, 13.0, 1.0);
    assert_eq!(facts.refused.len(), 3);
}

#[test]
fn files_are_opened_in_the_published_ways() {
    let mut ways = BTreeMap::new();
    for operation in &program().operations {
        if let Action::Open { creation, .. } = operation.action {
            let way = match (creation.how, creation.kind) {
                (How::Open, Wanted::File) => "open",
                (How::Create, Wanted::File) => "create",
                (How::Open, Wanted::Either) => "either",
                other => panic!("{other:?}"),
            };
            *ways.entry(way).or_insert(0u32) += 1;
        }
    }
    let all: u32 = ways.values().sum();
    for (way, published) in [("open", 75.2), ("create", 20.3), ("either", 4.6)] {
        assert_near(
            way,
            100.0 * f64::from(ways[way]) / f64::from(all),
            published,
            2.0,
        );
    }
}

#[test]
fn sizes_and_bytes_match_the_published_ones() {
    let program = program();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for operation in &program.operations {
        match operation.action {
            Action::Read { span, returned, .. } => {
                assert_eq!(span.bytes, returned);
                reads.push(span.bytes);
            }
            Action::Write { span, .. } => writes.push(span.bytes),
            _ => {}
        }
    }
    let share = |of: &[u32], which: &dyn Fn(u32) -> bool| {
        100.0 * of.iter().filter(|bytes| which(**bytes)).count() as f64 / of.len() as f64
    };
    let mean = |of: &[u32]| of.iter().map(|bytes| f64::from(*bytes)).sum::<f64>() / of.len() as f64;
    // In percent of the reads; within 1.5 points.
    for (bytes, published) in [
        (4096, 67.0),
        (61_440, 13.4),
        (2048, 3.7),
        (8192, 3.7),
        (16_384, 1.6),
    ] {
        assert_near(
            "reads",
            share(&reads, &|size| size == bytes),
            published,
            1.5,
        );
    }
    assert_near("small reads", share(&reads, &|size| size <= 1024), 7.2, 1.5);
    for (bytes, published) in [
        (65_536, 31.9),
        (4096, 25.2),
        (1, 18.8),
        (2048, 4.3),
        (8192, 3.0),
    ] {
        assert_near(
            "writes",
            share(&writes, &|size| size == bytes),
            published,
            1.5,
        );
    }
    assert_near("mean read", mean(&reads), 11_852.0, 0.05 * 11_852.0);
    assert_near("mean write", mean(&writes), 25_594.0, 0.05 * 25_594.0);
    let facts = Facts::of(&program);
    let whole = (facts.read_bytes + facts.written_bytes) as f64;
    assert_near(
        "bytes read",
        100.0 * facts.read_bytes as f64 / whole,
        59.3,
        2.0,
    );
}

#[test]
fn sequential_transfers_have_the_published_shares() {
    let program = program();
    let mut ends = vec![None; usize::from(program.slots)];
    let mut counted = [[0u32; 2]; 2];
    for operation in &program.operations {
        let (slot, span, kind) = match operation.action {
            Action::Open { slot, .. } => {
                ends[usize::from(slot)] = None;
                continue;
            }
            Action::Read { slot, span, .. } => (slot, span, 0),
            Action::Write { slot, span } => (slot, span, 1),
            _ => continue,
        };
        let end = &mut ends[usize::from(slot)];
        counted[kind][usize::from(*end == Some(span.offset))] += 1;
        *end = Some(span.offset + u64::from(span.bytes));
    }
    let share = |[other, on]: [u32; 2]| 100.0 * f64::from(on) / f64::from(on + other);
    assert_near("reads", share(counted[0]), 49.9, 5.0);
    assert_near("writes", share(counted[1]), 29.3, 5.0);
}

#[test]
fn most_bytes_read_are_checked_and_the_workspace_is_used() {
    let facts = Facts::of(&program());
    assert!(facts.checked_bytes * 10 > facts.read_bytes * 8, "{facts:?}");
    for files in [8, 80, 320] {
        let program = make(&data_set(files)).unwrap();
        let used = |common| {
            let of = |path: &&headcount_tree::program::Path| path.is_common == common;
            let prepared = program.paths.iter().filter(of);
            prepared
                .filter(|path| common || !path.below.starts_with("work"))
                .count()
        };
        // Files are drawn at random: of 320, about one in e^(350 / 320) is never used.
        assert!(used(false) * 2 > files as usize, "{files}: {}", used(false));
        assert!(used(true) > 10);
    }
}

/// Follows names and open files as a server would, independently of the code that made the program.
#[test]
fn expected_answers_are_a_servers_from_every_entry() {
    let program = program();
    let path = |index: u32| program.paths[index as usize].below.to_string();
    let is_made = |name: &str| name.starts_with(r"work\") && name.matches('\\').count() == 2;
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    let mut open = vec![None; usize::from(program.slots)];
    for (at, operation) in program.operations.iter().enumerate() {
        if program.entries.contains(&(at as u32)) {
            assert!(names.is_empty() && open.iter().all(Option::is_none), "{at}");
        }
        let exists = |name: &str| !is_made(name) || names.contains(name);
        let is_done = operation.expected == Answer::Done;
        match operation.action {
            Action::Open {
                path: name,
                slot,
                creation,
            } => {
                let name = path(name);
                let is_new = creation.how == How::Create;
                assert_eq!(exists(&name) != is_new, is_done, "{at}: {name}");
                if is_done {
                    assert!(open[usize::from(slot)].replace(name.clone()).is_none());
                    if is_new {
                        sizes.insert(name.clone(), 0);
                        names.insert(name);
                    }
                }
            }
            Action::Close { slot } => assert!(open[usize::from(slot)].take().is_some()),
            Action::Read { slot, span, .. } => {
                let name = open[usize::from(slot)].clone().unwrap();
                let size = sizes.get(&name).copied().unwrap_or(262_144);
                assert!(span.offset + u64::from(span.bytes) <= size, "{at}: {name}");
            }
            Action::Write { slot, span } => {
                let name = open[usize::from(slot)].clone().unwrap();
                let size = sizes.get_mut(&name).unwrap();
                *size = (*size).max(span.offset + u64::from(span.bytes));
                assert!(*size <= 2_000_000, "{at}: {size}");
            }
            Action::Unlink { path: name } => {
                assert!(names.remove(&path(name)));
                assert!(!open.iter().flatten().any(|each| *each == path(name)));
            }
            Action::Rename { path: name, to } => {
                assert!(names.remove(&path(name)));
                let size = sizes[&path(name)];
                sizes.insert(path(to), size);
                assert!(names.insert(path(to)));
            }
            Action::QueryPath { path: name, .. } => assert_eq!(exists(&path(name)), is_done),
            Action::Find { folder, mask } => {
                let mask = &program.masks[mask as usize];
                let name = format!("{}\\{mask}", path(folder));
                assert_eq!(&**mask == "*" || names.contains(&name), is_done);
            }
            Action::QueryFile { slot, .. }
            | Action::SetFile { slot }
            | Action::Flush { slot }
            | Action::Lock { slot, .. }
            | Action::Unlock { slot, .. } => assert!(open[usize::from(slot)].is_some()),
            Action::QueryFs { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(names.is_empty());
}

#[test]
fn the_same_data_set_gives_the_same_program_and_others_are_refused() {
    assert_eq!(program(), program());
    let other = DataSet {
        seed: 2,
        ..data_set(80)
    };
    assert_ne!(make(&other).unwrap(), program());
    let drawn = DataSet {
        sigma: 1.0,
        ..data_set(80)
    };
    assert!(make(&drawn).unwrap_err().contains("files of one size"));
    let small = DataSet {
        median_bytes: 4096,
        ..data_set(80)
    };
    assert!(
        make(&small)
            .unwrap_err()
            .contains("files of 61440 bytes or more; they have 4096")
    );
}
