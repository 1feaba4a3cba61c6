//! One request of a workload: what is asked for, with what, and which answers are right.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::headers::Headers;
use super::sizes::{MOST_BYTES, Sizes};
use crate::pages::{Content, Which};
use crate::pattern::Pattern;

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[allow(
    missing_docs,
    reason = "they are the methods of RFC 9110, 9.3, and PATCH of RFC 5789"
)]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Delete,
    Options,
    Patch,
}

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This path, with the user's number in it where it says so.
    Path(Pattern),
    /// A page of the data set, drawn from these.
    Page(Which),
}

/// What is sent with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    None,
    /// These bytes.
    Given(Box<[u8]>),
    /// The fields of a form.
    Form(Box<[(Box<str>, Pattern)]>),
    /// So many bytes of this kind, made anew for each request.
    Made(Sizes, Content),
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Its method.
    pub method: Method,
    /// What it is for.
    pub target: Target,
    /// Headers of its own.
    pub headers: Headers,
    /// What is sent with it.
    pub body: Body,
    /// The status codes that are right.
    pub expect: Box<[u16]>,
}

/// A request as it stands in a workload file.
#[derive(Deserialize)]
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
    form: Option<BTreeMap<String, String>>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    expect: Option<Value>,
}

impl Method {
    /// The names under which requests are counted; the last is for connections made.
    pub const NAMES: [&'static str; 7] =
        ["GET", "HEAD", "POST", "PUT", "DELETE", "OTHER", "CONNECT"];
    /// The index of connections made in [`Method::NAMES`].
    pub const CONNECT: usize = 6;

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
        }
    }

    /// Its index in [`Method::NAMES`].
    #[must_use]
    pub fn kind(self) -> usize {
        (self as usize).min(5)
    }

    /// Whether a request with it says how long its body is even if that is nothing (RFC 9110, 8.6).
    #[must_use]
    pub const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

impl Ask {
    /// GET of a path.
    #[must_use]
    pub fn get(path: Pattern, expect: &[u16]) -> Self {
        Self {
            method: Method::Get,
            target: Target::Path(path),
            headers: Headers::default(),
            body: Body::None,
            expect: expect.into(),
        }
    }

    /// Compiles a request. The error is a sentence that names the option.
    pub(super) fn compile(method: Method, table: Table) -> Result<Self, String> {
        let target = target(table.path.as_deref(), table.page.as_ref())?;
        let mut headers = Headers::parse(&table.headers)?;
        let given = table.content_type;
        let (body, own_type) = body(table.body, table.body_bytes, table.form, table.body_content)?;
        if body != Body::None && !method.has_body() {
            return Err(format!(
                "{} has no body: use post, put or patch",
                method.name()
            ));
        }
        if let Some(content_type) = given.as_deref().or(own_type) {
            headers.add("Content-Type", content_type)?;
        }
        Ok(Self {
            method,
            target,
            headers,
            body,
            expect: table
                .expect
                .as_ref()
                .map_or_else(|| Ok([200].into()), statuses)?,
        })
    }
}

fn target(path: Option<&str>, page: Option<&Value>) -> Result<Target, String> {
    match (path, page) {
        (Some(path), None) => {
            let is_path = path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic());
            if !is_path || path.contains('#') {
                return Err(format!(
                    "path must begin with a slash and have neither blanks nor #; write other signs \
                     as %20; it is \"{}\"",
                    path.escape_default()
                ));
            }
            let pattern = path
                .parse::<Pattern>()
                .map_err(|error| format!("path: {error}"))?;
            Ok(Target::Path(pattern))
        }
        (None, Some(page)) => Which::deserialize(page).map(Target::Page).map_err(|_| {
            format!("page must be any, static, cgi, or a list of classes; it is {page}")
        }),
        _ => Err("a request must have either path or page".into()),
    }
}

/// What is sent, and of which type it is unless told.
fn body(
    given: Option<String>,
    bytes: Option<Value>,
    form: Option<BTreeMap<String, String>>,
    content: Content,
) -> Result<(Body, Option<&'static str>), String> {
    match (given, bytes, form) {
        (None, None, None) => Ok((Body::None, None)),
        (Some(given), None, None) if given.len() as u64 <= MOST_BYTES => Ok((
            Body::Given(given.into_bytes().into()),
            Some("text/plain; charset=utf-8"),
        )),
        (None, Some(bytes), None) => {
            let sizes = Sizes::parse("body_bytes", &bytes)?;
            let own_type = match content {
                Content::Text => "text/html",
                Content::Binary => "application/octet-stream",
            };
            Ok((Body::Made(sizes, content), Some(own_type)))
        }
        (None, None, Some(form)) => {
            let fields = form.into_iter().map(|(name, value)| {
                let value = value
                    .parse()
                    .map_err(|error| format!("form, {name}: {error}"))?;
                Ok((name.into(), value))
            });
            let fields = fields.collect::<Result<_, String>>()?;
            Ok((
                Body::Form(fields),
                Some("application/x-www-form-urlencoded"),
            ))
        }
        _ => Err("a request must have only one of body, body_bytes and form".into()),
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
