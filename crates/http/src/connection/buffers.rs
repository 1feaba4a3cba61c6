//! Buffers that all users of a worker share: a worker is one thread, and they hold nothing from one
//! poll to the next.

use std::cell::RefCell;

/// Answers are read in pieces of at most this size, or less if the options say so.
pub const READ_BYTES: usize = 64 << 10;

thread_local! {
    /// What arrives.
    pub(super) static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    /// What is sent.
    pub(super) static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}
