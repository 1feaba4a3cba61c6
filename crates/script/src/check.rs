//! What a reply must hold.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Mistake;
use crate::names::Names;
use crate::predicate::{PredicateTable, Predicates};
use crate::reply::Reply;
use crate::scope::Scope;
use crate::source::{Realm, Source, SourceTable};

/// A check of a reply.
#[derive(Debug, Clone)]
pub struct Check {
    source: Source,
    predicates: Predicates,
}

impl Check {
    /// Reads `check = [{ ... }, ...]`. The error numbers the checks from 1.
    pub fn compile(list: &Value, realm: Realm, names: &mut Names) -> Result<Box<[Self]>, Mistake> {
        let Some(list) = list.as_array() else {
            let source = match realm {
                Realm::Contents => "json = \"$.status\"",
                Realm::Rows => "column = \"status\"",
                Realm::Messages | Realm::Text => "of = \"body\"",
                Realm::Entries => "of = \"name\"",
            };
            return Err(format!(
                "check must be a list such as [{{ {source}, equals = \"open\" }}]; it is {list}"
            ));
        };
        let checks = list.iter().zip(1..).map(|(given, place)| {
            Self::one(given, realm, names).map_err(|mistake| format!("check {place}: {mistake}"))
        });
        checks.collect()
    }

    fn one(given: &Value, realm: Realm, names: &mut Names) -> Result<Self, Mistake> {
        let Some(given) = given.as_object() else {
            return Err(format!("it must be a table; it is {given}"));
        };
        let (tested, sought): (Map<_, _>, Map<_, _>) = given
            .clone()
            .into_iter()
            .partition(|(key, _)| PredicateTable::KEYS.contains(&key.as_str()));
        let wrong = |error: serde_json::Error| error.to_string();
        let source = SourceTable::deserialize(Value::Object(sought)).map_err(wrong)?;
        let predicates = PredicateTable::deserialize(Value::Object(tested)).map_err(wrong)?;
        Ok(Self {
            source: source.compile(realm)?,
            predicates: predicates.compile(names)?,
        })
    }

    /// The source of its value.
    pub(crate) const fn source(&mut self) -> &mut Source {
        &mut self.source
    }

    /// The column that it checks.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        self.source.column()
    }

    /// Whether it needs the body of a reply.
    #[must_use]
    pub const fn needs_body(&self) -> bool {
        self.source.needs_body()
    }

    /// Whether it needs attributes of files besides their names.
    #[must_use]
    pub const fn needs_attributes(&self) -> bool {
        self.source.needs_attributes()
    }

    /// Whether it needs the headers of a reply.
    #[must_use]
    pub const fn needs_headers(&self) -> bool {
        self.source.needs_headers()
    }

    /// Checks a reply. The error says what the reply holds instead.
    pub fn judge(&self, reply: &dyn Reply, scope: &mut Scope) -> Result<(), String> {
        let values = self.source.values(reply)?;
        let value = values.first().and_then(Option::as_deref);
        let judged = self.predicates.judge(value, scope);
        let judged = judged.map_err(|missing| missing.to_string())?;
        judged.map_err(|sentence| format!("check failed: {} {sentence}", self.source.text()))
    }
}
