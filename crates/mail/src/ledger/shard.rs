//! The messages of the recipients that share one lock.

use std::collections::{BTreeMap, HashMap, VecDeque, btree_map};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Lost, Seen};

/// A message to one recipient: recipient, sender, sequence. In this order, so that the messages of
/// a recipient are adjacent.
type Key = (u32, u32, u32);

/// A message that was sent but not yet seen.
#[derive(Debug)]
struct Waiting {
    /// `None` until its server has accepted it.
    accepted_ns: Option<u64>,
    is_reported: bool,
}

/// A message that was seen.
#[derive(Debug)]
struct Came {
    uid: u32,
    is_doubled: bool,
}

#[derive(Debug)]
pub struct Shard {
    most: usize,
    waiting: BTreeMap<Key, Waiting>,
    came: HashMap<Key, Came>,
    /// The keys of `came`, oldest first.
    order: VecDeque<Key>,
    forgotten: u64,
    /// Whether a message that arrived was forgotten.
    is_old: bool,
}

/// Ignores poisoning: each change is one insertion or removal, so a worker that panicked has left
/// the ledger consistent.
pub fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            waiting: BTreeMap::new(),
            came: HashMap::new(),
            order: VecDeque::new(),
            forgotten: 0,
            is_old: false,
        }
    }

    pub fn post(&mut self, key: Key, accepted_ns: Option<u64>) {
        if self.came.contains_key(&key) {
            return; // it arrived before the server's reply
        }
        let is_full = self.waiting.len() >= self.most;
        match self.waiting.entry(key) {
            btree_map::Entry::Occupied(mut waiting) => {
                let waiting = waiting.get_mut();
                waiting.accepted_ns = waiting.accepted_ns.or(accepted_ns);
            }
            // Forget the newest message, not the oldest: mail that nobody reads must not push out
            // mail that is read.
            btree_map::Entry::Vacant(_) if is_full => self.forgotten += 1,
            btree_map::Entry::Vacant(place) => {
                place.insert(Waiting {
                    accepted_ns,
                    is_reported: false,
                });
            }
        }
    }

    pub fn refuse(&mut self, key: Key) {
        self.waiting.remove(&key);
    }

    pub fn see(&mut self, key: Key, uid: u32, seen_ns: u64) -> Seen {
        if let Some(waiting) = self.waiting.remove(&key) {
            self.remember(key, uid);
            let accepted_ns = waiting.accepted_ns.unwrap_or(seen_ns);
            let delivery_ns = seen_ns.saturating_sub(accepted_ns);
            return Seen::First { delivery_ns };
        }
        match self.came.get_mut(&key) {
            None if self.is_old || self.forgotten > 0 => Seen::Known,
            None => Seen::Unexpected,
            Some(came) if came.uid == uid || came.is_doubled => Seen::Known,
            Some(came) => {
                came.is_doubled = true;
                Seen::Duplicate
            }
        }
    }

    fn remember(&mut self, key: Key, uid: u32) {
        let is_doubled = false;
        if self.came.insert(key, Came { uid, is_doubled }).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.came.remove(&oldest);
            self.is_old = true;
        }
    }

    pub fn lost(&mut self, recipient: u32, looked_ns: u64, limit_ns: u64) -> Vec<Lost> {
        let keys = (recipient, 0, 0)..=(recipient, u32::MAX, u32::MAX);
        let waiting = self.waiting.range_mut(keys);
        waiting
            .filter_map(|(&(_, sender, sequence), waiting)| {
                let accepted_ns = waiting.accepted_ns?;
                let is_late = accepted_ns.saturating_add(limit_ns) < looked_ns;
                if !is_late || std::mem::replace(&mut waiting.is_reported, true) {
                    return None;
                }
                Some(Lost {
                    sender,
                    sequence,
                    accepted_ns,
                })
            })
            .collect()
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub const fn forgotten(&self) -> u64 {
        self.forgotten
    }
}
