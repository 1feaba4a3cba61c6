//! The bounded pool of service threads, seen from outside: queueing, and threads that become free
//! again.
#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::sync::LazyLock;
use std::time::Duration;

use common::{eventually, folder, frame, greeted, receive, start};
use headcount_app::kernel::{self, MAX_ROUNDS};
use headcount_app::reply::{Reply, Timing};
use headcount_app::request::Request;
use headcount_app::server::{Handle, Threads};

const ROUNDS: u32 = MAX_ROUNDS / 4;
const SLOW: Request<'_> = Request::Processor {
    seed: 1,
    rounds: ROUNDS,
};
static CHECK: LazyLock<u64> = LazyLock::new(|| kernel::work(1, ROUNDS));
const QUICK: Request<'_> = Request::ServerClient { seed: 2, bytes: 10 };

/// How often to retry a test that fails if a busy machine stops this side while the server works
/// on.
const TRIES: u64 = 20;

/// The threads of this process whose names start like the server's.
fn threads() -> BTreeSet<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names
        .map(|name| name.trim().to_owned())
        .filter(|name| name.starts_with("app-"))
        .collect()
}

/// Waits until all threads are gone: joining returns a moment before they disappear from `/proc`.
fn wait_for_all_threads_to_end() {
    eventually("every thread has ended", || threads().is_empty());
}

fn ask(stream: &mut TcpStream, request: &Request<'_>) {
    stream.write_all(&frame(request)).unwrap();
}

fn answer(stream: &mut TcpStream) -> Timing {
    let (kind, body) = receive(stream).unwrap();
    match Reply::parse(kind, &body) {
        Some(Reply::Processor { timing, check }) => {
            assert_eq!(check, *CHECK);
            timing
        }
        Some(Reply::ServerClient { timing, .. }) => timing,
        other => panic!("{other:?}"),
    }
}

/// Asks for slow work on three connections and for quick work after it. Returns whether the quick
/// work waited for at least one of them, and the longest wait of all.
fn queue_up(server: &Handle) -> (bool, u32) {
    let mut slow: Vec<_> = (0..3).map(|_| greeted(server.address())).collect();
    let mut quick = greeted(server.address());
    for stream in &mut slow {
        ask(stream, &SLOW);
    }
    ask(&mut quick, &QUICK);
    let waited_us = answer(&mut quick).queue_wait_us;
    let slow: Vec<Timing> = slow.iter_mut().map(answer).collect();
    let shortest_us = slow.iter().map(|timing| timing.service_us).min().unwrap();
    let longest_us = slow
        .iter()
        .map(|timing| timing.queue_wait_us)
        .max()
        .unwrap();
    (waited_us > shortest_us, longest_us.max(waited_us))
}

fn requests_wait_for_the_only_thread(server: &Handle) {
    let (mut longest_us, mut tries) = (0, 0);
    loop {
        tries += 1;
        let (has_waited, wait_us) = queue_up(server);
        longest_us = longest_us.max(wait_us);
        if has_waited && server.statistics().queue.max >= 2 {
            break;
        }
        assert!(tries < TRIES, "quick work never waits for slow work");
    }
    let statistics = server.statistics();
    assert_eq!(
        (statistics.threads.now, statistics.threads.busy_max),
        (1, 1)
    );
    assert!(statistics.queue.max <= 4, "{:?}", statistics.queue);
    let reported_us = statistics.queue_wait.max_us;
    assert!(
        (reported_us / f64::from(longest_us) - 1.0).abs() < 0.02,
        "{reported_us} {longest_us}"
    );
    assert_eq!(statistics.queue_wait.count, 4 * tries);
}

fn a_client_who_goes_leaves_no_work_behind(server: &Handle) {
    for _ in 0..TRIES {
        let (mut one, mut two) = (greeted(server.address()), greeted(server.address()));
        ask(&mut one, &SLOW);
        ask(&mut one, &QUICK); // early, but answered in turn
        ask(&mut two, &SLOW);
        drop(two);
        answer(&mut one);
        answer(&mut one);
        drop(one);
        eventually("both have left and nothing waits", || {
            let statistics = server.statistics();
            let work = statistics.threads.busy + statistics.queue.now;
            statistics.connections.now as usize + work == 0
        });
        if server.statistics().abandoned == 1 {
            return;
        }
    }
    panic!("a waiting request is never dropped");
}

fn a_frozen_client_holds_no_thread(server: &Handle) {
    let mut frozen = greeted(server.address());
    frozen
        .set_write_timeout(Some(Duration::from_millis(100)))
        .unwrap();
    let large = frame(&Request::ServerClient {
        seed: 3,
        bytes: 1 << 20,
    });
    for _ in 0..64 {
        // Its next request is served only when its reply has been sent, so at some point it blocks.
        if frozen.write_all(&large).is_err() {
            break;
        }
    }
    let mut other = greeted(server.address());
    ask(&mut other, &QUICK);
    answer(&mut other);
    eventually("nobody works", || server.statistics().threads.busy == 0);
}

fn threads_come_as_clients_connect(server: &Handle) {
    let processors = std::thread::available_parallelism().unwrap().get();
    let guests: Vec<_> = (0..60).map(|_| greeted(server.address())).collect();
    let counts = server.statistics().threads;
    assert_eq!(
        (counts.now, counts.limit),
        (47 + processors, 47 + processors)
    );
    drop(guests);
    eventually("the guests have left", || {
        server.statistics().connections.now == 0
    });
}

// One test, because it counts the threads of the whole process.
#[test]
fn requests_queue_threads_stay_free_and_stopping_joins_every_thread() {
    let home = folder();
    let server = start(home.path(), |settings| settings.threads = Threads::Fixed(1));
    requests_wait_for_the_only_thread(&server);
    a_client_who_goes_leaves_no_work_behind(&server);
    a_frozen_client_holds_no_thread(&server);
    let serving = threads()
        .into_iter()
        .filter(|name| name.starts_with("app-serve"))
        .count();
    assert_eq!(serving, 1);
    let mut guest = greeted(server.address());
    server.stop();
    wait_for_all_threads_to_end();
    assert!(receive(&mut guest).is_none(), "the connection is closed");

    let server = start(home.path(), |_| {});
    threads_come_as_clients_connect(&server);
    server.stop();
    wait_for_all_threads_to_end();
}
