//! Checks that a file holds the right records, in order.

use std::path::Path;

use serde::Serialize;

use crate::checksum::Checksum;
use crate::error::SortError;
use crate::file::Counted;
use crate::job::{Far, Tell};
use crate::key::Keys;
use crate::shape::Shape;

/// Approximate bytes per read.
const BLOCK_BYTES: usize = 1 << 20;

/// What was found in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// The checksum of all records.
    pub checksum: Checksum,
    /// The number of the first record, from 0, that is less than the one before it.
    pub disorder: Option<u64>,
}

/// Reads a file of whole records and checks each.
pub fn verify(path: &Path, shape: &Shape, tell: &mut Tell<'_>) -> Result<Verified, SortError> {
    let record_bytes = shape.record_bytes();
    let file = Counted::open(path, "the sorted data")?;
    let total_bytes = file.bytes()?;
    if total_bytes % record_bytes as u64 != 0 {
        let expected = total_bytes / record_bytes as u64 * record_bytes as u64;
        return Err(SortError::Size {
            found: total_bytes,
            expected,
        });
    }
    let keys = Keys::of(shape);
    let mut checksum = Checksum::default();
    let mut disorder = None;
    let mut before = Vec::new();
    let mut block = vec![0; (BLOCK_BYTES / record_bytes).max(1) * record_bytes];
    let mut done_bytes = 0;
    while done_bytes < total_bytes {
        let bytes = (total_bytes - done_bytes).min(block.len() as u64) as usize;
        file.read(&mut block[..bytes], done_bytes)?;
        let mut last: &[u8] = &before;
        for record in block[..bytes].chunks_exact(record_bytes) {
            if disorder.is_none() && !last.is_empty() && keys.compare(last, record).is_gt() {
                disorder = Some(checksum.records);
            }
            checksum.add(record);
            last = record;
        }
        before = last.to_vec();
        done_bytes += bytes as u64;
        if tell(Far {
            done_bytes,
            total_bytes,
        })
        .is_break()
        {
            return Err(SortError::Cancelled);
        }
    }
    Ok(Verified { checksum, disorder })
}
