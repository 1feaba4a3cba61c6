//! State of users that outlives their sessions.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Number of locks: enough that workers rarely contend for one.
const SHARDS: usize = 64;

/// State of a user that outlives sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// Messages made so far: the number of the next.
    pub sequence: u32,
    /// The UIDVALIDITY of the inbox that `next_uid` refers to.
    pub uid_validity: u32,
    /// New messages in the inbox have this UID or a higher one.
    pub next_uid: u32,
    /// Whether the mailbox has Headcount's marker; `None` until checked.
    pub is_ours: Option<bool>,
}

/// State of all users.
#[derive(Debug)]
pub struct Memory(Vec<Mutex<HashMap<u32, Known>>>);

impl Memory {
    /// A memory without any users.
    #[must_use]
    pub fn new() -> Self {
        Self((0..SHARDS).map(|_| Mutex::default()).collect())
    }

    /// Calls `act` with the state of a user, under its lock.
    pub fn with<T>(&self, id: u32, act: impl FnOnce(&mut Known) -> T) -> T {
        let shard = &self.0[id as usize % SHARDS];
        let mut users = shard.lock().unwrap_or_else(PoisonError::into_inner);
        act(users.entry(id).or_default())
    }

    /// Takes the number of a user's next message.
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
