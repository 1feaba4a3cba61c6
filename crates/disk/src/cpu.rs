//! The CPU cost of I/O: for the whole machine, and for this process.

use rustix::time::{ClockId, clock_gettime};

/// CPU time since an arbitrary beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpu {
    /// Of this process and all its threads, including kernel threads that work for it, ns.
    pub process_ns: u64,
    /// Of the whole machine; None if the system does not report it.
    pub machine: Option<Ticks>,
}

/// The first line of `/proc/stat`, in the system's ticks, over all processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticks {
    /// Everything except idle and waiting for I/O. Steal counts as busy: there was demand for it.
    pub busy: u64,
    /// All time.
    pub all: u64,
}

impl Cpu {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        let process = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = process.tv_sec.cast_unsigned() * 1_000_000_000;
        Self {
            process_ns: seconds + process.tv_nsec.cast_unsigned(),
            machine: std::fs::read_to_string("/proc/stat")
                .ok()
                .and_then(|text| ticks(&text)),
        }
    }

    /// The share of the machine that was busy since `earlier`.
    #[must_use]
    pub fn busy_since(&self, earlier: &Self) -> Option<f64> {
        let (now, then) = (self.machine?, earlier.machine?);
        let all = now.all.checked_sub(then.all).filter(|all| *all > 0)?;
        // Idle time may run backwards a little, as the kernel's documentation says.
        let busy = now.busy.saturating_sub(then.busy);
        Some((busy as f64 / all as f64).min(1.0))
    }
}

/// user nice system idle iowait irq softirq steal; what follows is contained in user and nice.
fn ticks(text: &str) -> Option<Ticks> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let modes: Option<Vec<u64>> = line
        .split_whitespace()
        .take(8)
        .map(|mode| mode.parse().ok())
        .collect();
    let modes = modes.filter(|modes| modes.len() >= 4)?;
    let all: u64 = modes.iter().sum();
    let idle = modes[3] + modes.get(4).copied().unwrap_or(0);
    Some(Ticks {
        busy: all - idle,
        all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_is_everything_but_idle_and_waiting() {
        let text = "cpu  10 1 20 500 30 2 3 4 9 9\ncpu0 1 1 1 1\n";
        assert_eq!(ticks(text), Some(Ticks { busy: 40, all: 570 }));
        assert_eq!(ticks("intr 5\n"), None);
    }

    #[test]
    fn the_busy_share_is_that_of_the_interval() {
        let cpu = |busy, all| Cpu {
            process_ns: 0,
            machine: Some(Ticks { busy, all }),
        };
        assert_eq!(cpu(150, 300).busy_since(&cpu(100, 100)), Some(0.25));
        assert_eq!(cpu(1, 1).busy_since(&cpu(1, 1)), None);
    }

    #[test]
    fn work_shows_in_the_cpu_time() {
        let before = Cpu::now();
        let mut sum = 0_u64;
        while Cpu::now().process_ns < before.process_ns + 2_000_000 {
            sum = sum.wrapping_mul(31).wrapping_add(1);
        }
        assert!(Cpu::now().process_ns > before.process_ns && before.machine.is_some());
        std::hint::black_box(sum);
    }
}
