//! Statements from the workload.

use std::sync::Arc;

use bytes::BytesMut;
use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_script::{Capture, Check};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use serde_json::{Value, json};

use super::{EXECUTE, PREPARE, SqlSession};
use crate::answer::{Rows, Shape};
use crate::asking::{TEXT, of_binding};
use crate::options::Statements;
use crate::received::{ColumnNames, Received};
use crate::row::Row;
use crate::statement::{Free, Values};
use crate::wire::Name;

/// A statement that the server has described.
pub(super) struct Known {
    free: Arc<Free>,
    name: Name,
    shape: Shape,
    columns: ColumnNames,
}

/// How much of the rows a trace keeps.
pub(super) const MOST_TRACED_BYTES: usize = 2_000;

impl SqlSession {
    /// Executes a statement of the workload, checks its rows and takes its captures from them. Its
    /// parameters are text, which the server converts to the type it needs.
    pub(super) async fn play_free(
        &mut self,
        free: &Arc<Free>,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let values = free.values(user)?;
        let is_named = self.shared.statements == Statements::Prepared;
        let known = if is_named || free.is_looked_at() {
            let known = self.known(free).await?;
            check_count(known.1, &values, free)?;
            Some(known)
        } else {
            None
        };
        let columns = known.as_ref().map(|(_, _, columns)| columns);
        let mut received =
            Received::new(columns.unwrap_or(&ColumnNames::default()), free.columns());
        let mut shown = user.keeps_notes().then(String::new);
        let is_read = free.is_looked_at() || shown.is_some();
        let began_ns = self.stopwatch.now_ns();
        let each = |row: Row<'_>| {
            if let Some(shown) = &mut shown {
                show(row, shown);
            }
            if is_read { received.take(row) } else { Ok(()) }
        };
        let bind = |name: &str, out: &mut BytesMut| bind(name, &values, out);
        let wire = &mut self.wire;
        self.stopwatch.sent(EXECUTE);
        let done = match known {
            Some((name, shape, _)) if is_named => {
                wire.execute_with(name, shape.columns, each, bind).await
            }
            _ => {
                self.stopwatch.sent(PREPARE);
                let types = std::iter::empty();
                wire.ask_with(&free.text, types, None, each, bind).await
            }
        };
        let took_ns = self.stopwatch.now_ns().saturating_sub(began_ns);
        user.note(|| trace_entry(free, &values, shown.unwrap_or_default(), &done));
        let rows = done?;
        received.complete(rows.affected, took_ns as f64 / 1e6);
        inspect(&free.checks, &free.captures, &received, user)?;
        Ok(Moved {
            read_bytes: rows.bytes,
            written_bytes: values.bytes() as u64,
        })
    }

    /// The server's description of a statement, which a session asks for once.
    async fn known(&mut self, free: &Arc<Free>) -> Result<(Name, Shape, ColumnNames), Fault> {
        let known = self.free.iter().find(|it| Arc::ptr_eq(&it.free, free));
        if let Some(known) = known {
            return Ok((known.name, known.shape, ColumnNames::clone(&known.columns)));
        }
        self.stopwatch.sent(PREPARE);
        let name = match self.shared.statements {
            Statements::Prepared => self.wire.new_name(),
            Statements::Unnamed => Name::UNNAMED,
        };
        let types = std::iter::empty();
        let prepared = self.wire.prepare(name, &free.text, types, None);
        let (shape, names) = prepared.await?;
        let columns = ColumnNames::from(names);
        self.free.push(Known {
            free: Arc::clone(free),
            name,
            shape,
            columns: ColumnNames::clone(&columns),
        });
        Ok((name, shape, columns))
    }
}

fn check_count(shape: Shape, values: &Values, free: &Free) -> Result<(), Fault> {
    let (wanted, given) = (usize::from(shape.parameters), free.parameters());
    debug_assert_eq!(given, values.iter().count(), "each parameter has a value");
    if wanted == given {
        return Ok(());
    }
    Err(Fault::step(
        FaultKind::Refused,
        format!("the statement has {wanted} parameters, but the workload gives {given}"),
    ))
}

/// Binds parameters to a statement as text, and asks for results as text: every type has that form.
fn bind(name: &str, values: &Values, out: &mut BytesMut) -> std::io::Result<()> {
    let append = |value: &str, out: &mut BytesMut| {
        out.extend_from_slice(value.as_bytes());
        Ok(IsNull::No)
    };
    frontend::bind("", name, [], values.iter(), append, [TEXT], out).map_err(of_binding)
}

/// Checks rows, and takes captures from them.
pub(super) fn inspect(
    checks: &[Check],
    captures: &[Capture],
    received: &Received,
    user: &mut User,
) -> Result<(), Fault> {
    let wrong = |sentence: String| Fault::step(FaultKind::Refused, sentence);
    // Checks first: they say more about wrong rows than a missing value does.
    for check in checks {
        check.judge(received, user.scope()).map_err(wrong)?;
    }
    for capture in captures {
        capture.take(received, user.scope()).map_err(wrong)?;
    }
    Ok(())
}

/// Appends a row as a line, while there is room.
fn show(mut row: Row<'_>, out: &mut String) {
    if out.len() >= MOST_TRACED_BYTES {
        return;
    }
    let values = std::iter::from_fn(|| row.next_bytes());
    let texts = values.map(|value| value.map_or("NULL".into(), String::from_utf8_lossy));
    let texts: Vec<_> = texts.collect();
    out.push_str(&texts.join(" | "));
    out.push('\n');
}

/// A statement and its rows, for the trace.
fn trace_entry(free: &Free, values: &Values, rows: String, done: &Result<Rows, Fault>) -> Value {
    let given = values.iter().zip(1..);
    let given: Vec<String> = given.map(|(value, n)| format!("${n} = {value}")).collect();
    json!({
        "method": "SQL",
        "path": free.text,
        "sent": given.join(", "),
        "status": 0,
        "headers": [],
        "received_bytes": done.as_ref().map_or(0, |rows| rows.bytes),
        "received": (!rows.is_empty()).then_some(rows),
        "outcome": match done {
            Ok(Rows { affected: 1, .. }) => "1 row".to_owned(),
            Ok(rows) => format!("{} rows", rows.affected),
            Err(_) => "refused".to_owned(),
        },
    })
}
