//! What the front has done.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// What was delivered to one destination.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Delivered {
    /// Messages for at least one recipient there.
    pub messages: u64,
    /// Recipients who got them.
    pub recipients: u64,
    /// Bytes of these messages, once for each message.
    pub bytes: u64,
}

/// What the front has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Connections of clients.
    pub connections: u64,
    /// Messages that were accepted from clients.
    pub messages: u64,
    /// Recipients that were refused, before or after the message.
    pub refused: u64,
    /// Messages that are held (`delay`).
    pub held: u64,
    /// Recipients of accepted messages that were held and then refused.
    pub lost: u64,
    /// What was delivered, by destination.
    pub delivered: BTreeMap<String, Delivered>,
}

/// The counts of a running front.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Counts>);

impl Tally {
    /// Changes the counts.
    pub fn note(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The current counts.
    pub fn counts(&self) -> Counts {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Counts a message that `recipients` at a destination got.
    pub fn delivered(&self, destination: &str, recipients: u64, bytes: u64) {
        if recipients == 0 {
            return;
        }
        self.note(|counts| {
            if !counts.delivered.contains_key(destination) {
                counts
                    .delivered
                    .insert(destination.to_owned(), Delivered::default());
            }
            if let Some(there) = counts.delivered.get_mut(destination) {
                there.messages += 1;
                there.recipients += recipients;
                there.bytes += bytes;
            }
        });
    }
}
