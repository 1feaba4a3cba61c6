//! Steps in the workload's own words: search, fetch one message, send a message.
//!
//! These are `search`, `fetch` and `send` with keys that the steps of the classic workloads do not
//! have. `reply`: what captures and checks see; `play`: how they are played.

mod play;
mod reply;

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};
use headcount_script::{Capture, Check, Names, Realm, Reply, Template};
use serde::Deserialize;
use serde_json::Value;

/// More recipients than a person writes to.
const MOST_RECIPIENTS: usize = 1000;

/// A step in the workload's own words. Equality is identity.
#[derive(Debug, Clone)]
pub struct Own(pub(super) Arc<Action>);

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The operation of a step.
#[derive(Debug)]
pub(super) enum Action {
    Search(Search),
    Fetch(Fetch),
    Send(Send),
}

/// Searches for messages.
#[derive(Debug)]
pub(super) struct Search {
    folder: Option<Template>,
    key: Template,
    looks: Looks,
}

/// Fetches one message.
#[derive(Debug)]
pub(super) struct Fetch {
    folder: Option<Template>,
    which: Which,
    has_body: bool,
    looks: Looks,
}

/// Sends a message.
#[derive(Debug)]
pub(super) struct Send {
    to: Vec<Template>,
    subject: Template,
    body: Template,
}

/// Which message to fetch.
#[derive(Debug)]
enum Which {
    Last,
    Random,
    /// The newest one found by the last search.
    Found,
    /// The one with this UID.
    Uid(Template),
}

/// The captures and checks of a reply.
#[derive(Debug)]
struct Looks {
    captures: Box<[Capture]>,
    checks: Box<[Check]>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
enum Written {
    Search(WrittenSearch),
    Fetch(WrittenFetch),
    Send(WrittenSend),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSearch {
    key: String,
    folder: Option<String>,
    capture: Option<Value>,
    check: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFetch {
    #[serde(default = "whole")]
    what: What,
    which: Option<WrittenWhich>,
    uid: Option<String>,
    folder: Option<String>,
    capture: Option<Value>,
    check: Option<Value>,
}

/// What to fetch of a message. `body` also fetches all of it, since the header has the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Headers,
    Body,
    Whole,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenWhich {
    Last,
    Random,
    Found,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSend {
    to: Option<Recipients>,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    body: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Recipients {
    One(String),
    Several(Vec<String>),
}

const fn whole() -> What {
    What::Whole
}

impl Own {
    /// Compiles a step; `None` if it is one of the classic workloads'.
    pub(super) fn compile(options: &Value, names: &mut Names) -> Result<Option<Self>, String> {
        if !is_own(options) {
            return Ok(None);
        }
        let written = Written::deserialize(options).map_err(|error| error.to_string())?;
        let action = match written {
            Written::Search(search) => Action::Search(search.compile(names)?),
            Written::Fetch(fetch) => Action::Fetch(fetch.compile(names)?),
            Written::Send(send) => Action::Send(send.compile(names)?),
        };
        Ok(Some(Self(Arc::new(action))))
    }
}

/// Whether a step has keys or values that no classic step has.
fn is_own(options: &Value) -> bool {
    let has_any = |keys: &[&str]| keys.iter().any(|key| options.get(key).is_some());
    let text = |key: &str| options.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("op") {
        "search" => has_any(&["folder", "capture", "check"]) || text("key").contains('{'),
        "fetch" => has_any(&["folder", "capture", "check", "uid"]) || text("which") == "found",
        "send" => has_any(&["to", "subject", "body"]),
        _ => false,
    }
}

impl WrittenSearch {
    fn compile(self, names: &mut Names) -> Result<Search, String> {
        if self.key.trim().is_empty() {
            return Err("key is empty; write what to search for, such as \"UNSEEN\"".into());
        }
        Ok(Search {
            folder: folder(self.folder.as_deref(), names)?,
            key: template("key", &self.key, names)?,
            looks: Looks::compile(self.capture.as_ref(), self.check.as_ref(), names)?,
        })
    }
}

impl WrittenFetch {
    fn compile(self, names: &mut Names) -> Result<Fetch, String> {
        let which = match (self.which, &self.uid) {
            (Some(_), Some(_)) => return Err("give which or uid, not both".into()),
            (_, Some(uid)) => Which::Uid(template("uid", uid, names)?),
            (Some(WrittenWhich::Found), _) => Which::Found,
            (Some(WrittenWhich::Random), _) => Which::Random,
            (Some(WrittenWhich::Last) | None, _) => Which::Last,
        };
        let fetch = Fetch {
            folder: folder(self.folder.as_deref(), names)?,
            which,
            has_body: self.what != What::Headers,
            looks: Looks::compile(self.capture.as_ref(), self.check.as_ref(), names)?,
        };
        if !fetch.has_body && fetch.looks.needs_body() {
            return Err(
                "what is \"headers\", and a capture or check looks at the text; leave out what"
                    .into(),
            );
        }
        Ok(fetch)
    }
}

impl WrittenSend {
    fn compile(self, names: &mut Names) -> Result<Send, String> {
        let to = match self.to {
            None => Vec::new(),
            Some(Recipients::One(to)) => vec![to],
            Some(Recipients::Several(to)) => {
                if to.is_empty() || to.len() > MOST_RECIPIENTS {
                    return Err(format!("to must have 1 to {MOST_RECIPIENTS} addresses"));
                }
                to
            }
        };
        let to = to.iter().map(|address| template("to", address, names));
        Ok(Send {
            to: to.collect::<Result<_, _>>()?,
            subject: template("subject", &self.subject, names)?,
            body: template("body", &self.body, names)?,
        })
    }
}

fn folder(text: Option<&str>, names: &mut Names) -> Result<Option<Template>, String> {
    text.map(|text| template("folder", text, names)).transpose()
}

fn template(key: &str, text: &str, names: &mut Names) -> Result<Template, String> {
    Template::parse(text, names).map_err(|mistake| format!("{key}: {mistake}"))
}

impl Looks {
    fn compile(
        capture: Option<&Value>,
        check: Option<&Value>,
        names: &mut Names,
    ) -> Result<Self, String> {
        let checks = check.map(|list| Check::compile(list, Realm::Messages, names));
        let captures = capture.map(|table| Capture::compile(table, Realm::Messages, names));
        let mut looks = Self {
            captures: captures.transpose()?.unwrap_or_default(),
            checks: checks.transpose()?.unwrap_or_default(),
        };
        headcount_script::read_together(&mut [&mut looks.checks], &mut looks.captures);
        Ok(looks)
    }

    fn needs_body(&self) -> bool {
        self.captures.iter().any(Capture::needs_body) || self.checks.iter().any(Check::needs_body)
    }

    /// Runs the checks and then the captures on a reply.
    fn inspect(&self, reply: &dyn Reply, user: &mut User) -> Result<(), Fault> {
        let wrong = |sentence: String| Fault::step(FaultKind::Refused, sentence);
        // Checks go first: a failed check says more about a wrong message than a missing value.
        for check in &self.checks {
            check.judge(reply, user.scope()).map_err(wrong)?;
        }
        for capture in &self.captures {
            capture.take(reply, user.scope()).map_err(wrong)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compiled(options: &Value) -> Result<Option<Own>, String> {
        Own::compile(options, &mut Names::default())
    }

    #[test]
    fn standard_steps_are_not_own_steps() {
        for options in [
            json!({"op": "search", "key": "UNSEEN"}),
            json!({"op": "fetch", "what": "headers", "messages": 9}),
            json!({"op": "send", "recipients": 2}),
            json!({"op": "noop"}),
        ] {
            assert_eq!(compiled(&options), Ok(None));
        }
    }

    #[test]
    fn mistakes_are_named() {
        let mistakes = [
            (
                json!({"op": "search", "key": "", "folder": "INBOX"}),
                "key is empty",
            ),
            (
                json!({"op": "search", "key": "{a b}"}),
                "is not a placeholder",
            ),
            (
                json!({"op": "search", "key": "ALL", "folders": "x", "check": []}),
                "folders",
            ),
            (
                json!({"op": "search", "key": "ALL", "check": [{"cookie": "a", "equals": 1}]}),
                "of messages give",
            ),
            (
                json!({"op": "fetch", "which": "found", "uid": "1"}),
                "not both",
            ),
            (
                json!({"op": "fetch", "which": "found", "what": "flags"}),
                "expected one of `headers`, `body`, `whole`",
            ),
            (
                json!({"op": "fetch", "which": "found", "what": "headers", "check": [{"contains": "x"}]}),
                "looks at the text",
            ),
            (
                json!({"op": "fetch", "uid": "1", "messages": 2}),
                "messages",
            ),
            (json!({"op": "send", "to": []}), "1 to 1000 addresses"),
            (json!({"op": "send", "subject": "x", "bytes": 5}), "bytes"),
        ];
        for (options, part) in mistakes {
            let sentence = compiled(&options).unwrap_err();
            assert!(sentence.contains(part), "{options}: {sentence}");
        }
    }
}
