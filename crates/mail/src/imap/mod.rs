//! IMAP (RFC 9051, RFC 3501): one user's connection, one command at a time.
//!
//! * [`connection`]: bytes out, answers in; [`logon`]: from nothing to a session.
//! * [`folders`], [`messages`], [`append`], [`idle`]: the commands.
//! * [`wire`]: what servers say, read from bytes; [`line`]: what commands are written as.
//! * [`uids`], [`name`], [`capability`]: sets of messages, names of mailboxes, what servers can do.
//!
//! A session that waits for nothing holds no buffers: those that bytes go through belong to the
//! worker, and what has to be kept of an answer that came in part is let go when it has ended.

pub mod append;
pub mod capability;
pub mod connection;
mod faults;
pub mod folders;
pub mod idle;
pub mod line;
pub mod logon;
pub mod messages;
pub mod name;
mod session;
pub mod uids;
pub mod wire;

pub use capability::Capability;
pub use connection::Imap;
pub use folders::{Folder, Quota, Selected, Status};
pub use idle::Idle;
pub use logon::Authentication;
pub use messages::{Change, Fetched, Piece, What};
pub use uids::Uids;
pub use wire::fetch::{Known, Section};
