//! Files read and written through Linux's `io_uring`, without `unsafe` for whoever uses it.
//!
//! A [`Ring`] takes requests, hands them to the kernel together, and returns what became of them.
//! Each request carries a tag of the caller's, which its [`Completion`] bears.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headcount_ring::{Buffer, Ring, Target};
//!
//! let mut ring = Ring::new(8)?;
//! let file = Target::open(std::fs::File::open("/etc/hostname")?);
//! ring.read_at(&file, 0, Buffer::new(4096)?, 4096, 7)?;
//! ring.wait(1)?;
//! while let Some(done) = ring.poll() {
//!     let bytes = done.result?;
//!     println!("{}: {:?}", done.tag, done.buffer.map(|buffer| buffer[..bytes].to_vec()));
//! }
//! # Ok(())
//! # }
//! ```
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
