//! How long it takes until a sleeping thread runs again: a virtual machine's idle CPU takes 0.1 ms.

/// More is chance, and is not made up for.
const MOST_NS: u64 = 150_000;
/// By how much a packet may go on early, so that the thread neither spins for it nor is woken again:
/// no more than what network cards wait in order to interrupt less often.
const EARLY_NS: u64 = 50_000;
/// By how much one waking changes what is typical.
const STEP_NS: u64 = 1_000;

/// The typical time from the moment at which a thread is woken until it runs: a running median.
///
/// What is known of timers holds for packets, too: one that wakes the thread came that much earlier.
pub struct Waking {
    typical_ns: u64,
}

impl Waking {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self { typical_ns: 0 }
    }

    /// Take account of a waking that took so long.
    pub fn note(&mut self, took_ns: u64) {
        self.typical_ns = if took_ns > self.typical_ns {
            (self.typical_ns + STEP_NS).min(MOST_NS)
        } else {
            self.typical_ns.saturating_sub(STEP_NS)
        };
    }

    /// By how much a packet may go on before its moment, in ns.
    pub fn early_ns(&self) -> u64 {
        self.typical_ns.min(EARLY_NS)
    }

    /// How long to sleep at `now_ns` in order to run at `due_ns`.
    pub fn sleep_ns(&self, now_ns: u64, due_ns: u64) -> u64 {
        due_ns.saturating_sub(now_ns + self.typical_ns)
    }

    /// How much earlier the packets came that are found at `now_ns`, by a thread that waited for
    /// them from `from_ns` on.
    pub fn earlier_ns(&self, from_ns: u64, now_ns: u64) -> u64 {
        self.typical_ns.min(now_ns.saturating_sub(from_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(times_ns: impl IntoIterator<Item = u64>) -> Waking {
        let mut waking = Waking::new();
        for ns in times_ns {
            waking.note(ns);
        }
        waking
    }

    #[test]
    fn it_finds_the_median_and_what_is_rare_does_not_matter() {
        let often = (0..1000).map(|n| {
            if n % 10 == 0 {
                9_000_000
            } else {
                60_000 + n % 7 * 1000
            }
        });
        let found = after(often).typical_ns;
        assert!((58_000..=70_000).contains(&found), "{found}");
        assert_eq!(after([9_000_000; 1000]).typical_ns, MOST_NS);
        assert_eq!(
            after([40_000; 100].into_iter().chain([0; 100])).typical_ns,
            0
        );
    }

    #[test]
    fn a_thread_sleeps_less_by_what_waking_takes() {
        let waking = after([50_000; 1000]);
        let typical = waking.typical_ns;
        assert_eq!(waking.sleep_ns(1_000_000, 8_500_000), 7_500_000 - typical);
        assert_eq!(waking.sleep_ns(1_000_000, 1_000_000 + typical), 0);
        assert_eq!(waking.sleep_ns(1_000_000, 900_000), 0);
    }

    #[test]
    fn a_packet_came_while_the_thread_waited() {
        let waking = after([90_000; 1000]);
        assert_eq!(waking.early_ns(), EARLY_NS);
        assert_eq!(waking.earlier_ns(0, 7_000_000), waking.typical_ns);
        assert_eq!(waking.earlier_ns(7_000_000, 7_002_000), 2_000);
    }
}
