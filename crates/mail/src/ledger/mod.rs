//! Which messages servers accepted, and whether the recipients got them.
//!
//! An accepted message is not yet a delivered one: only the ledger knows what is still in transit,
//! how long delivery took, and what was lost.

mod shard;

use std::sync::Mutex;

use shard::{Shard, lock};

use crate::message::Stamp;

/// Parts of the ledger, each with a lock of its own. Workers rarely meet in one of 64.
const SHARDS: usize = 64;

/// Most messages that are remembered: that many in transit, and as many that arrived. Each takes
/// some 50 bytes.
const MESSAGES: usize = 1 << 20;

/// What it means that a recipient sees a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It was expected, and had not been seen before.
    First {
        /// From acceptance until it was seen; 0 if it was seen before it was accepted.
        delivery_ns: u64,
    },
    /// It was delivered twice. Reported once for each recipient and message.
    Duplicate,
    /// It was seen before, and this is the same copy or one already reported. Or the ledger has
    /// forgotten something and cannot tell.
    Known,
    /// It was not sent to this recipient: misdelivered mail, or mail that a server refused but
    /// delivered.
    Unexpected,
}

/// A lost message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lost {
    /// Who sent it.
    pub sender: u32,
    /// Its number among its sender's messages.
    pub sequence: u32,
    /// When the server accepted it.
    pub accepted_ns: u64,
}

/// The ledger of a run, shared by all workers. All times are on the engine's clock.
#[derive(Debug)]
pub struct Ledger {
    run: u64,
    shards: Vec<Mutex<Shard>>,
}

impl Ledger {
    /// An empty ledger for this run.
    #[must_use]
    pub fn new(run: u64) -> Self {
        Self::bounded(run, MESSAGES)
    }

    /// An empty ledger that remembers about `messages` in transit at most, and as many that
    /// arrived.
    #[must_use]
    pub fn bounded(run: u64, messages: usize) -> Self {
        let each = messages.div_ceil(SHARDS).max(1);
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::new(each)));
        Self {
            run,
            shards: shards.collect(),
        }
    }

    /// Notes that a message is about to be sent to these recipients. The server may deliver it
    /// before it confirms that it accepted it, and another worker may see it by then.
    pub fn posting(&self, sender: u32, sequence: u32, recipients: &[u32]) {
        for &recipient in recipients {
            lock(self.shard(recipient)).post((recipient, sender, sequence), None);
        }
    }

    /// Notes that a server has accepted a message for these recipients.
    pub fn posted(&self, sender: u32, sequence: u32, recipients: &[u32], accepted_ns: u64) {
        for &recipient in recipients {
            lock(self.shard(recipient)).post((recipient, sender, sequence), Some(accepted_ns));
        }
    }

    /// Notes that a server has refused a message for these recipients, so they must not get it. Not
    /// to be called after a lost connection: the message may have been accepted.
    pub fn refused(&self, sender: u32, sequence: u32, recipients: &[u32]) {
        for &recipient in recipients {
            lock(self.shard(recipient)).refuse((recipient, sender, sequence));
        }
    }

    /// Notes that a recipient sees a message in the inbox. The UID distinguishes a second copy from
    /// a second look at the first. (In another folder the same copy has another UID.)
    #[must_use]
    pub fn seen(&self, recipient: u32, stamp: &Stamp, uid: u32, seen_ns: u64) -> Seen {
        if stamp.run != self.run {
            return Seen::Unexpected;
        }
        let mut shard = lock(self.shard(recipient));
        shard.see((recipient, stamp.sender, stamp.sequence), uid, seen_ns)
    }

    /// Notes that a recipient has looked at the whole inbox from `looked_ns` on. Returns the lost
    /// messages: accepted more than `limit_ns` earlier and not seen. Each is returned once; if it
    /// arrives later, it is [`Seen::First`] all the same.
    #[must_use]
    pub fn looked(&self, recipient: u32, looked_ns: u64, limit_ns: u64) -> Vec<Lost> {
        lock(self.shard(recipient)).lost(recipient, looked_ns, limit_ns)
    }

    /// The number of messages that were sent and not seen, lost ones included.
    #[must_use]
    pub fn on_their_way(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).waiting()).sum()
    }

    /// The number of messages in transit that were forgotten for lack of room. Their loss is not
    /// noticed.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.shards
            .iter()
            .map(|shard| lock(shard).forgotten())
            .sum()
    }

    fn shard(&self, recipient: u32) -> &Mutex<Shard> {
        // Neighbouring users are often on different workers and look at different times.
        &self.shards[recipient as usize % SHARDS]
    }
}
