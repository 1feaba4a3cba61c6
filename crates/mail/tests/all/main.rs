//! The integration tests of this crate, in one program: linking one takes as long as compiling
//! most.

#[path = "../common/mod.rs"]
mod common;

mod checker;
mod day;
mod front;
mod fuzz;
mod ledger;
mod limits;
mod mailboxes;
mod message;
mod oddities;
mod oracle;
mod own;
mod provision;
mod sessions;
mod smtp_oddities;
mod smtp_replies;
mod smtp_servers;
mod steps;
