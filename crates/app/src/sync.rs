//! What threads share goes through these, so that `crates/threads` can compile the same code against
//! a scheduler that tries many orders.

pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread;
