//! Counting what the server does.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hdrhistogram::Histogram;
use headcount_load::clock::Origin;

use crate::frame::Kind;
use crate::statistics::{Connections, Durations, Queue, Requests, Statistics, Threads};

/// Times over an hour count as an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// All counts, behind one lock: taking it costs some 20 ns, far less than any request.
#[derive(Debug)]
pub(crate) struct Tally {
    origin: Origin,
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    connections: Connections,
    queue_wait: Times,
    work: [Work; Kind::WORK.len()],
    abandoned: u64,
}

#[derive(Debug)]
struct Work {
    failed: u64,
    service: Times,
}

#[derive(Debug)]
struct Times {
    histogram: Histogram<u64>,
    sum_ns: u64,
}

impl Times {
    fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, 2);
        Self {
            histogram: histogram.expect("constant bounds that the crate accepts"),
            sum_ns: 0,
        }
    }

    fn record(&mut self, ns: u64) {
        self.histogram.saturating_record(ns);
        self.sum_ns = self.sum_ns.saturating_add(ns);
    }

    fn durations(&self) -> Durations {
        Durations::new(&self.histogram, self.sum_ns)
    }
}

impl Tally {
    pub(crate) fn new() -> Self {
        let counts = Counts {
            connections: Connections::default(),
            queue_wait: Times::new(),
            work: Kind::WORK.map(|_| Work {
                failed: 0,
                service: Times::new(),
            }),
            abandoned: 0,
        };
        Self {
            origin: Origin::now(),
            counts: Mutex::new(counts),
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time since the server started, in ns.
    pub(crate) fn now_ns(&self) -> u64 {
        self.origin.elapsed_ns()
    }

    /// Counts a new connection and returns how many there are; None if there already are `limit`.
    pub(crate) fn connect(&self, limit: usize) -> Option<usize> {
        let Connections {
            now,
            max,
            total,
            refused,
        } = &mut self.counts().connections;
        if *now >= limit as u64 {
            *refused += 1;
            return None;
        }
        *now += 1;
        *total += 1;
        *max = (*max).max(*now);
        Some(*now as usize)
    }

    pub(crate) fn disconnect(&self) {
        self.counts().connections.now -= 1;
    }

    /// Counts one request of work.
    pub(crate) fn record(&self, kind: Kind, queue_wait_ns: u64, service_ns: u64, is_done: bool) {
        let mut counts = self.counts();
        counts.queue_wait.record(queue_wait_ns);
        if let Some(index) = Kind::WORK.iter().position(|work| *work == kind) {
            let work = &mut counts.work[index];
            work.failed += u64::from(!is_done);
            work.service.record(service_ns);
        }
    }

    /// Counts a request whose client disconnected before a thread took it.
    pub(crate) fn abandon(&self) {
        self.counts().abandoned += 1;
    }

    /// All counts so far.
    pub(crate) fn statistics(&self, (threads, queue): (Threads, Queue)) -> Statistics {
        let counts = self.counts();
        let requests = Kind::WORK.iter().zip(&counts.work).map(|(kind, work)| {
            let service = work.service.durations();
            let requests = Requests {
                count: service.count,
                failed: work.failed,
                service,
            };
            (kind.name().to_owned(), requests)
        });
        Statistics {
            uptime_s: self.now_ns() as f64 / 1e9,
            connections: counts.connections,
            threads,
            queue,
            queue_wait: counts.queue_wait.durations(),
            requests: requests.collect(),
            abandoned: counts.abandoned,
        }
    }
}
