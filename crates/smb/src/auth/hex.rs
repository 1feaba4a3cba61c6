//! Bytes as publications print them, for tests.

/// The bytes of a hexadecimal text.
pub fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().map(|c| c.to_digit(16).unwrap()).collect();
    digits
        .chunks(2)
        .map(|pair| (pair[0] << 4 | pair[1]) as u8)
        .collect()
}

/// The same, for exactly `N` bytes.
pub fn array<const N: usize>(text: &str) -> [u8; N] {
    bytes(text).try_into().unwrap()
}
