//! The body of a request: given, or made as it is sent.

use std::ops::Range;

use crate::pages::content::{Owner, fill};

/// The body of one request.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'a> {
    /// There is none.
    None,
    /// These bytes.
    Given(&'a [u8]),
    /// So many bytes of contents that depend on this.
    Made(Owner, u64),
}

impl Payload<'_> {
    /// Its length.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Given(given) => given.len() as u64,
            Self::Made(_, bytes) => *bytes,
        }
    }

    /// Appends a part of it.
    pub fn append(&self, range: Range<u64>, out: &mut Vec<u8>) {
        match self {
            Self::None => {}
            Self::Given(given) => {
                let range = range.start as usize..range.end as usize;
                out.extend_from_slice(given.get(range).unwrap_or_default());
            }
            Self::Made(owner, _) => {
                let start = out.len();
                out.resize(start + (range.end - range.start) as usize, 0);
                fill(*owner, range.start, &mut out[start..]);
            }
        }
    }
}
