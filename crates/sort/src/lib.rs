//! An external merge sort whose memory is limited to the byte, with data to sort and a check.
//!
//! It re-creates what a paper of 1998 measured of PROC SORT: a sort that takes as much memory as it
//! is allowed, writes sorted runs to work folders if the data do not fit, and merges them; if they
//! fit, it writes nothing temporary. It also measures where the time goes.
//!
//! - [`make`] writes records from a seed, [`sort`] sorts them, [`verify`] looks at the result.
//! - All of a sort's memory is one block ([`Budget`]); [`need_bytes`] is its size for data that
//!   fit, [`least_bytes`] the least with which a sort can work at all.
//! - Runs are in files without a name. However the process ends, nothing of them is left.

mod budget;
mod checksum;
mod crew;
mod error;
mod file;
mod job;
mod key;
mod make;
mod memory;
mod order;
mod process;
mod shape;
mod sink;
mod sort;
mod source;
mod spill;
mod split;
mod tree;
mod verify;
mod whole;

pub use budget::{Budget, ENTRY_BYTES, least_bytes, need_bytes};
pub use checksum::Checksum;
pub use error::SortError;
pub use job::{Far, Tell};
pub use key::Keys;
pub use make::{Kind, make};
pub use process::{Moved, end_with};
pub use shape::{Field, LONGEST_RECORD_BYTES, MOST_KEYS, Shape};
pub use sort::{MOST_THREADS, Order, Sorted, sort, warm_up};
pub use verify::{Verified, verify};
