//! What servers took charge of, and whether its recipients got it.
//!
//! A message that a server has accepted is not a message that was delivered: only the ledger knows
//! what is still on its way, how long it took, and what never came.

mod shard;

use std::sync::Mutex;

use shard::{Shard, lock};

use crate::message::Stamp;

/// Parts of the ledger, each with a lock of its own. Workers rarely meet in one of 64.
const SHARDS: usize = 64;

/// Messages that are remembered at most, in all: so many on their way, and as many that came. Each
/// takes some 50 bytes.
const MESSAGES: usize = 1 << 20;

/// What a recipient's look at a message means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It was expected, and had not been seen before.
    First {
        /// From the moment it was accepted until it was seen; 0 if it was seen before.
        delivery_ns: u64,
    },
    /// It was delivered twice. Told once for each recipient and message.
    Duplicate,
    /// It was seen before, and is the same copy or one that was already told of; or the ledger is
    /// not sure, for it has had to forget something.
    Known,
    /// Nobody sent it to this recipient: mixed-up mail, or mail that a server refused and delivered.
    Unexpected,
}

/// A message that did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lost {
    /// Who sent it.
    pub sender: u32,
    /// Its number among those of its sender.
    pub sequence: u32,
    /// When the server accepted it.
    pub accepted_ns: u64,
}

/// What all workers of a run share. All moments are of the engine's clock.
#[derive(Debug)]
pub struct Ledger {
    run: u64,
    shards: Vec<Mutex<Shard>>,
}

impl Ledger {
    /// An empty one for this run.
    #[must_use]
    pub fn new(run: u64) -> Self {
        Self::bounded(run, MESSAGES)
    }

    /// One that remembers at most about so many messages on their way, and as many that came.
    #[must_use]
    pub fn bounded(run: u64, messages: usize) -> Self {
        let each = messages.div_ceil(SHARDS).max(1);
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::new(each)));
        Self {
            run,
            shards: shards.collect(),
        }
    }

    /// A message is about to be sent to these recipients. A server may deliver it before it says
    /// that it has accepted it, and another worker may see it by then.
    pub fn posting(&self, sender: u32, sequence: u32, recipients: &[u32]) {
        for &recipient in recipients {
            lock(self.shard(recipient)).post((recipient, sender, sequence), None);
        }
    }

    /// A server has accepted a message for these recipients.
    pub fn posted(&self, sender: u32, sequence: u32, recipients: &[u32], accepted_ns: u64) {
        for &recipient in recipients {
            lock(self.shard(recipient)).post((recipient, sender, sequence), Some(accepted_ns));
        }
    }

    /// A server has refused a message for these recipients, so they must not get it. After a
    /// connection that was lost nobody knows, and nothing is told.
    pub fn refused(&self, sender: u32, sequence: u32, recipients: &[u32]) {
        for &recipient in recipients {
            lock(self.shard(recipient)).refuse((recipient, sender, sequence));
        }
    }

    /// A recipient sees a message in the inbox, under this UID, which tells a second copy from a
    /// second look at the first. (In another folder the same copy has another UID.)
    #[must_use]
    pub fn seen(&self, recipient: u32, stamp: &Stamp, uid: u32, seen_ns: u64) -> Seen {
        if stamp.run != self.run {
            return Seen::Unexpected;
        }
        let mut shard = lock(self.shard(recipient));
        shard.see((recipient, stamp.sender, stamp.sequence), uid, seen_ns)
    }

    /// A recipient has looked at all of a mailbox from `looked_ns` on: what was accepted more than
    /// `limit_ns` before and has not been seen is lost. Each is told once; should it come later, it
    /// is seen as [`Seen::First`] all the same.
    #[must_use]
    pub fn looked(&self, recipient: u32, looked_ns: u64, limit_ns: u64) -> Vec<Lost> {
        lock(self.shard(recipient)).lost(recipient, looked_ns, limit_ns)
    }

    /// Messages that were sent and not seen, those that are lost among them.
    #[must_use]
    pub fn on_their_way(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).waiting()).sum()
    }

    /// Messages on their way that were forgotten for want of room, so nobody will miss them.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.shards
            .iter()
            .map(|shard| lock(shard).forgotten())
            .sum()
    }

    fn shard(&self, recipient: u32) -> &Mutex<Shard> {
        // Neighbours are often of different workers, and look at different times.
        &self.shards[recipient as usize % SHARDS]
    }
}
