//! Data sets of published benchmarks.

use super::content::Content;
use super::set::{Class, Directories, PageSet};

/// Classes of the tree of `WebBench` 1.0 as described in the IBM PC Server 330 performance report
/// (1997): name, bytes, percent. The sizes range from the report's smallest, 0.25 KB, to its
/// largest, 128 KB. That each is twice the one before, and the percentages, are ours.
const WEBBENCH: [(&str, u64, f64); 10] = [
    ("b256", 256, 8.0),
    ("b512", 512, 10.0),
    ("k1", 1 << 10, 12.0),
    ("k2", 2 << 10, 14.0),
    ("k4", 4 << 10, 14.0),
    ("k8", 8 << 10, 10.0),
    ("k16", 16 << 10, 6.0),
    ("k32", 32 << 10, 3.0),
    ("k64", 64 << 10, 2.0),
    ("k128", 128 << 10, 1.0),
];

/// `WebBench` 1.0's tree: pages of 0.25 KB to 128 KB in the home directory and ten others, one of
/// which goes two levels deep, and a fifth of the requests for a CGI program. The number of files,
/// five of each size in each directory, and the size of the CGI program's pages are ours.
#[must_use]
pub fn webbench(seed: u64) -> PageSet {
    let mut names = vec![String::new()];
    names.extend((1..=10).map(|index| format!("dir{index:02}")));
    names.extend(["dir10/one".to_owned(), "dir10/one/two".to_owned()]);
    let page = |name: &str, bytes, percent, files, cgi| Class {
        name: name.to_owned(),
        percent,
        sizes: vec![bytes],
        range: None,
        files: Some(files),
        content: Content::Text,
        cgi,
    };
    let mut classes: Vec<_> = WEBBENCH
        .iter()
        .map(|(name, bytes, percent)| page(name, *bytes, *percent, 5, false))
        .collect();
    classes.push(page("cgi", 4 << 10, 20.0, 100, true));
    PageSet {
        seed,
        directories: Directories::Named(names),
        alpha: 0.0,
        classes,
    }
}

/// `SPECweb96`'s files: in each directory nine sizes in each of four classes, about 5 MB;
/// directories by Zipf's law with alpha 1. Within a class the original did not draw evenly; this
/// does.
#[must_use]
pub fn specweb96(seed: u64, directories: u32) -> PageSet {
    // The benchmark's published table: tenths of a KB (102, 204, ... 922), KB, tens and hundreds.
    let classes = [35.0, 50.0, 14.0, 1.0].into_iter().zip(0u32..);
    let classes = classes.map(|(percent, index)| Class {
        name: format!("class{index}"),
        percent,
        sizes: (1..=9)
            .map(|step| 1024 * step * 10u64.pow(index) / 10)
            .collect(),
        range: None,
        files: Some(9),
        content: Content::Text,
        cgi: false,
    });
    PageSet {
        seed,
        directories: Directories::Count(directories),
        alpha: 1.0,
        classes: classes.collect(),
    }
}

/// The names under which data sets are known.
pub const NAMES: [&str; 2] = ["webbench", "specweb96"];

/// The data set of this name. `directories` is for data sets that scale by them. The error is a
/// sentence.
pub fn named(name: &str, seed: u64, directories: u32) -> Result<PageSet, String> {
    match name {
        "webbench" => Ok(webbench(seed)),
        "specweb96" => Ok(specweb96(seed, directories)),
        other => Err(format!(
            "there is no data set \"{other}\"; there are {}",
            NAMES.join(" and ")
        )),
    }
}
