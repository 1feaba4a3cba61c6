//! One TCP connection: messages numbered, paid for with credits, signed and checked.
//!
//! * `transport`: bytes through the worker's shared buffers; [`handshake`]: NEGOTIATE.
//! * [`state`]: what is known about the connection, and what arrives is judged by.
//! * `exchange`: a request and its response, whatever arrives in between.

mod exchange;
pub mod handshake;
pub mod state;
mod transport;

use tokio::net::TcpStream;

pub use exchange::Ask;
pub use handshake::{Agreed, Wanted};
pub use state::State;

/// One connection and, once the user has logged on, the session on it.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// All but the socket.
    pub state: State,
}
