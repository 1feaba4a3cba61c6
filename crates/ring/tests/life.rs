//! What the ring owns while requests are under way, and what happens to it when it is dropped.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;

use headcount_ring::{Buffer, Ring, Target};
use rustix::event::{PollFd, PollFlags, poll};
use tokio::io::unix::AsyncFd;

fn filled(byte: u8) -> Buffer {
    let mut buffer = Buffer::new(64 * 1024).expect("memory");
    buffer.fill(byte);
    buffer
}

#[test]
fn dropping_a_ring_completes_its_requests() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    let place = Target::from(Arc::clone(&file));
    let mut ring = Ring::new(32).unwrap();
    for part in 0..32 {
        let buffer = filled(part as u8);
        ring.write_at(&place, part * 65_536, buffer, 65_536, part)
            .unwrap();
    }
    drop(place);
    drop(ring);
    let mut written = Vec::new();
    (&*file).read_to_end(&mut written).unwrap();
    assert_eq!(written.len(), 32 * 65_536);
    for (part, bytes) in written.chunks(65_536).enumerate() {
        assert!(bytes.iter().all(|byte| usize::from(*byte) == part));
    }
    assert_eq!(Arc::strong_count(&file), 1, "the ring kept a share");
}

#[test]
fn a_request_keeps_its_file_open_and_no_longer() {
    let (reader, mut writer) = io::pipe().unwrap();
    let mut ring = Ring::new(1).unwrap();
    let pipe = Target::open(File::from(OwnedFd::from(reader)));
    ring.read_at(&pipe, u64::MAX, filled(0), 10, 0).unwrap();
    drop(pipe);
    ring.submit().unwrap();
    writer.write_all(b"still open").unwrap(); // would be a broken pipe
    ring.wait(1).unwrap();
    assert_eq!(ring.poll().unwrap().result.unwrap(), 10);
    let error = writer.write_all(b"closed").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn an_eventfd_signals_completed_requests() {
    let file = tempfile::tempfile().unwrap();
    let mut ring = Ring::new(4).unwrap();
    let event = ring.event().unwrap().try_clone_to_owned().unwrap();
    let place = Target::open(file);
    ring.write_at(&place, 0, filled(1), 4096, 5).unwrap();
    ring.submit().unwrap();
    let mut ready = [PollFd::new(&event, PollFlags::IN)];
    let long = rustix::time::Timespec {
        tv_sec: 60,
        tv_nsec: 0,
    };
    assert_eq!(poll(&mut ready, Some(&long)).unwrap(), 1);
    assert_eq!(ring.poll().unwrap().tag, 5);
}

/// A task of an async runtime waits for files: one reader of the eventfd polls the ring.
#[tokio::test(flavor = "current_thread")]
async fn an_async_runtime_can_wait() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    let place = Target::from(Arc::clone(&file));
    let mut ring = Ring::new(8).unwrap();
    let event = ring.event().unwrap().try_clone_to_owned().unwrap();
    #[expect(deprecated, reason = "sound for an OwnedFd that is never handed out")]
    let event = Rc::new(AsyncFd::new(event).unwrap());
    let mut finished = 0;
    let mut asked = 0;
    while finished < 1000 {
        while asked < 1000 && ring.under_way() < ring.depth() {
            ring.write_at(&place, asked * 512, filled(2), 512, asked)
                .unwrap();
            asked += 1;
        }
        ring.submit().unwrap();
        let mut ready = event.readable().await.unwrap();
        let mut count = [0; 8];
        let read = rustix::io::read(event.get_ref(), &mut count);
        ready.clear_ready();
        drop(ready);
        assert!(read.is_ok_and(|bytes| bytes == 8));
        while let Some(done) = ring.poll() {
            assert_eq!(done.result.unwrap(), 512);
            finished += 1;
        }
    }
    assert_eq!(file.metadata().unwrap().len(), 512_000);
}
