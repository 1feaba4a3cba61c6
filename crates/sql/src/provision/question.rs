//! Statements that are executed once, outside a run.

use headcount_load::{Fault, FaultKind};

use crate::parameter::Parameter;
use crate::row::{Row, Type};
use crate::wire::Wire;

/// A statement, and the types of its columns.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// As PostgreSQL reads it.
    pub text: &'a str,
    /// Its parameters.
    pub parameters: &'a [Parameter<'a>],
    /// The types of its columns.
    pub columns: &'a [Type],
}

impl<'a> Question<'a> {
    /// A statement without parameters.
    pub const fn new(text: &'a str, columns: &'a [Type]) -> Self {
        Self {
            text,
            parameters: &[],
            columns,
        }
    }

    /// Executes it; `each` gets its rows.
    pub async fn ask(
        self,
        wire: &mut Wire,
        mut each: impl FnMut(&mut Row<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        // In one round trip: behind a pooler the next may use another connection.
        wire.ask(self.text, self.parameters, self.columns, |mut row| {
            each(&mut row)
        })
        .await?;
        Ok(())
    }

    /// What `read` returns for the only row, if there is one.
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

    /// What `read` returns for the only row.
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

/// Executes statements whose results do not matter.
pub async fn execute(wire: &mut Wire, statements: &str) -> Result<(), Fault> {
    wire.query(statements, |_| Ok(())).await.map(drop)
}
