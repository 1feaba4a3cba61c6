//! Ranges of bytes, and how they are locked.

use serde::Deserialize;

/// A range of bytes to lock.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The handle.
    #[serde(default)]
    pub slot: u8,
    /// The first byte.
    #[serde(default)]
    pub offset: u64,
    /// How many.
    pub bytes: u64,
    /// Whether others may read it meanwhile.
    #[serde(default)]
    pub shared: bool,
}

/// How a range is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Others may also lock it like this, and read it.
    Shared,
    /// Nobody else may use it.
    Exclusive,
    /// Unlocked.
    None,
}

impl Range {
    /// How it is locked.
    #[must_use]
    pub const fn lock(&self) -> Lock {
        if self.shared {
            Lock::Shared
        } else {
            Lock::Exclusive
        }
    }
}
