//! Requests: what a client may ask for, and the limits of each.

use crate::block::UNIT_BYTES;
use crate::fields::Fields;
use crate::frame::{self, Kind, MAX_PAYLOAD_BYTES};
use crate::kernel::MAX_ROUNDS;
use crate::message::Order;

/// Longest token a client may present.
pub const MAX_TOKEN_BYTES: usize = 256;

/// One request, borrowing its payload from the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request<'a> {
    /// Opens the connection; must come first.
    Hello {
        /// The protocol version the client speaks.
        protocol: u16,
        /// The server's token, or nothing.
        token: &'a [u8],
    },
    /// A payload for the server to check.
    ClientServer {
        /// CRC-32 of the payload.
        checksum: u32,
        /// The payload.
        payload: &'a [u8],
    },
    /// Rounds of [`crate::kernel::work`].
    Processor {
        /// Where the computation starts.
        seed: u64,
        /// How many rounds.
        rounds: u32,
    },
    /// Asks for a payload: the [`crate::pattern`] of `seed`.
    ServerClient {
        /// The seed of the contents.
        seed: u64,
        /// Their length.
        bytes: u32,
    },
    /// Asks for a block of a file.
    Read {
        /// Number of the file.
        file: u32,
        /// Where the block starts.
        offset: u64,
        /// Its length.
        bytes: u32,
    },
    /// Puts a block into a file.
    Write {
        /// Number of the file.
        file: u32,
        /// Where the block starts.
        offset: u64,
        /// The block.
        block: &'a [u8],
    },
    /// Creates or verifies files of the data set.
    Prepare(Order),
    /// Asks what the server has done so far.
    Statistics,
    /// Deletes the data set.
    Cleanup,
}

/// A body that is not a request, or a request beyond the limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Only replies have this kind.
    #[error("{} is not a request", .0.name())]
    NotARequest(Kind),
    /// The body is too short or too long for its kind.
    #[error("the body of the {} request is malformed", .0.name())]
    Form(Kind),
    /// The computation would take too long.
    #[error("{0} rounds exceed the limit of {MAX_ROUNDS}")]
    Rounds(u32),
    /// The payload would be too large.
    #[error("{0} bytes exceed the limit of {MAX_PAYLOAD_BYTES}")]
    Payload(u32),
    /// Offset or length of a block is not a multiple of the unit, or the length is zero.
    #[error(
        "offset {offset} and length {bytes} must be multiples of {UNIT_BYTES}, the length not 0"
    )]
    Alignment {
        /// The offset asked for.
        offset: u64,
        /// The length asked for.
        bytes: u64,
    },
    /// The order to prepare makes no sense; the sentence says why.
    #[error("{0}")]
    Order(String),
}

impl<'a> Request<'a> {
    /// The request in a frame of this kind with this body.
    pub fn parse(kind: Kind, body: &'a [u8]) -> Result<Self, RequestError> {
        if matches!(kind, Kind::Progress | Kind::Error) {
            return Err(RequestError::NotARequest(kind));
        }
        let request = Self::from_body(kind, body).ok_or(RequestError::Form(kind))?;
        request.check().map(|()| request)
    }

    fn from_body(kind: Kind, body: &'a [u8]) -> Option<Self> {
        let mut fields = Fields::new(body);
        match kind {
            Kind::Hello => {
                let protocol = fields.u16()?;
                let token = fields.rest();
                (token.len() <= MAX_TOKEN_BYTES).then_some(Self::Hello { protocol, token })
            }
            Kind::ClientServer => {
                let checksum = fields.u32()?;
                Some(Self::ClientServer {
                    checksum,
                    payload: fields.rest(),
                })
            }
            Kind::Processor => {
                let (seed, rounds) = (fields.u64()?, fields.u32()?);
                fields.end(Self::Processor { seed, rounds })
            }
            Kind::ServerClient => {
                let (seed, bytes) = (fields.u64()?, fields.u32()?);
                fields.end(Self::ServerClient { seed, bytes })
            }
            Kind::Read => {
                let (file, offset, bytes) = (fields.u32()?, fields.u64()?, fields.u32()?);
                fields.end(Self::Read {
                    file,
                    offset,
                    bytes,
                })
            }
            Kind::Write => {
                let (file, offset) = (fields.u32()?, fields.u64()?);
                Some(Self::Write {
                    file,
                    offset,
                    block: fields.rest(),
                })
            }
            Kind::Prepare => serde_json::from_slice(body).ok().map(Self::Prepare),
            Kind::Statistics => fields.end(Self::Statistics),
            Kind::Cleanup => fields.end(Self::Cleanup),
            Kind::Progress | Kind::Error => None,
        }
    }

    fn check(&self) -> Result<(), RequestError> {
        match *self {
            Self::Processor { rounds, .. } if rounds > MAX_ROUNDS => {
                Err(RequestError::Rounds(rounds))
            }
            Self::ServerClient { bytes, .. } | Self::Read { bytes, .. }
                if bytes > MAX_PAYLOAD_BYTES =>
            {
                Err(RequestError::Payload(bytes))
            }
            Self::ClientServer { payload, .. } | Self::Write { block: payload, .. }
                if payload.len() > MAX_PAYLOAD_BYTES as usize =>
            {
                Err(RequestError::Payload(payload.len() as u32))
            }
            Self::Read { offset, bytes, .. } => aligned(offset, u64::from(bytes)),
            Self::Write { offset, block, .. } => aligned(offset, block.len() as u64),
            Self::Prepare(order) => order.check().map_err(RequestError::Order),
            _ => Ok(()),
        }
    }

    /// The kind of frame that carries it.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Hello { .. } => Kind::Hello,
            Self::ClientServer { .. } => Kind::ClientServer,
            Self::Processor { .. } => Kind::Processor,
            Self::ServerClient { .. } => Kind::ServerClient,
            Self::Read { .. } => Kind::Read,
            Self::Write { .. } => Kind::Write,
            Self::Prepare(_) => Kind::Prepare,
            Self::Statistics => Kind::Statistics,
            Self::Cleanup => Kind::Cleanup,
        }
    }

    /// Appends the request as a frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        frame::append(out, self.kind(), false, |body| self.encode_body(body));
    }

    fn encode_body(&self, body: &mut Vec<u8>) {
        match *self {
            Self::Hello { protocol, token } => {
                body.extend_from_slice(&protocol.to_le_bytes());
                body.extend_from_slice(token);
            }
            Self::ClientServer { checksum, payload } => {
                body.extend_from_slice(&checksum.to_le_bytes());
                body.extend_from_slice(payload);
            }
            Self::Processor {
                seed,
                rounds: number,
            }
            | Self::ServerClient {
                seed,
                bytes: number,
            } => {
                body.extend_from_slice(&seed.to_le_bytes());
                body.extend_from_slice(&number.to_le_bytes());
            }
            Self::Read {
                file,
                offset,
                bytes,
            } => {
                body.extend_from_slice(&file.to_le_bytes());
                body.extend_from_slice(&offset.to_le_bytes());
                body.extend_from_slice(&bytes.to_le_bytes());
            }
            Self::Write {
                file,
                offset,
                block,
            } => {
                body.extend_from_slice(&file.to_le_bytes());
                body.extend_from_slice(&offset.to_le_bytes());
                body.extend_from_slice(block);
            }
            Self::Prepare(order) => {
                serde_json::to_writer(body, &order).expect("numbers and flags always serialise");
            }
            Self::Statistics | Self::Cleanup => {}
        }
    }
}

fn aligned(offset: u64, bytes: u64) -> Result<(), RequestError> {
    let unit = u64::from(UNIT_BYTES);
    if offset.is_multiple_of(unit) && bytes.is_multiple_of(unit) && bytes > 0 {
        Ok(())
    } else {
        Err(RequestError::Alignment { offset, bytes })
    }
}
