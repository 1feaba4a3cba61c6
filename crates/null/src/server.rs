//! An imagined server that stands still at known times.

/// A server that works, then stands still, again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stalls {
    /// From the beginning of one stall to the beginning of the next; the first begins after one
    /// such period.
    pub every_ns: u64,
    /// How long each stall lasts; less than `every_ns`.
    pub lasting_ns: u64,
}

impl Stalls {
    /// When a request is done that arrives at `arrived_ns` and needs `work_ns` of service. During a
    /// stall the server works on nothing.
    #[must_use]
    pub fn done_ns(self, arrived_ns: u64, work_ns: u64) -> u64 {
        let mut now_ns = arrived_ns;
        let mut left_ns = work_ns;
        loop {
            let phase_ns = now_ns % self.every_ns;
            let in_first_period = now_ns < self.every_ns;
            if phase_ns < self.lasting_ns && !in_first_period {
                now_ns += self.lasting_ns - phase_ns;
                continue;
            }
            let until_stall_ns = self.every_ns - phase_ns;
            if left_ns <= until_stall_ns {
                return now_ns + left_ns;
            }
            left_ns -= until_stall_ns;
            now_ns += until_stall_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STALLS: Stalls = Stalls {
        every_ns: 10_000,
        lasting_ns: 1_000,
    };

    #[test]
    fn work_goes_on_only_outside_stalls() {
        assert_eq!(STALLS.done_ns(500, 100), 600); // no stall in the first period
        assert_eq!(STALLS.done_ns(10_200, 100), 11_100); // arrives in a stall
        assert_eq!(STALLS.done_ns(19_950, 100), 21_050); // interrupted by one
        assert_eq!(STALLS.done_ns(15_000, 20_000), 37_000); // two stalls on the way
    }
}
