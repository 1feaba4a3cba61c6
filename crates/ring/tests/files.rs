//! Requests to real files: data is written and read correctly, and errors are returned.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::Arc;
use std::time::Duration;

use headcount_ring::{Buffer, Completion, Refusal, Ring, Target, available};
use proptest::prelude::*;
use rustix::io::Errno;

fn scratch() -> File {
    tempfile::tempfile().expect("a temporary file")
}

fn target(file: &File) -> Target {
    Target::open(file.try_clone().expect("a second handle"))
}

fn filled(length: usize, byte: u8) -> Buffer {
    let mut buffer = Buffer::new(length).expect("memory");
    buffer.fill(byte);
    buffer
}

/// The completions of all requests under way, by tag.
fn all(ring: &mut Ring) -> Vec<Completion> {
    let mut done = Vec::new();
    while ring.under_way() > 0 {
        ring.wait(1).expect("a wait");
        done.extend(std::iter::from_fn(|| ring.poll()));
    }
    done.sort_by_key(|completion| completion.tag);
    done
}

fn errno(completion: &Completion) -> Option<Errno> {
    let error = completion.result.as_ref().err()?;
    Errno::from_io_error(error)
}

#[test]
fn io_uring_is_available_here() {
    assert_eq!(available(), Ok(()));
}

#[test]
fn written_data_is_in_the_file() {
    let file = scratch();
    let mut ring = Ring::new(4).unwrap();
    let place = target(&file);
    for (tag, byte) in [(0, b'a'), (1, b'b'), (2, b'c')] {
        ring.write_at(&place, tag * 1000, filled(4096, byte), 1000, tag)
            .unwrap();
    }
    ring.submit().unwrap();
    let done = all(&mut ring);
    assert_eq!(done.len(), 3);
    for completion in &done {
        assert_eq!(*completion.result.as_ref().unwrap(), 1000);
        assert_eq!(completion.buffer.as_ref().unwrap().len(), 4096);
    }
    ring.sync(&place, true, 9).unwrap();
    let synced = all(&mut ring);
    assert!(matches!(synced[0].result, Ok(0)) && synced[0].buffer.is_none());
    let text = std::io::read_to_string(file).unwrap();
    assert_eq!(
        text,
        "a".repeat(1000) + &"b".repeat(1000) + &"c".repeat(1000)
    );
}

#[test]
fn a_read_at_the_end_is_short_and_beyond_it_empty() {
    let mut file = scratch();
    file.write_all(&[7; 5000]).unwrap();
    let mut ring = Ring::new(2).unwrap();
    let place = target(&file);
    ring.read_at(&place, 4096, filled(4096, 1), 4096, 0)
        .unwrap();
    ring.read_at(&place, 9000, filled(4096, 1), 4096, 1)
        .unwrap();
    let done = all(&mut ring);
    assert_eq!(*done[0].result.as_ref().unwrap(), 904);
    let buffer = done[0].buffer.as_ref().unwrap();
    assert_eq!((buffer[903], buffer[904]), (7, 1));
    assert_eq!(*done[1].result.as_ref().unwrap(), 0);
}

#[test]
fn the_kernels_errors_come_back_with_the_buffer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, [1; 4096]).unwrap();
    let mut ring = Ring::new(4).unwrap();
    let read_only = Target::open(File::open(&path).unwrap());
    let write_only = Target::open(OpenOptions::new().write(true).open(&path).unwrap());
    let a_folder = Target::open(File::open(folder.path()).unwrap());
    ring.write_at(&read_only, 0, filled(16, 1), 16, 0).unwrap();
    ring.read_at(&write_only, 0, filled(16, 1), 16, 1).unwrap();
    ring.read_at(&a_folder, 0, filled(16, 1), 16, 2).unwrap();
    let done = all(&mut ring);
    let errors: Vec<_> = done.iter().map(errno).collect();
    assert_eq!(
        errors,
        [Some(Errno::BADF), Some(Errno::BADF), Some(Errno::ISDIR)]
    );
    assert!(done.iter().all(|completion| completion.buffer.is_some()));
    assert_eq!(std::fs::read(&path).unwrap(), [1; 4096]);
}

#[test]
fn a_full_disk_is_reported() {
    // A file of a full device: every write to it fails as on a full disk.
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut ring = Ring::new(1).unwrap();
    ring.write_at(&Target::open(full), 0, filled(4096, 1), 4096, 0)
        .unwrap();
    assert_eq!(errno(&all(&mut ring)[0]), Some(Errno::NOSPC));
}

#[test]
fn direct_io_takes_the_buffers_and_refuses_odd_lengths() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    options.custom_flags(rustix::fs::OFlags::DIRECT.bits().cast_signed());
    let place = Target::open(options.open(&path).unwrap());
    let mut ring = Ring::new(2).unwrap();
    ring.write_at(&place, 0, filled(8192, 5), 8192, 0).unwrap();
    assert_eq!(*all(&mut ring)[0].result.as_ref().unwrap(), 8192);
    ring.read_at(&place, 4096, filled(4096, 0), 4096, 0)
        .unwrap();
    ring.read_at(&place, 1, filled(4096, 0), 100, 1).unwrap();
    let done = all(&mut ring);
    assert!(done[0].buffer.as_ref().unwrap().iter().all(|b| *b == 5));
    assert_eq!(errno(&done[1]), Some(Errno::INVAL));
}

#[test]
fn registered_buffers_and_files_do_the_same_work() {
    let file = Arc::new(scratch());
    let mut ring = Ring::new(4).unwrap();
    let mut buffers = ring.register_buffers(2, 4096).unwrap();
    let place = ring.register_files(vec![Arc::clone(&file)]).unwrap()[0].clone();
    for (offset, mut buffer) in [0, 4096].into_iter().zip(buffers.drain(..)) {
        buffer.fill(1 + (offset / 4096) as u8);
        ring.write_at(&place, offset, buffer, 4096, offset).unwrap();
    }
    let mut done = all(&mut ring);
    let mut buffer = done.pop().unwrap().buffer.unwrap();
    buffer.fill(0);
    ring.read_at(&place, 4000, buffer, 200, 0).unwrap();
    let read = all(&mut ring).pop().unwrap();
    assert_eq!(read.result.unwrap(), 200);
    let mut expected = [0; 200];
    file.read_exact_at(&mut expected, 4000).unwrap();
    assert_eq!(read.buffer.unwrap()[..200], expected);
    assert_eq!((expected[95], expected[96]), (1, 2));
}

#[test]
fn registered_buffers_and_files_work_in_other_rings() {
    let file = Arc::new(scratch());
    let mut first = Ring::new(1).unwrap();
    let mut second = Ring::new(1).unwrap();
    let buffer = first.register_buffers(1, 4096).unwrap().remove(0);
    let other = Arc::new(scratch());
    let place = first
        .register_files(vec![other, Arc::clone(&file)])
        .unwrap()
        .remove(1);
    drop(first);
    second.write_at(&place, 0, buffer, 10, 0).unwrap();
    drop(place);
    assert_eq!(*all(&mut second)[0].result.as_ref().unwrap(), 10);
    assert_eq!(file.metadata().unwrap().len(), 10);
}

#[test]
fn refused_requests_return_their_buffer() {
    let file = scratch();
    let place = target(&file);
    let mut ring = Ring::new(1).unwrap();
    let refused = ring
        .write_at(&place, 0, filled(16, 1), 17, 0)
        .expect_err("longer than its buffer");
    assert_eq!(refused.why, Refusal::TooLong);
    ring.write_at(&place, 0, filled(16, 1), 16, 0).unwrap();
    let refused = ring
        .read_at(&place, 0, filled(32, 2), 32, 1)
        .expect_err("one too many");
    assert_eq!(refused.why, Refusal::Full);
    assert_eq!(refused.buffer.unwrap().len(), 32);
    assert_eq!(ring.sync(&place, false, 2).unwrap_err().why, Refusal::Full);
    assert_eq!(all(&mut ring).len(), 1);
    assert_eq!((ring.depth(), ring.under_way()), (1, 0));
}

#[test]
fn impossible_depths_are_refused() {
    assert!(Ring::new(0).is_err());
    assert!(Ring::new(u32::MAX).is_err());
}

#[test]
fn waits_end_at_their_limit_or_if_nothing_is_under_way() {
    let mut ring = Ring::new(1).unwrap();
    ring.wait(5).unwrap(); // nothing is under way
    let (reader, writer) = io::pipe().unwrap();
    let pipe = Target::open(File::from(std::os::fd::OwnedFd::from(reader)));
    ring.read_at(&pipe, u64::MAX, filled(16, 0), 16, 3).unwrap();
    ring.wait_for(1, Duration::from_millis(20)).unwrap();
    assert!(ring.poll().is_none());
    assert_eq!(ring.under_way(), 1);
    (&writer).write_all(b"now").unwrap();
    ring.wait_for(1, Duration::from_secs(60)).unwrap();
    let done = ring.poll().unwrap();
    assert_eq!((done.tag, done.result.unwrap()), (3, 3));
    assert_eq!(&done.buffer.unwrap()[..3], b"now");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any mix of writes and reads that do not overlap has the same effect as plain calls on
    /// another file.
    #[test]
    fn a_ring_does_what_plain_calls_do(
        depth in 1_u32..9,
        registered in any::<bool>(),
        requests in prop::collection::vec((any::<bool>(), 0_u64..64, 1_usize..5000, any::<u8>()), 1..40),
    ) {
        let (by_ring, by_calls) = (scratch(), scratch());
        let mut ring = Ring::new(depth).unwrap();
        let place = target(&by_ring);
        let mut spare = if registered {
            ring.register_buffers(depth as u16, 8192).unwrap()
        } else {
            (0..depth).map(|_| Buffer::new(8192).unwrap()).collect()
        };
        for (tag, (write, slot, length, byte)) in requests.into_iter().enumerate() {
            let mut buffer = spare.pop().unwrap();
            let offset = slot * 5000;
            let mut plain = vec![byte; length];
            if write {
                buffer[..length].fill(byte);
                by_calls.write_all_at(&plain, offset).unwrap();
                ring.write_at(&place, offset, buffer, length, tag as u64).unwrap();
            } else {
                ring.read_at(&place, offset, buffer, length, tag as u64).unwrap();
            }
            let done = all(&mut ring).pop().unwrap();
            prop_assert_eq!(done.tag, tag as u64);
            let bytes = done.result.unwrap();
            let buffer = done.buffer.unwrap();
            if !write {
                let expected = by_calls.read_at(&mut plain, offset).unwrap();
                prop_assert_eq!(&buffer[..bytes], &plain[..expected]);
            }
            spare.push(buffer);
        }
    }
}
