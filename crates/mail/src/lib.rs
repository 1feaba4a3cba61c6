//! IMAP, SMTP and LMTP clients made for tens of thousands of users in one process, and what users of
//! mail do with them.
//!
//! * [`imap`]: the IMAP client.
//! * [`endpoint`]: where a server is, and how it is spoken to.
//! * [`front`]: a small SMTP server in front of LMTP.
//! * [`ledger`]: what was accepted, and whether it came.
//! * [`message`]: messages whose every byte can be made again and checked.
//! * [`smtp`]: one connection of SMTP or LMTP.
//! * `stage`: how far a conversation with a server has come.
//! * [`task`]: what is timed.
//! * [`options`]: which servers, as whom, and in which way.
//! * [`profile`]: what a user of mail is, as data.
//! * [`day`]: what a user does with an inbox.
//! * [`client`]: virtual users and their steps; their mailboxes before a run and after.

pub mod client;
pub mod day;
pub mod endpoint;
pub mod front;
pub mod imap;
pub mod ledger;
pub mod message;
pub mod options;
pub mod profile;
pub mod smtp;
mod stage;
mod target;
pub mod task;

pub use client::{Mail, MailError, MailSession, Step};
pub use headcount_load::Password;
pub use options::MailOptions;
