//! What the users of a worker sent over the wire, by kind of request.
//!
//! A step may be one request or many (a listing goes on until there are no more names), so what a
//! server was asked is counted where it is sent. The mix of requests is what workloads are compared
//! with: an independent capture of the network must count the same.

use std::cell::Cell;

/// The requests that a worker's users have sent since the run began.
#[derive(Debug, Default)]
pub struct Requests(Box<[Cell<u64>]>);

impl Requests {
    /// Nothing sent yet, of so many kinds.
    #[must_use]
    pub fn new(kinds: usize) -> Self {
        Self((0..kinds).map(|_| Cell::new(0)).collect())
    }

    /// One request of this kind, an index of the protocol's [`crate::Protocol::REQUESTS`], was
    /// sent. Kinds that the protocol does not name are not counted.
    pub fn sent(&self, kind: usize) {
        if let Some(count) = self.0.get(kind) {
            count.set(count.get() + 1);
        }
    }

    /// How many of each kind.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.0.iter().map(Cell::get).collect()
    }
}
