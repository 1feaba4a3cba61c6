//! A line between datagram sockets, which keep message boundaries as TAP devices do.

use std::io::ErrorKind;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use headcount_line::{Conditions, Counter, Counts, HEADER, Line, LineError};
use rustix::time::{ClockId, clock_gettime};

/// One way takes 20 ms, less what waking up may have taken and how early a packet may be sent.
const EARLIEST: Duration = Duration::from_micros(20_000 - 200);

struct RunningLine {
    near: UnixDatagram,
    far: UnixDatagram,
    counters: [Arc<Counter>; 2],
    stop: std::io::PipeWriter,
    thread: JoinHandle<Result<(), LineError>>,
}

fn start_line(conditions: &Conditions) -> RunningLine {
    let (near, first) = UnixDatagram::pair().unwrap();
    let (far, second) = UnixDatagram::pair().unwrap();
    first.set_nonblocking(true).unwrap();
    second.set_nonblocking(true).unwrap();
    for end in [&near, &far] {
        end.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    }
    let mut line = Line::new([first, second], conditions, 3);
    let counters = line.counters();
    let (until, stop) = std::io::pipe().unwrap();
    let thread = spawn(move || line.carry(&until));
    RunningLine {
        near,
        far,
        counters,
        stop,
        thread,
    }
}

fn conditions(latency_ms: u64, loss: f64, reorder: f64) -> Conditions {
    let latency = Duration::from_millis(latency_ms);
    Conditions::of_round_trip(latency, Duration::ZERO, loss, reorder).unwrap()
}

fn now() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap()
}

fn frame(number: u8) -> Vec<u8> {
    let mut frame = vec![0; HEADER];
    frame.resize(HEADER + 100, number);
    frame
}

fn received(from: &UnixDatagram) -> Vec<u8> {
    let mut bytes = vec![0; 1000];
    let length = from.recv(&mut bytes).unwrap();
    bytes.truncate(length);
    bytes
}

#[test]
fn frames_arrive_whole_in_order_and_never_early() {
    let line = start_line(&conditions(40, 0.0, 0.0));
    let began = now();
    for number in 0..100 {
        line.near.send(&frame(number)).unwrap();
    }
    for number in 0..100 {
        assert_eq!(received(&line.far), frame(number));
        assert!(now() >= began + EARLIEST);
    }
    line.far.send(&frame(7)).unwrap();
    assert_eq!(received(&line.near), frame(7));
    assert!(now() >= began + 2 * EARLIEST);
    drop(line.stop);
    line.thread.join().unwrap().unwrap();
    let [out, back] = line.counters.map(|one| one.take());
    assert_eq!((out.packets, out.bytes, out.sent), (100, 10_000, 100));
    assert_eq!((back.packets, back.bytes, back.sent), (1, 100, 1));
    let both = out + back;
    assert_eq!(both.packets, 101);
    assert_eq!((both.lost, both.dropped, both.refused), (0, 0, 0));
    assert!(both.latest_ns <= both.late_ns);
}

#[test]
fn lost_packets_are_counted_and_never_arrive() {
    let line = start_line(&conditions(0, 1.0, 0.0));
    for number in 0..50 {
        line.near.send(&frame(number)).unwrap();
    }
    line.far
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    let error = line.far.recv(&mut [0; 100]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    drop(line.stop);
    line.thread.join().unwrap().unwrap();
    let counts = line.counters[0].take();
    assert_eq!((counts.packets, counts.lost, counts.sent), (50, 50, 0));
}

#[test]
fn packets_that_overtake_do_not_wait() {
    let line = start_line(&conditions(200_000, 0.0, 0.5));
    for number in 0..100 {
        line.near.send(&frame(number)).unwrap();
    }
    let mut before = None;
    for _ in 0..20 {
        let number = received(&line.far)[HEADER];
        assert!(
            before < Some(number),
            "those that overtake keep their order"
        );
        before = Some(number);
    }
    drop(line.stop);
    line.thread.join().unwrap().unwrap();
    assert!(line.counters[0].take().reordered >= 20);
}

#[test]
fn taking_the_counts_resets_the_latest() {
    let line = start_line(&conditions(0, 0.0, 0.0));
    line.near.send(&frame(1)).unwrap();
    received(&line.far);
    drop(line.stop);
    line.thread.join().unwrap().unwrap();
    let first = line.counters[0].take();
    let again = line.counters[0].take();
    assert_eq!(
        again,
        Counts {
            latest_ns: 0,
            ..first
        }
    );
}
