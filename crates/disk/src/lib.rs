//! Measures a disk: throughput, I/Os per second, latency and their CPU cost, in a test file.
//!
//! Re-creates what Adaptec's `ThreadMark` 2.0 was for; its method was not published, so the accesses
//! are ours. Read the modules in this order:
//!
//! * [`setup`]: the test file that is wanted; [`cell`]: what is measured in it, as data.
//! * [`file`]: the test file, which leaves nothing behind; [`content`]: what is in it.
//! * [`walk`]: where a thread reads and writes; [`tally`]: what it counts.
//! * [`worker`]: one thread, by `io_uring` or by plain calls; [`cpu`]: what all of it costs.
//! * [`bench`]: the file and its threads together.

pub mod bench;
pub mod cell;
pub mod content;
pub mod cpu;
pub mod error;
pub mod file;
pub mod setup;
pub mod tally;
pub mod walk;
pub mod worker;

pub use bench::{Bench, Measured, Progress};
pub use cell::Cell;
pub use error::DiskError;
pub use setup::Setup;
