//! Buffers that all users of a worker share: a worker is one thread, and nothing stays in them from
//! one poll to the next.

use std::cell::RefCell;

/// Answers are read in pieces of up to this size, unless told otherwise.
pub const READ_BYTES: usize = 64 << 10;

thread_local! {
    /// What arrives.
    pub(super) static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    /// What is sent.
    pub(super) static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}
