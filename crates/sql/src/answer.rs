//! The answer to a question: the messages that may come, in their order (PostgreSQL 15, 55.2).

use std::ops::ControlFlow;

use headcount_load::{Fault, FaultKind};

use crate::fault::{of_refused_statement, of_stray_error};
use crate::frames::{Message, tag};
use crate::refusal::{cut, malformed, unexpected};
use crate::row::{Row, Type, check_columns, column_names};

/// The status of a session outside transactions (PostgreSQL 15, 55.7, `ReadyForQuery`).
pub(crate) const IDLE: u8 = b'I';

/// What must come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Of Parse and Describe.
    Parsed,
    Parameters,
    Columns,
    /// Of Parse, Bind, Describe and Execute in one go.
    AskedParsed,
    AskedBound,
    AskedColumns,
    /// Of Bind and Execute.
    Bound,
    Rows,
    /// Of Query: results of any number of statements.
    Results,
    /// The end of the answer to any question.
    Ready,
}

/// How many parameters and columns a statement has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shape {
    /// `$1`, `$2` and so on.
    pub parameters: u16,
    /// Of its rows; 0 without rows.
    pub columns: u16,
}

/// Rows that were received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rows {
    /// How many.
    pub count: u64,
    /// Bytes of their values and lengths.
    pub bytes: u64,
    /// How many the last statement returned or changed, by the server's count; how many came if
    /// the server gives none, as for `SHOW`.
    pub affected: u64,
    /// Whether the last statement rolled a transaction back.
    pub is_rolled_back: bool,
}

impl Rows {
    /// A statement is complete (the body of its `CommandComplete`: `UPDATE 3`, `INSERT 0 1`).
    pub(crate) fn complete(&mut self, body: &[u8]) {
        let words = str::from_utf8(body).unwrap_or_default();
        let mut words = words.trim_end_matches('\0').rsplit(' ');
        let last = words.next().unwrap_or_default();
        self.affected = last.parse().unwrap_or(self.count);
        self.is_rolled_back = last == "ROLLBACK";
    }
}

/// One answer, while it arrives.
///
/// Rows are passed to a function one by one. Its first fault becomes the result, after the whole
/// answer was read, so that the connection stays usable. An error from the server takes precedence.
#[derive(Debug)]
pub struct Answer<'a, F> {
    stage: Stage,
    /// The types that the columns must have.
    wanted: Option<&'a [Type]>,
    shape: Shape,
    rows: Rows,
    each: F,
    fault: Option<Fault>,
    is_refused: bool,
    /// The names of the columns, if asked for.
    names: Option<Vec<Box<str>>>,
    /// Whether the session is in a transaction after the answer.
    in_transaction: bool,
}

/// No rows are expected, or they do not matter.
pub type Each = fn(Row<'_>) -> Result<(), Fault>;

const NO_ROWS: Each = |_| Ok(());

impl<'a> Answer<'a, Each> {
    /// To Parse, Describe and Sync; columns of other types than `wanted` are a fault.
    #[must_use]
    pub fn to_prepare(wanted: Option<&'a [Type]>) -> Self {
        Self {
            wanted,
            ..Self::new(Stage::Parsed, NO_ROWS)
        }
    }
}

impl<'a, F: FnMut(Row<'_>) -> Result<(), Fault>> Answer<'a, F> {
    /// To Bind, Execute and Sync of a statement with this many columns.
    #[must_use]
    pub fn to_execute(columns: u16, each: F) -> Self {
        Self {
            shape: Shape {
                parameters: 0,
                columns,
            },
            ..Self::new(Stage::Bound, each)
        }
    }

    /// The same answer, which also keeps the names of the columns.
    #[must_use]
    pub fn naming(self) -> Self {
        Self {
            names: Some(Vec::new()),
            ..self
        }
    }

    /// To Parse, Bind, Describe, Execute and Sync; columns of other types than `wanted` are a fault.
    #[must_use]
    pub fn to_ask(wanted: Option<&'a [Type]>, each: F) -> Self {
        Self {
            wanted,
            ..Self::new(Stage::AskedParsed, each)
        }
    }

    /// To Query.
    #[must_use]
    pub fn to_query(each: F) -> Self {
        Self::new(Stage::Results, each)
    }

    fn new(stage: Stage, each: F) -> Self {
        Self {
            stage,
            wanted: None,
            shape: Shape::default(),
            rows: Rows::default(),
            each,
            fault: None,
            is_refused: false,
            names: None,
            in_transaction: false,
        }
    }

    /// Takes the next message. Breaks at the end; after an error the connection must be closed.
    #[inline]
    pub fn take(&mut self, message: &Message<'_>) -> Result<ControlFlow<()>, Fault> {
        let next = match (self.stage, message.tag) {
            (Stage::Bound, tag::BIND_COMPLETE) => Stage::Rows,
            (Stage::Rows | Stage::Results, tag::DATA_ROW) => {
                self.row(message.body)?;
                self.stage
            }
            (Stage::Rows, tag::COMMAND_COMPLETE) => {
                self.rows.complete(message.body);
                Stage::Ready
            }
            (Stage::Ready | Stage::Results, tag::READY) => {
                let [status] = message.body else {
                    return Err(malformed("an end of an answer that has another length"));
                };
                self.in_transaction = *status != IDLE;
                return Ok(ControlFlow::Break(()));
            }
            _ => return self.take_rarer(message),
        };
        self.stage = next;
        Ok(ControlFlow::Continue(()))
    }

    fn take_rarer(&mut self, message: &Message<'_>) -> Result<ControlFlow<()>, Fault> {
        let body = message.body;
        self.stage = match (self.stage, message.tag) {
            (stage, _) if message.is_aside() => stage,
            (Stage::Parsed, tag::PARSE_COMPLETE) => Stage::Parameters,
            (Stage::Parameters, tag::PARAMETER_DESCRIPTION) => {
                let count = body.first_chunk().ok_or_else(cut)?;
                self.shape.parameters = u16::from_be_bytes(*count);
                Stage::Columns
            }
            (Stage::Columns, tag::NO_DATA) => {
                self.described(&[0; 2])?;
                Stage::Ready
            }
            (Stage::Columns, tag::ROW_DESCRIPTION) => {
                self.described(body)?;
                Stage::Ready
            }
            (Stage::Results, tag::ROW_DESCRIPTION) => {
                self.shape.columns = check_columns(body, None)?;
                Stage::Results
            }
            (Stage::AskedParsed, tag::PARSE_COMPLETE) => Stage::AskedBound,
            (Stage::AskedBound, tag::BIND_COMPLETE) => Stage::AskedColumns,
            (Stage::AskedColumns, tag::NO_DATA) => {
                self.described(&[0; 2])?;
                Stage::Rows
            }
            (Stage::AskedColumns, tag::ROW_DESCRIPTION) => {
                self.described(body)?;
                Stage::Rows
            }
            (Stage::Rows, tag::EMPTY_QUERY) => Stage::Ready,
            (Stage::Results, tag::COMMAND_COMPLETE) => {
                self.rows.complete(body);
                Stage::Results
            }
            (Stage::Results, tag::EMPTY_QUERY) => Stage::Results,
            (Stage::Results, tag::ERROR) => {
                self.refuse(body)?;
                Stage::Results
            }
            (_, tag::ERROR) if self.is_refused => return Err(of_stray_error(body)),
            (_, tag::ERROR) => {
                self.refuse(body)?;
                Stage::Ready
            }
            (_, tag::COPY_IN | tag::COPY_OUT | tag::COPY_BOTH) => {
                return Err(Fault::session(
                    FaultKind::Malformed,
                    "the server begins a COPY, which needs a step with op = \"copy\"",
                ));
            }
            (_, other) => return Err(unexpected(other)),
        };
        Ok(ControlFlow::Continue(()))
    }

    #[inline]
    fn row(&mut self, body: &[u8]) -> Result<(), Fault> {
        let row = Row::new(body)?;
        let (columns, wanted) = (row.columns(), self.shape.columns);
        if columns != wanted {
            return Err(malformed(&format!(
                "a row of {columns} columns, and described {wanted}"
            )));
        }
        self.rows.count += 1;
        self.rows.bytes += row.bytes() as u64;
        if self.fault.is_none() {
            self.fault = (self.each)(row).err();
        }
        Ok(())
    }

    /// Takes a `RowDescription`; if the columns are not the wanted ones, the statement cannot be
    /// used.
    fn described(&mut self, body: &[u8]) -> Result<(), Fault> {
        if let Some(names) = &mut self.names {
            *names = column_names(body)?;
        }
        self.shape.columns = check_columns(body, None)?;
        match check_columns(body, self.wanted) {
            Ok(columns) => self.shape.columns = columns,
            Err(fault) if fault.ends_session => return Err(fault),
            Err(fault) => self.fault = Some(fault),
        }
        Ok(())
    }

    fn refuse(&mut self, body: &[u8]) -> Result<(), Fault> {
        let fault = of_refused_statement(body);
        if fault.ends_session {
            return Err(fault);
        }
        if !self.is_refused {
            self.fault = Some(fault);
        }
        self.is_refused = true;
        Ok(())
    }

    /// Whether the session is in a transaction, failed or not, after the end of the answer.
    pub const fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// Takes the names of the columns.
    pub fn take_names(&mut self) -> Vec<Box<str>> {
        self.names.take().unwrap_or_default()
    }

    /// The result, after the end of the answer.
    pub fn finish(self) -> Result<(Shape, Rows), Fault> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok((self.shape, self.rows)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_statement_without_a_count_are_those_that_came() {
        for (body, affected) in [
            (&b"EXPLAIN\0"[..], 2),
            (b"SELECT 5\0", 5),
            (b"INSERT 0 1\0", 1),
        ] {
            let mut rows = Rows {
                count: 2,
                ..Rows::default()
            };
            rows.complete(body);
            assert_eq!(rows.affected, affected);
        }
    }

    #[test]
    fn a_connection_that_ends_after_a_refusal_ends_with_the_servers_words() {
        let mut answer = Answer::to_prepare(None);
        let mut take = |body| {
            let tag = tag::ERROR;
            answer.take(&Message { tag, body })
        };
        let refused = take(b"SERROR\0C42P01\0Mno such table\0\0");
        assert_eq!(refused, Ok(ControlFlow::Continue(())));
        let ended = take(b"SFATAL\0C57P01\0Mshutting down\0\0");
        let words = "shutting down (SQLSTATE 57P01)";
        assert_eq!(ended, Err(Fault::session(FaultKind::Disconnected, words)));
    }
}
