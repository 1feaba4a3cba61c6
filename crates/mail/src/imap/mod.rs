//! IMAP (RFC 9051, RFC 3501): one user's connection, with one command at a time.
//!
//! * [`connection`]: sends commands, receives answers; [`logon`]: connects and logs on.
//! * [`folders`], [`messages`], [`append`], [`idle`]: the commands.
//! * [`wire`]: parses what servers send; [`line`]: writes commands.
//! * [`uids`], [`name`], [`capability`]: sets of messages, names of mailboxes, capabilities.
//!
//! An idle session holds no buffers: those for reading and writing belong to the worker, and the
//! one for an incomplete answer is released when the answer ends.

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
