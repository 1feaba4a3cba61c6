//! Values of a reply that a user keeps.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Mistake;
use crate::names::{Names, Slot};
use crate::reply::Reply;
use crate::scope::Scope;
use crate::source::{Realm, Source, SourceTable};
use crate::values::Values;

/// A value that a user keeps.
#[derive(Debug, Clone)]
pub struct Capture {
    name: Box<str>,
    slot: Slot,
    source: Source,
    pick: Pick,
    default: Option<Box<str>>,
}

/// Which of the values found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pick {
    /// The value with this index, from 0.
    Nth(usize),
    Last,
    Random,
    /// Not a value but their number.
    Count,
}

impl Capture {
    /// Reads `capture = { name = { ... } }`. The error names the variable.
    pub fn compile(table: &Value, realm: Realm, names: &mut Names) -> Result<Box<[Self]>, Mistake> {
        let example = match realm {
            Realm::Contents => "{ json = \"$.id\" }",
            Realm::Rows => "{ column = \"id\" }",
            Realm::Messages | Realm::Text => "{ regex = \"code: ([0-9]+)\" }",
            Realm::Entries => "{ of = \"name\" }",
        };
        let Some(table) = table.as_object() else {
            return Err(format!(
                "capture must be a table such as {{ id = {example} }}; it is {table}"
            ));
        };
        let captures = table.iter().map(|(name, given)| {
            let given = given
                .as_object()
                .cloned()
                .ok_or_else(|| format!("it must be a table such as {example}; it is {given}"));
            given
                .and_then(|given| Self::one(name, given, realm, names))
                .map_err(|mistake| format!("capture, {name}: {mistake}"))
        });
        captures.collect()
    }

    fn one(
        name: &str,
        mut given: Map<String, Value>,
        realm: Realm,
        names: &mut Names,
    ) -> Result<Self, Mistake> {
        let pick = given.remove("pick");
        let pick = pick.as_ref().map_or(Ok(Pick::Nth(0)), Pick::parse)?;
        let default = given.remove("default").map(|value| match value {
            Value::String(text) => text.into(),
            other => other.to_string().into(),
        });
        let source = SourceTable::deserialize(Value::Object(given))
            .map_err(|error| error.to_string())?
            .compile(realm)?;
        Ok(Self {
            name: name.into(),
            slot: names.set(name)?,
            source,
            pick,
            default,
        })
    }

    /// The source of its value.
    pub(crate) const fn source(&mut self) -> &mut Source {
        &mut self.source
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

    /// The column from which it takes its value.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        self.source.column()
    }

    /// The name of the variable.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes the value from a reply. The error says why there is none.
    pub fn take(&self, reply: &dyn Reply, scope: &mut Scope) -> Result<(), String> {
        let found = self.source.values(reply);
        let mut values = match (found, &self.default) {
            (Ok(values), _) => values,
            (Err(_), Some(_)) => Vec::new(),
            (Err(sentence), None) => return Err(self.missing(&sentence)),
        };
        let place = match self.pick {
            Pick::Count => {
                scope.set(self.slot, &values.len().to_string());
                return Ok(());
            }
            Pick::Nth(place) => place,
            Pick::Last => values.len().saturating_sub(1),
            Pick::Random => {
                let drawn = scope.bits();
                ((u128::from(drawn) * values.len() as u128) >> 64) as usize
            }
        };
        let is_there = place < values.len();
        if is_there && let Some(value) = values.swap_remove(place) {
            scope.set(self.slot, &value);
            return Ok(());
        }
        let Some(default) = &self.default else {
            return Err(self.missing(&match values.len() {
                _ if is_there => "it is NULL".to_owned(),
                0 => "it is not there".to_owned(),
                count => format!("there are only {count}"),
            }));
        };
        scope.set(self.slot, default);
        Ok(())
    }

    fn missing(&self, why: &str) -> String {
        let (name, source) = (&self.name, self.source.text());
        format!("nothing to capture for {name} ({source}): {why}")
    }
}

impl Pick {
    fn parse(value: &Value) -> Result<Self, Mistake> {
        match value {
            Value::String(text) => match text.as_str() {
                "first" => return Ok(Self::Nth(0)),
                "last" => return Ok(Self::Last),
                "random" => return Ok(Self::Random),
                "count" => return Ok(Self::Count),
                _ => {}
            },
            Value::Number(number) => {
                if let Some(place) = number.as_u64().filter(|place| *place > 0) {
                    return Ok(Self::Nth(place as usize - 1));
                }
            }
            _ => {}
        }
        Err(format!(
            "pick must be \"first\", \"last\", \"random\", \"count\" or a number from 1; it is {value}"
        ))
    }
}
