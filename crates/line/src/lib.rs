//! A delay line between two TAP devices: a network that is far away, with jitter, loss and reordering.
//!
//! What the kernel sends out of one device comes in at the other, later or not at all. A
//! [`Schedule`] decides when, packet by packet; a [`Queue`] of bounded memory keeps what is under
//! way; a [`Way`] does both for one direction, and [`Line`] carries packets both ways in one thread.
//!
//! The devices hand over packets as the kernel has them before it cuts them up (`IFF_VNET_HDR`), so
//! that a long transfer does not cost two system calls for each 1500 bytes. Where packets are lost
//! or reordered they are handed over one by one, since each has its own fate.

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
