//! Blocking calls to a server, to prepare, observe and clean up a run.

mod call;
mod error;

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::ControlFlow;
use std::time::Duration;

pub use error::ControlError;

use crate::frame::Kind;
use crate::message::{Cleaned, Hello, Order, Prepared, Progress};
use crate::request::Request;
use crate::statistics::Statistics;
use call::Call;

/// The most progress messages in a row without progress: ten minutes for an honest server, which
/// may read one file of 64 GiB through.
const MOST_STANDING: u32 = 3_000;

/// Where a server is and how to get access.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// `host:port`.
    pub address: String,
    /// The server's token, if it has one.
    pub token: Option<String>,
    /// Longest wait for a connection, and for each message from the server. Preparing needs more
    /// than the time the disk takes to flush one file.
    pub timeout: Duration,
}

impl Target {
    /// A server without a token, given 30 s for each answer.
    #[must_use]
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            token: None,
            timeout: Duration::from_secs(30),
        }
    }
}

impl fmt::Debug for Target {
    /// Hides the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("address", &self.address)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Asks the server who it is.
pub fn hello(target: &Target) -> Result<Hello, ControlError> {
    Call::open(target).map(|(_, hello)| hello)
}

/// Creates the missing files of the order and verifies the existing ones.
///
/// `progress` is called a few times a second; [`ControlFlow::Break`] cancels the order. What is
/// done by then is kept and counts when the order is given again.
pub fn prepare(
    target: &Target,
    order: &Order,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Prepared, ControlError> {
    order.check().map_err(ControlError::Options)?;
    let (mut call, _) = Call::open(target)?;
    call.send(&Request::Prepare(*order))?;
    let (mut furthest, mut standing) = ((0, 0), 0);
    loop {
        let (kind, json) = call.receive()?;
        if kind != Kind::Progress {
            return call.parse(kind, Kind::Prepare, &json);
        }
        let done: Progress = call.parse(kind, Kind::Progress, &json)?;
        let far = (done.files_done, done.written_bytes);
        standing = if far > furthest { 0 } else { standing + 1 };
        furthest = furthest.max(far);
        if standing > MOST_STANDING {
            return Err(call.foreign("its preparation is stuck".to_owned()));
        }
        if progress(done).is_break() {
            return Err(ControlError::Cancelled);
        }
    }
}

/// What the server has done since it started.
pub fn statistics(target: &Target) -> Result<Statistics, ControlError> {
    ask(target, &Request::Statistics)
}

/// Deletes the data set, and nothing else.
pub fn cleanup(target: &Target) -> Result<Cleaned, ControlError> {
    ask(target, &Request::Cleanup)
}

fn ask<T: serde::de::DeserializeOwned>(
    target: &Target,
    request: &Request<'_>,
) -> Result<T, ControlError> {
    let (mut call, _) = Call::open(target)?;
    call.send(request)?;
    let (kind, json) = call.receive()?;
    call.parse(kind, request.kind(), &json)
}

/// The addresses that `host:port` stands for, at least one; `localhost` often has two.
pub(crate) fn resolve(address: &str) -> Result<Vec<SocketAddr>, ControlError> {
    let bad = |reason: String| ControlError::Address {
        address: address.into(),
        reason,
    };
    let found = address
        .to_socket_addrs()
        .map_err(|error| bad(error.to_string()))?;
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        Err(bad("the name resolves to no address".into()))
    } else {
        Ok(found)
    }
}
