//! The contents of the test file: bytes that do not compress and that say where they belong.
//!
//! The file consists of units. Each begins with its offset and the file's seed, so that no two are
//! equal (nothing for a disk to deduplicate), and a block from elsewhere or from an earlier file is
//! detected; then the number of its body. Bodies are cut from a tile of random bytes, large enough
//! that the usual compression of file systems (records up to 1 MiB) never sees one twice.

use headcount_load::stream::{Purpose, Stream};

use crate::error::DiskError;

/// Random bytes from which bodies are cut.
const TILE_BYTES: usize = 1 << 20;
/// Offset, number of the body, check.
const HEAD_BYTES: usize = 16;

/// Makes and checks the units of one test file.
#[derive(Debug)]
pub struct Content {
    unit_bytes: usize,
    /// Scrambles offsets, so that heads do not compress either.
    key: u64,
    check: u32,
    tile: Vec<u8>,
}

impl Content {
    /// The content of a file with this seed, in units of `unit_bytes`.
    #[must_use]
    pub fn new(seed: u64, unit_bytes: usize) -> Self {
        let mut stream = Stream::new(seed, Purpose::Scenario, u32::MAX, 0);
        let mut tile = vec![0; TILE_BYTES];
        for word in tile.chunks_exact_mut(8) {
            word.copy_from_slice(&stream.bits().to_le_bytes());
        }
        Self {
            unit_bytes,
            key: stream.bits(),
            check: stream.bits() as u32,
            tile,
        }
    }

    /// Fills a buffer with units without offsets, whose bodies begin with number `first`; returns
    /// the number after the last.
    pub fn lay(&self, buffer: &mut [u8], first: u32) -> u32 {
        let bodies = (TILE_BYTES / self.unit_bytes) as u32;
        let mut body = first % bodies;
        for unit in buffer.chunks_mut(self.unit_bytes) {
            unit.copy_from_slice(self.body(body));
            unit[8..12].copy_from_slice(&body.to_le_bytes());
            unit[12..HEAD_BYTES].copy_from_slice(&self.check.to_le_bytes());
            body = (body + 1) % bodies;
        }
        body
    }

    /// Sets, in each unit of a block, the offset to which it is written.
    pub fn place(&self, block: &mut [u8], offset: u64) {
        let mut at = offset;
        for unit in block.chunks_mut(self.unit_bytes) {
            unit[..8].copy_from_slice(&(at ^ self.key).to_le_bytes());
            at += self.unit_bytes as u64;
        }
    }

    /// An error unless a block read at `offset` begins like the one of this file at this offset.
    pub fn check_head(&self, block: &[u8], offset: u64) -> Result<(), DiskError> {
        let wrong = |found| Err(DiskError::WrongData { offset, found });
        let Some(head) = block.first_chunk::<HEAD_BYTES>() else {
            return wrong("less than the head of a block");
        };
        if number(head) == offset ^ self.key && head[12..] == self.check.to_le_bytes() {
            return Ok(());
        }
        if head[12..] == self.check.to_le_bytes() {
            return wrong("a block from another place in the file");
        }
        wrong("data that was never written there")
    }

    /// An error unless every byte of a block read at `offset` is as it was written.
    pub fn check_whole(&self, block: &[u8], offset: u64) -> Result<(), DiskError> {
        let mut at = offset;
        for unit in block.chunks(self.unit_bytes) {
            self.check_head(unit, at)?;
            let body = u32::from_le_bytes([unit[8], unit[9], unit[10], unit[11]]);
            let known = (body as usize) < TILE_BYTES / self.unit_bytes;
            if !known || unit[HEAD_BYTES..] != self.body(body)[HEAD_BYTES..] {
                return Err(DiskError::WrongData {
                    offset: at,
                    found: "some bytes changed after they were written",
                });
            }
            at += self.unit_bytes as u64;
        }
        Ok(())
    }

    fn body(&self, body: u32) -> &[u8] {
        let start = body as usize * self.unit_bytes;
        &self.tile[start..start + self.unit_bytes]
    }
}

fn number(head: &[u8; HEAD_BYTES]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&head[..8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_right_until_any_byte_changes() {
        let content = Content::new(1, 512);
        let mut block = vec![0; 4096];
        content.lay(&mut block, 2045); // runs over the end of the tile
        content.place(&mut block, 81_920);
        content.check_head(&block, 81_920).unwrap();
        content.check_whole(&block, 81_920).unwrap();
        for index in 0..block.len() {
            let mut damaged = block.clone();
            damaged[index] ^= 1;
            let error = content.check_whole(&damaged, 81_920);
            assert!(error.is_err(), "byte {index} is not looked at");
        }
    }

    #[test]
    fn other_places_and_files_are_distinguished() {
        let content = Content::new(1, 4096);
        let mut block = vec![0; 4096];
        content.lay(&mut block, 0);
        content.place(&mut block, 4096);
        let error = content.check_head(&block, 0).unwrap_err().to_string();
        assert!(error.contains("another place"), "{error}");
        let error = Content::new(2, 4096).check_head(&block, 4096).unwrap_err();
        assert!(error.to_string().contains("never written there"));
        assert!(content.check_head(&[0; 4096], 4096).is_err());
        assert!(content.check_head(&[], 0).is_err());
    }

    #[test]
    fn a_mebibyte_does_not_repeat() {
        let content = Content::new(3, 4096);
        let mut laid = vec![0; 1 << 20];
        content.lay(&mut laid, 77);
        content.place(&mut laid, 0);
        let mut pieces: Vec<&[u8]> = laid.chunks(64).collect();
        pieces.sort_unstable();
        assert!(pieces.windows(2).all(|pair| pair[0] != pair[1]));
        let ones: u32 = laid.iter().map(|byte| byte.count_ones()).sum();
        let share = f64::from(ones) / (laid.len() * 8) as f64;
        assert!((share - 0.5).abs() < 0.001, "{share}"); // 6 standard errors
    }
}
