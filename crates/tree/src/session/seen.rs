//! Answers as captures and checks see them, and as the trace shows them.

use headcount_load::User;
use headcount_script::json::Document;
use headcount_script::{Entry, Reply};
use serde_json::json;

/// How much of a text the trace keeps.
const MOST_TRACED_BYTES: usize = 2_000;

/// An answer about files, or the contents of one.
#[derive(Debug, Default)]
pub(super) struct Seen {
    entries: Vec<Entry>,
    body: Vec<u8>,
    size: u64,
    json: Document,
}

impl Seen {
    /// Files and folders; their names are the text, one per line.
    pub fn files(entries: Vec<Entry>) -> Self {
        let names: Vec<&str> = entries.iter().map(|entry| &*entry.name).collect();
        let body = names.join("\n").into_bytes();
        Self {
            entries,
            body,
            ..Self::default()
        }
    }

    /// The size of what was read, and the part of its text that was kept.
    pub fn text(size: u64, body: Vec<u8>) -> Self {
        Self {
            body,
            size,
            ..Self::default()
        }
    }

    /// Adds the answer to the trace.
    pub fn note(&self, user: &mut User, step: &str, path: &str) {
        user.note(|| {
            let outcome = match self.entries.as_slice() {
                _ if step == "READ" => bytes_text(self.size),
                [one] if step != "LIST" => one.size.map_or("1 name".to_owned(), bytes_text),
                [_] => "1 name".to_owned(),
                many => format!("{} names", many.len()),
            };
            let shown = &self.body[..self.body.len().min(MOST_TRACED_BYTES)];
            let is_shown = step == "READ" || step == "LIST";
            json!({
                "method": step, "path": path, "sent": "", "status": 0, "headers": [],
                "received_bytes": self.size,
                "received": is_shown.then(|| String::from_utf8_lossy(shown)),
                "outcome": outcome,
            })
        });
    }
}

impl Reply for Seen {
    fn body(&self) -> &[u8] {
        &self.body
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn json(&self) -> Option<&Document> {
        Some(&self.json)
    }

    fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// Adds a step without an answer to look at to the trace.
pub(super) fn note_done(user: &mut User, step: &str, path: &str, sent: &str, outcome: &str) {
    user.note(|| {
        let shown: String = sent.chars().take(MOST_TRACED_BYTES).collect();
        json!({
            "method": step, "path": path, "sent": shown, "status": 0, "headers": [],
            "received_bytes": 0, "received": null, "outcome": outcome,
        })
    });
}

/// A number of bytes, for people.
pub(super) fn bytes_text(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}
