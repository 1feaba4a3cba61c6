//! On which lines of a TOML file its keys stand, so that a mistake can be shown in an editor.

use std::ops::Range;

use pyo3::prelude::*;
use toml_edit::{Document, Item, TableLike, Value};

/// The keys and values of a TOML text with their lines, from 1: `scenarios.0.limit` and 12. Keys come
/// apart from each other with `\0`, since they may hold dots. None if the text is not TOML.
#[pyfunction]
pub fn toml_lines(text: &str) -> Option<Vec<(String, usize)>> {
    let document = Document::parse(text).ok()?;
    let mut found = Found {
        breaks: text.match_indices('\n').map(|(at, _)| at).collect(),
        lines: Vec::new(),
    };
    found.table(document.as_table(), "");
    Some(found.lines)
}

struct Found {
    /// Where lines end.
    breaks: Vec<usize>,
    lines: Vec<(String, usize)>,
}

impl Found {
    fn add(&mut self, place: &str, span: Option<Range<usize>>) {
        if let Some(span) = span {
            let line = self.breaks.partition_point(|end| *end < span.start) + 1;
            self.lines.push((place.into(), line));
        }
    }

    fn table(&mut self, table: &dyn TableLike, above: &str) {
        for (name, item) in table.iter() {
            let place = inner(above, name);
            let key = table.key(name).and_then(toml_edit::Key::span);
            self.add(&place, key.or_else(|| item.span()));
            self.item(item, &place);
        }
    }

    fn item(&mut self, item: &Item, place: &str) {
        match item {
            Item::None => {}
            Item::Value(value) => self.value(value, place),
            Item::Table(table) => self.table(table, place),
            Item::ArrayOfTables(tables) => {
                for (number, table) in tables.iter().enumerate() {
                    let place = inner(place, &number.to_string());
                    self.add(&place, table.span());
                    self.table(table, &place);
                }
            }
        }
    }

    fn value(&mut self, value: &Value, place: &str) {
        match value {
            Value::InlineTable(table) => self.table(table, place),
            Value::Array(array) => {
                for (number, one) in array.iter().enumerate() {
                    let place = inner(place, &number.to_string());
                    self.add(&place, one.span());
                    self.value(one, &place);
                }
            }
            _ => {}
        }
    }
}

fn inner(above: &str, name: &str) -> String {
    if above.is_empty() {
        name.into()
    } else {
        format!("{above}\0{name}")
    }
}
