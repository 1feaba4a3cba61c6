//! Code that threads share uses these types, so that `crates/threads` can compile it against a
//! scheduler that tries many interleavings.

pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread;
