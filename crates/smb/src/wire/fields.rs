//! Reads and writes little-endian fields. Reads past the end return `None` and never panic, since
//! bytes from a server cannot be trusted.

/// The `N` bytes at `at`.
#[must_use]
pub fn bytes<const N: usize>(from: &[u8], at: usize) -> Option<[u8; N]> {
    from.get(at..at.checked_add(N)?)?.first_chunk().copied()
}

/// The 16-bit number at `at`.
pub fn u16_at(from: &[u8], at: usize) -> Option<u16> {
    bytes(from, at).map(u16::from_le_bytes)
}

/// The 32-bit number at `at`.
pub fn u32_at(from: &[u8], at: usize) -> Option<u32> {
    bytes(from, at).map(u32::from_le_bytes)
}

/// The 64-bit number at `at`.
pub fn u64_at(from: &[u8], at: usize) -> Option<u64> {
    bytes(from, at).map(u64::from_le_bytes)
}

/// `length` bytes at `at`.
#[must_use]
pub fn slice(from: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    from.get(at..at.checked_add(length)?)
}

/// Appends numbers and text in SMB's encoding.
pub trait Put {
    /// Appends bytes as they are.
    fn put(&mut self, bytes: &[u8]);

    /// Appends an 8-bit number.
    fn put_u8(&mut self, number: u8) {
        self.put(&[number]);
    }
    /// Appends a 16-bit number.
    fn put_u16(&mut self, number: u16) {
        self.put(&number.to_le_bytes());
    }
    /// Appends a 32-bit number.
    fn put_u32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }
    /// Appends a 64-bit number.
    fn put_u64(&mut self, number: u64) {
        self.put(&number.to_le_bytes());
    }
    /// Appends `count` zero bytes.
    fn put_zeros(&mut self, count: usize);

    /// Appends text as UTF-16.
    fn put_utf16(&mut self, text: &str) {
        for unit in text.encode_utf16() {
            self.put_u16(unit);
        }
    }
}

impl Put for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn put_zeros(&mut self, count: usize) {
        self.resize(self.len() + count, 0);
    }
}

/// Text as UTF-16 bytes.
#[must_use]
pub fn utf16(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 2);
    bytes.put_utf16(text);
    bytes
}

/// Length of a text in UTF-16, in bytes.
#[must_use]
pub fn utf16_bytes(text: &str) -> usize {
    text.encode_utf16().count() * 2
}

/// A Windows time (100 ns since 1601; MS-DTYP 2.3.3) in ns of Unix time, saturating.
#[must_use]
pub fn unix_ns(filetime: u64) -> i64 {
    /// Such units between 1601 and 1970.
    const EPOCH: i64 = 116_444_736_000_000_000;
    let since = i64::try_from(filetime).unwrap_or(i64::MAX) - EPOCH;
    since.saturating_mul(100)
}
