//! Restoring the rows to what they were before the first run.

use std::ops::ControlFlow;

use serde::Serialize;

use super::Progress;
use super::error::ProvisionError;
use super::patience::{Desk, run};
use super::question::{Question, execute};
use super::rows::{CHUNK, Table};
use super::schema::{State, create, destroy, fits, state};
use crate::checksum::Sum;
use crate::client::Sql;
use crate::data_set::DataSet;
use crate::options::SqlOptions;
use crate::parameter::Parameter::Int8;
use crate::row::Type;

/// What was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Prepared {
    /// Rows that were made, or re-created.
    pub made_rows: u64,
    /// Rows that existed and were right.
    pub kept_rows: u64,
    /// Bytes sent for those that were made.
    pub written_bytes: u64,
}

/// Deletes what runs leave behind, and restarts the sequence of numbers after the prepared
/// documents.
const RESET: &str = "TRUNCATE headcount.unread, headcount.read_marks, headcount.appointments \
                     RESTART IDENTITY; \
                     ALTER SEQUENCE headcount.document_numbers RESTART WITH ";

type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Restores the rows to what they were before the first run: deletes what runs added, and
/// re-creates what they changed or deleted and what was never made. With `verify` the server
/// computes checksums of all rows.
///
/// `on_progress` is called a few times a second and may cancel; what was made so far is kept.
pub fn prepare(
    options: SqlOptions,
    verify: bool,
    on_progress: OnProgress<'_>,
) -> Result<Prepared, ProvisionError> {
    let sql = Sql::new(options)?;
    run(async {
        let set = &sql.shared.data_set;
        let mut desk = Desk::open(&sql).await?;
        match state(&mut desk, &sql.shared).await? {
            State::Absent => create(&mut desk, set).await?,
            there if fits(&there, set) => {}
            State::Ours(..) => {
                destroy(&mut desk).await?;
                create(&mut desk, set).await?;
            }
        }
        let mut work = Work {
            desk,
            set,
            verify,
            progress: Progress {
                rows_done: 0,
                rows: u64::from(set.documents) + u64::from(set.people),
            },
            on_progress,
            prepared: Prepared::default(),
        };
        work.reset().await?;
        work.table(Table::People).await?;
        work.table(Table::Documents).await?;
        work.settle().await?;
        let Work { desk, prepared, .. } = work;
        desk.close().await;
        Ok(prepared)
    })
}

struct Work<'a> {
    desk: Desk<'a>,
    set: &'a DataSet,
    verify: bool,
    progress: Progress,
    on_progress: OnProgress<'a>,
    prepared: Prepared,
}

impl Work<'_> {
    /// Deletes what runs added.
    async fn reset(&mut self) -> Result<(), ProvisionError> {
        let last = i64::from(self.set.documents);
        let restart = format!("{RESET}{}", last + 1);
        let progress = self.progress;
        let on_progress = &mut *self.on_progress;
        self.desk
            .ask(Some(&mut || on_progress(progress)), async |wire| {
                let added = Question {
                    text: "DELETE FROM headcount.documents WHERE id > $1",
                    parameters: &[Int8(last)],
                    columns: &[],
                };
                added.ask(wire, |_| Ok(())).await?;
                execute(wire, &restart).await
            })
            .await
    }

    /// Checks the rows of a table, and re-creates those that are wrong.
    async fn table(&mut self, table: Table) -> Result<(), ProvisionError> {
        let (mut first, end) = table.bounds(self.set);
        while first <= end {
            let last = (first + CHUNK - 1).min(end);
            let rows = (last - first + 1).cast_unsigned();
            if self.is_right(table, first, last).await? {
                self.prepared.kept_rows += rows;
            } else {
                let (set, progress) = (self.set, self.progress);
                let on_progress = &mut *self.on_progress;
                self.prepared.written_bytes += self
                    .desk
                    .ask(Some(&mut || on_progress(progress)), async |wire| {
                        table.remake(wire, set, first, last).await
                    })
                    .await?;
                self.prepared.made_rows += rows;
            }
            self.progress.rows_done += rows;
            if (self.on_progress)(self.progress).is_break() {
                return Err(ProvisionError::Cancelled);
            }
            first = last + 1;
        }
        Ok(())
    }

    async fn is_right(
        &mut self,
        table: Table,
        first: i64,
        last: i64,
    ) -> Result<bool, ProvisionError> {
        let progress = self.progress;
        let on_progress = &mut *self.on_progress;
        let verify = self.verify;
        let found = self
            .desk
            .ask(Some(&mut || on_progress(progress)), async |wire| {
                let columns = [Type::Int8; 2];
                let question = Question {
                    text: if verify { table.sum() } else { table.count() },
                    parameters: &[Int8(first), Int8(last)],
                    columns: if verify { &columns } else { &columns[..1] },
                };
                question
                    .ask_one(wire, |row| {
                        Ok(Sum {
                            rows: row.read()?,
                            marks: if verify { row.read()? } else { 0 },
                        })
                    })
                    .await
            })
            .await?;
        if verify {
            return Ok(found == table.expected(self.set, first, last));
        }
        Ok(found.rows == last - first + 1)
    }

    /// Vacuums and analyses, so that every run begins with the same statistics and without the
    /// remains of the one before.
    async fn settle(&mut self) -> Result<(), ProvisionError> {
        let progress = self.progress;
        let on_progress = &mut *self.on_progress;
        self.desk
            .ask(Some(&mut || on_progress(progress)), async |wire| {
                for table in [
                    "people",
                    "documents",
                    "unread",
                    "read_marks",
                    "appointments",
                ] {
                    let vacuum = format!("VACUUM ANALYZE headcount.{table}");
                    execute(wire, &vacuum).await?;
                }
                Ok(())
            })
            .await
    }
}
