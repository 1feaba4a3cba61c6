//! One TCP connection: messages are numbered, paid for with credits, signed or encrypted, checked.
//!
//! * `transport`: bytes through the worker's shared buffers; [`handshake`]: NEGOTIATE; [`agreed`]:
//!   what the client wants, and what was negotiated; `validation`: whether the server confirms it.
//! * [`state`]: the state of a connection; [`encryption`]: which messages are encrypted.
//! * `compose`: sending; [`judge`]: receiving.
//! * `exchange`: a request and its response, and what may arrive in between.

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
    /// The counters of its requests.
    #[must_use]
    pub fn requests(&self) -> Requests {
        self.requests.clone()
    }
}
