//! The events between which simulated time advances.

use crate::job::Job;

/// The end of a service. Ordered by time; non-negative floats order as their bits do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Departure {
    pub(crate) at_bits: u64,
    pub(crate) station: u32,
    pub(crate) who: Who,
}

/// Whose service ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
    /// That of this request.
    One(Job),
    /// That of the first of a shared station, if its version is still this one.
    First(u64),
}

impl PartialEq for Departure {
    fn eq(&self, other: &Self) -> bool {
        self.at_bits == other.at_bits
    }
}
impl Eq for Departure {}
impl PartialOrd for Departure {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Departure {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at_bits.cmp(&other.at_bits)
    }
}
