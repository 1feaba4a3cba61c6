//! One request of a workload: its target, what is sent with it, and which answers are right.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use headcount_script::{Capture, Check, Names, Realm, Template};
use http::HeaderName;

use super::body::{Body, BodyTable};
use super::fields::Fields;
use super::headers::Headers;
pub use super::method::Method;
use super::payload::BodyEnd;
use crate::pages::{Content, Which};

/// How many redirects are followed by default. Browsers follow 20.
const REDIRECTS: u8 = 10;

/// The target of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This path.
    Path(Template),
    /// A page of the data set, drawn from these.
    Page(Which),
}

/// One request.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Its method.
    pub method: Method,
    /// Its target.
    pub target: Target,
    /// The path as the workload has it, if it has placeholders.
    pub shown: Option<Box<str>>,
    /// Headers of its own.
    pub headers: Headers,
    /// Headers whose values are the user's own.
    pub texts: Box<[(HeaderName, Template)]>,
    /// Its body.
    pub body: Body,
    /// How the end of the body is marked.
    pub body_end: BodyEnd,
    /// The status codes that are right.
    pub expect: Box<[u16]>,
    /// How many redirects are followed.
    pub redirects: u8,
    /// The values that users keep of the answer.
    pub captures: Box<[Capture]>,
    /// What the answer must hold.
    pub checks: Box<[Check]>,
    /// Whether captures or checks read the answer's body.
    pub keeps_body: bool,
    /// Whether they read its headers.
    pub reads_headers: bool,
    /// Whether the resources that the answer names are fetched, too.
    pub names_resources: bool,
}

/// A request that opens a WebSocket, as the workload file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SocketTable {
    path: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// A request as the workload file has it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(default)]
    pub(super) method: Option<Method>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    page: Option<Value>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    body_bytes: Option<Value>,
    #[serde(default)]
    body_content: Content,
    #[serde(default)]
    body_file: Option<String>,
    #[serde(default)]
    chunked: bool,
    #[serde(default)]
    form: Option<Fields<String>>,
    #[serde(default)]
    json: Option<Value>,
    #[serde(default)]
    multipart: Option<Fields<Value>>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    expect: Option<Value>,
    #[serde(default)]
    redirects: Option<u8>,
    #[serde(default)]
    capture: Option<Value>,
    #[serde(default)]
    check: Option<Value>,
    #[serde(default)]
    pub(super) resources: Option<Value>,
    #[serde(default)]
    pub(super) connections: Option<Value>,
    #[serde(default)]
    pub(super) cache: Option<bool>,
}

impl Table {
    /// A request for a path, without anything else.
    pub(super) fn of_path(path: String) -> Self {
        Self {
            path: Some(path),
            ..Self::default()
        }
    }
}

impl Ask {
    /// A GET request for a path.
    #[must_use]
    pub fn get(path: &str, expect: &[u16]) -> Self {
        Self {
            method: Method::Get,
            target: Target::Path(Template::plain(path)),
            shown: None,
            headers: Headers::default(),
            texts: Box::default(),
            body: Body::None,
            body_end: BodyEnd::Length,
            expect: expect.into(),
            redirects: 0,
            captures: Box::default(),
            checks: Box::default(),
            keeps_body: false,
            reads_headers: false,
            names_resources: false,
        }
    }

    /// Compiles a request. The error is a sentence that names the option.
    pub(super) fn compile(method: Method, table: Table, names: &mut Names) -> Result<Self, String> {
        let target = target(table.path.as_deref(), table.page.as_ref(), names)?;
        let (mut headers, texts) = headers(&table.headers, names)?;
        let given = table.content_type;
        let body = BodyTable {
            given: table.body,
            bytes: table.body_bytes,
            content: table.body_content,
            file: table.body_file,
            form: table.form,
            json: table.json,
            multipart: table.multipart,
        };
        let (body, own_type) = body.compile(names)?;
        if !matches!(body, Body::None) && method == Method::Head {
            return Err("HEAD has no body: remove it, or use another method".into());
        }
        let body_end = body_end(table.chunked, &body)?;
        let has_type = table
            .headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("content-type"));
        if let Some(content_type) = given.as_deref().or(own_type.filter(|_| !has_type)) {
            headers.add("Content-Type", content_type)?;
        }
        let expect = table.expect.as_ref().map(statuses).transpose()?;
        let expect = expect.unwrap_or_else(|| [200].into());
        let is_path = matches!(target, Target::Path(_));
        let expects_redirect = expect.iter().any(|status| is_redirect(*status));
        // By default a plain page follows no redirects: nothing would show that another page came
        // instead, such as the log-in page.
        let is_looked_at = table.capture.is_some() || table.check.is_some();
        let follows = is_path && !expects_redirect && (is_looked_at || method.has_body());
        let redirects = match table.redirects {
            Some(redirects) if redirects > 0 && !is_path => {
                return Err("pages of the data set have no redirects; remove redirects".into());
            }
            Some(redirects) => redirects,
            None if follows => REDIRECTS,
            None => 0,
        };
        let (captures, checks) = looks(table.capture.as_ref(), table.check.as_ref(), names)?;
        Ok(Self {
            method,
            shown: match &target {
                Target::Path(path) if path.text().is_none() => table.path.map(Into::into),
                _ => None,
            },
            target,
            headers,
            texts,
            body,
            body_end,
            expect,
            redirects,
            keeps_body: captures.iter().any(Capture::needs_body)
                || checks.iter().any(Check::needs_body),
            reads_headers: captures.iter().any(Capture::needs_headers)
                || checks.iter().any(Check::needs_headers),
            captures,
            checks,
            names_resources: false,
        })
    }

    /// The same for a step that only waits for the head; a later step receives the rest.
    pub(super) fn compile_head(
        method: Method,
        table: Table,
        names: &mut Names,
    ) -> Result<Self, String> {
        if table.capture.is_some() || table.check.is_some() || table.redirects.is_some() {
            return Err(
                "capture, check and redirects need the whole answer: use op get, post or \
                        another method instead of request"
                    .into(),
            );
        }
        if table.resources.is_some() {
            return Err("resources belong to a whole page: use op get instead of request".into());
        }
        let ask = Self::compile(method, table, names)?;
        Ok(Self {
            redirects: 0,
            ..ask
        })
    }

    /// A request that opens a WebSocket.
    pub(super) fn compile_socket(table: SocketTable, names: &mut Names) -> Result<Self, String> {
        let request = Table {
            headers: table.headers,
            ..Table::of_path(table.path)
        };
        Self::compile(Method::Get, request, names)
    }

    /// Whether captures, checks or the search for resources read the answer.
    pub(super) const fn reads_answer(&self) -> bool {
        !self.captures.is_empty() || !self.checks.is_empty() || self.names_resources
    }
}

/// How a request marks the end of its body. The error is a sentence.
fn body_end(is_chunked: bool, body: &Body) -> Result<BodyEnd, String> {
    match (is_chunked, body) {
        (false, _) => Ok(BodyEnd::Length),
        (true, Body::None) => Err(
            "chunked needs a body to send: give body, body_bytes, body_file, \
             form, json or multipart, or remove chunked"
                .into(),
        ),
        (true, _) => Ok(BodyEnd::Chunks),
    }
}

/// What users keep of an answer, and what it must hold.
type Looks = (Box<[Capture]>, Box<[Check]>);

/// Compiles the captures and checks of an answer.
fn looks(
    capture: Option<&Value>,
    check: Option<&Value>,
    names: &mut Names,
) -> Result<Looks, String> {
    let mut captures = match capture {
        Some(table) => Capture::compile(table, Realm::Contents, names)?,
        None => Box::default(),
    };
    let mut checks = match check {
        Some(list) => Check::compile(list, Realm::Contents, names)?,
        None => Box::default(),
    };
    headcount_script::read_together(&mut [&mut *checks], &mut captures);
    Ok((captures, checks))
}

/// Whether an answer with this status leads somewhere else (RFC 9110, 15.4).
pub(super) const fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

type Texts = Box<[(HeaderName, Template)]>;

/// The headers of a request: those that are the same for all users, and those that are not.
fn headers(
    given: &BTreeMap<String, String>,
    names: &mut Names,
) -> Result<(Headers, Texts), String> {
    let mut same = Headers::default();
    let mut texts = Vec::new();
    for (name, value) in given {
        let template = Template::parse(value, names)
            .map_err(|mistake| format!("the header {name}: {mistake}"))?;
        match template.text() {
            Some(text) => same.add(name, text)?,
            None => texts.push((Headers::name(name)?, template)),
        }
    }
    Ok((same, texts.into()))
}

fn target(path: Option<&str>, page: Option<&Value>, names: &mut Names) -> Result<Target, String> {
    match (path, page) {
        (Some(path), None) => {
            let mistake = |mistake| format!("path: {mistake}");
            let template = Template::parse(path, names).map_err(mistake)?;
            // Of placeholders the text says what may be in them: filters, say.
            let is_path =
                path.starts_with(['/', '{']) && path.bytes().all(|b| b.is_ascii_graphic());
            if !is_path || path.contains('#') || template.text() == Some("") {
                return Err(format!(
                    "path must begin with a slash and have neither blanks nor #; escape them, \
                     as in %20; it is \"{}\"",
                    path.escape_default()
                ));
            }
            Ok(Target::Path(template))
        }
        (None, Some(page)) => Which::deserialize(page).map(Target::Page).map_err(|_| {
            format!("page must be any, static, cgi, or a list of classes; it is {page}")
        }),
        _ => Err("a request must have either path or page".into()),
    }
}

fn statuses(expect: &Value) -> Result<Box<[u16]>, String> {
    let list = match expect {
        Value::Array(list) => list.as_slice(),
        single => std::slice::from_ref(single),
    };
    let status = |value: &Value| {
        let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
        status.filter(|status| (200..=599).contains(status))
    };
    let statuses: Option<Box<[u16]>> = list.iter().map(status).collect();
    statuses
        .filter(|statuses| !statuses.is_empty())
        .ok_or_else(|| {
            format!(
                "expect must be a status code from 200 to 599, or a list of them; it is {expect}"
            )
        })
}
