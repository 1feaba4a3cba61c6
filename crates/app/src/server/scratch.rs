//! A service thread's own memory, laid out so that a reply is sent in one write.

use std::ops::Range;

use crate::block::UNIT_BYTES;
use crate::frame::{HEADER_BYTES, Header, Kind, MAX_PAYLOAD_BYTES};
use crate::reply::{TIMING_BYTES, Timing};

const ALIGNMENT: usize = UNIT_BYTES as usize;
const HEAD: usize = HEADER_BYTES + TIMING_BYTES;

/// Room for the head of a reply and, at an aligned address as `O_DIRECT` requires, its contents.
pub(crate) struct Scratch {
    bytes: Vec<u8>,
    data_at: usize,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        // Zeroed memory costs nothing until it is touched, so room for the largest block is not
        // wasted.
        let bytes = vec![0; 2 * ALIGNMENT + MAX_PAYLOAD_BYTES as usize];
        let to_boundary = bytes.as_ptr().align_offset(ALIGNMENT);
        let data_at = if to_boundary < HEAD {
            to_boundary + ALIGNMENT
        } else {
            to_boundary
        };
        Self { bytes, data_at }
    }

    /// The first `length` bytes of the contents.
    pub(crate) fn data(&mut self, length: usize) -> &mut [u8] {
        &mut self.bytes[self.data_at..][..length]
    }

    /// Puts the head before the first `length` bytes of the contents: a whole reply.
    pub(crate) fn reply(&mut self, kind: Kind, timing: Timing, length: usize) -> &[u8] {
        let body_bytes = (TIMING_BYTES + length) as u32;
        let header = Header {
            kind,
            is_reply: true,
            body_bytes,
        }
        .encode();
        let start = self.data_at - HEAD;
        self.bytes[start..][..HEADER_BYTES].copy_from_slice(&header);
        self.bytes[start + HEADER_BYTES..self.data_at].copy_from_slice(&timing.encode());
        let frame: Range<usize> = start..self.data_at + length;
        &self.bytes[frame]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_aligned_and_the_largest_reply_fits() {
        let mut scratch = Scratch::new();
        let largest = MAX_PAYLOAD_BYTES as usize;
        assert_eq!(scratch.data(largest).as_ptr().align_offset(ALIGNMENT), 0);
        scratch.data(largest).fill(7);
        let frame = scratch.reply(Kind::Read, Timing::default(), largest);
        assert_eq!(frame.len(), HEAD + largest);
        assert!(frame[HEAD..].iter().all(|byte| *byte == 7));
    }
}
