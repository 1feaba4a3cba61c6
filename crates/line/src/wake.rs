//! How long a sleeping thread takes to run again: on a virtual machine's idle CPU, 0.1 ms.

/// Longer times are chance, and are not compensated.
const MOST_NS: u64 = 150_000;
/// How early a packet may be sent, so that the thread neither spins for it nor wakes again: no
/// longer than network cards delay interrupts to coalesce them.
const EARLY_NS: u64 = 50_000;
/// How much one wake-up changes the typical time.
const STEP_NS: u64 = 1_000;

/// The typical time from when a thread is woken until it runs: a running median.
///
/// It is measured with timers and applies to packets, too: one that wakes the thread arrived that
/// much earlier.
pub struct Waking {
    typical_ns: u64,
}

impl Waking {
    /// No wake-up has been measured yet.
    pub fn new() -> Self {
        Self { typical_ns: 0 }
    }

    /// Update the median with a wake-up that took `took_ns`.
    pub fn note(&mut self, took_ns: u64) {
        self.typical_ns = if took_ns > self.typical_ns {
            (self.typical_ns + STEP_NS).min(MOST_NS)
        } else {
            self.typical_ns.saturating_sub(STEP_NS)
        };
    }

    /// How early a packet may be sent, in ns.
    pub fn early_ns(&self) -> u64 {
        self.typical_ns.min(EARLY_NS)
    }

    /// How long to sleep at `now_ns` in order to run at `due_ns`, in ns.
    pub fn sleep_ns(&self, now_ns: u64, due_ns: u64) -> u64 {
        due_ns.saturating_sub(now_ns + self.typical_ns)
    }

    /// How much earlier, in ns, packets arrived that a thread finds at `now_ns` after it has waited
    /// since `from_ns`.
    pub fn earlier_ns(&self, from_ns: u64, now_ns: u64) -> u64 {
        self.typical_ns.min(now_ns.saturating_sub(from_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waking(times_ns: impl IntoIterator<Item = u64>) -> Waking {
        let mut waking = Waking::new();
        for ns in times_ns {
            waking.note(ns);
        }
        waking
    }

    #[test]
    fn the_typical_time_is_a_median_that_ignores_outliers() {
        let often = (0..1000).map(|n| {
            if n % 10 == 0 {
                9_000_000
            } else {
                60_000 + n % 7 * 1000
            }
        });
        let found = waking(often).typical_ns;
        assert!((58_000..=70_000).contains(&found), "{found}");
        assert_eq!(waking([9_000_000; 1000]).typical_ns, MOST_NS);
        assert_eq!(
            waking([40_000; 100].into_iter().chain([0; 100])).typical_ns,
            0
        );
    }

    #[test]
    fn a_thread_sleeps_less_by_what_waking_takes() {
        let waking = waking([50_000; 1000]);
        let typical = waking.typical_ns;
        assert_eq!(waking.sleep_ns(1_000_000, 8_500_000), 7_500_000 - typical);
        assert_eq!(waking.sleep_ns(1_000_000, 1_000_000 + typical), 0);
        assert_eq!(waking.sleep_ns(1_000_000, 900_000), 0);
    }

    #[test]
    fn packets_arrive_no_earlier_than_the_wait() {
        let waking = waking([90_000; 1000]);
        assert_eq!(waking.early_ns(), EARLY_NS);
        assert_eq!(waking.earlier_ns(0, 7_000_000), waking.typical_ns);
        assert_eq!(waking.earlier_ns(7_000_000, 7_002_000), 2_000);
    }
}
