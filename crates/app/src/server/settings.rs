//! How a server is to run.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// `ServerBench`'s rule on Windows NT: up to 47 service threads for the clients ...
const THREADS_FOR_CLIENTS: usize = 47;

/// How many service threads do the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// `ServerBench`'s rule: one for each connection up to 47, plus one for each processor (49 with
    /// 60 clients and two processors). That every connection adds one below 47 is our reading; the
    /// report gives only the number reached with 60 clients.
    #[default]
    ServerBench,
    /// Always this many.
    Fixed(u16),
}

impl Threads {
    /// Threads wanted for this many connections.
    #[must_use]
    pub fn wanted(self, connections: usize, processors: usize) -> usize {
        match self {
            Self::ServerBench => connections.min(THREADS_FOR_CLIENTS) + processors,
            Self::Fixed(threads) => usize::from(threads),
        }
    }

    /// Most threads there will ever be.
    #[must_use]
    pub fn limit(self, processors: usize) -> usize {
        self.wanted(usize::MAX, processors)
    }
}

/// How blocks reach the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteMode {
    /// Into the page cache; the system flushes them later.
    #[default]
    Buffered,
    /// A write returns when its data is on the disk (`O_DSYNC`).
    Dsync,
    /// Reads and writes bypass the page cache (`O_DIRECT`). Not every file system can do it.
    Direct,
}

impl WriteMode {
    /// The name used in settings and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buffered => "buffered",
            Self::Dsync => "dsync",
            Self::Direct => "direct",
        }
    }

    /// The mode with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Buffered, Self::Dsync, Self::Direct]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// Limits on what clients may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most connections; each may need two file handles, its socket and its file.
    pub connections: usize,
    /// Longest pause in the middle of a message, and before the first one. Between messages a
    /// client may be idle for as long as it likes: that is how users think.
    pub message: Duration,
    /// Longest time a client may take to accept a reply.
    pub reply: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            message: Duration::from_secs(10),
            reply: Duration::from_secs(30),
        }
    }
}

/// How a server is to run.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where to listen; port 0 takes any free port.
    pub listen: SocketAddr,
    /// The folder of the data set: new, empty, or bearing Headcount's marker file.
    pub data: PathBuf,
    /// How many service threads do the work.
    pub threads: Threads,
    /// How blocks reach the disk.
    pub write_mode: WriteMode,
    /// Limits on what clients may use.
    pub limits: Limits,
    /// What clients must present. Required unless `listen` is a loopback address, because anyone
    /// who reaches the port can fill the disk and delete the data set.
    pub token: Option<String>,
}

impl Settings {
    /// A server on any free loopback port, everything else as by default.
    #[must_use]
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            data: data.into(),
            threads: Threads::default(),
            write_mode: WriteMode::default(),
            limits: Limits::default(),
            token: None,
        }
    }
}

impl fmt::Debug for Settings {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("listen", &self.listen)
            .field("data", &self.data)
            .field("threads", &self.threads)
            .field("write_mode", &self.write_mode)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_gives_the_49_threads_of_the_report() {
        let rule = Threads::ServerBench;
        assert_eq!(rule.wanted(60, 2), 49);
        assert_eq!(rule.wanted(1, 2), 3);
        assert_eq!(rule.wanted(47, 4), 51);
        assert_eq!(rule.limit(2), 49);
        assert_eq!(Threads::Fixed(8).wanted(60, 2), 8);
    }

    #[test]
    fn a_token_never_shows_in_debug_output() {
        let settings = Settings {
            token: Some("s3cret".into()),
            ..Settings::new("/x")
        };
        assert!(!format!("{settings:?}").contains("s3cret"));
    }
}
