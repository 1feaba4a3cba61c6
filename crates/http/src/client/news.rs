//! The events of a stream that a workload waits for.

use std::sync::Arc;

use headcount_load::Fault;
use headcount_script::json::Document;
use headcount_script::{Names, Reply, Scope};
use serde::Deserialize;
use serde_json::Value;

use super::ask::{Ask, SocketTable};
use super::headers::Headers;
use super::message::{MessageTable, Messages};
use crate::wire::events::Event;

/// The events that one step waits for.
#[derive(Debug, Clone)]
pub struct News {
    /// Their name; others are skipped.
    name: Option<Box<str>>,
    messages: Messages,
}

/// The same as the workload file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewsTable {
    event: Option<String>,
    until: Option<Value>,
    check: Option<Value>,
    capture: Option<Value>,
}

impl News {
    /// The events that `sse-receive` waits for. The error is a sentence that names the option.
    pub(super) fn compile(table: NewsTable, names: &mut Names) -> Result<Self, String> {
        let messages = MessageTable::waited_for(table.until, table.check, table.capture);
        Ok(Self {
            name: table.event.map(Into::into),
            messages: Messages::received(messages, names)?,
        })
    }

    /// Captures the values of an event, if it is the one that is waited for.
    pub(super) fn take(&self, event: Event, scope: &mut Scope) -> Result<bool, Fault> {
        if self.name.as_ref().is_some_and(|name| *name != event.name) {
            return Ok(false);
        }
        let received = Received {
            data: event.data.into_bytes(),
            json: Document::default(),
        };
        self.messages.take(&received, scope)
    }
}

/// The request that opens a stream (`sse-connect`).
pub(super) fn request(table: SocketTable, names: &mut Names) -> Result<Arc<Ask>, String> {
    let mut ask = Ask::compile_socket(table, names)?;
    for (name, value) in [
        ("Accept", "text/event-stream"),
        ("Accept-Encoding", "identity"), // whatever other requests accept
        ("Cache-Control", "no-store"),
    ] {
        if !ask.has_header(&Headers::name(name)?) {
            ask.headers.add(name, value)?;
        }
    }
    Ok(Arc::new(ask))
}

/// An event, as captures and checks see it.
struct Received {
    data: Vec<u8>,
    json: Document,
}

impl Reply for Received {
    fn body(&self) -> &[u8] {
        &self.data
    }

    fn json(&self) -> Option<&Document> {
        Some(&self.json)
    }
}

#[cfg(test)]
mod tests {
    use http::header::ACCEPT_ENCODING;
    use serde_json::json;

    use super::*;

    #[test]
    fn event_streams_are_asked_for_without_compression() {
        let coding = |options: Value| {
            let table = SocketTable::deserialize(options).unwrap();
            let ask = request(table, &mut Names::default()).unwrap();
            ask.headers.value(&ACCEPT_ENCODING).map(str::to_owned)
        };
        let own = json!({"path": "/", "headers": {"Accept-Encoding": "br"}});
        assert_eq!(coding(json!({"path": "/"})).as_deref(), Some("identity"));
        assert_eq!(coding(own).as_deref(), Some("br"));
    }
}
