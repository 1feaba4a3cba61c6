//! Connections that protocols over TCP stand on.
//!
//! * [`transport`]: bytes, plain or over TLS.
//! * [`tls`]: what is trusted, and the handshake.

pub mod tls;
pub mod transport;

pub use tls::{Agreed, Certificates, Offered, Tls};
pub use transport::Transport;
