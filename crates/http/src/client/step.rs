//! What users do: the steps of a workload, compiled.

use std::sync::Arc;

use headcount_load::Compile;
use headcount_script::Names;
use serde::Deserialize;
use serde_json::Value;

use super::ask::{Ask, Method, SocketTable, Table};
use super::message::{MessageTable, Messages};
use super::news::{self, News, NewsTable};
use super::oauth2::{OPERATION, TokenAsk};
use super::resources::PageAsk;

/// One step.
#[derive(Debug, Clone)]
pub enum Step {
    /// A request and its whole answer; connects and disconnects as needed.
    Whole(Ask),
    /// The same, with the page's resources.
    Page(Box<PageAsk>),
    /// Connects, if there is no connection.
    Connect,
    /// Sends a request and waits for the head of its answer.
    Request(Ask),
    /// Waits for the rest of the answer.
    Receive,
    /// Closes the connection. Waits until the server does, if the request asked it to.
    Disconnect,
    /// Opens a WebSocket.
    OpenSocket(Ask),
    /// Sends a message on it, or waits for one, or both.
    Messages(Box<Messages>),
    /// Closes it.
    CloseSocket,
    /// Gets an access token.
    Token(Arc<TokenAsk>),
    /// Opens an event stream.
    OpenStream(Arc<Ask>),
    /// Waits for an event of it.
    News(Box<News>),
    /// Closes it.
    CloseStream,
}

/// A step as the workload file has it.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
enum StepTable {
    Request(Box<Table>),
    Connect {},
    Receive {},
    Disconnect {},
    WsConnect(SocketTable),
    WsSend(MessageTable),
    WsReceive(MessageTable),
    WsClose {},
    SseConnect(SocketTable),
    SseReceive(NewsTable),
    SseClose {},
}

impl Compile for Step {
    fn compile(options: &Value) -> Result<Self, String> {
        let mut names = Names::default();
        let step = Self::compile_with(options, &mut names)?;
        names.check()?;
        Ok(step)
    }

    fn compile_with(options: &Value, names: &mut Names) -> Result<Self, String> {
        if options.get("op").and_then(Value::as_str) == Some(OPERATION) {
            let ask = TokenAsk::compile(options, names)?;
            return Ok(Self::Token(Arc::new(ask)));
        }
        if let Some((method, mut table)) = request(options)? {
            if table.method.is_some() {
                return Err("method is for op request only; here op is the method".into());
            }
            return match PageAsk::compile(method, &mut table, names)? {
                Some(page) => Ok(Self::Page(page.into())),
                None => Ask::compile(method, table, names).map(Self::Whole),
            };
        }
        match StepTable::deserialize(options).map_err(|error| operations(&error.to_string()))? {
            StepTable::Request(table) => {
                let method = table.method.unwrap_or(Method::Get);
                Ask::compile_head(method, *table, names).map(Self::Request)
            }
            StepTable::Connect {} => Ok(Self::Connect),
            StepTable::Receive {} => Ok(Self::Receive),
            StepTable::Disconnect {} => Ok(Self::Disconnect),
            StepTable::WsConnect(table) => Ask::compile_socket(table, names).map(Self::OpenSocket),
            StepTable::WsSend(table) => {
                Messages::sent(table, names).map(|it| Self::Messages(it.into()))
            }
            StepTable::WsReceive(table) => {
                Messages::received(table, names).map(|it| Self::Messages(it.into()))
            }
            StepTable::WsClose {} => Ok(Self::CloseSocket),
            StepTable::SseConnect(table) => news::request(table, names).map(Self::OpenStream),
            StepTable::SseReceive(table) => {
                News::compile(table, names).map(|it| Self::News(it.into()))
            }
            StepTable::SseClose {} => Ok(Self::CloseStream),
        }
    }
}

/// The method and options of a step whose operation is a method.
fn request(options: &Value) -> Result<Option<(Method, Table)>, String> {
    let operation = options.get("op").and_then(Value::as_str);
    let Some(method) = operation.and_then(Method::of_operation) else {
        return Ok(None);
    };
    let mut rest = options.as_object().cloned().unwrap_or_default();
    rest.remove("op");
    let table = Table::deserialize(Value::Object(rest)).map_err(|error| error.to_string())?;
    Ok(Some((method, table)))
}

/// serde's message about an unknown operation, with the methods added, which serde does not know;
/// any other message unchanged.
fn operations(sentence: &str) -> String {
    if !sentence.contains("`ws-connect`") {
        return sentence.to_owned();
    }
    let methods = Method::ALL.map(|method| format!("`{}`", method.name().to_lowercase()));
    let all = format!("expected one of {}, ", methods.join(", "));
    sentence.replacen("expected one of ", &all, 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::client::ask::Target;
    use crate::client::body::Body;
    use crate::pages::{Group, Which};

    #[test]
    fn every_operation_compiles() {
        for options in [
            json!({"op": "get", "path": "/"}),
            json!({"op": "get", "page": "any", "expect": [200, 304]}),
            json!({"op": "head", "page": ["k1", "k2"]}),
            json!({"op": "post", "path": "/a", "body": "{\"a\": 1}",
                   "content_type": "application/json", "expect": 201}),
            json!({"op": "post", "path": "/a", "form": {"user": "user{n:05}"}}),
            json!({"op": "put", "path": "/a/{n}", "body_bytes": [0, 4096], "body_content": "binary"}),
            json!({"op": "put", "path": "/a", "body_bytes": 9, "chunked": true}),
            json!({"op": "put", "path": "/a", "body": "", "chunked": true}),
            json!({"op": "delete", "path": "/a", "expect": 204, "headers": {"X-A": "b"}}),
            json!({"op": "options", "path": "/a"}),
            json!({"op": "patch", "path": "/a", "body": "x"}),
            json!({"op": "propfind", "path": "/dav/", "headers": {"Depth": "1"}, "expect": 207}),
            json!({"op": "connect"}),
            json!({"op": "request", "page": "cgi"}),
            json!({"op": "request", "path": "/", "method": "HEAD"}),
            json!({"op": "receive"}),
            json!({"op": "disconnect"}),
            json!({"op": "ws-connect", "path": "/chat?room={n}", "headers": {"Origin": "https://a.test"}}),
            json!({"op": "ws-send", "text": "hello", "until": [{"contains": "hello"}]}),
            json!({"op": "ws-receive", "check": [{"json": "$.type", "equals": "news"}]}),
            json!({"op": "ws-close"}),
        ] {
            assert!(
                Step::compile(&options).is_ok(),
                "{options}: {:?}",
                Step::compile(&options)
            );
        }
        let Ok(Step::Whole(ask)) = Step::compile(&json!({"op": "get", "page": "static"})) else {
            panic!();
        };
        assert_eq!(ask.target, Target::Page(Which::Group(Group::Static)));
        assert_eq!((&ask.body, &ask.expect[..]), (&Body::None, &[200][..]));
        assert_eq!((ask.redirects, ask.keeps_body), (0, false));
    }

    #[test]
    fn mistakes_are_named() {
        for (options, part) in [
            (json!({"path": "/"}), "op"),
            (json!({"op": "ws-connect"}), "missing field `path`"),
            (
                json!({"op": "ws-connect", "path": "/", "body": "x"}),
                "unknown field",
            ),
            (
                json!({"op": "ws-connect", "path": "/", "expect": 200}),
                "unknown field",
            ),
            (json!({"op": "ws-send"}), "give what is sent"),
            (json!({"op": "fetch", "path": "/"}), "fetch"),
            (json!({"op": "get"}), "either path or page"),
            (
                json!({"op": "get", "path": "/", "page": "any"}),
                "either path or page",
            ),
            (json!({"op": "get", "path": "a"}), "begin with a slash"),
            (json!({"op": "get", "path": "/a b"}), "blanks"),
            (json!({"op": "get", "path": "/a\r\nX: y"}), "blanks"),
            (json!({"op": "get", "path": "/a#b"}), "#"),
            (json!({"op": "get", "path": "/{x}"}), "captures or sets {x}"),
            (json!({"op": "get", "page": "all"}), "it is \"all\""),
            (json!({"op": "get", "path": "/", "speed": 1}), "speed"),
            (
                json!({"op": "head", "path": "/", "body": "x"}),
                "HEAD has no body",
            ),
            (
                json!({"op": "get", "path": "/", "method": "PUT"}),
                "method is for op request",
            ),
            (
                json!({"op": "get", "path": "/", "expect": []}),
                "expect must be",
            ),
            (
                json!({"op": "get", "path": "/", "expect": 100}),
                "it is 100",
            ),
            (
                json!({"op": "post", "path": "/", "body": "x", "form": {}}),
                "only one of",
            ),
            (
                json!({"op": "post", "path": "/", "body_bytes": -1}),
                "body_bytes must be",
            ),
            (
                json!({"op": "post", "path": "/", "body_bytes": [5, 4]}),
                "it is [5,4]",
            ),
            (
                json!({"op": "post", "path": "/", "form": {"a": "{n"}}),
                "form, a",
            ),
            (
                json!({"op": "get", "path": "/", "headers": {"Content-Length": "1"}}),
                "itself",
            ),
            (json!({"op": "receive", "path": "/"}), "path"),
        ] {
            let sentence = Step::compile(&options).unwrap_err();
            assert!(sentence.contains(part), "{options}: {sentence}");
        }
    }

    #[test]
    fn mistakes_of_journeys_are_named() {
        for (options, part) in [
            (
                json!({"op": "post", "path": "/", "chunked": true}),
                "chunked needs a body to send",
            ),
            (
                json!({"op": "ws-connect", "path": "/", "chunked": true}),
                "unknown field",
            ),
            (
                json!({"op": "get", "path": "/", "capture": {"a": {"json": "a"}}}),
                "capture, a: \"a\" is not a JSON path",
            ),
            (
                json!({"op": "get", "path": "/", "check": [{"json": "$.a"}]}),
                "check 1: it has no condition",
            ),
            (
                json!({"op": "request", "path": "/", "check": [{"contains": "a"}]}),
                "need the whole answer",
            ),
            (
                json!({"op": "get", "page": "any", "redirects": 3}),
                "pages of the data set have no redirects",
            ),
        ] {
            let sentence = Step::compile(&options).unwrap_err();
            assert!(sentence.contains(part), "{options}: {sentence}");
        }
    }

    #[test]
    fn only_unknown_operations_list_the_methods() {
        let mistake = |options| Step::compile(&options).map(drop).unwrap_err();
        assert!(mistake(json!({"op": "fetch", "path": "/"})).contains("`get`"));
        let unknown_key = mistake(json!({"op": "ws-send", "text": "a", "txet": 1}));
        assert!(unknown_key.contains("unknown field"), "{unknown_key}");
        assert!(!unknown_key.contains("`get`"), "{unknown_key}");
        let unknown_method = mistake(json!({"op": "request", "path": "/", "method": "FETCH"}));
        assert!(!unknown_method.contains("`get`"), "{unknown_method}");
    }
}
