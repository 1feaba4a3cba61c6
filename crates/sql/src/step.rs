//! What users do.

use std::fmt;
use std::sync::Arc;

use headcount_load::{Compile, User};
use serde::Deserialize;
use serde_json::Value;

/// The longest body that a step writes.
const MOST_BODY_BYTES: u32 = 1 << 20;
/// The longest page of a view, and the longest list of unread documents.
const MOST_ENTRIES: u32 = 10_000;

/// Where a page of the view begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum From {
    /// At the beginning, or after the page read before, by its last entry's key.
    Key(Place),
    /// At the entry with this number, from 1, which the server counts off (OFFSET).
    Number(u32),
}

/// Where a page begins by key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// At the beginning.
    First,
    /// After the page that the user read before; at the beginning without one.
    Next,
}

/// What is done to appointments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// One is made.
    #[default]
    Add,
    /// The user's latest is put off by a day; one is made if there is none.
    Move,
}

/// One step, as a workload file has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
enum Written {
    OpenView {},
    ReadView {
        #[serde(default = "first")]
        from: From,
        #[serde(default = "page")]
        entries: u32,
    },
    SetUnread {
        #[serde(default = "unread")]
        documents: u32,
    },
    ReadUnread {},
    ReadDocument {},
    AddDocument {
        #[serde(default = "body")]
        bytes: u32,
    },
    UpdateDocument {
        #[serde(default = "body")]
        bytes: u32,
    },
    DeleteOldest {
        #[serde(default = "pair")]
        documents: u32,
    },
    Lookup {
        #[serde(default = "letters")]
        letters: u32,
        #[serde(default = "page")]
        entries: u32,
    },
    Appointment {
        #[serde(default)]
        change: Change,
    },
    Sql {
        statement: String,
        #[serde(default)]
        parameters: Vec<String>,
    },
}

/// One step, ready to be played.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlStep {
    /// The categories of the view, with the number of documents in each.
    OpenView,
    /// A page of the view.
    ReadView {
        /// Where it begins.
        from: From,
        /// How many entries it has.
        entries: i64,
    },
    /// The user's list of unread documents becomes random ones.
    SetUnread {
        /// How many.
        documents: u32,
    },
    /// The next unread document is read and marked as read.
    ReadUnread,
    /// A random document is read.
    ReadDocument,
    /// A main topic is added.
    AddDocument {
        /// Bytes of its body.
        bytes: u32,
    },
    /// A random document gets another body.
    UpdateDocument {
        /// Bytes of it.
        bytes: u32,
    },
    /// The user's oldest documents are deleted; fewer, if there are fewer.
    DeleteOldest {
        /// How many.
        documents: i64,
    },
    /// People are looked up by the beginning of their name.
    Lookup {
        /// Letters that are typed.
        letters: u32,
        /// People that are shown at most.
        entries: i64,
    },
    /// An appointment is made, or put off.
    Appointment {
        /// Which of these.
        change: Change,
    },
    /// A statement of the user's own.
    Sql(Arc<Free>),
}

/// A statement with the parameters `$1`, `$2` and so on.
#[derive(Debug, PartialEq, Eq)]
pub struct Free {
    /// As PostgreSQL reads it.
    pub statement: String,
    parameters: Vec<Vec<Part>>,
}

/// A part of a parameter.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The user's number.
    User,
    /// A random number between these two, both included.
    Random(i64, i64),
}

impl Free {
    /// How many parameters it is given.
    #[must_use]
    pub const fn parameters(&self) -> usize {
        self.parameters.len()
    }

    /// The parameters of one execution.
    pub(crate) fn values(&self) -> impl Iterator<Item = Parameter<'_>> {
        self.parameters.iter().map(|parts| Parameter { parts })
    }
}

/// One parameter, as the workload writes it.
pub(crate) struct Parameter<'a> {
    parts: &'a [Part],
}

impl Parameter<'_> {
    /// Appends it for one execution by the user with this number in rows.
    pub fn append(&self, user: &mut User, number: u32, out: &mut impl fmt::Write) -> fmt::Result {
        for part in self.parts {
            match part {
                Part::Text(text) => out.write_str(text)?,
                Part::User => write!(out, "{number}")?,
                Part::Random(low, high) => {
                    let span = high.abs_diff(*low).saturating_add(1);
                    let drawn = user.stream().below(span).cast_signed();
                    write!(out, "{}", low.wrapping_add(drawn))?;
                }
            }
        }
        Ok(())
    }
}

impl Compile for SqlStep {
    fn compile(options: &Value) -> Result<Self, String> {
        let step = Written::deserialize(options).map_err(|error| error.to_string())?;
        let within = |name: &str, value: u32, most: u32| {
            (1..=most)
                .contains(&value)
                .then_some(value)
                .ok_or_else(|| format!("{name} is {value}; it must be from 1 to {most}"))
        };
        Ok(match step {
            Written::OpenView {} => Self::OpenView,
            Written::ReadView { from, entries } => {
                if from == From::Number(0) {
                    return Err(
                        "from is 0; it must be \"first\", \"next\" or a number from 1".into(),
                    );
                }
                let entries = within("entries", entries, MOST_ENTRIES)?.into();
                Self::ReadView { from, entries }
            }
            Written::SetUnread { documents } => Self::SetUnread {
                documents: within("documents", documents, MOST_ENTRIES)?,
            },
            Written::ReadUnread {} => Self::ReadUnread,
            Written::ReadDocument {} => Self::ReadDocument,
            Written::AddDocument { bytes } => Self::AddDocument {
                bytes: within("bytes", bytes, MOST_BODY_BYTES)?,
            },
            Written::UpdateDocument { bytes } => Self::UpdateDocument {
                bytes: within("bytes", bytes, MOST_BODY_BYTES)?,
            },
            Written::DeleteOldest { documents } => Self::DeleteOldest {
                documents: within("documents", documents, MOST_ENTRIES)?.into(),
            },
            Written::Lookup { letters, entries } => Self::Lookup {
                letters: within("letters", letters, 10)?,
                entries: within("entries", entries, MOST_ENTRIES)?.into(),
            },
            Written::Appointment { change } => Self::Appointment { change },
            Written::Sql {
                statement,
                parameters,
            } => {
                if statement.trim().is_empty() {
                    return Err("statement is empty; write one, such as \"SELECT 1\"".to_owned());
                }
                let parameters = parameters.iter().map(|text| parts(text));
                Self::Sql(Arc::new(Free {
                    statement,
                    parameters: parameters.collect::<Result<_, _>>()?,
                }))
            }
        })
    }
}

/// Reads `text{user}text{random:1..6}text`.
fn parts(text: &str) -> Result<Vec<Part>, String> {
    let wrong = |field: &str| {
        format!(
            "parameters has \"{{{field}}}\"; what is in braces must be {{user}} or {{random:a..b}} \
             with two whole numbers, the lower first"
        )
    };
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (field, behind) = after.split_once('}').ok_or_else(|| wrong(after))?;
        found.push(Part::Text(before.to_owned()));
        found.push(match field.strip_prefix("random:") {
            None if field == "user" => Part::User,
            None => return Err(wrong(field)),
            Some(range) => {
                let bounds = range.split_once("..");
                let number = |text: &str| text.trim().parse::<i64>().ok();
                bounds
                    .and_then(|(low, high)| Some((number(low)?, number(high)?)))
                    .filter(|(low, high)| low <= high)
                    .map(|(low, high)| Part::Random(low, high))
                    .ok_or_else(|| wrong(field))?
            }
        });
        rest = behind;
    }
    found.push(Part::Text(rest.to_owned()));
    Ok(found)
}

const fn first() -> From {
    From::Key(Place::First)
}

const fn page() -> u32 {
    20
}

const fn unread() -> u32 {
    30
}

const fn body() -> u32 {
    100
}

const fn pair() -> u32 {
    2
}

const fn letters() -> u32 {
    3
}

#[cfg(test)]
mod tests {

    use headcount_load::context::WorkerContext;

    use serde_json::json;

    use super::*;

    fn wrong(step: &Value) -> String {
        SqlStep::compile(step).unwrap_err()
    }

    #[test]
    fn steps_have_the_scripts_sizes_unless_told() {
        assert_eq!(
            SqlStep::compile(&json!({"op": "read-view", "from": "next"})),
            Ok(SqlStep::ReadView {
                from: From::Key(Place::Next),
                entries: 20
            })
        );
        assert_eq!(
            SqlStep::compile(&json!({"op": "read-view", "from": 21, "entries": 5})),
            Ok(SqlStep::ReadView {
                from: From::Number(21),
                entries: 5
            })
        );
        assert_eq!(
            SqlStep::compile(&json!({"op": "set-unread"})),
            Ok(SqlStep::SetUnread { documents: 30 })
        );
    }

    #[test]
    fn mistakes_are_named() {
        let zero = wrong(&json!({"op": "add-document", "bytes": 0}));
        assert_eq!(zero, "bytes is 0; it must be from 1 to 1048576");
        assert!(wrong(&json!({"op": "open-view", "page": 1})).contains("page"));
        assert!(wrong(&json!({"op": "read-view", "from": 0})).starts_with("from is 0"));
        assert!(wrong(&json!({"op": "sql", "statement": " "})).starts_with("statement is empty"));
        for field in ["{x}", "{random:2..1}", "{random:1}", "{user"] {
            let error =
                wrong(&json!({"op": "sql", "statement": "SELECT $1", "parameters": [field]}));
            assert!(error.contains("{user} or {random:a..b}"), "{error}");
        }
    }

    #[test]
    fn parameters_are_filled_from_the_users_stream() {
        let step = json!({
            "op": "sql", "statement": "SELECT $1, $2", "parameters": ["u{user}-{random:-3..3}", "x"],
        });
        let SqlStep::Sql(free) = SqlStep::compile(&step).unwrap() else {
            panic!("another step");
        };
        let mut user = User::outside(4, 1, WorkerContext::outside(0, 0));
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let filled: Vec<String> = free
                .values()
                .map(|value| {
                    let mut text = String::new();
                    value.append(&mut user, 14, &mut text).unwrap();
                    text
                })
                .collect();
            assert_eq!(filled[1], "x");
            let number = filled[0].strip_prefix("u14-").unwrap();
            seen.insert(number.parse::<i64>().unwrap());
        }
        assert_eq!(
            seen.into_iter().collect::<Vec<_>>(),
            [-3, -2, -1, 0, 1, 2, 3]
        );
    }
}
