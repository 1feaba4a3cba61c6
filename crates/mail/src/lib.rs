//! IMAP, SMTP and LMTP clients made for tens of thousands of users in one process, and what mail
//! users do with them.
//!
//! * [`imap`]: the IMAP client.
//! * [`endpoint`]: the address of a server and its TLS settings.
//! * [`front`]: a small SMTP server in front of LMTP.
//! * [`ledger`]: which messages were accepted, and whether they arrived.
//! * [`message`]: messages whose every byte can be regenerated and checked.
//! * [`smtp`]: one connection of SMTP or LMTP.
//! * `secret`: passwords that servers echo.
//! * `stage`: how far a conversation with a server is.
//! * [`task`]: what is timed.
//! * [`options`]: the servers, the logins and how mail is sent.
//! * [`profile`]: how a mail user behaves, as data.
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
mod secret;
pub mod smtp;
mod stage;
mod target;
pub mod task;

pub use client::{Mail, MailError, MailSession, Step};
pub use headcount_load::Password;
pub use options::MailOptions;
