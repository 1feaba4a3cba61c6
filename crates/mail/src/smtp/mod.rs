//! SMTP (RFC 5321) and LMTP (RFC 2033): one connection, and messages on it.
//!
//! * [`connection`]: from connecting to QUIT. `transaction`: one message.
//! * [`reply`]: replies of servers. [`extension`]: what they offer.
//! * `wire`: sends commands, receives replies. `stuffing`: dots. `login`: AUTH, with
//!   [`credentials`].

pub mod connection;
pub mod credentials;
pub mod extension;
mod login;
pub mod reply;
pub(crate) mod stuffing;
mod transaction;
pub(crate) mod wire;

pub use connection::{Language, Smtp};
pub use credentials::{Credentials, Mechanism};
pub use extension::Extensions;
pub use reply::{Replies, Reply};
pub use transaction::{Outcome, all_accepted};
