//! Checksums of rows, computed here; `provision` has the server compute the same.

use sha2::{Digest, Sha256};

use crate::data_set::DataSet;

/// How many rows there are, and the sum of their marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// Rows.
    pub rows: i64,
    /// Sum of the first four bytes of the SHA-256 of each row, as big-endian numbers.
    pub marks: i64,
}

impl Sum {
    fn add(&mut self, row: &str) {
        let digest = Sha256::digest(row.as_bytes());
        self.rows += 1;
        self.marks += i64::from(u32::from_be_bytes([
            digest[0], digest[1], digest[2], digest[3],
        ]));
    }
}

/// Documents `first` to `last` as they are prepared: their columns with `|` between.
#[must_use]
pub fn documents(set: &DataSet, first: i64, last: i64) -> Sum {
    let mut sum = Sum::default();
    for id in first..=last {
        let it = set.document(id);
        let (parent, stamp) = (it.parent.unwrap_or(0), DataSet::stamp(id));
        sum.add(&format!(
            "{id}|{}|{parent}|{}|{}|{}|{stamp}|0|{}|{}|{}",
            it.topic,
            it.category,
            it.author,
            it.author,
            it.created_s,
            it.subject,
            set.body(&it)
        ));
    }
    sum
}

/// People `first` to `last`.
#[must_use]
pub fn people(set: &DataSet, first: i64, last: i64) -> Sum {
    let mut sum = Sum::default();
    for id in first..=last {
        let it = set.person(id as i32);
        sum.add(&format!("{id}|{}|{}", it.name, it.mail));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_covers_all_its_rows() {
        let set = DataSet::default();
        let (low, high) = (documents(&set, 1, 40), documents(&set, 41, 100));
        let whole = documents(&set, 1, 100);
        assert_eq!(whole.rows, 100);
        assert_eq!(whole.marks, low.marks + high.marks);
        let other = DataSet {
            seed: 2,
            ..set.clone()
        };
        assert_ne!(whole.marks, documents(&other, 1, 100).marks);
        // sha256("abc") begins with ba7816bf (FIPS 180-4, example B.1).
        let mut sum = Sum::default();
        sum.add("abc");
        assert_eq!(sum.marks, 0xba78_16bf);
    }
}
