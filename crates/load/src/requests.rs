//! What the users of a worker sent over the wire, by kind of request.
//!
//! A step may be one request or many (a listing continues until there are no more names), so
//! requests are counted where they are sent. Workloads are compared by their mix of requests: an
//! independent capture of the network must count the same.

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
    /// The first `count` kinds.
    #[must_use]
    pub const fn first(count: usize) -> Self {
        Self { from: 0, count }
    }

    /// The `count` kinds after these.
    #[must_use]
    pub const fn then(self, count: usize) -> Self {
        Self {
            from: self.from + self.count,
            count,
        }
    }

    /// The worker's index of the protocol's kind; None if the protocol has no such kind.
    #[must_use]
    pub fn index(self, kind: usize) -> Option<usize> {
        (kind < self.count).then_some(self.from + kind)
    }
}

impl Requests {
    /// Nothing sent yet, with this many kinds.
    #[must_use]
    pub fn new(kinds: usize) -> Self {
        Self {
            counts: (0..kinds).map(|_| Cell::new(0)).collect(),
            span: Span::first(kinds),
        }
    }

    /// The same counts, for a protocol whose kinds are these.
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

    /// Counts a request of this kind, an index into [`crate::Protocol::requests`]. Kinds beyond
    /// those are not counted.
    pub fn sent(&self, kind: usize) {
        let count = self.span.index(kind).and_then(|at| self.counts.get(at));
        if let Some(count) = count {
            count.set(count.get() + 1);
        }
    }

    /// Requests sent, by the worker's kinds.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.counts.iter().map(Cell::get).collect()
    }
}
