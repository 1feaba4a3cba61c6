//! Deleting the schema.

use serde::Serialize;

use super::error::ProvisionError;
use super::patience::{Desk, run};
use super::schema::{State, destroy, state};
use crate::client::Sql;
use crate::fault::get;
use crate::options::SqlOptions;

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Whether there was a schema of Headcount's.
    pub found: bool,
    /// Bytes its tables and indexes took on the server's disk.
    pub bytes: i64,
}

/// Drops the schema of Headcount's, and nothing else.
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
        let row = desk
            .ask(None, async |client| client.query_one(SIZE, &[]).await)
            .await?;
        let bytes = get(&row, 0)?;
        destroy(&mut desk).await?;
        desk.close().await;
        Ok(Cleaned { found: true, bytes })
    })
}
