//! A client of SMB 2.1, 3.0.2 and 3.1.1, made for tens of thousands of users in one process.
//!
//! `docs/smb.md` says which parts of MS-SMB2 and MS-NLMP it implements. Read the modules in this
//! order:
//!
//! * [`options`]: which server, as whom, and in which way; [`data_set`] and [`block`]: what files
//!   users have, and what stands in them.
//! * [`client`]: virtual users and their steps.
//! * [`connection`]: one TCP connection, its messages, credits and signatures.
//! * [`auth`]: `NTLMv2` in SPNEGO, keys and signatures; [`wire`]: the messages of SMB.

pub mod auth;
pub mod block;
pub mod client;
pub mod connection;
pub mod data_set;
pub mod options;
mod password;
pub mod pattern;
mod random;
pub mod wire;

pub use client::{Smb, SmbError, SmbSession, Step};
pub use options::{EncryptionPolicy, SigningPolicy, SmbOptions};
pub use password::Password;
