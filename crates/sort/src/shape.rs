//! What records look like: their length, and where their keys are.

use serde::{Deserialize, Serialize};

use crate::error::SortError;

/// Longest record in bytes: a few records are kept while a merge is cut into ranges.
pub const LONGEST_RECORD_BYTES: usize = 32 << 10;

/// Most keys: far more than any sort uses.
pub const MOST_KEYS: usize = 64;

/// Where a key lies in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Bytes before it.
    pub offset: usize,
    /// Its length in bytes.
    pub bytes: usize,
}

/// Records of one length with keys at fixed places, the most significant key first.
///
/// Keys are compared byte by byte, as `memcmp` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    record_bytes: usize,
    keys: Vec<Field>,
}

impl Shape {
    /// Records of `record_bytes` bytes, sorted by `keys`.
    ///
    /// Fails with [`SortError::Shape`] when a key is empty or outside the record, or when there
    /// are none or too many.
    pub fn new(record_bytes: usize, keys: Vec<Field>) -> Result<Self, SortError> {
        if record_bytes == 0 || record_bytes > LONGEST_RECORD_BYTES {
            return Err(SortError::Shape(format!(
                "a record of {record_bytes} bytes cannot be sorted; it must have 1 to \
                 {LONGEST_RECORD_BYTES}"
            )));
        }
        if keys.is_empty() || keys.len() > MOST_KEYS {
            return Err(SortError::Shape(format!(
                "a sort needs 1 to {MOST_KEYS} keys, not {}",
                keys.len()
            )));
        }
        for key in &keys {
            let end = key.offset.checked_add(key.bytes);
            if key.bytes == 0 || end.is_none_or(|end| end > record_bytes) {
                return Err(SortError::Shape(format!(
                    "a key of {} bytes at {} is not within a record of {record_bytes} bytes",
                    key.bytes, key.offset
                )));
            }
        }
        Ok(Self { record_bytes, keys })
    }

    /// Length of a record in bytes.
    #[must_use]
    pub const fn record_bytes(&self) -> usize {
        self.record_bytes
    }

    /// The keys, the most significant first.
    #[must_use]
    pub fn keys(&self) -> &[Field] {
        &self.keys
    }
}
