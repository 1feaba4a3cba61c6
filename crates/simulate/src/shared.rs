//! A station whose servers are shared equally by all its requests.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::job::Job;

/// Processor sharing: each of `n` requests at `c` servers is served at the speed min(1, c / n).
///
/// Served work is a separate clock, so that an arrival or a departure costs the logarithm of the
/// requests present (virtual time; Parekh and Gallager, IEEE/ACM Transactions on Networking 1,
/// 1993).
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    servers: u32,
    present: BinaryHeap<Reverse<Present>>,
    /// Work that a request present since the start would have received, seconds.
    served_s: f64,
    /// The server's active clock when that was computed.
    active_s: f64,
    /// Changes whenever the next departure does.
    pub(crate) version: u64,
}

/// A request, and the served work at which it is complete.
#[derive(Debug, Clone, Copy)]
struct Present {
    done_bits: u64,
    job: Job,
}

impl PartialEq for Present {
    fn eq(&self, other: &Self) -> bool {
        self.done_bits == other.done_bits
    }
}
impl Eq for Present {}
impl PartialOrd for Present {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Present {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.done_bits.cmp(&other.done_bits)
    }
}

impl Shared {
    pub(crate) fn new(servers: u32) -> Self {
        Self {
            servers,
            present: BinaryHeap::new(),
            served_s: 0.0,
            active_s: 0.0,
            version: 0,
        }
    }

    /// A request that needs `work_s` arrives.
    pub(crate) fn arrive(&mut self, active_s: f64, job: Job, work_s: f64) {
        self.serve_until(active_s);
        let done_bits = (self.served_s + work_s).to_bits();
        self.present.push(Reverse(Present { done_bits, job }));
        self.version += 1;
    }

    /// Removes the request that is complete; `None` if none is.
    pub(crate) fn depart(&mut self, active_s: f64) -> Option<Job> {
        self.serve_until(active_s);
        let Reverse(first) = self.present.peek()?;
        self.version += 1;
        // A rounding error must not keep a request that is due.
        if f64::from_bits(first.done_bits) > self.served_s + 1e-9 {
            return None;
        }
        self.present.pop().map(|Reverse(present)| present.job)
    }

    /// Active seconds until the next departure; `None` without requests.
    pub(crate) fn next_s(&self) -> Option<f64> {
        let Reverse(first) = self.present.peek()?;
        let left_s = (f64::from_bits(first.done_bits) - self.served_s).max(0.0);
        Some(left_s / self.rate())
    }

    pub(crate) fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.present.iter().map(|Reverse(present)| &present.job)
    }

    /// Requests beyond the servers.
    pub(crate) fn waiting(&self) -> usize {
        self.present.len().saturating_sub(self.servers as usize)
    }

    fn rate(&self) -> f64 {
        (f64::from(self.servers) / self.present.len() as f64).min(1.0)
    }

    fn serve_until(&mut self, active_s: f64) {
        if !self.present.is_empty() {
            self.served_s += (active_s - self.active_s) * self.rate();
        }
        self.active_s = active_s;
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;
    use crate::job::Job;

    #[test]
    fn requests_share_the_servers() {
        let job = |sent_s| Job {
            sent_s,
            kind: 0,
            visits: 1,
            slow: false,
        };
        let mut station = Shared::new(1);
        station.arrive(0.0, job(0.0), 1.0);
        station.arrive(0.0, job(1.0), 2.0);
        assert_eq!(station.next_s(), Some(2.0));
        assert_eq!(station.depart(1.0), None);
        assert_eq!(station.depart(2.0), Some(job(0.0)));
        assert_eq!(station.next_s(), Some(1.0));
        assert_eq!(station.waiting(), 0);
        assert_eq!(station.depart(3.0), Some(job(1.0)));
        assert_eq!(station.next_s(), None);
    }
}
