//! A thread's part in a sort: its times, and the progress of all.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use headcount_load::clock::Origin;
use serde::Serialize;

use crate::error::SortError;

/// The shortest time between two reports of progress.
const EVERY_NS: u64 = 100_000_000;

/// The progress of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Far {
    /// Bytes written so far, temporary ones too.
    pub done_bytes: u64,
    /// Bytes to write in all.
    pub total_bytes: u64,
}

/// Called with the progress of a sort, which it may cancel.
pub type Tell<'t> = dyn FnMut(Far) -> ControlFlow<()> + 't;

/// What the threads of a sort share.
#[derive(Debug)]
pub struct Shared {
    origin: Origin,
    done_bytes: AtomicU64,
    total_bytes: u64,
    off: AtomicBool,
}

impl Shared {
    /// Nothing done yet of `total_bytes`.
    #[must_use]
    pub fn new(origin: Origin, total_bytes: u64) -> Self {
        let (done_bytes, off) = (AtomicU64::new(0), AtomicBool::new(false));
        Self {
            origin,
            done_bytes,
            total_bytes,
            off,
        }
    }

    /// Ends all threads at their next block.
    pub fn call_off(&self) {
        self.off.store(true, Ordering::Relaxed);
    }
}

/// Where the time of a thread went, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the unit comes last in a name")]
pub struct Times {
    /// Reading the data.
    pub read_ns: u64,
    /// Sorting in memory.
    pub sort_ns: u64,
    /// Writing runs.
    pub runs_ns: u64,
    /// Merging, with reading runs and writing the output; without runs, writing the output.
    pub merge_ns: u64,
}

impl Times {
    /// The sum of two threads' times.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            read_ns: self.read_ns + other.read_ns,
            sort_ns: self.sort_ns + other.sort_ns,
            runs_ns: self.runs_ns + other.runs_ns,
            merge_ns: self.merge_ns + other.merge_ns,
        }
    }
}

/// One thread of a sort.
pub struct Job<'t> {
    shared: &'t Shared,
    tell: &'t mut Tell<'t>,
    reported_ns: Option<u64>,
    /// Where its time went.
    pub times: Times,
}

impl<'t> Job<'t> {
    /// A thread that has done nothing yet.
    pub fn new(shared: &'t Shared, tell: &'t mut Tell<'t>) -> Self {
        Self {
            shared,
            tell,
            reported_ns: None,
            times: Times::default(),
        }
    }

    /// Nanoseconds since the sort began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.shared.origin.elapsed_ns()
    }

    /// Counts written bytes. Fails with [`SortError::Cancelled`].
    pub fn moved(&mut self, bytes: u64) -> Result<(), SortError> {
        let done_bytes = self.shared.done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let now_ns = self.now_ns();
        if self
            .reported_ns
            .is_none_or(|reported_ns| now_ns > reported_ns + EVERY_NS)
        {
            self.reported_ns = Some(now_ns);
            let far = Far {
                done_bytes,
                total_bytes: self.shared.total_bytes,
            };
            if (self.tell)(far).is_break() {
                self.shared.call_off();
            }
        }
        if self.shared.off.load(Ordering::Relaxed) {
            Err(SortError::Cancelled)
        } else {
            Ok(())
        }
    }
}
