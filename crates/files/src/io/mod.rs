//! Calls that may block, made without blocking a worker's thread.
//!
//! * `pool`: threads that all workers share, for everything except reads, writes and syncs; for
//!   those too if there is no ring.
//! * `reactor`: the ring of a worker.
//! * `buffers`: memory for reads and writes, reused.

pub mod buffers;
mod pool;
mod reactor;

use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;

use headcount_load::{Fault, FaultKind};
use headcount_ring::{Buffer, Target};
use headcount_tree::session::backend::Way;
use rustix::io::Errno;

use pool::Pool;

/// How calls are made.
#[derive(Debug)]
pub struct Io {
    pool: Pool,
    uses_ring: bool,
}

impl Io {
    /// Starts no thread or ring before it is needed.
    pub fn new(uses_ring: bool, most_threads: u16) -> Self {
        Self {
            pool: Pool::new(usize::from(most_threads)),
            uses_ring,
        }
    }

    /// Runs a job on a thread that may block, and waits for its result. The job runs even if the
    /// caller stops waiting.
    pub async fn elsewhere<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        self.pool.run(job).await.ok_or_else(no_thread)
    }

    /// Runs a job on a thread that may block, without waiting for it.
    pub fn later(&self, job: impl FnOnce() + Send + 'static) {
        self.pool.send(job);
    }

    /// Reads or writes the first `length` bytes of the buffer at an offset; returns the buffer.
    pub async fn transfer(
        &self,
        way: Way,
        file: &Target,
        offset: u64,
        mut buffer: Buffer,
        length: usize,
    ) -> Result<(Result<usize, Errno>, Buffer), Fault> {
        if self.uses_ring {
            return reactor::transfer(way, file, offset, buffer, length).await;
        }
        let file = file.clone();
        self.elsewhere(move || {
            let data = &mut buffer[..length];
            let moved = match way {
                Way::Read => file.file().read_at(data, offset),
                Way::Write => file.file().write_at(data, offset),
            };
            (moved.map_err(|error| errno_of(&error)), buffer)
        })
        .await
    }

    /// Flushes written data of the file to disk.
    pub async fn sync(&self, file: &Target) -> Result<Result<(), Errno>, Fault> {
        if self.uses_ring {
            return reactor::sync(file).await;
        }
        let file = file.clone();
        self.elsewhere(move || rustix::fs::fsync(file.file().as_fd()))
            .await
    }
}

fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

fn no_thread() -> Fault {
    let sentence = "the system refused a thread to wait for the file system: raise ulimit -u, or \
                    lower threads with --client threads=...";
    Fault::session(FaultKind::Refused, sentence)
}
