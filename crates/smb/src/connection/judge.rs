//! Judges received frames.

use headcount_load::Fault;

use super::compose::{Ask, Sent};
use super::faults::malformed;
use super::state::State;
use crate::wire::header::{Command, FRAME_BYTES, HEADER_BYTES, Response, UNASKED, frame_bytes};
use crate::wire::oplock::Break;
use crate::wire::status::Status;
use crate::wire::transform::Transform;

/// Most bytes that a response may have beside its data.
const MOST_OVERHEAD: usize = 64 << 10;

/// Takes the header and body of the response to the request with this index in its frame.
pub type Accept<'a> = dyn FnMut(usize, &Response, &[u8]) + 'a;

/// The responses that are awaited.
#[derive(Debug)]
pub struct Awaited<'a> {
    asks: &'a [Ask],
    sent: Sent,
    /// One bit for each response that has arrived.
    answered: u32,
}

impl<'a> Awaited<'a> {
    /// Awaits all responses to the requests of one frame: up to 32.
    #[must_use]
    pub const fn new(asks: &'a [Ask], sent: Sent) -> Self {
        Self {
            asks,
            sent,
            answered: 0,
        }
    }

    /// Whether all have arrived.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.answered.count_ones() as usize == self.asks.len()
    }

    /// The name of the first request without a response, for messages.
    fn name(&self) -> &'static str {
        let first = self.asks.get(self.answered.trailing_ones() as usize);
        first
            .or(self.asks.last())
            .map_or("", |ask| ask.command.name())
    }

    /// The index of the request that a response answers, unless that already has a response.
    fn index(&self, response: &Response) -> Option<usize> {
        let index = usize::try_from(response.message.checked_sub(self.sent.message)?).ok()?;
        let ask = self.asks.get(index)?;
        let is_answered = self.answered & 1 << index != 0;
        (ask.command as u16 == response.command && !is_answered).then_some(index)
    }
}

impl State {
    /// Judges complete frames in place; keeps the rest for [`State::judge_kept`].
    pub fn judge_arrived(
        &mut self,
        bytes: &mut [u8],
        awaited: &mut Awaited<'_>,
        accept: &mut Accept<'_>,
    ) -> Result<(), Fault> {
        if !self.carry.is_empty() {
            self.carry.extend_from_slice(bytes);
            return Ok(());
        }
        let used = self.judge_frames(bytes, awaited, accept)?;
        let rest = &bytes[used..];
        if !rest.is_empty() {
            let expected = self.frame_length(rest)?.unwrap_or(0);
            self.carry.reserve_exact(expected.max(rest.len()));
            self.carry.extend_from_slice(rest);
        }
        Ok(())
    }

    /// Judges kept bytes: the beginning of a frame, or bytes that arrived after earlier responses.
    pub fn judge_kept(
        &mut self,
        awaited: &mut Awaited<'_>,
        accept: &mut Accept<'_>,
    ) -> Result<(), Fault> {
        if self.carry.is_empty() {
            return Ok(());
        }
        let mut carry = std::mem::take(&mut self.carry);
        let used = self.judge_frames(&mut carry, awaited, accept)?;
        if used < carry.len() {
            carry.drain(..used);
            self.carry = carry;
        }
        Ok(())
    }

    /// Whether there is an oplock or lease break to acknowledge, and a credit that pays for it. The
    /// request under way may have taken all of them; its response grants more.
    pub(super) fn can_acknowledge(&self) -> bool {
        !self.breaks.is_empty() && self.credits > 0
    }

    /// A break that the caller must acknowledge now, if there is one.
    pub fn take_break(&mut self) -> Option<Break> {
        if self.can_acknowledge() {
            self.breaks.pop()
        } else {
            None
        }
    }

    /// Judges the whole frames at the start of `received` until all awaited responses have come.
    /// Returns how many bytes were used.
    fn judge_frames(
        &mut self,
        received: &mut [u8],
        awaited: &mut Awaited<'_>,
        accept: &mut Accept<'_>,
    ) -> Result<usize, Fault> {
        let mut used = 0;
        while let Some(length) = self.frame_length(&received[used..])? {
            let frame = &mut received[used..];
            if frame.len() < length {
                break;
            }
            self.judge_frame(&mut frame[FRAME_BYTES..length], awaited, accept)?;
            used += length;
            if awaited.is_over() {
                break;
            }
        }
        Ok(used)
    }

    /// Bytes of the frame at the start of `received`.
    fn frame_length(&self, received: &[u8]) -> Result<Option<usize>, Fault> {
        let most = self.agreed.max_read.max(self.agreed.max_transact) as usize + MOST_OVERHEAD;
        match frame_bytes(received) {
            Ok(Some(length)) if length > most => Err(malformed(format!(
                "the server announced a message of {length} bytes, more than was agreed on"
            ))),
            Ok(length) => Ok(length),
            Err(_) => {
                let start = received[..received.len().min(40)].escape_ascii();
                Err(malformed(format!(
                    "answered, but not as an SMB server: {start}"
                )))
            }
        }
    }

    /// Judges the responses of one frame, encrypted or not (MS-SMB2 3.2.5.1.1, 3.2.5.1.9).
    fn judge_frame(
        &mut self,
        frame: &mut [u8],
        awaited: &mut Awaited<'_>,
        accept: &mut Accept<'_>,
    ) -> Result<(), Fault> {
        let is_encrypted = Transform::starts(frame);
        let mut rest = if is_encrypted {
            self.encryption.open(self.session, frame)?
        } else {
            frame
        };
        loop {
            let not_smb2 = || {
                let name = awaited.name();
                malformed(format!("{name}: the answer is not an SMB2 response"))
            };
            let response = Response::parse(rest).ok_or_else(not_smb2)?;
            let bytes = response.bytes(rest.len()).ok_or_else(not_smb2)?;
            let (message, after) = rest.split_at_mut(bytes);
            self.judge(message, &response, is_encrypted, awaited, accept)?;
            if after.is_empty() {
                return Ok(());
            }
            rest = after;
        }
    }

    /// Judges one response.
    fn judge(
        &mut self,
        message: &mut [u8],
        response: &Response,
        is_encrypted: bool,
        awaited: &mut Awaited<'_>,
        accept: &mut Accept<'_>,
    ) -> Result<(), Fault> {
        if response.message == UNASKED {
            return self.note_break(&message[HEADER_BYTES..]);
        }
        self.credits = self.credits.saturating_add(response.credits.into());
        let index = awaited.index(response);
        if response.command == Command::OplockBreak as u16 && index.is_none() {
            return Ok(()); // the response to an acknowledgement
        }
        let Some(index) = index else {
            let name = awaited.name();
            let sentence = format!("{name}: the answer belongs to another request");
            return Err(malformed(sentence));
        };
        let name = awaited.asks[index].command.name();
        if is_encrypted {
            let is_ours = response.session == self.session || response.is_related();
            if !is_ours {
                let sentence = format!("{name}: the encrypted answer names another session");
                return Err(malformed(sentence));
            }
        } else if awaited.sent.is_encrypted && !has_no_key(response.status) {
            return Err(malformed(format!("{name}: the answer is not encrypted")));
        }
        if response.is_interim() {
            return Ok(());
        }
        if let Some(hash) = &mut self.hashing
            && (response.status == Status::MORE_PROCESSING_REQUIRED
                || response.command == Command::Negotiate as u16)
        {
            *hash = hash.after(message);
        }
        if !is_encrypted {
            self.check_signature(message, response, name)?;
        }
        awaited.answered |= 1 << index;
        accept(index, response, &message[HEADER_BYTES..]);
        Ok(())
    }

    fn check_signature(
        &self,
        message: &mut [u8],
        response: &Response,
        name: &str,
    ) -> Result<(), Fault> {
        let Some(signer) = self
            .signer
            .as_ref()
            .filter(|_| !has_no_key(response.status))
        else {
            return Ok(());
        };
        if response.is_signed() {
            if signer.verify(message) {
                return Ok(());
            }
            return Err(malformed(format!(
                "{name}: the signature of the answer is wrong"
            )));
        }
        if self.is_signing {
            return Err(malformed(format!("{name}: the answer is not signed")));
        }
        Ok(())
    }

    /// Notes an oplock or lease break. These are never signed (MS-SMB2 3.2.5.1.3), and smbd does
    /// not encrypt them even if everything else is encrypted.
    fn note_break(&mut self, body: &[u8]) -> Result<(), Fault> {
        let taken = Break::parse(body)
            .ok_or_else(|| malformed("the server sent a message that nothing asked for".into()))?;
        let is_awaited = match &taken {
            Break::Lease { is_awaited, .. } => *is_awaited,
            // Shared oplocks are not in `kept`: their breaks need no answer (MS-SMB2 3.2.5.19.1).
            Break::Oplock { file, .. } => {
                let position = self.kept.iter().position(|kept| kept == file);
                position
                    .map(|position| self.kept.swap_remove(position))
                    .is_some()
            }
        };
        if is_awaited {
            self.breaks.push(taken);
        }
        Ok(())
    }
}

/// Whether this status means that the server has forgotten the session, and with it the keys to
/// sign or encrypt the response (MS-SMB2 3.3.4.1.1); smbd still sets the flag for signed. An
/// attacker who forges such a response gains no more than by cutting the connection.
pub(super) const fn has_no_key(status: Status) -> bool {
    matches!(
        status,
        Status::USER_SESSION_DELETED | Status::NETWORK_SESSION_EXPIRED
    )
}

#[cfg(test)]
mod tests;
