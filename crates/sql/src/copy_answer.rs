//! The answer to a COPY: the messages that may come, in their order (PostgreSQL 15, 55.2.6).

use std::ops::ControlFlow;

use headcount_load::{Fault, FaultKind};

use crate::answer::{IDLE, Rows};
use crate::fault::{of_refused_statement, of_stray_error};
use crate::frames::{Message, tag};
use crate::refusal::{cut, malformed, unexpected};

/// What must come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The server begins the COPY, in either direction.
    In,
    Out,
    /// The server takes rows, and reports when they are stored.
    Taking,
    /// It sends rows.
    Giving,
    /// All rows have come.
    Given,
    /// The end of the answer.
    Ready,
}

/// Why reading an answer stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The server waits for rows.
    Rows,
    /// The answer is complete.
    End,
}

/// The answer to a COPY, while it arrives.
#[derive(Debug)]
pub struct CopyAnswer<F> {
    stage: Stage,
    each: F,
    rows: Rows,
    fault: Option<Fault>,
    in_transaction: bool,
}

/// Takes no rows: for a COPY that receives none.
pub type Each = fn(&[u8]);

const NOTHING: Each = |_| {};

impl CopyAnswer<Each> {
    /// To Query with a COPY FROM STDIN.
    #[must_use]
    pub fn from_stdin() -> Self {
        Self::new(Stage::In, NOTHING)
    }
}

impl<F: FnMut(&[u8])> CopyAnswer<F> {
    /// To Query with a COPY TO STDOUT; `each` gets the rows in the pieces in which they arrive.
    #[must_use]
    pub fn to_stdout(each: F) -> Self {
        Self::new(Stage::Out, each)
    }

    fn new(stage: Stage, each: F) -> Self {
        Self {
            stage,
            each,
            rows: Rows::default(),
            fault: None,
            in_transaction: false,
        }
    }

    /// Takes the next message. Breaks when the server waits for rows, and at the end; after an
    /// error the connection must be closed.
    pub fn take(&mut self, message: &Message<'_>) -> Result<ControlFlow<Turn>, Fault> {
        let body = message.body;
        self.stage = match (self.stage, message.tag) {
            (Stage::Giving, tag::COPY_DATA) => {
                self.rows.bytes += body.len() as u64;
                (self.each)(body);
                Stage::Giving
            }
            (stage, _) if message.is_aside() => stage,
            (Stage::In, tag::COPY_IN) => {
                if *body.first().ok_or_else(cut)? != 0 {
                    self.fail(Fault::step(
                        FaultKind::Refused,
                        "the server wants binary rows, but a workload's rows are text: leave out \
                         FORMAT binary",
                    ));
                }
                self.stage = Stage::Taking;
                return Ok(ControlFlow::Break(Turn::Rows));
            }
            (Stage::Out, tag::COPY_OUT) => Stage::Giving,
            (Stage::Giving, tag::COPY_DONE) => Stage::Given,
            (Stage::Taking | Stage::Given, tag::COMMAND_COMPLETE) => {
                self.rows.complete(body);
                Stage::Ready
            }
            (Stage::Ready, tag::READY) => {
                let [status] = body else {
                    return Err(malformed("an end of an answer that has another length"));
                };
                self.in_transaction = *status != IDLE;
                return Ok(ControlFlow::Break(Turn::End));
            }
            (Stage::Ready, tag::ERROR) => return Err(of_stray_error(body)),
            (_, tag::ERROR) => {
                let fault = of_refused_statement(body);
                if fault.ends_session {
                    return Err(fault);
                }
                self.fail(fault);
                Stage::Ready
            }
            (_, other) => return Err(unexpected(other)),
        };
        Ok(ControlFlow::Continue(()))
    }

    /// Makes this fault the result, unless there already is one.
    pub fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// Whether it has a fault already.
    pub const fn has_failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Whether the session is in a transaction, failed or not, after the end of the answer.
    pub const fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// The result, after the end of the answer.
    pub fn finish(self) -> Result<Rows, Fault> {
        self.fault.map_or(Ok(self.rows), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_all<F: FnMut(&[u8])>(
        answer: &mut CopyAnswer<F>,
        messages: &[(u8, &[u8])],
    ) -> Result<ControlFlow<Turn>, Fault> {
        let mut turn = ControlFlow::Continue(());
        for (tag, body) in messages {
            turn = answer.take(&Message { tag: *tag, body })?;
        }
        Ok(turn)
    }

    #[test]
    fn received_rows_are_counted_by_the_server_and_their_bytes_here() {
        let mut seen = Vec::new();
        let mut answer = CopyAnswer::to_stdout(|data: &[u8]| seen.extend_from_slice(data));
        let messages: [(u8, &[u8]); 7] = [
            (tag::COPY_OUT, b"\0\0\x01\0\0"),
            (tag::COPY_DATA, b"1\n"),
            (tag::NOTICE, b"\0"),
            (tag::COPY_DATA, b"23\n"),
            (tag::COPY_DONE, b""),
            (tag::COMMAND_COMPLETE, b"COPY 2\0"),
            (tag::READY, b"T"),
        ];
        let turn = take_all(&mut answer, &messages).unwrap();
        assert_eq!(turn, ControlFlow::Break(Turn::End));
        assert!(answer.in_transaction());
        let rows = answer.finish().unwrap();
        assert_eq!((rows.affected, rows.bytes), (2, 5));
        assert_eq!(seen, b"1\n23\n");
    }

    #[test]
    fn early_rows_and_rows_in_the_wrong_direction_are_refused() {
        for (begin, tag) in [
            (tag::COPY_DATA, tag::COPY_DATA),
            (tag::COPY_OUT, tag::READY),
            (tag::COPY_IN, tag::COPY_DATA),
        ] {
            let mut answer = CopyAnswer::from_stdin();
            let fault = take_all(&mut answer, &[(begin, b"\0"), (tag, b"I")]).unwrap_err();
            assert!(fault.ends_session, "{begin} {tag}");
        }
    }

    #[test]
    fn the_first_fault_is_reported() {
        let mut answer = CopyAnswer::from_stdin();
        let turn = take_all(&mut answer, &[(tag::COPY_IN, b"\x01\0\0")]).unwrap();
        assert_eq!(turn, ControlFlow::Break(Turn::Rows));
        assert!(answer.has_failed());
        let refused = b"SERROR\0C57014\0Mstopped\0\0";
        let turn = take_all(&mut answer, &[(tag::ERROR, refused), (tag::READY, b"I")]).unwrap();
        assert_eq!(turn, ControlFlow::Break(Turn::End));
        let fault = answer.finish().unwrap_err();
        assert!(fault.message.contains("FORMAT binary"), "{fault}");
    }

    #[test]
    fn a_connection_that_ends_after_a_refusal_ends_with_the_servers_words() {
        let mut answer = CopyAnswer::from_stdin();
        let refused: &[u8] = b"SERROR\0C42P01\0Mno such table\0\0";
        let ended: &[u8] = b"SFATAL\0C57P01\0Mshutting down\0\0";
        let fault = take_all(&mut answer, &[(tag::ERROR, refused), (tag::ERROR, ended)]);
        assert_eq!(fault.unwrap_err().kind, FaultKind::Disconnected);
    }
}
