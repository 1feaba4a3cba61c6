//! Files read and written through Linux's `io_uring`, without `unsafe` for whoever uses it.
//!
//! A [`Ring`] takes requests, hands them to the kernel together, and returns what became of them.
//! Each request carries a tag of the caller's, which its [`Completion`] bears.
//!
//! `examples/read.rs` reads a file with it.
//!
//! # Why it is sound
//!
//! The kernel reads and writes memory of the caller's after the call that asked for it has returned.
//! So **the ring owns the buffer and the file of a request until its completion is back**: a request
//! takes the [`Buffer`] and a share of the [`Target`], [`Ring::poll`] returns the buffer. Nothing
//! else can reach them meanwhile. Dropping a ring waits for what is under way; what the kernel does
//! not give back in time is leaked, never freed. Forgetting a ring leaks it whole.
//!
//! This is the one crate of Headcount in which `unsafe` may stand.

mod available;
mod buffer;
mod request;
mod ring;

pub use available::{Unavailable, available};
pub use buffer::Buffer;
pub use request::{Completion, Refusal, Refused, Target};
pub use ring::Ring;
