//! The value of a key: its bytes name the key and the write they come from, and every byte can be
//! checked.

use headcount_load::{Fault, FaultKind};

/// The head before the contents: key and write, 8 bytes each.
const HEAD_BYTES: usize = 16;
/// The smallest value: its head, and 8 bytes of contents.
pub const LEAST_BYTES: u32 = 24;
/// The write that made the data set.
pub const PREPARED: u64 = 0;

/// Which write of a run a value comes from: a user's n-th, from 1.
#[must_use]
pub const fn write_of(user: u32, ordinal: u64) -> u64 {
    ((user as u64 + 1) << 40) | (ordinal & ((1 << 40) - 1))
}

/// Appends the value of a key.
pub fn append(out: &mut Vec<u8>, seed: u64, key: u32, write: u64, bytes: u32) {
    let end = out.len() + bytes as usize;
    out.reserve(bytes as usize);
    out.extend_from_slice(&u64::from(key).to_le_bytes());
    out.extend_from_slice(&write.to_le_bytes());
    let mut words = Words::new(seed, key, write);
    while out.len() < end {
        let word = words.next().to_le_bytes();
        let left = (end - out.len()).min(word.len());
        out.extend_from_slice(&word[..left]);
    }
}

/// Checks that `value` is a complete value of this key, all of it from one write.
pub fn check(value: &[u8], seed: u64, key: u32, bytes: u32) -> Result<(), Fault> {
    let wrong = |sentence: String| Err(Fault::step(FaultKind::WrongData, sentence));
    if value.len() != bytes as usize {
        return wrong(format!(
            "the value of key {key} has {} bytes instead of {bytes}",
            value.len()
        ));
    }
    let (head, contents) = value.split_at(HEAD_BYTES);
    let (key_bytes, write) = head.split_at(8);
    let number = |bytes: &[u8]| {
        let mut word = [0; 8];
        word.copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    if number(key_bytes) != u64::from(key) {
        return wrong(format!(
            "the value of key {key} is that of key {}",
            number(key_bytes)
        ));
    }
    let mut words = Words::new(seed, key, number(write));
    for (at, part) in contents.chunks(8).enumerate() {
        if *part != words.next().to_le_bytes()[..part.len()] {
            let byte = HEAD_BYTES + 8 * at;
            return wrong(format!(
                "the value of key {key} is damaged from byte {byte} on"
            ));
        }
    }
    Ok(())
}

/// The contents, as `SplitMix64` makes them (Steele, Lea, Flood 2014).
struct Words(u64);

impl Words {
    const fn new(seed: u64, key: u32, write: u64) -> Self {
        Self(seed ^ ((key as u64) << 32) ^ write.wrapping_mul(0xd134_2543_de82_ef95))
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: u32, write: u64, bytes: u32) -> Vec<u8> {
        let mut out = Vec::new();
        append(&mut out, 7, key, write, bytes);
        out
    }

    #[test]
    fn values_of_every_writer_are_accepted() {
        for bytes in [LEAST_BYTES, 25, 100, 1000] {
            check(&value(3, PREPARED, bytes), 7, 3, bytes).unwrap();
            check(&value(3, write_of(9, 2), bytes), 7, 3, bytes).unwrap();
        }
    }

    #[test]
    fn every_damaged_byte_is_found() {
        for at in 0..1000 {
            let mut damaged = value(3, write_of(1, 1), 1000);
            damaged[at] ^= 0x10;
            let fault = check(&damaged, 7, 3, 1000).unwrap_err();
            assert_eq!(fault.kind, FaultKind::WrongData, "byte {at}");
        }
    }

    #[test]
    fn faults_name_what_is_wrong() {
        let message = |value: &[u8]| check(value, 7, 3, 100).unwrap_err().message;
        assert!(message(&value(4, PREPARED, 100)).contains("is that of key 4"));
        assert!(message(&value(3, PREPARED, 99)).contains("has 99 bytes instead of 100"));
        let mut mixed = value(3, write_of(0, 1), 100);
        mixed[56..].copy_from_slice(&value(3, write_of(0, 2), 100)[56..]);
        assert!(message(&mixed).contains("damaged from byte 56 on"));
    }
}
