//! Frames: every message in either direction is a header of 12 bytes and a body of known length.
//!
//! | bytes | meaning |
//! |---|---|
//! | 0..4 | `HCAP` |
//! | 4 | [`Kind`] |
//! | 5 | direction: 0 request, 1 reply |
//! | 6..8 | zero |
//! | 8..12 | length of the body in bytes, little-endian |

/// What every frame starts with.
pub const MAGIC: [u8; 4] = *b"HCAP";
/// Bytes of a header.
pub const HEADER_BYTES: usize = 12;
/// Largest payload of a work request or reply, and largest block: 1 MiB.
pub const MAX_PAYLOAD_BYTES: u32 = 1 << 20;
/// Largest body: the largest payload and the fields beside it.
pub const MAX_BODY_BYTES: u32 = MAX_PAYLOAD_BYTES + 64;

/// What a frame is about. A reply bears the kind of its request, unless it is an error or progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Opens a connection.
    Hello = 1,
    /// A large request and a small reply.
    ClientServer = 2,
    /// A fixed computation.
    Processor = 3,
    /// A small request and a large reply.
    ServerClient = 4,
    /// Reads one block of a client's file.
    Read = 5,
    /// Writes one block of a client's file.
    Write = 6,
    /// Creates or verifies the data set.
    Prepare = 16,
    /// Asks what the server has done so far.
    Statistics = 17,
    /// Deletes the data set.
    Cleanup = 18,
    /// A sign of life of a long operation; replies only.
    Progress = 19,
    /// The request was not done; replies only.
    Error = 127,
}

impl Kind {
    /// Every kind of work request, in the order of their numbers.
    pub const WORK: [Self; 5] = [
        Self::ClientServer,
        Self::Processor,
        Self::ServerClient,
        Self::Read,
        Self::Write,
    ];

    const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Hello,
            2 => Self::ClientServer,
            3 => Self::Processor,
            4 => Self::ServerClient,
            5 => Self::Read,
            6 => Self::Write,
            16 => Self::Prepare,
            17 => Self::Statistics,
            18 => Self::Cleanup,
            19 => Self::Progress,
            127 => Self::Error,
            _ => return None,
        })
    }

    /// The name used in workloads, statistics and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::ClientServer => "client-server",
            Self::Processor => "processor",
            Self::ServerClient => "server-client",
            Self::Read => "read",
            Self::Write => "write",
            Self::Prepare => "prepare",
            Self::Statistics => "statistics",
            Self::Cleanup => "cleanup",
            Self::Progress => "progress",
            Self::Error => "error",
        }
    }
}

/// A frame's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the frame is about.
    pub kind: Kind,
    /// Whether it answers a request.
    pub is_reply: bool,
    /// Length of the body.
    pub body_bytes: u32,
}

/// Bytes that cannot be the start of a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The bytes do not start as a frame does: the other side speaks another protocol.
    #[error("it sent \"{start}\", which is not this protocol")]
    Foreign {
        /// The first bytes, made printable.
        start: String,
    },
    /// No kind has this number.
    #[error("there is no message kind {0}")]
    UnknownKind(u8),
    /// The direction or the bytes that must be zero are not as they must be.
    #[error("the header's direction or reserved bytes are wrong")]
    Reserved,
    /// The body would exceed [`MAX_BODY_BYTES`].
    #[error("the body would have {0} bytes, more than the limit of {MAX_BODY_BYTES}")]
    TooLong(u32),
}

impl Header {
    /// The bytes that stand for this header.
    #[must_use]
    pub fn encode(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4] = self.kind as u8;
        bytes[5] = u8::from(self.is_reply);
        bytes[8..].copy_from_slice(&self.body_bytes.to_le_bytes());
        bytes
    }

    fn parse(bytes: [u8; HEADER_BYTES]) -> Result<Self, FrameError> {
        let [_, _, _, _, kind, direction, zero, also_zero, length @ ..] = bytes;
        let body_bytes = u32::from_le_bytes(length);
        let kind = Kind::from_byte(kind).ok_or(FrameError::UnknownKind(kind))?;
        if direction > 1 || zero != 0 || also_zero != 0 {
            return Err(FrameError::Reserved);
        }
        if body_bytes > MAX_BODY_BYTES {
            return Err(FrameError::TooLong(body_bytes));
        }
        Ok(Self {
            kind,
            is_reply: direction == 1,
            body_bytes,
        })
    }

    /// Bytes of the whole frame.
    #[must_use]
    pub const fn frame_bytes(self) -> usize {
        HEADER_BYTES + self.body_bytes as usize
    }
}

/// The header at the start of `received`, or `None` while too few bytes are there.
///
/// Foreign bytes are recognised by the first one that differs.
pub fn header(received: &[u8]) -> Result<Option<Header>, FrameError> {
    let known = received.len().min(MAGIC.len());
    if received[..known] != MAGIC[..known] {
        return Err(FrameError::Foreign {
            start: printable(received),
        });
    }
    received
        .first_chunk()
        .map(|bytes| Header::parse(*bytes))
        .transpose()
}

/// Appends a frame whose body `write` appends.
pub fn append(out: &mut Vec<u8>, kind: Kind, is_reply: bool, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(
        &Header {
            kind,
            is_reply,
            body_bytes: 0,
        }
        .encode(),
    );
    write(out);
    let body_bytes = (out.len() - start - HEADER_BYTES) as u32;
    out[start + 8..start + HEADER_BYTES].copy_from_slice(&body_bytes.to_le_bytes());
}

/// The first 40 bytes up to the end of their line, control characters escaped.
fn printable(bytes: &[u8]) -> String {
    let line = bytes
        .split(|&byte| byte == b'\r' || byte == b'\n')
        .next()
        .unwrap_or_default();
    line[..line.len().min(40)].escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn foreign_protocols_are_named_by_their_first_line() {
        let error = header(b"HTTP/1.1 400 Bad Request\r\nServer: x").unwrap_err();
        assert_eq!(
            error,
            FrameError::Foreign {
                start: "HTTP/1.1 400 Bad Request".into()
            }
        );
        assert!(matches!(header(b"G"), Err(FrameError::Foreign { .. })));
        assert_eq!(header(b"HC"), Ok(None));
        assert_eq!(header(b""), Ok(None));
    }

    #[test]
    fn lengths_over_the_limit_are_refused() {
        let mut bytes = Header {
            kind: Kind::Read,
            is_reply: true,
            body_bytes: MAX_BODY_BYTES,
        }
        .encode();
        assert!(header(&bytes).is_ok());
        bytes[8..].copy_from_slice(&(MAX_BODY_BYTES + 1).to_le_bytes());
        assert_eq!(header(&bytes), Err(FrameError::TooLong(MAX_BODY_BYTES + 1)));
    }

    proptest! {
        #[test]
        fn bytes_that_do_not_start_like_a_frame_are_foreign(
            bytes in prop::collection::vec(any::<u8>(), 0..64), genuine in 0..=MAGIC.len()
        ) {
            let bytes = [&MAGIC[..genuine], &bytes].concat();
            let starts_like_one = bytes.starts_with(&MAGIC) || MAGIC.starts_with(&bytes);
            let is_foreign = matches!(header(&bytes), Err(FrameError::Foreign { .. }));
            prop_assert_eq!(is_foreign, !starts_like_one);
        }

        #[test]
        fn parsed_headers_encode_to_the_same_bytes(tail in any::<[u8; 8]>()) {
            let mut bytes = [0; HEADER_BYTES];
            bytes[..4].copy_from_slice(&MAGIC);
            bytes[4..].copy_from_slice(&tail);
            if let Ok(Some(parsed)) = header(&bytes) {
                prop_assert_eq!(parsed.encode(), bytes);
                prop_assert!(parsed.body_bytes <= MAX_BODY_BYTES);
            }
        }
    }
}
