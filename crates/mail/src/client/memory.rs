//! What is known of users beyond their sessions.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Users who share a lock: enough that workers do not meet at one.
const SHARDS: usize = 64;

/// What is known of a user, whatever connection it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// Messages made so far: the number of the next.
    pub sequence: u32,
    /// The inbox in which `next_uid` counts.
    pub uid_validity: u32,
    /// New messages of the inbox have this UID or a higher one.
    pub next_uid: u32,
    /// Whether the mailbox bears Headcount's marker, once that was looked at.
    pub is_ours: Option<bool>,
}

/// What is known of all users.
#[derive(Debug)]
pub struct Memory(Vec<Mutex<HashMap<u32, Known>>>);

impl Memory {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self((0..SHARDS).map(|_| Mutex::default()).collect())
    }

    /// Looks at what is known of a user, or notes something.
    pub fn with<T>(&self, id: u32, act: impl FnOnce(&mut Known) -> T) -> T {
        let shard = &self.0[id as usize % SHARDS];
        let mut users = shard.lock().unwrap_or_else(PoisonError::into_inner);
        act(users.entry(id).or_default())
    }

    /// The number of a user's next message.
    #[must_use]
    pub fn next_sequence(&self, id: u32) -> u32 {
        self.with(id, |known| {
            let sequence = known.sequence;
            known.sequence = sequence.wrapping_add(1);
            sequence
        })
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}
