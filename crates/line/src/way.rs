//! One direction of a line: reads packets from one device, and sends them to the other when due.

use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::io::{Errno, read, write};
use rustix::time::{ClockId, clock_gettime};

use crate::counts::Counter;
use crate::frame::{HEADER, LARGEST, packets_in};
use crate::queue::Queue;
use crate::schedule::{Fate, Schedule};

/// Frames read before the other direction gets its turn.
const BATCH: usize = 64;

/// One direction.
pub struct Way {
    schedule: Schedule,
    queue: Queue,
    counter: Arc<Counter>,
    /// Holds a frame that the queue has no room for.
    spare: Box<[u8]>,
}

impl Way {
    /// A direction with nothing in flight. Its queue takes at most `capacity` bytes.
    #[must_use]
    pub fn new(schedule: Schedule, capacity: usize, counter: Arc<Counter>) -> Self {
        Self {
            schedule,
            queue: Queue::new(capacity),
            counter,
            spare: vec![0; LARGEST].into_boxed_slice(),
        }
    }

    /// When the next packet is due, in ns.
    #[must_use]
    pub fn due_ns(&self) -> Option<u64> {
        self.queue.first().map(|(due_ns, _)| due_ns)
    }

    /// Read a batch of frames `from` a device, and send those that overtake others at once. They
    /// arrived `earlier_ns` before they are read. Fails if the device does.
    pub fn take(&mut self, from: impl AsFd, to: impl AsFd, earlier_ns: u64) -> Result<(), Errno> {
        for _ in 0..BATCH {
            let (room, is_full) = match self.queue.room() {
                Some(room) => (room, false),
                None => (&mut *self.spare, true),
            };
            let length = match read(&from, &mut *room) {
                Ok(0) | Err(Errno::AGAIN) => return Ok(()),
                Ok(length) => length,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error),
            };
            let frame = &room[..length];
            let packets = packets_in(frame);
            self.counter.came(packets, length.saturating_sub(HEADER));
            match self.schedule.fate(now_ns().saturating_sub(earlier_ns)) {
                Fate::Lost => self.counter.lost(packets),
                Fate::Now => {
                    self.counter.reordered(packets);
                    send(frame, &to, &self.counter)?;
                }
                Fate::At(_) if is_full => self.counter.dropped(packets),
                Fate::At(due_ns) => self.queue.keep(length, due_ns),
            }
        }
        Ok(())
    }

    /// Send frames that are due, or will be within `early_ns`, `to` the other device.
    pub fn deliver(&mut self, to: impl AsFd, early_ns: u64) -> Result<(), Errno> {
        while let Some((due_ns, frame)) = self.queue.first() {
            let now_ns = now_ns();
            if due_ns > now_ns + early_ns {
                break;
            }
            send(frame, &to, &self.counter)?;
            self.counter.sent(now_ns.saturating_sub(due_ns));
            self.queue.drop_first();
        }
        Ok(())
    }
}

/// Write a frame to a device. One that the device does not accept is lost, as on any network: a
/// device that is not up accepts none.
fn send(frame: &[u8], to: impl AsFd, counter: &Counter) -> Result<(), Errno> {
    loop {
        match write(&to, frame) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(Errno::BADFD | Errno::BADF) => return Err(Errno::BADFD),
            Err(_) => {
                counter.refused(packets_in(frame));
                return Ok(());
            }
        }
    }
}

/// Nanoseconds of a clock that never goes back (`CLOCK_MONOTONIC`).
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
