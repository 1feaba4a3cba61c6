//! The packets in flight in one direction, in a ring buffer of fixed size.

use std::collections::VecDeque;

use crate::frame::LARGEST;

/// Packets in order of arrival, each with its due time.
///
/// An empty queue starts again at offset 0: pages that it never reached take no memory.
pub struct Queue {
    bytes: Box<[u8]>,
    entries: VecDeque<Entry>,
    /// Where the next packet goes.
    next: usize,
    /// Bytes taken by packets and their entries.
    used: usize,
}

struct Entry {
    due_ns: u64,
    at: usize,
    length: usize,
}

impl Queue {
    /// An empty queue of `capacity` bytes, entries included, but with room for any one packet.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            bytes: vec![0; capacity.max(LARGEST + size_of::<Entry>())].into_boxed_slice(),
            entries: VecDeque::new(),
            next: 0,
            used: 0,
        }
    }

    /// Room for a packet of any size; `None` if the queue is full.
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

    /// When the first packet is due, in ns, and its bytes.
    #[must_use]
    pub fn first(&self) -> Option<(u64, &[u8])> {
        let first = self.entries.front()?;
        Some((first.due_ns, &self.bytes[first.at..first.at + first.length]))
    }

    /// Remove the first packet.
    pub fn drop_first(&mut self) {
        if let Some(first) = self.entries.pop_front() {
            self.used -= first.length + size_of::<Entry>();
        }
    }

    /// How many packets are in flight.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no packets are in flight.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
