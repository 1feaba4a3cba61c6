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

/// Most bytes in flight in one direction. Further packets are dropped, as by a full router. Half a
/// second at 1 Gbit/s.
const CAPACITY: usize = 64 << 20;

/// Why a line could not be set up, or stopped.
#[derive(Debug, Error)]
pub enum LineError {
    /// A device could not be created.
    #[error("cannot make the network device {name} through {MAKER}: {error}")]
    Device {
        /// The device's name.
        name: String,
        /// What the system said.
        error: io::Error,
    },
    /// A device was removed, or `poll` failed.
    #[error("the delay line's devices cannot be read any more: {0}")]
    Gone(io::Error),
}

/// Two devices, and the packets in flight between them.
pub struct Line<End> {
    ends: [End; 2],
    ways: [Way; 2],
    counters: [Arc<Counter>; 2],
}

impl Line<Tap> {
    /// Create two devices with these names. They disappear when the line is dropped.
    pub fn between(
        names: [&str; 2],
        conditions: &Conditions,
        seed: u64,
    ) -> Result<Self, LineError> {
        let is_cut = conditions.is_by_packet();
        let taps = names.map(|name| {
            Tap::new(name, is_cut).map_err(|error| LineError::Device {
                name: name.to_owned(),
                error,
            })
        });
        let [first, second] = taps;
        Ok(Self::new([first?, second?], conditions, seed))
    }
}

impl<End: AsFd> Line<End> {
    /// A line between two non-blocking files that transfer one frame per call.
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

    /// The counters of the packets from the first end, and of those from the second.
    #[must_use]
    pub fn counters(&self) -> [Arc<Counter>; 2] {
        self.counters.clone()
    }

    /// Carry packets both ways until `until` is readable or its other end is closed.
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
            // 0 if the next packet is due before a sleeping thread would run again.
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
