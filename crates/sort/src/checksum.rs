//! A checksum that does not depend on the order of records.

use serde::Serialize;

/// The sum of the CRC-32 of every record, and their number: what a sort must not change.
///
/// The sum is that of sortbenchmark.org's valsort. It misses changes that cancel each other out; by
/// chance that happens once in four thousand million.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Checksum {
    /// Number of records.
    pub records: u64,
    /// Sum of their CRC-32 (that of zlib and Ethernet), modulo 2 to the 64th.
    pub crc_sum: u64,
}

impl Checksum {
    /// Adds a record.
    pub fn add(&mut self, record: &[u8]) {
        self.records += 1;
        self.crc_sum = self
            .crc_sum
            .wrapping_add(u64::from(crc32fast::hash(record)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_sum_of_known_values() {
        let mut sum = Checksum::default();
        sum.add(b"123456789"); // the check value of CRC-32: cbf43926
        sum.add(b"");
        assert_eq!(
            sum,
            Checksum {
                records: 2,
                crc_sum: 0xcbf4_3926
            }
        );
    }
}
