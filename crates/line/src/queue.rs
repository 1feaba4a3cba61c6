//! The packets that are under way in one direction, in a ring of bytes that never grows.

use std::collections::VecDeque;

use crate::frame::LARGEST;

/// Packets in the order in which they came, each with the moment at which it goes on.
///
/// The ring's memory is the system's only as far as it was used: an empty one begins anew.
pub struct Queue {
    bytes: Box<[u8]>,
    entries: VecDeque<Entry>,
    /// Where the next packet goes.
    next: usize,
    /// What packets and their entries take, in bytes.
    used: usize,
}

struct Entry {
    due_ns: u64,
    at: usize,
    length: usize,
}

impl Queue {
    /// An empty one that holds so many bytes, entries included; at least one packet of any size.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            bytes: vec![0; capacity.max(LARGEST + size_of::<Entry>())].into_boxed_slice(),
            entries: VecDeque::new(),
            next: 0,
            used: 0,
        }
    }

    /// Room for a packet of any size; `None` where it is full.
    pub fn room(&mut self) -> Option<&mut [u8]> {
        if self.used + LARGEST + size_of::<Entry>() > self.bytes.len() {
            return None;
        }
        let Some(first) = self.entries.front() else {
            self.next = 0;
            return self.bytes.get_mut(..LARGEST);
        };
        let is_wrapped = self.next <= first.at;
        let end = if is_wrapped {
            first.at
        } else {
            self.bytes.len()
        };
        if end - self.next < LARGEST {
            if is_wrapped || first.at < LARGEST {
                return None;
            }
            self.next = 0;
        }
        self.bytes.get_mut(self.next..self.next + LARGEST)
    }

    /// Keep the first `length` bytes of the room as the last packet.
    pub fn keep(&mut self, length: usize, due_ns: u64) {
        debug_assert!(0 < length && length <= LARGEST);
        self.entries.push_back(Entry {
            due_ns,
            at: self.next,
            length,
        });
        self.next += length;
        self.used += length + size_of::<Entry>();
    }

    /// The first packet, and when it goes on.
    #[must_use]
    pub fn first(&self) -> Option<(u64, &[u8])> {
        let first = self.entries.front()?;
        Some((first.due_ns, &self.bytes[first.at..first.at + first.length]))
    }

    /// Take the first packet out.
    pub fn drop_first(&mut self) {
        if let Some(first) = self.entries.pop_front() {
            self.used -= first.length + size_of::<Entry>();
        }
    }

    /// How many packets are under way.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
