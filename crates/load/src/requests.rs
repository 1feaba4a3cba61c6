//! What the users of a worker sent over the wire, by kind of request.
//!
//! A step may be one request or many (a listing goes on until there are no more names), so what a
//! server was asked is counted where it is sent. The mix of requests is what workloads are compared
//! with: an independent capture of the network must count the same.

use std::cell::Cell;
use std::rc::Rc;

/// Where a protocol counts its requests among those of a worker. A session keeps a copy.
#[derive(Debug, Clone, Default)]
pub struct Requests {
    counts: Rc<[Cell<u64>]>,
    span: Span,
}

/// A protocol's kinds among those of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    from: usize,
    count: usize,
}

impl Span {
    /// The first so many.
    #[must_use]
    pub const fn first(count: usize) -> Self {
        Self { from: 0, count }
    }

    /// So many after these.
    #[must_use]
    pub const fn then(self, count: usize) -> Self {
        Self {
            from: self.from + self.count,
            count,
        }
    }

    /// The index in the worker of the protocol's kind; none if the protocol has no such kind.
    #[must_use]
    pub fn index(self, kind: usize) -> Option<usize> {
        (kind < self.count).then_some(self.from + kind)
    }
}

impl Requests {
    /// Nothing sent yet, of so many kinds.
    #[must_use]
    pub fn new(kinds: usize) -> Self {
        Self {
            counts: (0..kinds).map(|_| Cell::new(0)).collect(),
            span: Span::first(kinds),
        }
    }

    /// The same counts, for a protocol that has these kinds of them.
    #[must_use]
    pub(crate) fn within(&self, span: Span) -> Self {
        Self {
            counts: Rc::clone(&self.counts),
            span,
        }
    }

    /// How many kinds the worker has.
    #[must_use]
    pub fn kinds(&self) -> usize {
        self.counts.len()
    }

    /// One request of this kind, an index of what [`crate::Protocol::requests`] names, was sent.
    /// Kinds that it does not name are not counted.
    pub fn sent(&self, kind: usize) {
        let count = self.span.index(kind).and_then(|at| self.counts.get(at));
        if let Some(count) = count {
            count.set(count.get() + 1);
        }
    }

    /// How many of each kind of the worker.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.counts.iter().map(Cell::get).collect()
    }
}
