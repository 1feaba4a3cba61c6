//! Files read and written through Linux's `io_uring`, without `unsafe` for the caller.
//!
//! A [`Ring`] takes requests, submits them to the kernel together, and returns their results. Each
//! request carries a tag of the caller's, which its [`Completion`] returns.
//!
//! `examples/read.rs` reads a file with it.
//!
//! # Why it is sound
//!
//! The kernel reads and writes memory of the caller after the call that asked for it has returned.
//! So **the ring owns the buffer and the file of a request until its completion is back**: a
//! request takes the [`Buffer`] and a share of the [`Target`], [`Ring::poll`] returns the buffer.
//! Nothing else can access them meanwhile. Dropping a ring waits for the requests under way; what
//! the kernel does not return in time is leaked, never freed. Forgetting a ring leaks all of it.
//!
//! This is the only crate of Headcount that may contain `unsafe`.

mod available;
mod buffer;
mod request;
mod ring;

pub use available::{Unavailable, available};
pub use buffer::Buffer;
pub use request::{Completion, Refusal, Refused, Target};
pub use ring::Ring;
