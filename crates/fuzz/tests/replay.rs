//! Plays the inputs that are known, each within a second of CPU and 64 MiB.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use headcount_fuzz::{TARGETS, Target};
use headcount_load::clock::thread_cpu_ns;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The most CPU time that one input may take.
const MOST_TIME: Duration = Duration::from_secs(1);
/// The most memory that it may take at a time, beside what was there before it.
const MOST_BYTES: usize = 64 << 20;

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz")
        .join(kind)
}

/// The inputs of a target; none if it has no folder.
fn inputs(kind: &str, name: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder(kind).join(name)) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn play(target: Target, path: &Path) {
    let bytes = fs::read(path).unwrap();
    let (before, begun_ns) = (MEMORY.current_usage(), thread_cpu_ns());
    MEMORY.reset_peak_usage();
    let played = catch_unwind(|| target(&bytes));
    let taken = MEMORY.peak_usage().saturating_sub(before);
    let took = Duration::from_nanos(thread_cpu_ns() - begun_ns);
    assert!(played.is_ok(), "{} breaks its target", path.display());
    assert!(took < MOST_TIME, "{}: {took:?}", path.display());
    assert!(taken <= MOST_BYTES, "{}: {taken} bytes", path.display());
}

/// One test: others beside it would count as its memory.
#[test]
fn known_inputs_break_nothing() {
    for (name, target) in TARGETS {
        let corpus = inputs("corpus", name);
        assert!(!corpus.is_empty(), "fuzz/corpus/{name} has no seeds");
        for path in corpus.iter().chain(&inputs("found", name)) {
            play(*target, path);
        }
        target(b"");
    }
    let known: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert!(known.is_sorted(), "the table is in order");
    for kind in ["corpus", "found"] {
        for entry in fs::read_dir(folder(kind)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_known = known.contains(&name.as_str()) || name.starts_with("py-");
            assert!(is_known, "fuzz/{kind}/{name} is of no target");
        }
    }
}
