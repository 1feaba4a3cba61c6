//! The bytes of a message, in pieces.

/// Most bytes of one piece.
pub const PIECE_BYTES: usize = 16 << 10;

/// Bytes that can be generated in pieces from any offset, always the same: a message of many
/// megabytes need not be in memory while it is sent.
pub trait Body {
    /// How many bytes it has.
    fn len(&self) -> u64;

    /// Appends the bytes from `at` on: at least one, unless that is the end, and at most
    /// [`PIECE_BYTES`].
    fn write_piece(&self, at: u64, into: &mut Vec<u8>);

    /// Whether some of its bytes are over 127. A [`super::Message`] has none.
    fn is_8bit(&self) -> bool {
        false
    }

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<B: Body + ?Sized> Body for &B {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn write_piece(&self, at: u64, into: &mut Vec<u8>) {
        (**self).write_piece(at, into);
    }

    fn is_8bit(&self) -> bool {
        (**self).is_8bit()
    }
}

impl Body for [u8] {
    fn len(&self) -> u64 {
        self.len() as u64
    }

    fn write_piece(&self, at: u64, into: &mut Vec<u8>) {
        let from = usize::try_from(at).map_or(self.len(), |at| at.min(self.len()));
        into.extend_from_slice(&self[from..self.len().min(from + PIECE_BYTES)]);
    }

    fn is_8bit(&self) -> bool {
        !self.is_ascii()
    }
}

impl Body for Vec<u8> {
    fn len(&self) -> u64 {
        Body::len(&**self)
    }

    fn write_piece(&self, at: u64, into: &mut Vec<u8>) {
        (**self).write_piece(at, into);
    }

    fn is_8bit(&self) -> bool {
        (**self).is_8bit()
    }
}
