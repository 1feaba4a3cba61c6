//! Who sent a message, and when.

use super::mix::splitmix;

/// The domain of Message-IDs. It belongs to nobody (RFC 2606).
pub const DOMAIN: &str = "headcount.invalid";

/// Identifies a message. Its contents derive from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The run, to distinguish messages that another run left in a mailbox.
    pub run: u64,
    /// The user who sent it.
    pub sender: u32,
    /// The number of the message among its sender's messages.
    pub sequence: u32,
    /// When it was generated, in µs since 1970.
    pub sent_unix_us: u64,
}

impl Stamp {
    /// Its Message-ID, with the angle brackets.
    #[must_use]
    pub fn message_id(&self) -> String {
        let Self {
            run,
            sender,
            sequence,
            ..
        } = self;
        format!("<{run:016x}.{sender}.{sequence}@{DOMAIN}>")
    }

    /// The key that a part's contents derive from.
    pub(super) const fn key(&self, part: usize) -> u64 {
        let message = (self.sender as u64) << 32 | self.sequence as u64;
        splitmix(splitmix(splitmix(self.run) ^ message).wrapping_add(part as u64))
    }
}
