//! Where requests are served: a FIFO queue before equal servers, or shared servers.

use std::collections::VecDeque;

use crate::job::Job;
use crate::shared::Shared;

/// One station.
#[derive(Debug, Clone)]
pub(crate) enum Station {
    Queue(Queue),
    Shared(Shared),
}

impl Station {
    /// Requests that wait for a server.
    pub(crate) fn waiting(&self) -> usize {
        match self {
            Self::Queue(queue) => queue.waiting.len(),
            Self::Shared(shared) => shared.waiting(),
        }
    }

    /// The requests without a scheduled departure.
    pub(crate) fn jobs(&self) -> Box<dyn Iterator<Item = &Job> + '_> {
        match self {
            Self::Queue(queue) => Box::new(queue.waiting.iter()),
            Self::Shared(shared) => Box::new(shared.jobs()),
        }
    }
}

/// Busy servers and the requests waiting for one.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    idle: u32,
    waiting: VecDeque<Job>,
}

impl Queue {
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
}

#[cfg(test)]
mod tests {
    use super::Queue;
    use crate::job::Job;

    #[test]
    fn first_come_first_served() {
        let job = |sent_s| Job {
            sent_s,
            kind: 0,
            visits: 1,
            slow: false,
        };
        let mut station = Queue::new(1);
        assert_eq!(station.arrive(job(1.0)), Some(job(1.0)));
        assert_eq!(station.arrive(job(2.0)), None);
        assert_eq!(station.arrive(job(3.0)), None);
        assert_eq!(station.waiting.len(), 2);
        assert_eq!(station.depart(), Some(job(2.0)));
        assert_eq!(station.depart(), Some(job(3.0)));
        assert_eq!(station.depart(), None);
        assert_eq!(station.arrive(job(4.0)), Some(job(4.0)));
    }
}
