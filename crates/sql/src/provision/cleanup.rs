//! Deleting the schema.

use serde::Serialize;

use super::error::ProvisionError;
use super::patience::{Desk, run};
use super::question::Question;
use super::schema::{State, destroy, state};
use crate::client::Sql;
use crate::options::SqlOptions;
use crate::row::{Row, Type};

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Whether there was a schema that Headcount made.
    pub found: bool,
    /// Bytes its tables and indexes took on the server's disk.
    pub bytes: i64,
}

/// Drops Headcount's schema, and nothing else.
pub fn cleanup(options: SqlOptions) -> Result<Cleaned, ProvisionError> {
    const SIZE: &str = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint \
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'headcount' AND c.relkind = 'r'";
    let sql = Sql::new(options)?;
    run(async {
        let mut desk = Desk::open(&sql).await?;
        if state(&mut desk, &sql.shared).await? == State::Absent {
            return Ok(Cleaned::default());
        }
        let size = Question::new(SIZE, &[Type::Int8]);
        let bytes = desk
            .ask(None, async |wire| {
                let read = |row: &mut Row<'_>| {
                    let bytes: i64 = row.read()?;
                    Ok(bytes)
                };
                size.ask_one(wire, read).await
            })
            .await?;
        destroy(&mut desk).await?;
        desk.close().await;
        Ok(Cleaned { found: true, bytes })
    })
}
