//! Connections that protocols stand on.
//!
//! * [`address`]: what a server's name stands for.
//! * `connect`: a connection.
//! * [`transport`]: bytes, plain or over TLS.
//! * [`quic`]: a connection of QUIC.
//! * [`read`]: bytes of an answer.
//! * [`options`]: what users ask of TLS; [`tls`]: the handshake; `trust`: which certificates of
//!   servers are trusted; `identity`: the one that users show.

pub mod address;
pub mod connect;
mod identity;
pub mod options;
pub mod quic;
pub mod read;
pub mod tls;
pub mod transport;
mod trust;

pub use address::{Resolved, resolve, resolve_at};
pub use options::{Certificates, Spelling, TlsOptions};
pub use quic::establish_quic;
pub use read::poll_bytes;
pub use tls::{Agreed, Offered, Tls};
pub use transport::Transport;
