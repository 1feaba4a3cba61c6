//! Which buffers a dropped ring frees. Alone in its process, because it reads the map of its
//! memory.

use std::fs::File;
use std::os::fd::OwnedFd;

use headcount_ring::{Buffer, Ring, Target};

/// Large enough that the allocator maps a buffer separately, and unmaps it as soon as it is freed.
const LARGE: usize = 64 << 20;

#[test]
fn a_dropped_ring_frees_returned_buffers_and_leaks_those_in_use() {
    let mut ring = Ring::new(1).unwrap();
    let file = Target::open(tempfile::tempfile().unwrap());
    let buffer = Buffer::new(LARGE).unwrap();
    let address = buffer.as_ptr().addr();
    assert!(is_mapped(address));
    ring.write_at(&file, 0, buffer, 10, 0).unwrap();
    drop(ring);
    assert!(!is_mapped(address));

    let (reader, writer) = std::io::pipe().unwrap();
    let mut ring = Ring::new(1).unwrap();
    let pipe = Target::open(File::from(OwnedFd::from(reader)));
    let buffer = Buffer::new(LARGE).unwrap();
    let address = buffer.as_ptr().addr();
    ring.read_at(&pipe, u64::MAX, buffer, 10, 0).unwrap();
    ring.submit().unwrap();
    drop(ring); // waits for a writer that never writes, and gives up
    assert!(is_mapped(address));
    drop(writer);
}

/// Whether this process has memory mapped at the address.
fn is_mapped(address: usize) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the maps of this process");
    let number = |text: &str| usize::from_str_radix(text, 16).expect("an address");
    let ranges = maps.lines().filter_map(|line| line.split(' ').next());
    let mut bounds = ranges.filter_map(|range| range.split_once('-'));
    bounds.any(|(from, to)| (number(from)..number(to)).contains(&address))
}
