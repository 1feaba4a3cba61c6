//! The service threads: a bounded pool, and the queue before it.

use std::collections::VecDeque;
use std::io;

use headcount_load::clock::Origin;

use super::scratch::Scratch;
use super::settings::Threads;
use crate::statistics::{Queue, Threads as ThreadCounts};
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, thread};

/// What a service thread does with a job and the time, in ns, that it waited.
type Serve<J> = dyn Fn(J, u64, &mut Scratch) + Send + Sync;

/// Threads that take jobs in the order of arrival.
pub(crate) struct Pool<J> {
    shared: Arc<Shared<J>>,
    threads: Mutex<Vec<thread::JoinHandle<()>>>,
    rule: Threads,
    processors: usize,
}

struct Shared<J> {
    state: Mutex<State<J>>,
    arrived: Condvar,
    serve: Box<Serve<J>>,
    origin: Origin,
}

struct State<J> {
    queue: VecDeque<(J, u64)>,
    queue_max: usize,
    threads: usize,
    idle: usize,
    busy: usize,
    busy_max: usize,
    stopping: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<J: Send + 'static> Pool<J> {
    /// A pool with the threads that the rule wants without connections.
    pub(crate) fn new(
        rule: Threads,
        processors: usize,
        serve: impl Fn(J, u64, &mut Scratch) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let state = State {
            queue: VecDeque::new(),
            queue_max: 0,
            threads: 0,
            idle: 0,
            busy: 0,
            busy_max: 0,
            stopping: false,
        };
        let shared = Shared {
            state: Mutex::new(state),
            arrived: Condvar::new(),
            serve: Box::new(serve),
            origin: Origin::now(),
        };
        let pool = Self {
            shared: Arc::new(shared),
            threads: Mutex::default(),
            rule,
            processors,
        };
        pool.grow(0)?;
        Ok(pool)
    }

    /// Adds the threads that the rule wants for this many connections. Threads stay once created.
    pub(crate) fn grow(&self, connections: usize) -> io::Result<()> {
        let wanted = self.rule.wanted(connections, self.processors);
        let mut threads = lock(&self.threads);
        while threads.len() < wanted && !lock(&self.shared.state).stopping {
            let shared = Arc::clone(&self.shared);
            let name = format!("app-serve-{}", threads.len());
            threads.push(
                thread::Builder::new()
                    .name(name)
                    .spawn(move || shared.work())?,
            );
            lock(&self.shared.state).threads += 1;
        }
        Ok(())
    }

    /// Queues a job. A pool that is stopping drops it.
    pub(crate) fn submit(&self, job: J) {
        let now_ns = self.shared.origin.elapsed_ns();
        let mut state = lock(&self.shared.state);
        if state.stopping {
            return;
        }
        state.queue.push_back((job, now_ns));
        // Jobs that an idle thread can take do not count as waiting.
        let waiting = state.queue.len().saturating_sub(state.idle);
        state.queue_max = state.queue_max.max(waiting);
        let someone_sleeps = state.idle > 0;
        drop(state);
        if someone_sleeps {
            self.shared.arrived.notify_one();
        }
    }

    /// The current counts of threads and queue.
    pub(crate) fn census(&self) -> (ThreadCounts, Queue) {
        let limit = self.rule.limit(self.processors);
        let state = lock(&self.shared.state);
        let State {
            threads,
            busy,
            busy_max,
            ..
        } = *state;
        let now = state.queue.len().saturating_sub(state.idle);
        (
            ThreadCounts {
                now: threads,
                limit,
                busy,
                busy_max,
            },
            Queue {
                now,
                max: state.queue_max,
            },
        )
    }

    /// Drops waiting jobs, lets running ones finish, and joins every thread.
    pub(crate) fn stop(&self) {
        let waiting = {
            let mut state = lock(&self.shared.state);
            state.stopping = true;
            std::mem::take(&mut state.queue)
        };
        drop(waiting); // outside the lock: dropping a job may take its own locks
        self.shared.arrived.notify_all();
        for thread in lock(&self.threads).drain(..) {
            let _ = thread.join(); // a panic was printed where it happened; the others still stop
        }
    }
}

impl<J> Shared<J> {
    fn work(&self) {
        let mut scratch = Scratch::new();
        let mut was_busy = false;
        while let Some((job, queued_ns)) = self.next(was_busy) {
            let waited_ns = self.origin.elapsed_ns().saturating_sub(queued_ns);
            (self.serve)(job, waited_ns, &mut scratch);
            was_busy = true;
        }
    }

    /// Waits for the next job; `None` when the pool stops.
    fn next(&self, was_busy: bool) -> Option<(J, u64)> {
        let mut state = lock(&self.state);
        state.busy -= usize::from(was_busy);
        loop {
            if state.stopping {
                return None;
            }
            if let Some(job) = state.queue.pop_front() {
                state.busy += 1;
                state.busy_max = state.busy_max.max(state.busy);
                return Some(job);
            }
            state.idle += 1;
            state = self
                .arrived
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
#[cfg(not(orders))]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    #[test]
    fn with_one_thread_jobs_run_in_order_and_the_wait_is_measured() {
        let (done, results) = mpsc::channel();
        let (release, gate) = mpsc::channel::<()>();
        let (done, gate) = (Mutex::new(done), Mutex::new(gate));
        let pool = Pool::new(Threads::Fixed(1), 2, move |job: u32, waited_ns, _| {
            if job == 0 {
                lock(&gate).recv_timeout(PATIENCE).unwrap();
            }
            lock(&done).send((job, waited_ns)).unwrap();
        });
        let pool = pool.unwrap();
        (0..4).for_each(|job| pool.submit(job));
        while pool.census().0.busy == 0 {
            std::thread::yield_now();
        }
        let (threads, queue) = pool.census();
        assert_eq!((threads.now, threads.limit, threads.busy), (1, 1, 1));
        assert_eq!(queue.now, 3);
        assert!(
            (3..=4).contains(&queue.max),
            "4 if the thread was not there yet: {}",
            queue.max
        );
        let held = Origin::now();
        while held.elapsed_ns() < 20_000_000 {
            std::thread::yield_now();
        }
        release.send(()).unwrap();
        let results: Vec<_> = (0..4)
            .map(|_| results.recv_timeout(PATIENCE).unwrap())
            .collect();
        assert_eq!(
            results.iter().map(|result| result.0).collect::<Vec<_>>(),
            [0, 1, 2, 3]
        );
        assert!(
            results[1..].iter().all(|result| result.1 >= 20_000_000),
            "{results:?}"
        );
        pool.stop();
    }

    #[test]
    fn threads_grow_with_connections_up_to_the_rule_and_stop_when_told() {
        let pool = Pool::new(Threads::ServerBench, 2, |(), _, _| {}).unwrap();
        assert_eq!(pool.census().0.now, 2);
        for (connections, threads) in [(1, 3), (10, 12), (5, 12), (1000, 49)] {
            pool.grow(connections).unwrap();
            assert_eq!(pool.census().0.now, threads, "{connections} connections");
        }
        let shared = Arc::downgrade(&pool.shared);
        pool.stop();
        pool.submit(());
        assert_eq!(pool.census().1.now, 0);
        drop(pool);
        assert!(shared.upgrade().is_none(), "a thread still holds the pool");
    }
}
