//! What is known about a connection, and the judgement of what arrives.

use headcount_load::{Fault, FaultKind};

use super::handshake::Agreed;
use crate::auth::kdf::Preauth;
use crate::auth::sign::Signer;
use crate::wire::FileId;
use crate::wire::header::{Command, FRAME_BYTES, HEADER_BYTES, Response, UNASKED, frame_bytes};
use crate::wire::oplock::Break;
use crate::wire::status::Status;

/// What a response may have beside its data.
const MOST_OVERHEAD: usize = 64 << 10;

/// A connection without its socket.
#[derive(Debug)]
pub struct State {
    /// What has arrived beyond the last answer; nearly always empty.
    pub(super) carry: Vec<u8>,
    pub(super) next_message: u64,
    pub(super) credits: u32,
    /// What was agreed on in NEGOTIATE.
    pub agreed: Agreed,
    /// The hash of the negotiation (3.1.1).
    pub preauth: Preauth,
    /// The hash of the negotiation or logon under way.
    pub hashing: Option<Preauth>,
    /// The number of the session; 0 before the logon.
    pub session: u64,
    /// Signs and checks, once there is a key.
    pub signer: Option<Signer>,
    /// Whether every message is signed.
    pub is_signing: bool,
    /// The tree that oplocks and leases belong to.
    pub tree: u32,
    /// Handles whose oplocks must be given back when the server says so.
    pub kept: Vec<FileId>,
    pub(super) breaks: Vec<Break>,
}

/// Which response is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Awaited {
    pub command: Command,
    pub message: u64,
}

impl State {
    pub(super) const fn new(agreed: Agreed) -> Self {
        Self {
            carry: Vec::new(),
            next_message: 0,
            credits: 1, // what a client may send before the server has granted any (3.2.1.2)
            agreed,
            preauth: Preauth::START,
            hashing: None,
            session: 0,
            signer: None,
            is_signing: false,
            tree: 0,
            kept: Vec::new(),
            breaks: Vec::new(),
        }
    }

    /// Judges the whole frames at the start of `received` until the awaited response is among
    /// them. Returns how many bytes were used.
    pub(super) fn judge_frames<R, A>(
        &mut self,
        received: &mut [u8],
        awaited: Awaited,
        accept: &mut Option<A>,
    ) -> Result<(usize, Option<R>), Fault>
    where
        A: FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    {
        let mut used = 0;
        while let Some(length) = self.frame_length(&received[used..])? {
            let frame = &mut received[used..];
            if frame.len() < length {
                break;
            }
            let judged = self.judge(&mut frame[FRAME_BYTES..length], awaited, accept)?;
            used += length;
            if judged.is_some() {
                return Ok((used, judged));
            }
        }
        Ok((used, None))
    }

    /// Bytes of the frame that starts here.
    pub(super) fn frame_length(&self, received: &[u8]) -> Result<Option<usize>, Fault> {
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

    /// Judges one message; `None` means that it was not the awaited response.
    fn judge<R, A>(
        &mut self,
        message: &mut [u8],
        awaited: Awaited,
        accept: &mut Option<A>,
    ) -> Result<Option<R>, Fault>
    where
        A: FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    {
        let name = awaited.command.name();
        let Some(response) = Response::parse(message) else {
            return Err(malformed(format!("{name}: the answer is no SMB2 response")));
        };
        if response.message == UNASKED {
            return self.note_break(&message[HEADER_BYTES..]).map(|()| None);
        }
        self.credits = self.credits.saturating_add(response.credits.into());
        let is_break = response.command == Command::OplockBreak as u16;
        if is_break && response.message != awaited.message {
            return Ok(None); // the answer to an acknowledgement
        }
        let is_awaited =
            (response.command, response.message) == (awaited.command as u16, awaited.message);
        if !is_awaited {
            return Err(malformed(format!(
                "{name}: the answer belongs to another request"
            )));
        }
        if response.is_interim() {
            return Ok(None);
        }
        if let Some(hash) = &mut self.hashing
            && (response.status == Status::MORE_PROCESSING_REQUIRED
                || awaited.command == Command::Negotiate)
        {
            *hash = hash.after(message);
        }
        self.check_signature(message, &response, name)?;
        accept
            .take()
            .map(|accept| accept(&response, &message[HEADER_BYTES..]))
            .transpose()
    }

    fn check_signature(
        &self,
        message: &mut [u8],
        response: &Response,
        name: &str,
    ) -> Result<(), Fault> {
        let Some(signer) = &self.signer else {
            return Ok(());
        };
        // A server that has forgotten the session has no key to say so with (MS-SMB2 3.3.4.1.1).
        let has_no_key = matches!(
            response.status,
            Status::USER_SESSION_DELETED | Status::NETWORK_SESSION_EXPIRED
        );
        if response.is_signed() {
            if signer.verify(message) {
                return Ok(());
            }
            return Err(malformed(format!(
                "{name}: the signature of the answer is wrong"
            )));
        }
        if self.is_signing && !has_no_key {
            return Err(malformed(format!("{name}: the answer is not signed")));
        }
        Ok(())
    }

    fn note_break(&mut self, body: &[u8]) -> Result<(), Fault> {
        let taken = Break::parse(body)
            .ok_or_else(|| malformed("the server sent a message that nothing asked for".into()))?;
        let is_awaited = match &taken {
            Break::Lease { is_awaited, .. } => *is_awaited,
            // A shared oplock ends without an answer (MS-SMB2 3.2.5.19.1); those are not kept.
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

/// The fault of a server that does not keep to the protocol.
pub(crate) fn malformed(sentence: String) -> Fault {
    Fault::session(FaultKind::Malformed, sentence)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::auth::sign::Signer;
    use crate::wire::fields::Put;
    use crate::wire::header::SIGNED;
    use crate::wire::negotiate::SigningAlgorithm;

    const AWAITED: Awaited = Awaited {
        command: Command::Echo,
        message: 7,
    };

    /// The frame of a response.
    fn frame(command: Command, status: Status, flags: u32, message: u64, body: &[u8]) -> Vec<u8> {
        let mut out = ((HEADER_BYTES + body.len()) as u32).to_be_bytes().to_vec();
        out.put(b"\xFESMB\x40\0\0\0");
        out.put_u32(status.0);
        out.put_u16(command as u16);
        out.put_u16(3); // credits
        out.put_u32(1 | flags);
        out.put_u32(0);
        out.put_u64(message);
        out.put_zeros(32);
        out.put(body);
        out
    }

    fn state() -> State {
        State::new(Agreed::nothing([0; 16]))
    }

    fn judge(state: &mut State, received: &mut [u8]) -> Result<(usize, Option<Status>), Fault> {
        let mut accept = Some(|head: &Response, _: &[u8]| Ok(head.status));
        state.judge_frames(received, AWAITED, &mut accept)
    }

    #[test]
    fn interim_answers_and_breaks_come_before_the_answer() {
        let mut state = state();
        state.kept = vec![[5; 16]];
        let mut notice = vec![24, 0, 1, 0, 0, 0, 0, 0];
        notice.extend([5; 16]);
        let interim = frame(Command::Echo, Status::PENDING, 2, 7, &[9, 0]);
        let breaks = frame(Command::OplockBreak, Status::SUCCESS, 0, UNASKED, &notice);
        let answer = frame(Command::Echo, Status::SUCCESS, 0, 7, &[4, 0, 0, 0]);
        let mut received = [interim, breaks, answer.clone(), answer].concat();
        let (used, status) = judge(&mut state, &mut received).unwrap();
        assert_eq!(status, Some(Status::SUCCESS));
        assert_eq!(received.len() - used, FRAME_BYTES + HEADER_BYTES + 4);
        assert_eq!(state.credits, 1 + 3 + 3);
        let file = [5; 16];
        assert_eq!(state.breaks, [Break::Oplock { file, level: 1 }]);
        assert!(state.kept.is_empty());
    }

    #[test]
    fn where_everything_is_signed_an_unsigned_answer_is_none() {
        let mut state = state();
        let signer = Signer::new(SigningAlgorithm::AesGmac, &[1; 16]);
        let unsigned = frame(Command::Echo, Status::SUCCESS, 0, 7, &[4, 0, 0, 0]);
        let forged = frame(Command::Echo, Status::SUCCESS, SIGNED, 7, &[4, 0, 0, 0]);
        state.signer = Some(signer);
        assert!(judge(&mut state, &mut unsigned.clone()).is_ok());
        let fault = judge(&mut state, &mut forged.clone()).unwrap_err();
        assert!(
            fault.message.contains("signature of the answer is wrong"),
            "{fault}"
        );
        state.is_signing = true;
        let fault = judge(&mut state, &mut unsigned.clone()).unwrap_err();
        assert!(fault.message.contains("not signed"), "{fault}");
    }

    proptest! {
        #[test]
        fn random_messages_never_panic(
            mut received in prop::collection::vec(any::<u8>(), 0..300),
            is_framed: bool,
        ) {
            if is_framed && received.len() > 80 {
                let start = frame(Command::Echo, Status::SUCCESS, 0, 7, &[]);
                received[..24].copy_from_slice(&start[..24]);
                received[3] = received[70];
            }
            let _ = judge(&mut state(), &mut received);
        }
    }
}
