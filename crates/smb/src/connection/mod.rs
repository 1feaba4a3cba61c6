//! One TCP connection: messages numbered, paid for with credits, signed or encrypted, and checked.
//!
//! * `transport`: bytes through the worker's shared buffers; [`handshake`]: NEGOTIATE; [`agreed`]: what
//!   is wanted, and what comes of it; `validation`: whether the server confirms that.
//! * [`state`]: what is known about the connection; [`encryption`]: what of it is encrypted.
//! * `compose`: what is sent; [`judge`]: what arrives.
//! * `exchange`: a request and its response, whatever arrives in between.

pub mod agreed;
mod compose;
pub mod encryption;
mod exchange;
pub(crate) mod faults;
pub mod handshake;
pub mod judge;
pub mod state;
mod transport;
mod validation;

use headcount_load::Requests;
use tokio::net::TcpStream;

pub use agreed::{Agreed, Wanted};
pub use compose::{Ask, Sent};
pub use state::State;

/// One connection and, once the user has logged on, the session on it.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// Where requests are counted, by [`crate::wire::header::Command`].
    requests: Requests,
    /// All but the socket.
    pub state: State,
}

impl Connection {
    /// Where its requests are counted.
    #[must_use]
    pub fn requests(&self) -> Requests {
        self.requests.clone()
    }
}
