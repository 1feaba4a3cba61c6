//! The connections that protocols run over.
//!
//! * [`address`]: the addresses of a server's name.
//! * `connect`: TCP connections.
//! * [`transport`]: byte streams, plain or over TLS.
//! * [`quic`]: QUIC connections.
//! * [`read`]: reading answers.
//! * [`options`]: TLS options; [`tls`]: the handshake; `trust`: which server certificates are
//!   trusted; `identity`: the client certificate.

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
