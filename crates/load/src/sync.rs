//! What threads share goes through these, so that `crates/threads` can compile the same code against
//! a scheduler that tries many orders.

pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
