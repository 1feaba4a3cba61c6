//! What users do.

use std::sync::Arc;

use headcount_load::Compile;
use headcount_script::Names;
use serde::Deserialize;
use serde_json::Value;

use crate::copy::{Copy, CopyTable};
use crate::statement::{Free, Statement};
use crate::transaction::Isolation;

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
#[derive(Debug, Deserialize)]
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
    Sql(Statement),
    Copy(CopyTable),
    Begin {
        #[serde(default)]
        isolation: Option<Isolation>,
    },
    Commit {},
}

/// One step, ready to be played.
#[derive(Debug, Clone)]
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
        /// The most people that are listed.
        entries: i64,
    },
    /// An appointment is made, or put off.
    Appointment {
        /// Which of these.
        change: Change,
    },
    /// A statement from the workload.
    Sql(Arc<Free>),
    /// A COPY from the workload.
    Copy(Arc<Copy>),
    /// A transaction begins, at this level or the server's default.
    Begin(Option<Isolation>),
    /// The transaction ends.
    Commit,
}

impl Compile for SqlStep {
    fn compile(options: &Value) -> Result<Self, String> {
        Self::compile_with(options, &mut Names::default())
    }

    fn compile_with(options: &Value, names: &mut Names) -> Result<Self, String> {
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
            Written::Sql(statement) => Self::Sql(Arc::new(statement.compile(names)?)),
            Written::Copy(copy) => Self::Copy(Arc::new(copy.compile(names)?)),
            Written::Begin { isolation } => Self::Begin(isolation),
            Written::Commit {} => Self::Commit,
        })
    }
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
    use serde_json::json;

    use super::*;

    fn wrong(step: &Value) -> String {
        SqlStep::compile(step).unwrap_err()
    }

    #[test]
    fn steps_have_the_scripts_sizes_by_default() {
        assert!(matches!(
            SqlStep::compile(&json!({"op": "read-view", "from": "next"})),
            Ok(SqlStep::ReadView {
                from: From::Key(Place::Next),
                entries: 20
            })
        ));
        assert!(matches!(
            SqlStep::compile(&json!({"op": "read-view", "from": 21, "entries": 5})),
            Ok(SqlStep::ReadView {
                from: From::Number(21),
                entries: 5
            })
        ));
        assert!(matches!(
            SqlStep::compile(&json!({"op": "set-unread"})),
            Ok(SqlStep::SetUnread { documents: 30 })
        ));
    }

    #[test]
    fn mistakes_are_named() {
        let zero = wrong(&json!({"op": "add-document", "bytes": 0}));
        assert_eq!(zero, "bytes is 0; it must be from 1 to 1048576");
        assert!(wrong(&json!({"op": "open-view", "page": 1})).contains("page"));
        assert!(wrong(&json!({"op": "read-view", "from": 0})).starts_with("from is 0"));
        assert!(wrong(&json!({"op": "sql", "statement": " "})).starts_with("statement is empty"));
    }
}
