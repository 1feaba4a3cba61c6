//! Connections that protocols over TCP stand on.
//!
//! * [`address`]: what a server's name stands for.
//! * `connect`: a connection.
//! * [`transport`]: bytes, plain or over TLS.
//! * [`read`]: bytes of an answer.
//! * [`tls`]: what is trusted, and the handshake.

pub mod address;
pub mod connect;
pub mod read;
pub mod tls;
pub mod transport;

pub use address::{Resolved, resolve, resolve_at};
pub use read::poll_bytes;
pub use tls::{Agreed, Certificates, Offered, Tls};
pub use transport::Transport;
