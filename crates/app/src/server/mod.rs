//! The server: a few network threads accept and frame, a bounded pool of service threads works.
//!
//! * [`settings`]: how it is to run; [`error`]: why it does not start.
//! * `network`, `conversation`, `connection`: from a socket to a request and back.
//! * `pool`, `work`: the queue, the service threads and what they do.
//! * `folder`, `files`, `prepare`, `administration`: the data set.
//! * `tally`: what is counted.

mod administration;
mod connection;
mod conversation;
pub mod error;
mod files;
mod folder;
mod network;
mod pool;
mod prepare;
mod scratch;
pub mod settings;
mod tally;
mod work;

use std::fmt;
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

pub use error::{FolderError, ServeError};
pub use settings::{Limits, Settings, Threads, WriteMode};

use crate::message::{Hello, PROTOCOL};
use crate::request::MAX_TOKEN_BYTES;
use crate::statistics::Statistics;
use administration::Administration;
use files::Files;
use folder::Folder;
use network::Network;
use pool::Pool;
use tally::Tally;
use work::Job;

/// File handles beside those of connections: runtimes, the listener, the data folder, logs.
const HANDLE_RESERVE: u64 = 100;

/// What all connections share.
pub(crate) struct Server {
    limits: Limits,
    token: Option<String>,
    files: Arc<Files>,
    tally: Arc<Tally>,
    pool: Pool<Job>,
    administration: Administration,
    greeting: Hello,
    last_session: AtomicU64,
}

/// A running server. Dropping it stops it.
pub struct Handle {
    address: SocketAddr,
    server: Arc<Server>,
    network: Network,
}

/// Starts a server. When it returns, clients can connect.
pub fn serve(settings: Settings) -> Result<Handle, ServeError> {
    check(&settings)?;
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let files = Arc::new(Files::open(
        Folder::open(&settings.data)?,
        settings.write_mode,
    )?);
    let runtimes = network::runtimes(processors).map_err(ServeError::Thread)?;
    let listener = {
        let _inside = runtimes[0].enter();
        let failed = |reason| ServeError::Listen {
            address: settings.listen,
            reason,
        };
        network::listen(settings.listen).map_err(failed)?
    };
    let failed = |reason| ServeError::Listen {
        address: settings.listen,
        reason,
    };
    let address = listener.local_addr().map_err(failed)?;
    let tally = Arc::new(Tally::new());
    let pool = {
        let (files, tally) = (Arc::clone(&files), Arc::clone(&tally));
        Pool::new(
            settings.threads,
            processors,
            move |job, waited_ns, scratch| {
                work::serve(&job, waited_ns, scratch, &files, &tally);
            },
        )
    };
    let server = Arc::new(Server {
        limits: settings.limits,
        files,
        tally,
        pool: pool.map_err(ServeError::Thread)?,
        administration: Administration::default(),
        greeting: greeting(&settings, processors),
        last_session: AtomicU64::new(wall_clock_us()),
        token: settings.token,
    });
    match Network::start(&server, listener, runtimes) {
        Ok(network) => Ok(Handle {
            address,
            server,
            network,
        }),
        Err(error) => {
            server.pool.stop();
            Err(ServeError::Thread(error))
        }
    }
}

fn check(settings: &Settings) -> Result<(), ServeError> {
    if settings.threads == Threads::Fixed(0) {
        return Err(ServeError::NoThreads);
    }
    match &settings.token {
        Some(token) if token.is_empty() || token.len() > MAX_TOKEN_BYTES => {
            return Err(ServeError::Token);
        }
        None if !settings.listen.ip().is_loopback() => {
            return Err(ServeError::TokenRequired(settings.listen));
        }
        _ => {}
    }
    ensure_handles(settings.limits.connections)
}

/// Makes sure that every connection can have its socket and its file, raising the soft limit as far
/// as needed and allowed.
fn ensure_handles(connections: usize) -> Result<(), ServeError> {
    let needed = 2 * connections as u64 + HANDLE_RESERVE;
    let limit = getrlimit(Resource::Nofile);
    let is_enough = |limit: Option<u64>| limit.is_none_or(|handles| handles >= needed);
    if is_enough(limit.current) {
        return Ok(());
    }
    let raised = Rlimit {
        current: Some(needed),
        ..limit
    };
    if is_enough(limit.maximum) && setrlimit(Resource::Nofile, raised).is_ok() {
        return Ok(());
    }
    let allowed = limit.maximum.or(limit.current).unwrap_or(u64::MAX);
    Err(ServeError::Handles {
        connections,
        needed,
        allowed,
    })
}

fn greeting(settings: &Settings, processors: usize) -> Hello {
    Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        processors,
        threads: settings.threads.limit(processors),
        write_mode: settings.write_mode.name().into(),
        pid: std::process::id(),
        session: 0,
        data_set: None,
    }
}

/// Microseconds since 1970: sessions are numbered from here, so that numbers also grow from one
/// server process to the next.
fn wall_clock_us() -> u64 {
    let now = clock_gettime(ClockId::Realtime);
    now.tv_sec.cast_unsigned() * 1_000_000 + now.tv_nsec.cast_unsigned() / 1000
}

impl Server {
    fn hello(&self) -> Hello {
        let session = self.last_session.fetch_add(1, Ordering::Relaxed) + 1;
        Hello {
            session,
            data_set: self.files.data_set(),
            ..self.greeting.clone()
        }
    }

    fn statistics(&self) -> Statistics {
        self.tally.statistics(self.pool.census())
    }

    /// Whether the token is right, compared in constant time.
    fn admits(&self, token: &[u8]) -> bool {
        self.token.as_ref().is_none_or(|expected| {
            let pairs = expected.bytes().zip(token);
            let difference = pairs.fold(0, |sum, (expected, found)| sum | (expected ^ found));
            expected.len() == token.len() && difference == 0
        })
    }
}

impl Handle {
    /// The address it listens on, with the real port.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.server.statistics()
    }

    /// Closes every connection, lets running work finish, and joins every thread.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // In this order: without connections nothing waits for a client.
        self.network.stop();
        self.server.pool.stop();
        self.server.administration.stop();
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
