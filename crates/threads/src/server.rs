//! The application server's pool of service threads, and what it needs of the server.

#[path = "../../app/src/server/pool.rs"]
mod pool;

use headcount_app::server::Threads;

use crate::statistics::Queue;

/// A service thread's memory, of which the pool uses nothing.
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
    /// A pool whose threads do this with each job.
    ///
    /// # Panics
    ///
    /// Where no thread can be started.
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

    /// The queue as it is now.
    #[must_use]
    pub fn queue(&self) -> Queue {
        self.0.census().1
    }

    /// Drops what waits, and joins every thread.
    pub fn stop(&self) {
        self.0.stop();
    }
}
