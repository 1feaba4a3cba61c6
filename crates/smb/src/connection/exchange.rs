//! A request and its response. In between may come an interim response, which says that the real
//! one comes later, and notifications that an oplock or lease is taken back, which are acknowledged
//! at once, since the response may wait for that.

use std::future::poll_fn;

use headcount_load::Fault;

use super::Connection;
use super::state::{Awaited, malformed};
use super::transport::{poll_bytes, send};
use crate::wire::header::{Command, FRAME_BYTES, Request, Response};
use crate::wire::oplock::Break;

/// Credits the client likes to have: enough for requests of 8 MiB, the largest that servers take.
const WANTED_CREDITS: u32 = 130;
/// Bytes that one credit pays for (MS-SMB2 3.1.5.2).
const BYTES_A_CREDIT: u32 = 64 << 10;

/// What is asked for, beside the body.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The command.
    pub command: Command,
    /// The share.
    pub tree: u32,
    /// The larger of the payload sent and the answer's, which decides how many credits it costs.
    pub bytes: u32,
    /// Signed even when the session's messages are not.
    pub must_sign: bool,
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
        }
    }
}

impl Connection {
    /// The largest payload of one request that what the server grants can pay for, given a limit.
    #[must_use]
    pub fn affordable_bytes(&self, limit: u32) -> u32 {
        if self.state.agreed.has_large_requests {
            limit.min(self.state.credits.saturating_mul(BYTES_A_CREDIT))
        } else {
            limit.min(BYTES_A_CREDIT)
        }
    }

    /// Sends a request and has `accept` judge the response's header and body.
    pub async fn exchange<R>(
        &mut self,
        ask: Ask,
        compose: impl FnOnce(&mut Vec<u8>),
        accept: impl FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let message = self.send(ask, compose).await?;
        self.receive(ask.command, message, accept).await
    }

    /// Sends a request and returns its number.
    pub async fn send(
        &mut self,
        ask: Ask,
        compose: impl FnOnce(&mut Vec<u8>),
    ) -> Result<u64, Fault> {
        let state = &mut self.state;
        let charge = ask.bytes.div_ceil(BYTES_A_CREDIT).max(1);
        let left = state.credits.checked_sub(charge).ok_or_else(|| {
            malformed(format!(
                "{}: the server has granted too few credits",
                ask.command.name()
            ))
        })?;
        let request = Request {
            command: ask.command,
            charge: if state.agreed.has_large_requests {
                charge as u16
            } else {
                0
            },
            credits: WANTED_CREDITS.saturating_sub(left).max(charge) as u16,
            message: state.next_message,
            tree: ask.tree,
            session: state.session,
            is_signed: state.signer.is_some() && (state.is_signing || ask.must_sign),
        };
        state.credits = left;
        state.next_message += u64::from(charge);
        self.requests.sent(ask.command as usize);
        send(&mut self.stream, |out| {
            out.extend([0; FRAME_BYTES]);
            request.encode(out);
            compose(out);
            let length = (out.len() - FRAME_BYTES) as u32;
            out[..FRAME_BYTES].copy_from_slice(&length.to_be_bytes());
            let message = &mut out[FRAME_BYTES..];
            if let (true, Some(signer)) = (request.is_signed, &state.signer) {
                signer.sign(message);
            }
            if let Some(hash) = &mut state.hashing {
                *hash = hash.after(message);
            }
        })
        .await?;
        Ok(request.message)
    }

    /// Waits for the response to the request with this number.
    pub async fn receive<R>(
        &mut self,
        command: Command,
        message: u64,
        accept: impl FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let awaited = Awaited { command, message };
        let mut accept = Some(accept);
        loop {
            let mut answer = self.judge_carried(awaited, &mut accept)?;
            if answer.is_none() && self.state.breaks.is_empty() {
                answer = self.judge_arriving(awaited, &mut accept).await?;
            }
            while let Some(taken) = self.state.breaks.pop() {
                self.acknowledge(&taken).await?;
            }
            if let Some(answer) = answer {
                return Ok(answer);
            }
        }
    }

    /// Judges what came with earlier answers.
    fn judge_carried<R, A>(
        &mut self,
        awaited: Awaited,
        accept: &mut Option<A>,
    ) -> Result<Option<R>, Fault>
    where
        A: FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    {
        if self.state.carry.is_empty() {
            return Ok(None);
        }
        let mut carry = std::mem::take(&mut self.state.carry);
        let (used, answer) = self.state.judge_frames(&mut carry, awaited, accept)?;
        if used < carry.len() {
            carry.drain(..used);
            self.state.carry = carry;
        }
        Ok(answer)
    }

    /// Judges what arrives: in the shared buffer if that has it whole, and keeps the rest.
    async fn judge_arriving<R, A>(
        &mut self,
        awaited: Awaited,
        accept: &mut Option<A>,
    ) -> Result<Option<R>, Fault>
    where
        A: FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    {
        let Self { stream, state, .. } = self;
        poll_fn(|context| {
            poll_bytes(stream, context, |bytes| {
                if !state.carry.is_empty() {
                    state.carry.extend_from_slice(bytes);
                    return Ok(None);
                }
                let (used, answer) = state.judge_frames(bytes, awaited, accept)?;
                let rest = &bytes[used..];
                if !rest.is_empty() {
                    let expected = state.frame_length(rest)?.unwrap_or(0);
                    state.carry.reserve_exact(expected.max(rest.len()));
                    state.carry.extend_from_slice(rest);
                }
                Ok(answer)
            })
        })
        .await
    }

    /// Tells the server that what it took back is given back. Its answer is dropped when it comes.
    async fn acknowledge(&mut self, taken: &Break) -> Result<(), Fault> {
        let ask = Ask::new(Command::OplockBreak, self.state.tree);
        self.send(ask, |out| taken.encode_acknowledgement(out))
            .await
            .map(drop)
    }
}
