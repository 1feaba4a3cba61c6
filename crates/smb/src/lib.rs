//! A client of SMB 2.1, 3.0.2 and 3.1.1, made for tens of thousands of users in one process.
//!
//! `docs/smb.md` says which parts of MS-SMB2 and MS-NLMP it implements. Read the modules in this
//! order:
//!
//! * [`options`]: the server, the logins and the protocol's settings. The users' files and what
//!   users do with them are in `headcount_tree`, which other protocols share.
//! * [`client`]: virtual users, playing their steps.
//! * [`connection`]: one TCP connection, its messages, credits and signatures.
//! * [`auth`]: `NTLMv2` in SPNEGO, keys and signatures; [`wire`]: the messages of SMB.

pub mod auth;
pub mod client;
pub mod connection;
pub mod options;
mod random;
mod target;
pub mod wire;

pub use client::{Smb, SmbError, SmbSession};
pub use headcount_load::Password;
pub use options::{EncryptionPolicy, SigningPolicy, SmbOptions};
