//! Where in a reply a value is.

use std::num::NonZeroUsize;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::Mistake;
use crate::entry::Entry;
use crate::html::Elements;
use crate::json::{Document, Path};
use crate::reply::Reply;

/// The most memory of a compiled regular expression: more than one that a person writes needs.
const MOST_REGEX_BYTES: usize = 1 << 20;
/// Nanoseconds in a second.
const NS_IN_S: i64 = 1_000_000_000;

/// What may be looked at in the contents of a file.
const OF_TEXT: &str = "of the text of a file give json, css, regex, or of = \"body\" or \"size\"";

/// Where a value is, as the workload has it: one key. For replies with contents, `of = "body"` is
/// the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceTable {
    /// A path in JSON (RFC 9535).
    pub json: Option<String>,
    /// A CSS selector of elements.
    pub css: Option<String>,
    /// An attribute of the elements, instead of their text.
    pub attribute: Option<String>,
    /// A regular expression: its first group, or the whole match.
    pub regex: Option<String>,
    /// A header.
    pub header: Option<String>,
    /// A cookie of the user, as it is after the reply.
    pub cookie: Option<String>,
    /// A part of the reply as a whole.
    pub of: Option<Whole>,
    /// A column of rows.
    pub column: Option<String>,
    /// The row of the column, from 1, instead of all of them.
    pub row: Option<NonZeroUsize>,
}

/// What kind of reply a source looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Realm {
    /// Contents with headers: a reply of a web server.
    Contents,
    /// Rows of columns: a reply of a database.
    Rows,
    /// Messages of a mail server.
    Messages,
    /// Files and folders of a file server: those in a folder, or one.
    Entries,
    /// The contents of a file on a file server.
    Text,
}

/// A part of a reply as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whole {
    /// Its contents.
    Body,
    /// Its status.
    Status,
    /// How many bytes its contents have.
    Size,
    /// Its path, after redirects.
    Path,
    /// How many rows came, or were changed.
    Rows,
    /// How long it took, in ms.
    TimeMs,
    /// How many messages there are.
    Count,
    /// The unique number of each message.
    Uid,
    /// The name of each file.
    Name,
    /// When each file was last written, in whole seconds of Unix time.
    Modified,
}

impl Whole {
    /// Its name in messages.
    const fn text(self) -> &'static str {
        match self {
            Self::Body => "the body",
            Self::Status => "the status",
            Self::Size => "the size",
            Self::Path => "the path",
            Self::Rows => "the number of rows",
            Self::TimeMs => "the time in ms",
            Self::Count => "the number of messages",
            Self::Uid => "the UID",
            Self::Name => "the name",
            Self::Modified => "the time of the last write",
        }
    }

    /// Whether replies of this kind have it.
    const fn is_of(self, realm: Realm) -> bool {
        match self {
            Self::Status | Self::Path => matches!(realm, Realm::Contents),
            Self::Body => !matches!(realm, Realm::Rows | Realm::Entries),
            Self::Size => !matches!(realm, Realm::Rows),
            Self::Rows => matches!(realm, Realm::Rows),
            Self::TimeMs => matches!(realm, Realm::Rows | Realm::Messages),
            Self::Count => matches!(realm, Realm::Messages | Realm::Entries),
            Self::Uid => matches!(realm, Realm::Messages),
            Self::Name | Self::Modified => matches!(realm, Realm::Entries),
        }
    }
}

/// Where a value is.
#[derive(Debug, Clone)]
pub struct Source {
    kind: Kind,
    /// As the workload has it.
    text: Box<str>,
}

#[derive(Debug, Clone)]
enum Kind {
    Json(Path),
    Css(Elements),
    Regex(Regex),
    Header(Box<str>),
    Cookie(Box<str>),
    Of(Whole),
    /// This attribute of each file.
    Entry(Whole),
    /// A column: of the row with this index, or of all rows.
    Column(Box<str>, Option<usize>),
}

impl SourceTable {
    /// Compiles it for replies of this kind. The error names the key.
    pub fn compile(self, realm: Realm) -> Result<Source, Mistake> {
        let wrong = self.of.filter(|of| !of.is_of(realm)).map(Whole::text);
        let has_fields = self.header.is_some() || self.cookie.is_some();
        let is_of_row = self.column.is_some() || self.row.is_some();
        match realm {
            Realm::Rows => self.compile_of_rows(wrong.is_some()),
            Realm::Entries => self.compile_of_entries(),
            Realm::Text if is_of_row || has_fields || wrong.is_some() => Err(OF_TEXT.into()),
            Realm::Messages if is_of_row || self.cookie.is_some() || wrong.is_some() => Err(
                "of messages give regex, header, json, css, or of = \"body\", \"size\", \
                 \"count\", \"uid\" or \"time-ms\""
                    .into(),
            ),
            Realm::Contents if matches!(self.of, Some(Whole::Count | Whole::Uid)) => Err(
                "of = \"count\" and \"uid\" are for the messages of a mail server; a reply has \
                 json, css, regex, header, cookie or of"
                    .into(),
            ),
            Realm::Contents if matches!(self.of, Some(Whole::Name | Whole::Modified)) => Err(
                "of = \"name\" and \"modified\" are for the files of a file server; a reply has \
                 json, css, regex, header, cookie or of"
                    .into(),
            ),
            Realm::Contents if is_of_row || wrong.is_some() => Err(
                "column, row and of = \"rows\" or \"time-ms\" are for the rows of a database; a \
                     reply has json, css, regex, header, cookie or of"
                    .into(),
            ),
            Realm::Contents | Realm::Messages | Realm::Text => self.compile_of_contents(),
        }
    }

    fn compile_of_entries(self) -> Result<Source, Mistake> {
        let is_alone = Self {
            of: None,
            regex: None,
            ..self.clone()
        } == Self::default();
        match (self.of.unwrap_or(Whole::Name), self.regex) {
            (_, Some(text)) if is_alone && self.of.is_none() => Ok(Source {
                kind: Kind::Regex(regex(&text)?),
                text: format!("regex {text}").into(),
            }),
            (of, None) if is_alone && of.is_of(Realm::Entries) => Ok(Source {
                kind: Kind::Entry(of),
                text: match of {
                    Whole::Count => "the number of files".into(),
                    of => of.text().into(),
                },
            }),
            _ => Err(
                "of files give of = \"name\", \"size\", \"modified\" or \"count\", or regex, which \
                 looks at their names"
                    .into(),
            ),
        }
    }

    fn compile_of_rows(self, is_of_contents: bool) -> Result<Source, Mistake> {
        let others = [&self.json, &self.css, &self.attribute, &self.regex];
        let others = others.into_iter().chain([&self.header, &self.cookie]);
        let has_others = others.into_iter().any(Option::is_some) || is_of_contents;
        match (self.column, self.of, self.row) {
            (Some(column), None, row) if !has_others => {
                let text = match row {
                    Some(row) => format!("column {column} of row {row}"),
                    None => format!("column {column}"),
                };
                Ok(Source {
                    kind: Kind::Column(column.into(), row.map(|row| row.get() - 1)),
                    text: text.into(),
                })
            }
            (None, Some(of), None) if !has_others => Ok(Source {
                kind: Kind::Of(of),
                text: of.text().into(),
            }),
            _ => Err(
                "of the rows of a database give column (with row, from 1, if it is not the \
                      first), or of = \"rows\" or \"time-ms\""
                    .into(),
            ),
        }
    }

    fn compile_of_contents(self) -> Result<Source, Mistake> {
        let keys = [
            ("json", self.json),
            ("css", self.css),
            ("regex", self.regex),
            ("header", self.header),
            ("cookie", self.cookie),
        ];
        let mut given = keys
            .into_iter()
            .filter_map(|(key, text)| text.map(|text| (key, text)));
        let first = given.next();
        if given.next().is_some() || (first.is_some() && self.of.is_some()) {
            return Err("give only one of json, css, regex, header, cookie and of".into());
        }
        let Some((key, text)) = first else {
            if self.attribute.is_some() {
                return Err("attribute needs css: of which elements?".into());
            }
            let of = self.of.unwrap_or(Whole::Body);
            return Ok(Source {
                kind: Kind::Of(of),
                text: of.text().into(),
            });
        };
        if self.attribute.is_some() && key != "css" {
            return Err(format!("attribute belongs to css, not to {key}"));
        }
        let kind = match key {
            "json" => Kind::Json(Path::parse(&text)?),
            "css" => Kind::Css(Elements::parse(&text, self.attribute.as_deref())?),
            "regex" => Kind::Regex(regex(&text)?),
            "header" => Kind::Header(text.as_str().into()),
            _ => Kind::Cookie(text.as_str().into()),
        };
        let attribute = self.attribute.map(|name| format!(" attribute {name}"));
        Ok(Source {
            kind,
            text: format!("{key} {text}{}", attribute.unwrap_or_default()).into(),
        })
    }
}

/// This attribute of a file, if the server was asked for it.
fn text_of(entry: &Entry, of: Whole) -> Option<String> {
    match of {
        Whole::Name => Some(entry.name.clone()),
        Whole::Size => entry.size.map(|bytes| bytes.to_string()),
        Whole::Modified => entry
            .modified_ns
            .map(|ns| ns.div_euclid(NS_IN_S).to_string()),
        _ => None,
    }
}

/// Compiles a regular expression. The error says what is wrong with it.
pub(crate) fn regex(text: &str) -> Result<Regex, Mistake> {
    let built = regex::bytes::RegexBuilder::new(text)
        .size_limit(MOST_REGEX_BYTES)
        .build();
    built.map_err(|error| {
        let lines = error.to_string();
        let reason = lines.lines().last().unwrap_or_default().trim();
        format!(
            "\"{}\" cannot be used as a regular expression: {}",
            text.escape_default(),
            reason.trim_start_matches("error: ")
        )
    })
}

impl Source {
    /// Its text in the workload, for messages.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its JSON path, if it has one.
    pub(crate) const fn json(&mut self) -> Option<&mut Path> {
        match &mut self.kind {
            Kind::Json(path) => Some(path),
            _ => None,
        }
    }

    /// Whether it needs the body of a reply.
    #[must_use]
    pub const fn needs_body(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Header(_)
                | Kind::Cookie(_)
                | Kind::Entry(_)
                | Kind::Of(Whole::Status | Whole::Path | Whole::Count | Whole::Uid | Whole::TimeMs)
        )
    }

    /// Whether it needs attributes of files besides their names.
    #[must_use]
    pub const fn needs_attributes(&self) -> bool {
        matches!(self.kind, Kind::Entry(Whole::Size | Whole::Modified))
    }

    /// Whether it needs the headers of a reply.
    #[must_use]
    pub const fn needs_headers(&self) -> bool {
        matches!(self.kind, Kind::Header(_))
    }

    /// The column that it reads.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match &self.kind {
            Kind::Column(name, _) => Some(name),
            _ => None,
        }
    }

    /// The values in a reply; `None` is NULL. The error says why it cannot be searched.
    pub fn values(&self, reply: &dyn Reply) -> Result<Vec<Option<String>>, String> {
        let Kind::Column(name, row) = &self.kind else {
            let found = self.texts(reply)?;
            return Ok(found.into_iter().map(Some).collect());
        };
        let values = reply.column(name)?.into_iter();
        let (skipped, taken) = row.map_or((0, usize::MAX), |row| (row, 1));
        let values = values.skip(skipped).take(taken);
        Ok(values.map(|value| value.map(str::to_owned)).collect())
    }

    fn texts(&self, reply: &dyn Reply) -> Result<Vec<String>, String> {
        match &self.kind {
            Kind::Json(path) => match reply.json() {
                Some(read) => path.values(reply.body(), read),
                None => path.values(reply.body(), &Document::default()),
            },
            Kind::Css(elements) => elements.values(reply.body()),
            Kind::Regex(regex) => {
                let group = usize::from(regex.captures_len() > 1);
                let found = regex.captures_iter(reply.body());
                Ok(found
                    .filter_map(|captures| captures.get(group))
                    .map(|part| String::from_utf8_lossy(part.as_bytes()).into_owned())
                    .collect())
            }
            Kind::Header(name) => {
                let values = reply.headers(name).into_iter();
                Ok(values.map(str::to_owned).collect())
            }
            Kind::Cookie(name) => Ok(reply.cookie(name).map(str::to_owned).into_iter().collect()),
            Kind::Of(Whole::Uid) => Ok(reply.uids().iter().map(u32::to_string).collect()),
            Kind::Of(whole) => Ok(vec![match whole {
                Whole::Body => String::from_utf8_lossy(reply.body()).into_owned(),
                Whole::Status => reply.status().to_string(),
                Whole::Size => reply.size().to_string(),
                Whole::Path => reply.path().to_owned(),
                Whole::Rows => reply.rows().to_string(),
                Whole::TimeMs => format!("{:.3}", reply.took_ms()),
                Whole::Count => reply.uids().len().to_string(),
                Whole::Uid | Whole::Name | Whole::Modified => return Ok(Vec::new()),
            }]),
            Kind::Entry(Whole::Count) => Ok(vec![reply.entries().len().to_string()]),
            Kind::Entry(of) => {
                let entries = reply.entries().iter();
                Ok(entries.filter_map(|entry| text_of(entry, *of)).collect())
            }
            Kind::Column(..) => Ok(Vec::new()),
        }
    }
}
