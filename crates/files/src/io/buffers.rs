//! Memory for reads and writes, reused by the users of a worker.

use std::cell::RefCell;
use std::collections::HashMap;

use headcount_load::{Fault, FaultKind};
use headcount_ring::Buffer;

/// How much a worker keeps for reuse: enough for some hundred concurrent reads of 64 KiB.
const KEPT_BYTES: usize = 16 << 20;

#[derive(Default)]
struct Kept {
    by_length: HashMap<usize, Vec<Buffer>>,
    bytes: usize,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Memory for `length` bytes or more, aligned for direct I/O. Its contents are arbitrary.
pub fn take(length: usize) -> Result<Buffer, Fault> {
    let length = length.next_power_of_two().max(Buffer::ALIGNMENT);
    let kept = KEPT.with_borrow_mut(|kept| {
        let buffer = kept.by_length.get_mut(&length)?.pop()?;
        kept.bytes -= length;
        Some(buffer)
    });
    kept.map_or_else(|| Buffer::new(length), Ok).map_err(|_| {
        let sentence = format!("this machine has no {length} bytes of memory left for a buffer");
        Fault::step(FaultKind::Refused, sentence)
    })
}

/// Returns a buffer for reuse.
pub fn give(buffer: Buffer) {
    KEPT.with_borrow_mut(|kept| {
        let length = buffer.len();
        if kept.bytes + length <= KEPT_BYTES {
            kept.bytes += length;
            kept.by_length.entry(length).or_default().push(buffer);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_reused_up_to_a_limit() {
        let first = take(5000).unwrap();
        assert_eq!(first.len(), 8192);
        let address = first.as_ptr();
        give(first);
        let again = take(8192).unwrap();
        assert_eq!(again.as_ptr(), address);
        give(again);
        let large: Vec<_> = (0..20).map(|_| take(1 << 20).unwrap()).collect();
        large.into_iter().for_each(give);
        KEPT.with_borrow(|kept| {
            assert_eq!(kept.bytes, 8192 + (15 << 20));
            assert_eq!(kept.by_length[&(1 << 20)].len(), 15);
        });
    }
}
