//! The timers of one worker: a heap of due moments, no locks, exact to the nanosecond of the plan.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::clock::Clock;
use crate::seat::Seat;

/// All timers of one worker. A user waits for at most one at a time.
pub struct Timers {
    clock: Rc<dyn Clock>,
    heap: RefCell<BinaryHeap<Reverse<Entry>>>,
    sequence: Cell<u64>,
}

struct Entry {
    due_ns: u64,
    /// Breaks ties in the order of arrival, so that a virtual run is the same every time.
    sequence: u64,
    seat: Rc<Seat>,
}

/// Scenarios that are further away than [`NEAR_NS`] fall due at multiples of this.
const GRID_NS: u64 = 200_000;

/// A due moment closer than this stays where it is, so that the grid moves no pause by more than
/// half a percent of its length.
const NEAR_NS: u64 = 100 * GRID_NS;

/// When a scenario that its pace schedules at `due_ns` falls due: the nearest point of the grid.
///
/// A wakeup costs a worker several times as much as a short scenario, so users who are due within a
/// fifth of a millisecond of each other share one. The due moment itself is moved, in advance and
/// to the nearest point, not the next: response times still run from the due moment, no user is
/// woken late because of it, and the mean pace does not change.
pub(crate) const fn on_grid(due_ns: u64, now_ns: u64) -> u64 {
    if due_ns < now_ns.saturating_add(NEAR_NS) {
        return due_ns;
    }
    (due_ns + GRID_NS / 2) / GRID_NS * GRID_NS
}

impl Timers {
    /// No timers yet, on this clock.
    #[must_use]
    pub fn new(clock: Rc<dyn Clock>) -> Self {
        Self {
            clock,
            heap: RefCell::new(BinaryHeap::new()),
            sequence: Cell::new(0),
        }
    }

    /// The clock, in ns since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// When the earliest timer is due.
    #[must_use]
    pub fn next_ns(&self) -> Option<u64> {
        self.heap.borrow().peek().map(|Reverse(entry)| entry.due_ns)
    }

    /// Wakes every user whose timer is due at `now_ns`.
    pub fn fire(&self, now_ns: u64) {
        let mut heap = self.heap.borrow_mut();
        while heap
            .peek()
            .is_some_and(|Reverse(entry)| entry.due_ns <= now_ns)
        {
            if let Some(Reverse(entry)) = heap.pop() {
                // A user whose sleep was ended early may have set another timer since.
                if entry.seat.awaits_alarm(entry.due_ns) {
                    entry.seat.ring_alarm();
                }
            }
        }
    }

    fn set(&self, due_ns: u64, seat: &Rc<Seat>) {
        let sequence = self.sequence.get();
        self.sequence.set(sequence + 1);
        seat.set_alarm(due_ns);
        let entry = Entry {
            due_ns,
            sequence,
            seat: Rc::clone(seat),
        };
        self.heap.borrow_mut().push(Reverse(entry));
    }
}

impl fmt::Debug for Timers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timers")
            .field("waiting", &self.heap.borrow().len())
            .finish_non_exhaustive()
    }
}

/// Waits until a moment, or until the user is asked to leave.
#[derive(Debug)]
pub struct Sleep {
    timers: Rc<Timers>,
    seat: Rc<Seat>,
    due_ns: u64,
    set: bool,
}

impl Sleep {
    pub(crate) const fn new(timers: Rc<Timers>, seat: Rc<Seat>, due_ns: u64) -> Self {
        Self {
            timers,
            seat,
            due_ns,
            set: false,
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.set {
            if !self.seat.awaits_alarm(self.due_ns) || self.timers.now_ns() >= self.due_ns {
                return Poll::Ready(());
            }
        } else if self.timers.now_ns() >= self.due_ns {
            return Poll::Ready(());
        } else {
            self.timers.set(self.due_ns, &self.seat);
            self.set = true;
        }
        self.seat.remember(context.waker());
        Poll::Pending
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due_ns, self.sequence).cmp(&(other.due_ns, other.sequence))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_grid_moves_only_far_moments_to_the_nearest_point(
            now_ns in 0u64..1 << 50,
            wait_ns in 0u64..4 * NEAR_NS,
        ) {
            let due_ns = now_ns + wait_ns;
            let moved_ns = on_grid(due_ns, now_ns);
            if wait_ns < NEAR_NS {
                prop_assert_eq!(moved_ns, due_ns);
            } else {
                prop_assert_eq!(moved_ns % GRID_NS, 0);
                prop_assert!(moved_ns.abs_diff(due_ns) <= GRID_NS / 2);
                prop_assert!(moved_ns > now_ns);
            }
        }
    }

    #[test]
    fn the_grid_leaves_the_mean_alone() {
        let mean_ns = |of: &dyn Fn(u64) -> u64| (0..GRID_NS).map(of).sum::<u64>() / GRID_NS;
        let exact_ns = mean_ns(&|offset_ns| NEAR_NS + offset_ns);
        let moved_ns = mean_ns(&|offset_ns| on_grid(NEAR_NS + offset_ns, 0));
        assert!(
            moved_ns.abs_diff(exact_ns) <= 1,
            "{moved_ns} for {exact_ns}"
        );
    }
}
