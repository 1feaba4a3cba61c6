//! Composes frames: numbers requests, charges credits for them, and signs or encrypts them.

use headcount_load::Fault;

use super::faults::malformed;
use super::state::State;
use crate::wire::header::{Command, FRAME_BYTES, Request, link};
use crate::wire::transform::TRANSFORM_BYTES;

/// Credits the client asks for: enough for requests of 8 MiB, the largest that servers accept.
const WANTED_CREDITS: u32 = 130;
/// Bytes that one credit pays for (MS-SMB2 3.1.5.2).
const BYTES_A_CREDIT: u32 = 64 << 10;

/// A request without its body.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The command.
    pub command: Command,
    /// The share.
    pub tree: u32,
    /// Bytes of the larger payload, request or response, which decides the credit charge.
    pub bytes: u32,
    /// Whether it is signed even if the session's messages are not.
    pub must_sign: bool,
    /// The kind of request it is counted as.
    pub counted: usize,
}

impl Ask {
    /// A small request.
    #[must_use]
    pub const fn new(command: Command, tree: u32) -> Self {
        Self {
            command,
            tree,
            bytes: 0,
            must_sign: false,
            counted: command as usize,
        }
    }

    const fn charge(&self) -> u32 {
        let charge = self.bytes.div_ceil(BYTES_A_CREDIT);
        if charge == 0 { 1 } else { charge }
    }
}

/// What is remembered about a sent frame.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// The message id of its first request. Related requests have the ids that follow.
    pub message: u64,
    /// Whether it was encrypted, so that its answers must be.
    pub is_encrypted: bool,
}

impl State {
    /// The largest payload, up to `limit` bytes, of a request that the granted credits pay for.
    pub(super) fn affordable_bytes(&self, limit: u32) -> u32 {
        if self.agreed.has_large_requests {
            limit.min(self.credits.saturating_mul(BYTES_A_CREDIT))
        } else {
            limit.min(BYTES_A_CREDIT)
        }
    }

    /// Fails if the granted credits do not pay for these requests.
    pub(super) fn check_credits(&self, asks: &[Ask]) -> Result<(), Fault> {
        if asks.iter().map(Ask::charge).sum::<u32>() <= self.credits {
            return Ok(());
        }
        let name = asks.first().map_or("", |ask| ask.command.name());
        let sentence = format!("{name}: the server has granted too few credits");
        Err(malformed(sentence))
    }

    /// Appends a frame to an empty buffer. Each request but the first is related to the one before
    /// it (MS-SMB2 3.2.4.1.4); if there are several, each costs one credit.
    pub(super) fn compose(
        &mut self,
        asks: &[Ask],
        out: &mut Vec<u8>,
        mut body: impl FnMut(usize, &mut Vec<u8>),
    ) -> Sent {
        let sent = Sent {
            message: self.next_message,
            is_encrypted: asks.iter().any(|ask| self.encryption.covers(ask.tree)),
        };
        let room = if sent.is_encrypted {
            TRANSFORM_BYTES
        } else {
            0
        };
        out.resize(FRAME_BYTES + room, 0);
        for (index, ask) in asks.iter().enumerate() {
            let at = out.len();
            let request = self.request(ask, index > 0, sent.is_encrypted);
            request.encode(out);
            body(index, out);
            if index + 1 < asks.len() {
                link(out, at);
            }
            if let (true, Some(signer)) = (request.is_signed, &self.signer) {
                signer.sign(&mut out[at..]);
            }
        }
        let length = (out.len() - FRAME_BYTES) as u32;
        let (prefix, message) = out.split_at_mut(FRAME_BYTES);
        prefix.copy_from_slice(&length.to_be_bytes());
        if let Some(hash) = &mut self.hashing {
            *hash = hash.after(message);
        }
        if sent.is_encrypted {
            self.encryption.seal(self.session, message);
        }
        sent
    }

    /// The header of the next request. Encrypted requests are not signed (MS-SMB2 3.2.4.1.1).
    fn request(&mut self, ask: &Ask, is_related: bool, is_encrypted: bool) -> Request {
        let charge = ask.charge();
        let left = self.credits.saturating_sub(charge);
        let request = Request {
            command: ask.command,
            charge: if self.agreed.has_large_requests {
                charge as u16
            } else {
                0
            },
            credits: WANTED_CREDITS.saturating_sub(left).max(charge) as u16,
            message: self.next_message,
            tree: ask.tree,
            session: self.session,
            is_signed: !is_encrypted && self.signer.is_some() && (self.is_signing || ask.must_sign),
            is_related,
        };
        self.credits = left;
        self.next_message += u64::from(charge);
        request
    }
}
