//! The data set: names, draws, published figures, files in a folder, and the CGI program.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use headcount_http::pages::content::{check, fill};
use headcount_http::pages::suite::{named, specweb96, webbench};
use headcount_http::pages::tree::{Kept, MARKER, TreeError, Written, write_tree};
use headcount_http::pages::{Content, Deck, Directories, Group, PageSet, Which};
use headcount_load::stream::{Purpose, Stream};
use serde_json::json;

fn small() -> PageSet {
    serde_json::from_value(json!({
        "seed": 7,
        "directories": ["", "a", "a/b"],
        "classes": [
            {"name": "text", "percent": 70, "sizes": [100, 5000], "files": 3},
            {"name": "image", "percent": 20, "range": [1000, 3000], "files": 3, "content": "binary"},
            {"name": "made", "percent": 10, "sizes": [300], "files": 4, "cgi": true},
        ],
    }))
    .unwrap()
}

fn write(folder: &Path, set: &PageSet) -> Result<Written, TreeError> {
    write_tree(folder, set, Kept::Long, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn paths_and_numbers_identify_pages() {
    for set in [small(), webbench(3), specweb96(1, 3)] {
        set.check().unwrap();
        let mut numbers = BTreeSet::new();
        for page in set.files() {
            let path = set.path(&page);
            assert_eq!(set.find(&path), Some(page), "{path}");
            assert_eq!(set.numbered(page.number), Some(page));
            assert!(numbers.insert(page.number), "{path}");
        }
    }
    let set = small();
    let paths: Vec<_> = set.files().map(|page| set.path(&page)).collect();
    assert_eq!(paths[0], "/text-0000.html");
    assert_eq!(paths[17], "/a/b/image-0002.bin");
    let bytes: Vec<_> = set.files().take(6).map(|page| page.bytes).collect();
    assert_eq!(bytes, [100, 5000, 100, 1000, 2000, 3000]);
    let page = set.page(2, 1, 3);
    let path = set.path(&page);
    assert_eq!(
        path,
        "/cgi-bin/page?seed=0000000000000007&page=0000000b&bytes=300"
    );
    assert_eq!(set.find(&path), Some(page));
    for stranger in [
        "",
        "/",
        "/text-0003.html",
        "/text-0.html",
        "/c/text-0000.html",
        "/text-0000.bin",
        "text-0000.html",
        "//text-0000.html",
        "/made-0000.html",
        "/a/b",
        "/cgi-bin/page?seed=0000000000000007&page=0000000b&bytes=301",
        "/cgi-bin/page?seed=0000000000000008&page=0000000b&bytes=300",
        "/cgi-bin/page?seed=0000000000000007&page=000000ff&bytes=300",
    ] {
        assert_eq!(set.find(stranger), None, "{stranger}");
    }
}

#[test]
fn mistakes_of_a_data_set_are_named() {
    let wrong = |pointer: &str, value: serde_json::Value| {
        let mut set = serde_json::to_value(small()).unwrap();
        *set.pointer_mut(pointer).unwrap() = value;
        let set: PageSet = serde_json::from_value(set).unwrap();
        set.check().unwrap_err()
    };
    for (pointer, value, part) in [
        ("/directories", json!(0), "directories must be from 1"),
        ("/directories/1", json!("../etc"), "one is \"../etc\""),
        ("/directories/1", json!("/etc"), "one is \"/etc\""),
        ("/directories/1", json!(".git"), "one is \".git\""),
        ("/directories/1", json!("a/b"), "\"a/b\" is named twice"),
        ("/classes", json!([]), "from 1 to 1000 classes"),
        ("/classes/0/name", json!("a-b"), "it is \"a-b\""),
        ("/classes/0/name", json!("image"), "image is named twice"),
        ("/classes/0/percent", json!(-1.0), "percent of class text"),
        ("/classes/0/sizes", json!([]), "either sizes or range"),
        ("/classes/0/sizes", json!([1u64 << 40]), "1099511627776"),
        ("/classes/1/range", json!([5, 4]), "[low, high]"),
        ("/classes/0/files", json!(0), "files of class text"),
        ("/classes/2/content", json!("binary"), "its content is text"),
        ("/alpha", json!(-1.0), "alpha must be"),
    ] {
        let sentence = wrong(pointer, value);
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn draws_follow_the_percentages_and_are_repeatable() {
    let deck = Deck::new(small());
    let mut stream = Stream::new(1, Purpose::Scenario, 0, 0);
    let (mut classes, mut directories) = ([0; 3], [0; 3]);
    let any = Which::Group(Group::Any);
    let first = deck.draw(&any, &mut stream.clone());
    assert_eq!(first, deck.draw(&any, &mut stream.clone()));
    for _ in 0..10_000 {
        let page = deck.draw(&any, &mut stream).unwrap();
        classes[page.class] += 1;
        if page.class < 2 {
            directories[page.directory as usize] += 1;
        }
    }
    // Six standard deviations of a binomial count are at most 300.
    for (found, expected) in classes.into_iter().zip([7000, 2000, 1000]) {
        assert!(i32::abs(found - expected) < 300, "{classes:?}");
    }
    assert!(
        directories.iter().all(|count| i32::abs(count - 3000) < 300),
        "{directories:?}"
    );
    for (which, class) in [
        (json!("cgi"), 2),
        (json!(["image"]), 1),
        (json!(["nothing", "text"]), 0),
    ] {
        let which: Which = serde_json::from_value(which).unwrap();
        for _ in 0..100 {
            assert_eq!(deck.draw(&which, &mut stream).unwrap().class, class);
        }
    }
    let nothing: Which = serde_json::from_value(json!(["nothing"])).unwrap();
    assert_eq!(deck.draw(&nothing, &mut stream), None);
    let files: Which = serde_json::from_value(json!("static")).unwrap();
    assert!((0..1000).all(|_| deck.draw(&files, &mut stream).unwrap().class < 2));
}

#[test]
fn directories_are_drawn_by_zipfs_law() {
    let deck = Deck::new(specweb96(1, 10));
    let mut stream = Stream::new(2, Purpose::Scenario, 0, 0);
    let mut counts = [0u32; 10];
    for _ in 0..29_290 {
        let page = deck.draw(&Which::Group(Group::Any), &mut stream).unwrap();
        counts[page.directory as usize] += 1;
    }
    // The tenth harmonic number is 2.928968: directory n gets 10000 / n of 29290.
    for (count, n) in counts.into_iter().zip(1..) {
        let expected = 10_000.0 / f64::from(n);
        let deviation = (f64::from(count) - expected) / expected.sqrt();
        assert!(deviation.abs() < 5.0, "directory {n}: {count}");
    }
}

#[test]
fn webbenchs_tree_matches_the_report() {
    let set = webbench(1);
    let sizes: BTreeSet<_> = set.files().map(|page| page.bytes).collect();
    assert_eq!((sizes.first(), sizes.last()), (Some(&256), Some(&131_072)));
    let Directories::Named(names) = &set.directories else {
        panic!("{:?}", set.directories);
    };
    let below_home = names
        .iter()
        .filter(|name| !name.is_empty() && !name.contains('/'));
    assert_eq!(below_home.count(), 10);
    assert_eq!(
        names.iter().map(|name| name.matches('/').count()).max(),
        Some(2)
    );
    let of = |name| named(name, 1, 7);
    assert_eq!(of("webbench"), Ok(webbench(1)));
    assert_eq!(of("specweb96"), Ok(specweb96(1, 7)));
    let sentence = of("specweb99").unwrap_err();
    assert!(
        sentence.contains("there are webbench and specweb96"),
        "{sentence}"
    );
    let percent = |cgi| -> f64 {
        let these = set.classes.iter().filter(|class| class.cgi == cgi);
        these.map(|class| class.percent).sum()
    };
    assert_eq!((percent(false), percent(true)), (80.0, 20.0));
}

#[test]
fn specweb96s_files_are_as_published() {
    let set = specweb96(1, 205);
    let of_one: Vec<_> = set.files().take(36).map(|page| page.bytes).collect();
    // The corners of table 2 of the benchmark's description.
    assert_eq!((of_one[0], of_one[1], of_one[8]), (102, 204, 921));
    assert_eq!((of_one[9], of_one[18], of_one[27]), (1024, 10_240, 102_400));
    assert_eq!(
        (of_one[17], of_one[26], of_one[35]),
        (9216, 92_160, 921_600)
    );
    let mean: f64 = [0.35, 0.5, 0.14, 0.01]
        .iter()
        .zip(of_one.chunks(9))
        .map(|(share, sizes)| share * sizes.iter().sum::<u64>() as f64 / 9.0)
        .sum();
    assert!((13_000.0..16_000.0).contains(&mean), "about 14 KB: {mean}");

    // Ruan and Pai (USENIX 2006), table 2: in a data set of 1024 MB (205 directories of 5 MB), MB
    // that the most popular part of the requests falls on.
    let harmonic: f64 = (1..=205).map(|n| 1.0 / f64::from(n)).sum();
    let mut files: Vec<(f64, u64)> = set
        .files()
        .map(|page| {
            let of_class = set.classes[page.class].percent / 100.0 / 9.0;
            (
                of_class / harmonic / f64::from(page.directory + 1),
                page.bytes,
            )
        })
        .collect();
    files.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (part, published_mb) in [(0.5, 2.1), (0.9, 39.5), (0.95, 64.6), (0.99, 138.3)] {
        let (mut requests, mut bytes) = (0.0, 0);
        for (share, size) in &files {
            if requests >= part {
                break;
            }
            requests += share;
            bytes += size;
        }
        let found_mb = bytes as f64 / f64::from(1 << 20);
        // Their figures are for draws that are not uniform within a class.
        assert!(
            (found_mb / published_mb - 1.0).abs() < 0.2,
            "{part}: {found_mb} MB"
        );
    }
}

#[test]
fn a_tree_is_written_kept_repaired_and_replaced() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("pages");
    let set = small();
    let written = write(&folder, &set).unwrap();
    let bytes: u64 = set.files().map(|page| page.bytes).sum();
    assert_eq!(
        (written.created, written.kept, written.written_bytes),
        (18, 0, bytes)
    );
    for page in set.files() {
        let path = folder.join(&set.path(&page)[1..]);
        let found = fs::read(&path).unwrap();
        assert_eq!(found.len() as u64, page.bytes);
        assert_eq!(
            check(set.owner(&page), 0, &found),
            Ok(()),
            "{}",
            path.display()
        );
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o644
        );
    }
    let again = write(&folder, &set).unwrap();
    assert_eq!((again.created, again.kept), (0, 18));

    fs::remove_file(folder.join("a/text-0001.html")).unwrap();
    fs::write(folder.join("a/b/image-0000.bin"), "short").unwrap();
    let repaired = write(&folder, &set).unwrap();
    assert_eq!((repaired.created, repaired.kept), (2, 16));

    let other = PageSet { seed: 8, ..set };
    fs::write(folder.join("a/left-over"), "x").unwrap();
    let replaced = write(&folder, &other).unwrap();
    assert_eq!((replaced.created, replaced.kept), (18, 0));
    assert!(!folder.join("a/left-over").exists());
    let text = fs::read_to_string(folder.join("text-0000.html")).unwrap();
    assert!(text.contains("0000000000000008"), "{text}");
}

#[test]
fn folders_of_others_are_refused_and_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let theirs = home.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("letter"), "precious").unwrap();
    let refused = write(&theirs, &small()).unwrap_err();
    assert!(matches!(refused, TreeError::NotOurs(_)), "{refused}");
    assert!(refused.to_string().contains("nothing in it is touched"));
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 1);
    symlink("/etc/hostname", theirs.join(MARKER)).unwrap();
    assert!(matches!(
        write(&theirs, &small()),
        Err(TreeError::NotOurs(_))
    ));

    let link = home.path().join("link");
    symlink(&theirs, &link).unwrap();
    assert!(matches!(
        write(&link, &small()),
        Err(TreeError::NotAFolder(_))
    ));

    // Links inside our folder are not followed.
    let ours = home.path().join("ours");
    write(&ours, &small()).unwrap();
    fs::remove_dir_all(ours.join("a")).unwrap();
    symlink(&theirs, ours.join("a")).unwrap();
    assert!(matches!(
        write(&ours, &small()),
        Err(TreeError::System { .. })
    ));
    assert_eq!(
        fs::read_to_string(theirs.join("letter")).unwrap(),
        "precious"
    );
    let other = PageSet { seed: 8, ..small() };
    write(&ours, &other).unwrap();
    assert_eq!(
        fs::read_to_string(theirs.join("letter")).unwrap(),
        "precious"
    );
    assert!(ours.join("a/b/text-0000.html").exists());
}

#[test]
fn a_tree_can_be_cancelled_and_one_that_does_not_fit_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("pages");
    let cancelled = write_tree(&folder, &small(), Kept::Long, &mut |_| {
        ControlFlow::Break(())
    });
    assert!(matches!(cancelled, Err(TreeError::Cancelled)));
    let mut huge = small();
    huge.directories = Directories::Count(1000);
    huge.classes[0].sizes = vec![1 << 30];
    huge.classes[0].files = Some(100);
    let refused = write(&home.path().join("huge"), &huge).unwrap_err();
    assert!(matches!(refused, TreeError::NoSpace { .. }), "{refused}");
    assert!(refused.to_string().contains("MB are free"), "{refused}");
}

#[test]
fn the_cgi_program_makes_the_page_of_its_query() {
    let home = tempfile::tempdir().unwrap();
    let mut set = small();
    set.seed = 0xfedc_ba98_7654_3210;
    set.classes[2].sizes = vec![0, 1, 63, 64, 65, 300, 20_000];
    set.classes[2].files = Some(7);
    write(home.path(), &set).unwrap();
    let run = |query: &str| {
        let output = Command::new(home.path().join("cgi-bin/page"))
            .env("QUERY_STRING", query)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    for file in 0..7 {
        let page = set.page(2, 0, file);
        let path = set.path(&page);
        let answer = run(path.split_once('?').unwrap().1);
        let end = answer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap()
            + 4;
        let head = String::from_utf8_lossy(&answer[..end]);
        assert!(
            head.contains(&format!("Content-Length: {}\r\n", page.bytes)),
            "{head}"
        );
        let mut expected = vec![0; page.bytes as usize];
        fill(set.owner(&page), 0, &mut expected);
        assert!(
            answer[end..] == expected,
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }
    let refused = run("bytes=x\"; system(\"id\")");
    assert!(
        refused.starts_with(b"Status: 400"),
        "{}",
        String::from_utf8_lossy(&refused)
    );
    assert_eq!(set.classes[2].content, Content::Text);
}
