//! The application server's pool of service threads, and the parts of the server that it needs.

#[path = "../../app/src/server/pool.rs"]
mod pool;

use headcount_app::server::Threads;

use crate::statistics::Queue;

/// A service thread's memory, which the pool does not use.
mod scratch {
    /// Nothing.
    pub(crate) struct Scratch;

    impl Scratch {
        pub(crate) fn new() -> Self {
            Self
        }
    }
}

/// The server's rule for the number of threads.
mod settings {
    pub(crate) use headcount_app::server::Threads;
}

/// A pool of a fixed number of service threads.
pub struct ServicePool<J>(pool::Pool<J>);

impl<J: Send + 'static> ServicePool<J> {
    /// A pool whose threads call `serve` with each job.
    ///
    /// # Panics
    ///
    /// If no thread can be started.
    #[must_use]
    pub fn new(threads: u16, serve: impl Fn(J) + Send + Sync + 'static) -> Self {
        let rule = Threads::Fixed(threads);
        #[expect(clippy::expect_used, reason = "shuttle's threads always start")]
        let pool = pool::Pool::new(rule, 1, move |job, _, _| serve(job)).expect("threads");
        Self(pool)
    }

    /// Queues a job.
    pub fn submit(&self, job: J) {
        self.0.submit(job);
    }

    /// The current state of the queue.
    #[must_use]
    pub fn queue(&self) -> Queue {
        self.0.census().1
    }

    /// Drops waiting jobs, and joins every thread.
    pub fn stop(&self) {
        self.0.stop();
    }
}
