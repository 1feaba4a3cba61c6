//! Replies: how the server answers.
//!
//! The reply to work starts with two numbers that the server measured: how long the request waited
//! for a service thread and how long the work took, in µs.

use crate::fields::Fields;
use crate::frame::{self, Kind};

/// What the server measured for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timing {
    /// From the arrival of the whole request until a service thread took it.
    pub queue_wait_us: u32,
    /// From there until the reply was ready to send.
    pub service_us: u32,
}

/// Bytes of [`Timing`] on the wire.
pub const TIMING_BYTES: usize = 8;

impl Timing {
    /// From nanoseconds; more than 71 minutes is shown as 71 minutes.
    #[must_use]
    pub fn from_ns(queue_wait_ns: u64, service_ns: u64) -> Self {
        let us = |ns: u64| u32::try_from(ns / 1000).unwrap_or(u32::MAX);
        Self {
            queue_wait_us: us(queue_wait_ns),
            service_us: us(service_ns),
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(self) -> [u8; TIMING_BYTES] {
        let both = u64::from(self.queue_wait_us) | u64::from(self.service_us) << 32;
        both.to_le_bytes()
    }
}

/// Why a request was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Code {
    /// The bytes are not a request, or one beyond the limits. The server closes the connection.
    Malformed = 1,
    /// The server has as many connections as it accepts, or is stopping. It closes this one.
    Busy = 2,
    /// The token is missing or wrong. The server closes the connection.
    Token = 3,
    /// No bytes came for too long in the middle of a message. The server closes the connection.
    Slow = 4,
    /// The file is not prepared, or the block lies outside the I/O range.
    NotPrepared = 5,
    /// What the client sent arrived damaged.
    Damaged = 6,
    /// The data set does not fit on the disk.
    NoSpace = 7,
    /// Another preparation or clean-up is under way.
    Conflict = 8,
    /// The server's operating system reported an error.
    System = 9,
}

impl Code {
    const fn from_number(number: u16) -> Option<Self> {
        Some(match number {
            1 => Self::Malformed,
            2 => Self::Busy,
            3 => Self::Token,
            4 => Self::Slow,
            5 => Self::NotPrepared,
            6 => Self::Damaged,
            7 => Self::NoSpace,
            8 => Self::Conflict,
            9 => Self::System,
            _ => return None,
        })
    }

    /// Whether the server closes the connection after this error.
    #[must_use]
    pub const fn closes(self) -> bool {
        matches!(
            self,
            Self::Malformed | Self::Busy | Self::Token | Self::Slow
        )
    }
}

/// One reply, borrowing its contents from the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply<'a> {
    /// The payload arrived whole.
    ClientServer {
        /// What the server measured.
        timing: Timing,
        /// CRC-32 of the payload, as the server computed it.
        checksum: u32,
        /// Length of the payload.
        bytes: u32,
    },
    /// The computation is done.
    Processor {
        /// What the server measured.
        timing: Timing,
        /// Its result.
        check: u64,
    },
    /// The payload asked for.
    ServerClient {
        /// What the server measured.
        timing: Timing,
        /// The payload.
        contents: &'a [u8],
    },
    /// The block asked for.
    Read {
        /// What the server measured.
        timing: Timing,
        /// The block.
        block: &'a [u8],
    },
    /// The block is written.
    Write {
        /// What the server measured.
        timing: Timing,
        /// Its length.
        bytes: u32,
    },
    /// A reply in JSON: hello, prepare, statistics, clean-up, progress.
    Json(Kind, &'a [u8]),
    /// The request was not done.
    Error {
        /// Why.
        code: Code,
        /// Why, in a sentence.
        message: &'a str,
    },
}

impl<'a> Reply<'a> {
    /// The reply in a frame of this kind with this body; `None` when the body does not have the
    /// form of its kind.
    #[must_use]
    pub fn parse(kind: Kind, body: &'a [u8]) -> Option<Self> {
        let mut fields = Fields::new(body);
        match kind {
            Kind::Hello | Kind::Prepare | Kind::Statistics | Kind::Cleanup | Kind::Progress => {
                return Some(Self::Json(kind, body));
            }
            Kind::Error => {
                let code = Code::from_number(fields.u16()?)?;
                let message = std::str::from_utf8(fields.rest()).ok()?;
                return Some(Self::Error { code, message });
            }
            _ => {}
        }
        let timing = Timing {
            queue_wait_us: fields.u32()?,
            service_us: fields.u32()?,
        };
        match kind {
            Kind::ClientServer => {
                let (checksum, bytes) = (fields.u32()?, fields.u32()?);
                fields.end(Self::ClientServer {
                    timing,
                    checksum,
                    bytes,
                })
            }
            Kind::Processor => {
                let check = fields.u64()?;
                fields.end(Self::Processor { timing, check })
            }
            Kind::ServerClient => Some(Self::ServerClient {
                timing,
                contents: fields.rest(),
            }),
            Kind::Read => Some(Self::Read {
                timing,
                block: fields.rest(),
            }),
            Kind::Write => {
                let bytes = fields.u32()?;
                fields.end(Self::Write { timing, bytes })
            }
            _ => None,
        }
    }
}

/// Appends an error as a frame.
pub fn append_error(out: &mut Vec<u8>, code: Code, message: &str) {
    frame::append(out, Kind::Error, true, |body| {
        body.extend_from_slice(&(code as u16).to_le_bytes());
        body.extend_from_slice(message.as_bytes());
    });
}

/// Appends a JSON message as a frame.
///
/// # Panics
///
/// When the message cannot be JSON, such as a map whose keys are not strings.
pub fn append_json(out: &mut Vec<u8>, kind: Kind, message: &impl serde::Serialize) {
    frame::append(out, kind, true, |body| {
        serde_json::to_writer(body, message).expect("plain data always serialises");
    });
}
