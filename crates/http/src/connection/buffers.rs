//! Buffers that all users of a worker share: a worker is one thread, and nothing stays in them from
//! one poll to the next.

use std::cell::RefCell;

/// Answers are read in pieces of up to this size, unless told otherwise.
pub const READ_BYTES: usize = 64 << 10;

/// The largest piece of a body that the kernel discards at a time.
pub(super) const DISCARD_BYTES: usize = 1 << 20;

thread_local! {
    /// What arrives.
    pub(super) static INCOMING: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    /// What is sent.
    pub(super) static OUTGOING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Room that is named when bytes are discarded, and never touched: zeroed memory that nobody
    /// wrote to takes none.
    pub(super) static VOID: RefCell<Vec<u8>> = RefCell::new(vec![0; DISCARD_BYTES]);
}
