//! The server's messages, cut out of the bytes that arrive (PostgreSQL 15, 55.7), within bounds.
//!
//! A message that arrives whole is read in place; only one in several pieces is buffered until the
//! last has come. If a server sends more than any user needs, the connection is closed as soon as
//! the head of a message shows it.

use std::ops::ControlFlow;

use headcount_load::Fault;

use crate::refusal::{malformed, no_session, not_postgresql, within};

/// The longest message before the logon is complete. PostgreSQL's have a few hundred bytes; libpq
/// takes errors of up to 30,000 (15, `fe-connect.c`).
const MOST_LOGON_MESSAGE_BYTES: u32 = 64 << 10;
/// All messages of a logon. PostgreSQL's have a kilobyte.
const MOST_LOGON_BYTES: u64 = 1 << 20;
/// The longest message after the logon; it is buffered until it is whole. The largest body of a
/// document has 1 MiB.
const MOST_MESSAGE_BYTES: u32 = 64 << 20;
/// The longest answer: reading it takes CPU time from all users of a worker.
const MOST_ANSWER_BYTES: u64 = 256 << 20;
/// The rows of one COPY, which are not kept: beyond this, the server is sending without end.
const MOST_COPIED_BYTES: u64 = 64 << 30;
/// What a message costs in addition to its bytes: if it were not counted, a flood of empty rows
/// could cost twenty times as much as one of long rows.
const MESSAGE_COST_BYTES: u64 = 128;
/// Notices, notifications and parameters between two answers: a statement that raises a notice for
/// each of 100,000 rows sends 10 MB.
const MOST_ASIDE_BYTES: u64 = 16 << 20;

/// Tag and length.
const HEAD_BYTES: usize = 5;

/// What kinds of messages are called (PostgreSQL 15, 55.7).
pub mod tag {
    #![expect(missing_docs, reason = "the names are those of the protocol")]
    pub const AUTHENTICATION: u8 = b'R';
    pub const BIND_COMPLETE: u8 = b'2';
    pub const COMMAND_COMPLETE: u8 = b'C';
    pub const COPY_BOTH: u8 = b'W';
    pub const COPY_DATA: u8 = b'd';
    pub const COPY_DONE: u8 = b'c';
    pub const COPY_IN: u8 = b'G';
    pub const COPY_OUT: u8 = b'H';
    pub const DATA_ROW: u8 = b'D';
    pub const EMPTY_QUERY: u8 = b'I';
    pub const ERROR: u8 = b'E';
    pub const KEY_DATA: u8 = b'K';
    pub const NEGOTIATE_VERSION: u8 = b'v';
    pub const NO_DATA: u8 = b'n';
    pub const NOTICE: u8 = b'N';
    pub const NOTIFICATION: u8 = b'A';
    pub const PARAMETER: u8 = b'S';
    pub const PARAMETER_DESCRIPTION: u8 = b't';
    pub const PARSE_COMPLETE: u8 = b'1';
    pub const READY: u8 = b'Z';
    pub const ROW_DESCRIPTION: u8 = b'T';
}

/// One message, where it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// What it is ([`tag`]).
    pub tag: u8,
    /// What is behind its length.
    pub body: &'a [u8],
}

impl Message<'_> {
    /// Whether it may come at any time, outside an answer (PostgreSQL 15, 55.2.7).
    #[must_use]
    pub const fn is_aside(&self) -> bool {
        matches!(self.tag, tag::NOTICE | tag::NOTIFICATION | tag::PARAMETER)
    }
}

/// Cuts the bytes of one connection into messages.
#[derive(Debug, Default)]
pub struct Frames {
    /// An incomplete message, or what came after the end of an answer. Between two answers it is
    /// empty and holds no memory.
    kept: Vec<u8>,
    /// Whether the incomplete message has been counted.
    is_counted: bool,
    /// Whether the server let the user in, and whether it is ready for statements.
    is_let_in: bool,
    is_ready: bool,
    answer_bytes: u64,
    aside_bytes: u64,
    copied_bytes: u64,
}

impl Frames {
    /// Takes what has arrived, and passes each complete message to `accept` until it breaks; the
    /// rest is kept for the next call. Returns what `accept` broke with, or None if it needs more.
    /// After an error the connection must be closed.
    pub fn take<T>(
        &mut self,
        mut bytes: &[u8],
        mut accept: impl FnMut(&Message<'_>) -> Result<ControlFlow<T>, Fault>,
    ) -> Result<Option<T>, Fault> {
        if !self.kept.is_empty() {
            let mut kept = std::mem::take(&mut self.kept);
            loop {
                let (taken, found) = self.cut(&kept, &mut accept)?;
                kept.drain(..taken);
                if found.is_some() {
                    kept.extend_from_slice(bytes);
                    self.kept = kept;
                    self.release();
                    return Ok(found);
                }
                if kept.is_empty() {
                    break;
                }
                let (more, rest) = bytes.split_at(missing(&kept).min(bytes.len()));
                if more.is_empty() {
                    self.kept = kept;
                    return Ok(None);
                }
                kept.extend_from_slice(more);
                bytes = rest;
            }
        }
        let (taken, found) = self.cut(bytes, &mut accept)?;
        self.kept.extend_from_slice(&bytes[taken..]);
        Ok(found)
    }

    /// Whether all that has arrived was passed on.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    fn release(&mut self) {
        if self.kept.is_empty() {
            self.kept = Vec::new(); // an idle connection keeps no buffer
        }
    }

    /// Passes the complete messages to `accept`; returns how many bytes they have.
    fn cut<T>(
        &mut self,
        bytes: &[u8],
        accept: &mut impl FnMut(&Message<'_>) -> Result<ControlFlow<T>, Fault>,
    ) -> Result<(usize, Option<T>), Fault> {
        let mut taken = 0;
        while let Some(&[tag, a, b, c, d]) = bytes[taken..].first_chunk::<HEAD_BYTES>() {
            let length = u32::from_be_bytes([a, b, c, d]);
            if !self.is_counted {
                self.begin(tag, length)?;
                self.is_counted = true;
            }
            let end = taken + 1 + length as usize;
            let Some(body) = bytes.get(taken + HEAD_BYTES..end) else {
                break;
            };
            self.is_counted = false;
            self.is_let_in |= tag == tag::AUTHENTICATION && body == [0; 4];
            taken = end;
            if let ControlFlow::Break(found) = accept(&Message { tag, body })? {
                return Ok((taken, Some(found)));
            }
        }
        Ok((taken, None))
    }

    /// Checks and counts the head of a message. Its length includes itself.
    fn begin(&mut self, tag: u8, length: u32) -> Result<(), Fault> {
        if !self.is_ready && !self.belongs_to_logon(tag) {
            return Err(not_postgresql());
        }
        let is_first = !self.is_ready && self.answer_bytes == 0;
        if is_first && tag == tag::ERROR && is_text(length) {
            return Err(no_session());
        }
        if length < 4 {
            return Err(malformed("a message of a length under 4"));
        }
        let most = if self.is_ready {
            MOST_MESSAGE_BYTES
        } else {
            MOST_LOGON_MESSAGE_BYTES
        };
        if length > most {
            let tag = char::from(tag).escape_default();
            return Err(malformed(&format!(
                "a message ('{tag}') of {length} bytes; at most {most} are read"
            )));
        }
        self.count(tag, u64::from(length))
    }

    /// Counts the bytes of an answer, and of messages outside one.
    fn count(&mut self, tag: u8, bytes: u64) -> Result<(), Fault> {
        if tag == tag::COPY_DATA {
            self.copied_bytes += bytes + MESSAGE_COST_BYTES;
            return within(self.copied_bytes, MOST_COPIED_BYTES, "of rows in one COPY");
        }
        self.answer_bytes += bytes + MESSAGE_COST_BYTES;
        match tag {
            tag::READY => {
                self.is_ready = true;
                (self.answer_bytes, self.aside_bytes, self.copied_bytes) = (0, 0, 0);
            }
            tag::NOTICE | tag::NOTIFICATION | tag::PARAMETER => {
                self.aside_bytes += bytes;
                within(
                    self.aside_bytes,
                    MOST_ASIDE_BYTES,
                    "of notices between two answers",
                )?;
            }
            _ => {}
        }
        if self.is_ready {
            within(self.answer_bytes, MOST_ANSWER_BYTES, "in one answer")
        } else {
            within(
                self.answer_bytes,
                MOST_LOGON_BYTES,
                "before the logon is complete",
            )
        }
    }

    /// Whether a message may come before the server is ready (PostgreSQL 15, 55.2.1).
    const fn belongs_to_logon(&self, tag: u8) -> bool {
        match tag {
            tag::AUTHENTICATION | tag::ERROR | tag::NOTICE | tag::NEGOTIATE_VERSION => true,
            tag::KEY_DATA | tag::PARAMETER | tag::READY => self.is_let_in,
            _ => false,
        }
    }
}

/// Whether a length is text: a server that cannot start a process for the connection sends an error
/// without a length (PostgreSQL 15, `report_fork_failure_to_client` of `postmaster.c`).
fn is_text(length: u32) -> bool {
    let bytes = length.to_be_bytes();
    // No byte above 0xf4 occurs in UTF-8.
    bytes
        .iter()
        .all(|byte| !byte.is_ascii_control() && *byte <= 0xf4)
}

/// How many bytes an incomplete message, or its head, lacks.
fn missing(message: &[u8]) -> usize {
    let length = message.first_chunk().map_or(HEAD_BYTES, |head| {
        let [_, a, b, c, d]: [u8; HEAD_BYTES] = *head;
        1 + u32::from_be_bytes([a, b, c, d]) as usize
    });
    length.saturating_sub(message.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(tag: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32 + 4).to_be_bytes();
        [&[tag][..], &length, body].concat()
    }

    fn logon() -> Vec<u8> {
        [
            message(tag::AUTHENTICATION, &10u32.to_be_bytes()),
            message(tag::AUTHENTICATION, &0u32.to_be_bytes()),
            message(tag::PARAMETER, b"TimeZone\0UTC\0"),
            message(tag::KEY_DATA, &[0; 8]),
            message(tag::READY, b"I"),
        ]
        .concat()
    }

    /// Messages, and whether an error followed them.
    type Found = (Vec<(u8, Vec<u8>)>, Result<(), Fault>);

    /// The messages in bytes that arrive in these pieces; each answer is taken by its own call.
    fn found<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Found {
        let (mut frames, mut all) = (Frames::default(), Vec::new());
        for piece in pieces {
            let mut piece = piece;
            loop {
                let taken = frames.take(piece, |message| {
                    all.push((message.tag, message.body.to_vec()));
                    Ok(match message.tag {
                        tag::READY => ControlFlow::Break(()),
                        _ => ControlFlow::Continue(()),
                    })
                });
                match taken {
                    Ok(None) => break,
                    Ok(Some(())) => piece = &[],
                    Err(fault) => return (all, Err(fault)),
                }
            }
        }
        (all, Ok(()))
    }

    proptest! {
        #[test]
        fn messages_do_not_depend_on_the_pieces(
            rows in 0usize..4, answers in 0usize..4, bad in any::<bool>(), size in 1usize..40,
        ) {
            let mut bytes = logon();
            for _ in 0..answers {
                for row in 0..rows {
                    bytes.extend(message(tag::DATA_ROW, &vec![b'R'; row * 7]));
                }
                bytes.extend(message(tag::READY, b"I"));
            }
            if bad {
                bytes.extend([b'D', 0x7f, 0xff, 0xff, 0xff]);
            }
            let whole = found([&bytes[..]]);
            prop_assert_eq!(whole.0.len(), 5 + answers * (rows + 1));
            prop_assert_eq!(whole.1.is_ok(), !bad);
            prop_assert_eq!(found(bytes.chunks(size)), whole);
        }

        #[test]
        fn any_bytes_may_come_in_pieces(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let whole = found([&bytes[..]]);
            prop_assert_eq!(found(bytes.chunks(1)), whole);
        }
    }

    fn ready() -> Frames {
        let mut frames = Frames::default();
        let taken = frames.take(&logon(), accept).unwrap();
        assert_eq!(taken, Some(()));
        frames
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is what `take` asks for")]
    fn accept(message: &Message<'_>) -> Result<ControlFlow<()>, Fault> {
        Ok(match message.tag {
            tag::READY => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    }

    #[test]
    fn small_rows_count_with_their_overhead() {
        let mut frames = ready();
        let rows = message(tag::DATA_ROW, b"").repeat(1000);
        let passed = (0..10_000)
            .take_while(|_| frames.take(&rows, accept).is_ok())
            .count();
        // 5 bytes each, and yet no more of them than 256 MiB holds.
        assert!((1_900..2_100).contains(&passed), "{passed}");
    }

    #[test]
    fn each_answer_is_counted_from_zero() {
        let mut frames = ready();
        let notice = message(tag::NOTICE, &vec![b'x'; 1 << 20]);
        let answer = [&notice[..], &message(tag::READY, b"I")].concat();
        for _ in 0..100 {
            assert_eq!(frames.take(&answer, accept).unwrap(), Some(()));
        }
        let passed = (0..100)
            .take_while(|_| frames.take(&notice, accept).is_ok())
            .count();
        assert_eq!(passed, 15); // with its own head, the 16th is beyond 16 MiB
    }

    #[test]
    fn nothing_is_kept_between_answers() {
        let mut frames = ready();
        let long = message(tag::DATA_ROW, &vec![0; 1 << 20]);
        let answer = [&long[..], &message(tag::READY, b"I")].concat();
        for piece in answer.chunks(1000) {
            let _ = frames.take(piece, accept).unwrap();
        }
        assert!(frames.is_empty());
        assert_eq!(frames.kept.capacity(), 0);
    }
}
