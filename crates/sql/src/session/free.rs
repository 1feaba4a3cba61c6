//! Statements of the user's own.

use std::error::Error;
use std::sync::Arc;

use bytes::BytesMut;
use headcount_load::{Fault, FaultKind, Moved, User};
use tokio_postgres::types::{Format, IsNull, ToSql, Type};

use super::{SqlSession, received};
use crate::step::Free;

/// A value in the form that people write: the server reads it as whatever type it needs.
#[derive(Debug)]
struct Text(String);

impl ToSql for Text {
    fn to_sql(
        &self,
        _type: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_type: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        wanted: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(wanted, out)
    }

    fn encode_format(&self, _type: &Type) -> Format {
        Format::Text
    }
}

impl SqlSession {
    /// Executes a statement of the workload, and counts what comes back.
    pub(super) async fn play_free(
        &mut self,
        free: &Arc<Free>,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let known = self.free.iter().find(|(known, _)| Arc::ptr_eq(known, free));
        let statement = if let Some((_, statement)) = known {
            statement.clone()
        } else {
            let statement = self.prepare(&free.statement).await?;
            self.free.push((Arc::clone(free), statement.clone()));
            statement
        };
        let values: Vec<Text> = free
            .fill(user, self.number.cast_unsigned())
            .into_iter()
            .map(Text)
            .collect();
        let wanted = statement.params().len();
        if wanted != values.len() {
            let given = values.len();
            return Err(Fault::step(
                FaultKind::Refused,
                format!("the statement has {wanted} parameters, and the workload gives {given}"),
            ));
        }
        let parameters: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        let rows = self.execute(&statement, &parameters).await?;
        let written_bytes = values.iter().map(|value| value.0.len() as u64).sum();
        Ok(Moved {
            written_bytes,
            ..received(&rows)
        })
    }
}
