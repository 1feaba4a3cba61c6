//! A line: two ends, both directions, one thread.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use thiserror::Error;

use crate::conditions::Conditions;
use crate::counts::Counter;
use crate::schedule::Schedule;
use crate::tap::{MAKER, Tap};
use crate::wake::Waking;
use crate::way::{Way, now_ns};

/// Most bytes that are under way in one direction; what comes then is dropped, as by a full router.
/// Half a second at 1 Gbit/s.
const CAPACITY: usize = 64 << 20;

/// Why there is no line, or not any more.
#[derive(Debug, Error)]
pub enum LineError {
    /// The device could not be made.
    #[error("cannot make the network device {name} through {MAKER}: {error}")]
    Device {
        /// Of the device.
        name: String,
        /// What the system said.
        error: io::Error,
    },
    /// A device was taken away, or nothing can be waited for.
    #[error("the delay line's devices cannot be read any more: {0}")]
    Gone(io::Error),
}

/// Two devices, and what is under way between them.
pub struct Line<End> {
    ends: [End; 2],
    ways: [Way; 2],
    counters: [Arc<Counter>; 2],
}

impl Line<Tap> {
    /// Make two devices of these names. They are gone when the line is dropped.
    pub fn between(
        names: [&str; 2],
        conditions: &Conditions,
        seed: u64,
    ) -> Result<Self, LineError> {
        let is_cut = conditions.is_by_packet();
        let made = names.map(|name| {
            Tap::new(name, is_cut).map_err(|error| LineError::Device {
                name: name.to_owned(),
                error,
            })
        });
        let [first, second] = made;
        Ok(Self::new([first?, second?], conditions, seed))
    }
}

impl<End: AsFd> Line<End> {
    /// A line between two files that hand over one frame a call, and do not block.
    #[must_use]
    pub fn new(ends: [End; 2], conditions: &Conditions, seed: u64) -> Self {
        let counters = [Arc::<Counter>::default(), Arc::<Counter>::default()];
        // Neighbouring seeds give unrelated streams (`seed_from_u64` is SplitMix64).
        let way = |number: u64, counter: &Arc<Counter>| {
            let schedule = Schedule::new(conditions, seed.wrapping_mul(2).wrapping_add(number));
            Way::new(schedule, CAPACITY, Arc::clone(counter))
        };
        let ways = [way(0, &counters[0]), way(1, &counters[1])];
        Self {
            ends,
            ways,
            counters,
        }
    }

    /// What counts the packets from the first end, and those from the second.
    #[must_use]
    pub fn counters(&self) -> [Arc<Counter>; 2] {
        self.counters.clone()
    }

    /// Carry packets both ways until something can be read from `until`, or its other end is closed.
    pub fn carry(&mut self, until: &impl AsFd) -> Result<(), LineError> {
        self.pass(until)
            .map_err(|error| LineError::Gone(error.into()))
    }

    fn pass(&mut self, until: &impl AsFd) -> Result<(), Errno> {
        let [first, second] = &self.ends;
        let [out, back] = &mut self.ways;
        let mut waking = Waking::new();
        loop {
            out.deliver(second, waking.early_ns())?;
            back.deliver(first, waking.early_ns())?;
            let due_ns = [out.due_ns(), back.due_ns()].into_iter().flatten().min();
            let from_ns = now_ns();
            // Of 0 while the thread waits for what is due in less than waking up would take.
            let sleep_ns = due_ns.map(|due_ns| waking.sleep_ns(from_ns, due_ns));
            let mut files = [
                PollFd::new(until, PollFlags::IN),
                PollFd::new(first, PollFlags::IN),
                PollFd::new(second, PollFlags::IN),
            ];
            let ready = match poll(&mut files, sleep_ns.map(timespec).as_ref()) {
                Ok(ready) => ready,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error),
            };
            let woken_ns = now_ns();
            if ready == 0 {
                if let Some(slept_ns) = sleep_ns.filter(|ns| *ns > 0) {
                    waking.note(woken_ns.saturating_sub(from_ns + slept_ns));
                }
                continue;
            }
            let [is_over, is_out, is_back] = files.map(|one| !one.revents().is_empty());
            if is_over {
                return Ok(());
            }
            let earlier_ns = waking.earlier_ns(from_ns, woken_ns);
            if is_out {
                out.take(first, second, earlier_ns)?;
            }
            if is_back {
                back.take(second, first, earlier_ns)?;
            }
        }
    }
}

fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / 1_000_000_000).cast_signed(),
        tv_nsec: (ns % 1_000_000_000).cast_signed(),
    }
}
