//! What a line has done, in counters that another thread can read.

use std::ops::Add;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::Serialize;

/// Totals of one or both directions since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Packets received, of at most 1500 bytes each.
    pub packets: u64,
    /// Their bytes, with all headers.
    pub bytes: u64,
    /// Packets dropped on purpose, to simulate loss.
    pub lost: u64,
    /// Packets sent ahead of others on purpose.
    pub reordered: u64,
    /// Packets dropped because the queue was full.
    pub dropped: u64,
    /// Packets that the other device did not accept.
    pub refused: u64,
    /// Frames that were queued and sent on.
    pub sent: u64,
    /// The sum of their delays beyond the due time, in ns.
    pub late_ns: u64,
    /// The largest such delay since the last [`Counter::take`], in ns.
    pub latest_ns: u64,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            packets: self.packets + other.packets,
            bytes: self.bytes + other.bytes,
            lost: self.lost + other.lost,
            reordered: self.reordered + other.reordered,
            dropped: self.dropped + other.dropped,
            refused: self.refused + other.refused,
            sent: self.sent + other.sent,
            late_ns: self.late_ns + other.late_ns,
            latest_ns: self.latest_ns.max(other.latest_ns),
        }
    }
}

/// The counts of a running line. One thread writes, any thread reads.
#[derive(Debug, Default)]
pub struct Counter {
    packets: AtomicU64,
    bytes: AtomicU64,
    lost: AtomicU64,
    reordered: AtomicU64,
    dropped: AtomicU64,
    refused: AtomicU64,
    sent: AtomicU64,
    late_ns: AtomicU64,
    latest_ns: AtomicU64,
}

impl Counter {
    /// The counts so far. Resets `latest_ns`.
    pub fn take(&self) -> Counts {
        Counts {
            packets: self.packets.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            lost: self.lost.load(Relaxed),
            reordered: self.reordered.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
            refused: self.refused.load(Relaxed),
            sent: self.sent.load(Relaxed),
            late_ns: self.late_ns.load(Relaxed),
            latest_ns: self.latest_ns.swap(0, Relaxed),
        }
    }

    pub(crate) fn came(&self, packets: u64, bytes: usize) {
        self.packets.fetch_add(packets, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn lost(&self, packets: u64) {
        self.lost.fetch_add(packets, Relaxed);
    }

    pub(crate) fn reordered(&self, packets: u64) {
        self.reordered.fetch_add(packets, Relaxed);
    }

    pub(crate) fn dropped(&self, packets: u64) {
        self.dropped.fetch_add(packets, Relaxed);
    }

    pub(crate) fn refused(&self, packets: u64) {
        self.refused.fetch_add(packets, Relaxed);
    }

    pub(crate) fn sent(&self, late_ns: u64) {
        self.sent.fetch_add(1, Relaxed);
        self.late_ns.fetch_add(late_ns, Relaxed);
        self.latest_ns.fetch_max(late_ns, Relaxed);
    }
}
