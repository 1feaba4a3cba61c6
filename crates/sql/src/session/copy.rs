//! COPY statements from the workload.

use std::fmt::Write as _;

use headcount_load::{Fault, Moved, User};
use serde_json::{Value, json};

use super::free::{MOST_TRACED_BYTES, inspect};
use super::{EXECUTE, SqlSession};
use crate::answer::Rows;
use crate::copy::Copy;
use crate::received::{ColumnNames, Received};

impl SqlSession {
    /// Sends the rows of a COPY, or receives and counts them.
    pub(super) async fn play_copy(&mut self, copy: &Copy, user: &mut User) -> Result<Moved, Fault> {
        let is_shown = user.keeps_notes();
        let (mut shown, mut made_bytes) = (String::new(), 0);
        let mut show = |text: &str| {
            if is_shown && shown.len() < MOST_TRACED_BYTES {
                shown.push_str(text);
            }
        };
        let began_ns = self.stopwatch.now_ns();
        self.stopwatch.sent(EXECUTE);
        let done = if let Some(rows) = &copy.made {
            let mut number = 0;
            let append = |out: &mut String| {
                let begin = out.len();
                number += 1;
                let has_more = rows.append(number, user, out)?;
                made_bytes += (out.len() - begin) as u64;
                show(&out[begin..]);
                Ok(has_more)
            };
            self.wire.copy_in(&copy.text, append).await
        } else {
            let each = |data: &[u8]| show(&String::from_utf8_lossy(data));
            self.wire.copy_out(&copy.text, each).await
        };
        let took_ns = self.stopwatch.now_ns().saturating_sub(began_ns);
        user.note(|| trace_entry(copy, shown, made_bytes, &done));
        let rows = done?;
        let mut received = Received::new(&ColumnNames::default(), std::iter::empty());
        received.complete(rows.affected, took_ns as f64 / 1e6);
        inspect(&copy.checks, &copy.captures, &received, user)?;
        Ok(Moved {
            read_bytes: rows.bytes,
            written_bytes: made_bytes,
        })
    }
}

/// A COPY and the beginning of its rows, for the trace.
fn trace_entry(copy: &Copy, shown: String, made_bytes: u64, done: &Result<Rows, Fault>) -> Value {
    let is_sent = copy.made.is_some();
    let mut shown = shown;
    let moved_bytes = done.as_ref().map_or(0, |rows| rows.bytes).max(made_bytes);
    if shown.len() as u64 != moved_bytes && !shown.is_empty() {
        let _ = writeln!(shown, "... ({moved_bytes} bytes)");
    }
    let (sent, received) = if is_sent {
        (shown, None)
    } else {
        (String::new(), (!shown.is_empty()).then_some(shown))
    };
    json!({
        "method": "SQL",
        "path": copy.text,
        "sent": sent,
        "status": 0,
        "headers": [],
        "received_bytes": done.as_ref().map_or(0, |rows| rows.bytes),
        "received": received,
        "outcome": match done {
            Ok(Rows { affected: 1, .. }) => "1 row".to_owned(),
            Ok(rows) => format!("{} rows", rows.affected),
            Err(_) => "refused".to_owned(),
        },
    })
}
