//! Statements of the user's own.

use std::io;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, User};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend::{self, BindError};

use super::{EXECUTE, PREPARE, SqlSession};
use crate::answer::Shape;
use crate::step::Free;
use crate::wire::Name;

/// Results come in the binary form, as those of other steps do (PostgreSQL 15, 55.2.2).
const BINARY: i16 = 1;

impl SqlSession {
    /// Executes a statement of the workload, and counts what comes back. Its parameters are text, which
    /// the server reads as whatever type it needs.
    pub(super) async fn play_free(
        &mut self,
        free: &Arc<Free>,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let known = self
            .free
            .iter()
            .find(|(known, ..)| Arc::ptr_eq(known, free));
        let (name, shape) = if let Some(&(_, name, shape)) = known {
            (name, shape)
        } else {
            self.prepare_free(free).await?
        };
        let (wanted, given) = (usize::from(shape.parameters), free.parameters());
        if wanted != given {
            return Err(Fault::step(
                FaultKind::Refused,
                format!("the statement has {wanted} parameters, and the workload gives {given}"),
            ));
        }
        self.stopwatch.sent(EXECUTE);
        let number = self.number.cast_unsigned();
        let mut written_bytes = 0;
        let rows = self
            .wire
            .execute_with(
                name,
                shape.columns,
                |_| Ok(()),
                |name, out| {
                    let bound = frontend::bind(
                        "",
                        name,
                        [],
                        free.values(),
                        |value, out| {
                            let before = out.len();
                            value.append(user, number, out)?;
                            written_bytes += (out.len() - before) as u64;
                            Ok(IsNull::No)
                        },
                        [BINARY],
                        out,
                    );
                    bound.map_err(|error| match error {
                        BindError::Conversion(error) => io::Error::other(error),
                        BindError::Serialization(error) => error,
                    })
                },
            )
            .await?;
        Ok(Moved {
            read_bytes: rows.bytes,
            written_bytes,
        })
    }

    async fn prepare_free(&mut self, free: &Arc<Free>) -> Result<(Name, Shape), Fault> {
        self.stopwatch.sent(PREPARE);
        let name = self.wire.new_name();
        let types = std::iter::empty();
        let shape = self
            .wire
            .prepare(name, &free.statement, types, None)
            .await?;
        self.free.push((Arc::clone(free), name, shape));
        Ok((name, shape))
    }
}
