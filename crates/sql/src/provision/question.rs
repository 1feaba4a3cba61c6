//! Statements that are asked once, outside of a run.

use headcount_load::{Fault, FaultKind};

use crate::parameter::Parameter;
use crate::row::{Row, Type};
use crate::wire::Wire;

/// A statement, and the types of its columns.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// As PostgreSQL reads it.
    pub text: &'a str,
    /// What it is given.
    pub parameters: &'a [Parameter<'a>],
    /// What it answers.
    pub columns: &'a [Type],
}

impl<'a> Question<'a> {
    /// Without parameters.
    pub const fn new(text: &'a str, columns: &'a [Type]) -> Self {
        Self {
            text,
            parameters: &[],
            columns,
        }
    }

    /// Has each row read.
    pub async fn ask(
        self,
        wire: &mut Wire,
        mut each: impl FnMut(&mut Row<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        // In one round trip: a pooler may give the next another connection.
        wire.ask(self.text, self.parameters, self.columns, |mut row| {
            each(&mut row)
        })
        .await?;
        Ok(())
    }

    /// What is read from the one row, if there is one.
    pub async fn ask_optional<T>(
        self,
        wire: &mut Wire,
        mut read: impl FnMut(&mut Row<'_>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let mut found = None;
        self.ask(wire, |row| {
            if found.is_some() {
                return Err(not_one("more than one"));
            }
            found = Some(read(row)?);
            Ok(())
        })
        .await?;
        Ok(found)
    }

    /// What is read from the one row.
    pub async fn ask_one<T>(
        self,
        wire: &mut Wire,
        read: impl FnMut(&mut Row<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let found = self.ask_optional(wire, read).await?;
        found.ok_or_else(|| not_one("none"))
    }
}

fn not_one(found: &str) -> Fault {
    let sentence = format!("the server sent {found} where one row was asked for");
    Fault::step(FaultKind::WrongData, sentence)
}

/// Has the server do statements whose results do not matter.
pub async fn execute(wire: &mut Wire, statements: &str) -> Result<(), Fault> {
    wire.query(statements, |_| Ok(())).await.map(drop)
}
