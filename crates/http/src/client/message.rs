//! WebSocket messages of a workload: what is sent, and which is waited for.

use headcount_load::{Fault, FaultKind};
use headcount_script::{Capture, Check, Names, Realm, Reply, Scope};
use serde::Deserialize;
use serde_json::Value;

use super::body::{Body, BodyTable, body_text};
use crate::pages::Content;

/// What one step sends and waits for.
#[derive(Debug, Clone)]
pub struct Messages {
    body: Body,
    /// Whether the user waits for a message.
    pub waits: bool,
    /// What that message must hold; others are skipped.
    until: Box<[Check]>,
    /// What it must hold besides, or the step fails.
    checks: Box<[Check]>,
    /// The values that the user keeps of it.
    captures: Box<[Capture]>,
}

/// The same as the workload file has it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageTable {
    text: Option<String>,
    json: Option<Value>,
    until: Option<Value>,
    check: Option<Value>,
    capture: Option<Value>,
}

impl MessageTable {
    /// A message that is only waited for.
    pub(super) fn waited_for(
        until: Option<Value>,
        check: Option<Value>,
        capture: Option<Value>,
    ) -> Self {
        Self {
            until,
            check,
            capture,
            ..Self::default()
        }
    }
}

impl Messages {
    /// The message of `ws-send`.
    pub(super) fn sent(table: MessageTable, names: &mut Names) -> Result<Self, String> {
        if table.text.is_none() && table.json.is_none() {
            return Err("give what is sent: text or json".into());
        }
        Self::compile(table, names)
    }

    /// The message that `ws-receive` waits for.
    pub(super) fn received(table: MessageTable, names: &mut Names) -> Result<Self, String> {
        if table.text.is_some() || table.json.is_some() {
            return Err("text and json are for ws-send; ws-receive only waits".into());
        }
        let messages = Self::compile(table, names)?;
        Ok(Self {
            waits: true,
            ..messages
        })
    }

    fn compile(table: MessageTable, names: &mut Names) -> Result<Self, String> {
        let waits = table.until.is_some() || table.check.is_some() || table.capture.is_some();
        let body = BodyTable {
            given: table.text,
            bytes: None,
            content: Content::default(),
            form: None,
            json: table.json,
            multipart: None,
            file: None,
        };
        let (body, _) = body.compile(names)?;
        let mut list = |list: Option<&Value>, key: &str| match list {
            Some(list) => Check::compile(list, Realm::Contents, names).map_err(|mistake| {
                if key == "until" {
                    mistake.replacen("check", "until", 1)
                } else {
                    mistake
                }
            }),
            None => Ok(Box::default()),
        };
        let mut until = list(table.until.as_ref(), "until")?;
        let mut checks = list(table.check.as_ref(), "check")?;
        let captures = table.capture.as_ref();
        let captures = captures.map_or(Ok(Box::default()), |table| {
            Capture::compile(table, Realm::Contents, names)
        });
        let mut captures = captures?;
        let has_headers = until.iter().chain(&checks).any(Check::needs_headers)
            || captures.iter().any(Capture::needs_headers);
        if has_headers {
            return Err("a message has no headers; take a part of its text or JSON".into());
        }
        headcount_script::read_together(&mut [&mut *until, &mut *checks], &mut captures);
        Ok(Self {
            body,
            waits,
            until,
            checks,
            captures,
        })
    }

    /// Captures the values of a message, if it is the one that is waited for.
    pub(super) fn take(&self, message: &dyn Reply, scope: &mut Scope) -> Result<bool, Fault> {
        if self
            .until
            .iter()
            .any(|check| check.judge(message, scope).is_err())
        {
            return Ok(false);
        }
        let wrong = |sentence: String| Fault::step(FaultKind::Refused, sentence);
        for check in &self.checks {
            check.judge(message, scope).map_err(wrong)?;
        }
        for capture in &self.captures {
            capture.take(message, scope).map_err(wrong)?;
        }
        Ok(true)
    }

    /// The text that a user sends; `None` if it sends nothing.
    pub(super) fn text(&self, scope: &mut Scope) -> Result<Option<String>, Fault> {
        match &self.body {
            Body::Given(bytes) => Ok(Some(String::from_utf8_lossy(bytes).into_owned())),
            other => Ok(body_text(other, scope)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn messages(table: Value, is_sent: bool) -> Result<Messages, String> {
        let mut names = Names::default();
        let table = MessageTable::deserialize(table).map_err(|error| error.to_string())?;
        if is_sent {
            Messages::sent(table, &mut names)
        } else {
            Messages::received(table, &mut names)
        }
    }

    #[test]
    fn messages_that_use_an_answer_wait_for_it() {
        for (table, is_sent, waits) in [
            (json!({"text": "hello {n}"}), true, false),
            (
                json!({"json": {"a": "{n}"}, "until": [{"json": "$.a", "equals": 1}]}),
                true,
                true,
            ),
            (
                json!({"text": "x", "capture": {"id": {"json": "$.id"}}}),
                true,
                true,
            ),
            (json!({}), false, true),
            (json!({"check": [{"contains": "x"}]}), false, true),
        ] {
            assert_eq!(
                messages(table.clone(), is_sent).unwrap().waits,
                waits,
                "{table}"
            );
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (table, is_sent, part) in [
            (json!({}), true, "give what is sent"),
            (json!({"text": "a"}), false, "for ws-send"),
            (json!({"text": "a", "json": 1}), true, "only one of"),
            (
                json!({"until": [{"header": "x", "equals": 1}]}),
                false,
                "no headers",
            ),
            (json!({"until": {}}), false, "until must be a list"),
            (json!({"txt": "a"}), true, "txt"),
        ] {
            let sentence = messages(table.clone(), is_sent).unwrap_err();
            assert!(sentence.contains(part), "{sentence} of {table}");
        }
    }
}
