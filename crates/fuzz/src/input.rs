//! What a fuzzer's bytes mean: how a target is set up, how a message is cut, and the message.

/// Bytes before the message.
const HEAD_BYTES: usize = 5;

/// The bytes of one input, taken apart: a byte of switches, four that say how the message is cut, and
/// the message.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// How the target is set up; each says what its bits mean.
    pub mode: u8,
    sizes: [u8; HEAD_BYTES - 1],
    /// What a server sends, or what is in a file.
    pub message: &'a [u8],
}

impl<'a> Input<'a> {
    /// Takes an input apart; nothing if it is shorter than its head.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Option<Self> {
        let (&[mode, a, b, c, d], message) = data.split_first_chunk::<HEAD_BYTES>()?;
        Some(Self {
            mode,
            sizes: [a, b, c, d],
            message,
        })
    }

    /// The same head before another message.
    #[must_use]
    pub const fn with<'b>(&self, message: &'b [u8]) -> Input<'b> {
        Input {
            mode: self.mode,
            sizes: self.sizes,
            message,
        }
    }

    /// Whether a switch is on, by its number from 0.
    #[must_use]
    pub const fn is_on(&self, bit: u8) -> bool {
        self.mode >> bit & 1 == 1
    }

    /// The message in pieces, whose sizes the input says: 1 to 256 bytes, four sizes in turn.
    pub fn pieces(&self) -> impl Iterator<Item = &'a [u8]> {
        let (mut rest, mut sizes) = (self.message, self.sizes.into_iter().cycle());
        std::iter::from_fn(move || {
            let size = usize::from(sizes.next()?) + 1;
            let (piece, after) = rest.split_at(size.min(rest.len()));
            rest = after;
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// The message in one piece.
    pub fn whole(&self) -> impl Iterator<Item = &'a [u8]> {
        std::iter::once(self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_of_the_message() {
        let input = Input::new(b"\x05\0\x01\x02\xff0123456789").unwrap();
        let pieces: Vec<_> = input.pieces().collect();
        assert_eq!(pieces, [&b"0"[..], b"12", b"345", b"6789"]);
        assert!(input.is_on(0) && !input.is_on(1) && input.is_on(2));
        assert!(Input::new(b"1234").is_none());
    }
}
