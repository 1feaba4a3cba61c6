//! Calls that may take their time, made without keeping a worker's thread waiting.
//!
//! * `pool`: threads that all workers share, for everything but reads, writes and syncs, and for
//!   those, too, where there is no ring.
//! * `reactor`: the ring of a worker.
//! * `buffers`: memory for reads and writes, used again.

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
    /// Nothing is started before it is needed.
    pub fn new(uses_ring: bool, most_threads: u16) -> Self {
        Self {
            pool: Pool::new(usize::from(most_threads)),
            uses_ring,
        }
    }

    /// Does something on a thread that may wait. It is done even if nobody waits for it any more.
    pub async fn elsewhere<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        self.pool.run(job).await.ok_or_else(no_thread)
    }

    /// Does something on a thread that may wait, some time.
    pub fn later(&self, job: impl FnOnce() + Send + 'static) {
        self.pool.send(job);
    }

    /// Reads or writes at an offset: the first `length` bytes of the buffer, which comes back.
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

    /// Brings what was written to the file onto the disk.
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
