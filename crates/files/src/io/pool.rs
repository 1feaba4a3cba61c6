//! A bounded pool of threads that wait for the file system, shared by all workers.

use std::collections::VecDeque;
use std::fmt;

use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};
use tokio::sync::oneshot;

use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, thread};

type Job = Box<dyn FnOnce() + Send>;

/// Threads that run jobs. One is started when a job would wait and there are fewer than the bound;
/// they end with the pool. Dropping the pool does not wait for running jobs: a server that is gone
/// would block it.
pub struct Pool(Arc<Inner>);

struct Inner {
    queue: Mutex<Queue>,
    wanted: Condvar,
    most: usize,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    is_closed: bool,
}

impl Pool {
    /// A pool of at most `most` threads; none is started yet.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Inner {
            queue: Mutex::default(),
            wanted: Condvar::new(),
            most: most.max(1),
        }))
    }

    /// Queues a job.
    pub fn send(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.0.lock();
        queue.jobs.push_back(Box::new(job));
        if queue.idle >= queue.jobs.len() || queue.threads >= self.0.most {
            drop(queue);
            self.0.wanted.notify_one();
            return;
        }
        queue.threads += 1;
        drop(queue);
        let inner = Arc::clone(&self.0);
        let thread = thread::Builder::new()
            .name("headcount-files".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || inner.work());
        if thread.is_err() {
            let mut queue = self.0.lock();
            queue.threads -= 1;
            if queue.threads == 0 {
                queue.jobs.clear(); // nobody will run them: tell those who wait
            }
        }
    }

    /// Runs a job and waits for its result; `None` if no thread could be started.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = oneshot::channel();
        self.send(move || {
            let _ = sender.send(job()); // the user may have left
        });
        receiver.await.ok()
    }
}

/// Jobs have at most a listing and an answer on the stack.
const STACK_BYTES: usize = 256 << 10;

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        drop_real_time_policy();
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                job();
                queue = self.lock();
            } else if queue.is_closed {
                queue.threads -= 1;
                return;
            } else {
                queue.idle += 1;
                let woken = self.wanted.wait(queue);
                queue = woken.unwrap_or_else(PoisonError::into_inner);
                queue.idle -= 1;
            }
        }
    }
}

/// Drops the real-time policy that threads inherit from a worker: the work here is the file
/// system's, which is measured, and must not delay the workers' timers.
fn drop_real_time_policy() {
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other);
    // Ignored: a process that may not do this never had the policy.
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy);
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.wanted.notify_all();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("most", &self.0.most)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(not(orders))]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(work)
    }

    #[test]
    fn as_many_jobs_as_threads_are_under_way_at_a_time_and_no_more() {
        let pool = Pool::new(3);
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let together = Arc::new(Barrier::new(3));
        let jobs = (0..9).map(|_| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            let together = Arc::clone(&together);
            pool.run(move || {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                together.wait(); // three must meet here, or this never ends
                now.fetch_sub(1, Ordering::SeqCst);
            })
        });
        let jobs: Vec<_> = jobs.collect();
        block_on(async {
            let done = jobs.into_iter().map(|job| async { job.await.unwrap() });
            for_all(done).await;
        });
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }

    /// Polls them all, in turn.
    async fn for_all<T>(work: impl Iterator<Item = impl Future<Output = T>>) {
        let mut all: Vec<_> = work.map(Box::pin).collect();
        std::future::poll_fn(|context| {
            all.retain_mut(|one| one.as_mut().poll(context).is_pending());
            if all.is_empty() {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }

    #[test]
    fn a_job_is_done_though_nobody_waits_and_the_pool_is_gone() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let pool = Pool::new(1);
        for number in 0..5 {
            let sender = sender.clone();
            pool.send(move || sender.send(number).unwrap());
        }
        drop((pool, sender));
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn its_threads_are_ordinary() {
        let pool = Pool::new(1);
        let policy = block_on(pool.run(thread_priority::thread_schedule_policy));
        let ordinary = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other);
        assert_eq!(policy.unwrap(), Ok(ordinary));
    }
}
