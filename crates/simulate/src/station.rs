//! One FIFO queue before equal servers.

use std::collections::VecDeque;

/// A request under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Job {
    /// When the user sent it, simulated seconds.
    pub sent_s: f64,
    /// The kind of station it is at.
    pub kind: usize,
    /// Visits left at this kind of station, the present one included.
    pub visits: u32,
}

/// A station: busy servers and the requests waiting for one.
#[derive(Debug, Clone)]
pub(crate) struct Station {
    idle: u32,
    waiting: VecDeque<Job>,
}

impl Station {
    pub(crate) fn new(servers: u32) -> Self {
        Self {
            idle: servers,
            waiting: VecDeque::new(),
        }
    }

    /// A request arrives: returned when a server takes it at once, queued otherwise.
    pub(crate) fn arrive(&mut self, job: Job) -> Option<Job> {
        if self.idle == 0 {
            self.waiting.push_back(job);
            return None;
        }
        self.idle -= 1;
        Some(job)
    }

    /// A server finishes: returns the next request it takes, or becomes idle.
    pub(crate) fn depart(&mut self) -> Option<Job> {
        let next = self.waiting.pop_front();
        self.idle += u32::from(next.is_none());
        next
    }

    /// The requests waiting for a server.
    pub(crate) fn waiting(&self) -> &VecDeque<Job> {
        &self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Station};

    #[test]
    fn first_come_first_served() {
        let job = |sent_s| Job {
            sent_s,
            kind: 0,
            visits: 1,
        };
        let mut station = Station::new(1);
        assert_eq!(station.arrive(job(1.0)), Some(job(1.0)));
        assert_eq!(station.arrive(job(2.0)), None);
        assert_eq!(station.arrive(job(3.0)), None);
        assert_eq!(station.waiting().len(), 2);
        assert_eq!(station.depart(), Some(job(2.0)));
        assert_eq!(station.depart(), Some(job(3.0)));
        assert_eq!(station.depart(), None);
        assert_eq!(station.arrive(job(4.0)), Some(job(4.0)));
    }
}
