//! Time, injected: the machine's monotonic clock in a run, a virtual one in tests.

use std::cell::Cell;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::{Context, Poll};

use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

/// Tells a worker the time and wakes it when a moment has come.
pub trait Clock {
    /// Nanoseconds since the run began.
    fn now_ns(&self) -> u64;

    /// Arranges for the worker to be polled again at `due_ns` or soon after.
    ///
    /// Called when every user of the worker waits for a timer or for the server.
    fn arm(&self, due_ns: u64, context: &mut Context<'_>);
}

/// The moment a run began, shared by its workers so that their times agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    monotonic_ns: u64,
}

impl Origin {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        Self {
            monotonic_ns: monotonic_ns(),
        }
    }

    /// A moment of the machine's monotonic clock, in ns. Before it, no time has passed.
    #[must_use]
    pub const fn at(monotonic_ns: u64) -> Self {
        Self { monotonic_ns }
    }

    /// Nanoseconds from the origin to now.
    #[must_use]
    pub fn elapsed_ns(self) -> u64 {
        monotonic_ns().saturating_sub(self.monotonic_ns)
    }
}

/// The machine's monotonic clock; waits with a timerfd, which is exact to tens of microseconds
/// where the runtime's own timer wheel rounds up to milliseconds.
#[derive(Debug)]
pub struct RealClock {
    origin: Origin,
    timer: AsyncFd<OwnedFd>,
    armed_ns: Cell<u64>,
}

impl RealClock {
    /// A clock for one worker; must be called inside its runtime.
    pub fn new(origin: Origin) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // Deprecated because a type could close its handle behind the runtime's back; an OwnedFd
        // that never leaves this struct cannot, and the replacement needs unsafe code.
        #[expect(deprecated, reason = "sound for an OwnedFd that is never handed out")]
        let timer = AsyncFd::new(timer)?;
        Ok(Self {
            origin,
            timer,
            armed_ns: Cell::new(u64::MAX),
        })
    }

    fn set(&self, due_ns: u64) -> io::Result<()> {
        let absolute_ns = self.origin.monotonic_ns + due_ns;
        let it_value = Timespec {
            tv_sec: (absolute_ns / 1_000_000_000).cast_signed(),
            tv_nsec: (absolute_ns % 1_000_000_000).cast_signed(),
        };
        let it_interval = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let setting = Itimerspec {
            it_interval,
            it_value,
        };
        timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::ABSTIME, &setting)?;
        self.armed_ns.set(due_ns);
        Ok(())
    }
}

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        self.origin.elapsed_ns()
    }

    fn arm(&self, due_ns: u64, context: &mut Context<'_>) {
        if self.armed_ns.get() != due_ns && self.set(due_ns).is_err() {
            context.waker().wake_by_ref(); // no timer: poll on, which costs CPU but loses nothing
            return;
        }
        while let Poll::Ready(ready) = self.timer.poll_read_ready(context) {
            let Ok(mut guard) = ready else {
                context.waker().wake_by_ref();
                return;
            };
            let expired = rustix::io::read(self.timer.get_ref(), &mut [0; 8]).is_ok();
            guard.clear_ready();
            if expired {
                self.armed_ns.set(u64::MAX);
                context.waker().wake_by_ref();
                return;
            }
        }
    }
}

/// A clock for tests: when every user waits, it jumps to the next due moment.
///
/// Only for protocols that wait for nothing but the engine's own timers.
#[derive(Debug, Clone, Default)]
pub struct VirtualClock {
    now_ns: Rc<Cell<u64>>,
}

impl Clock for VirtualClock {
    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }

    fn arm(&self, due_ns: u64, context: &mut Context<'_>) {
        self.now_ns.set(self.now_ns.get().max(due_ns));
        context.waker().wake_by_ref();
    }
}

/// CPU time of the calling thread, in ns.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    to_ns(clock_gettime(ClockId::ThreadCPUTime))
}

/// The calendar's time, in µs since 1970: for stamps that people and other programs read.
#[must_use]
pub fn unix_us() -> u64 {
    to_ns(clock_gettime(ClockId::Realtime)) / 1000
}

fn monotonic_ns() -> u64 {
    to_ns(clock_gettime(ClockId::Monotonic))
}

const fn to_ns(time: Timespec) -> u64 {
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
