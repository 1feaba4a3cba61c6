//! A delay line between two TAP devices: it simulates distance, jitter, loss and reordering.
//!
//! What the kernel sends out of one device comes in at the other, later or not at all. A
//! [`Schedule`] decides when, packet by packet; a [`Queue`] of bounded memory holds the packets in
//! flight; a [`Way`] does both for one direction, and [`Line`] carries packets both ways in one
//! thread.
//!
//! The devices deliver data before the kernel segments it (`IFF_VNET_HDR`), so that a long transfer
//! does not cost two system calls for each 1500 bytes. With loss or reordering the kernel segments
//! it first, since each packet is lost or reordered on its own.

mod conditions;
mod counts;
mod frame;
mod line;
mod queue;
mod schedule;
mod tap;
mod wake;
mod way;

pub use conditions::Conditions;
pub use counts::{Counter, Counts};
pub use frame::{HEADER, LARGEST, packets_in};
pub use line::{Line, LineError};
pub use queue::Queue;
pub use schedule::{Fate, Schedule};
pub use tap::Tap;
pub use way::Way;
