//! Values that a workload declares: text, random values, rows of files.

use std::sync::Arc;

use rand_core::Rng;
use rand_xoshiro::SplitMix64;
use serde::Deserialize;
use serde_json::Value;

use crate::Mistake;
use crate::generated::uuid;
use crate::names::{Known, Names, Slot, is_name};
use crate::number::between;
use crate::rows::{Order, Rows};
use crate::template::Template;
use crate::values::{Missing, Values};

/// When a variable gets a new value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Each {
    /// When a scenario begins.
    #[default]
    Scenario,
    /// Once per user.
    User,
    /// At each use.
    Use,
}

/// A variable as the plan has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: Box<str>,
    #[serde(default)]
    each: Each,
    text: Option<String>,
    /// Text without placeholders: a secret may have braces.
    value: Option<String>,
    int: Option<(i64, i64)>,
    choice: Option<Vec<String>>,
    weights: Option<Vec<f64>>,
    #[serde(default)]
    uuid: bool,
    letters: Option<u32>,
    columns: Option<Vec<Box<str>>>,
    rows: Option<Vec<Vec<Box<str>>>>,
    order: Option<Order>,
}

/// How a value is drawn.
#[derive(Debug)]
enum Draw {
    Text(Template),
    Int(i64, i64),
    /// Texts, and the upper bounds of their shares in [0, 1].
    Choice(Vec<Box<str>>, Vec<f64>),
    Uuid,
    Letters(u32),
    Rows(FileRows),
}

/// Rows of a file, and how users get them.
#[derive(Debug)]
pub struct FileRows {
    /// What the file holds.
    pub table: Rows,
    /// How users get them.
    pub order: Order,
}

impl FileRows {
    /// What to do when no row is left.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self.order {
            Order::Unique => {
                "each user needs a row of its own; add rows, use fewer users, or order = \"in-turn\""
            }
            _ => "each row is used once; add rows, or use order = \"in-turn\"",
        }
    }
}

/// A declared variable.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: Box<str>,
    /// When it gets a new value.
    pub each: Each,
    /// The slot of its value; for rows, that of the first column.
    pub slot: Slot,
    draw: Draw,
    /// The variables in its text, which are declared before it.
    mentions: Vec<u16>,
}

/// All variables of a plan.
#[derive(Debug, Default)]
pub struct Variables {
    declared: Vec<Variable>,
    /// The names of all slots: of declared variables and of those that steps set.
    names: Vec<Box<str>>,
    need_identity: bool,
}

impl Variables {
    /// Reads `[variables]` in its order: a text may mention those before it. `workers` is the
    /// number in the run.
    pub fn compile(tables: &[Value], workers: u32, names: &mut Names) -> Result<Self, Mistake> {
        let mut declared = Vec::new();
        for (index, table) in tables.iter().enumerate() {
            let table =
                Table::deserialize(table).map_err(|error| format!("[variables]: {error}"))?;
            let name = table.name.clone();
            let variable = Variable::compile(table, index as u16, workers, names)
                .map_err(|mistake| format!("[variables] {name}: {mistake}"))?;
            declared.push(variable);
        }
        Ok(Self {
            declared,
            ..Self::default()
        })
    }

    /// The same, with all slots of a plan whose steps have been compiled.
    #[must_use]
    pub fn with_slots(self, names: &Names) -> Arc<Self> {
        Arc::new(Self {
            names: names.of_slots(),
            need_identity: names.asks_for_identity(),
            ..self
        })
    }

    /// How many values a user keeps.
    #[must_use]
    pub fn slots(&self) -> Slot {
        self.names.len() as Slot
    }

    /// Whether any placeholder needs the user's name or password.
    #[must_use]
    pub const fn need_identity(&self) -> bool {
        self.need_identity
    }

    /// The name of a slot.
    #[must_use]
    pub fn name(&self, slot: Slot) -> Option<&str> {
        self.names.get(usize::from(slot)).map(|name| &**name)
    }

    /// A declared variable.
    #[must_use]
    pub fn get(&self, index: u16) -> &Variable {
        &self.declared[usize::from(index)]
    }

    /// The variables to draw, in order, so that the mentioned ones have values.
    #[must_use]
    pub fn needed(&self, mentioned: &[u16]) -> Vec<u16> {
        let mut needed = vec![false; self.declared.len()];
        for &index in mentioned {
            needed[usize::from(index)] = true;
        }
        // Texts only mention variables before them.
        for index in (0..self.declared.len()).rev() {
            if needed[index] {
                for &other in &self.declared[index].mentions {
                    needed[usize::from(other)] = true;
                }
            }
        }
        (0..self.declared.len() as u16)
            .filter(|index| needed[usize::from(*index)])
            .collect()
    }

    /// The value in this row of the file to which a slot belongs.
    pub(crate) fn cell(&self, slot: Slot, row: u32) -> Option<&str> {
        let variable = self.declared.iter().find(|variable| {
            let columns = variable.rows().map_or(0, |rows| rows.table.columns.len());
            (variable.slot..variable.slot + columns as Slot).contains(&slot)
        })?;
        let rows = variable.rows()?;
        Some(rows.table.cell(row, slot - variable.slot))
    }
}

impl Variable {
    fn compile(table: Table, index: u16, workers: u32, names: &mut Names) -> Result<Self, Mistake> {
        let (name, each) = (table.name.clone(), table.each);
        if !is_name(&name) || crate::names::BUILT_IN.contains(&&*name) {
            return Err(
                "it is not a valid name: a name consists of letters, digits and _, and is \
                        not built in"
                    .into(),
            );
        }
        let draw = Draw::compile(table, workers, names)?;
        let mentions = names.take_mentioned();
        let slot = if let Draw::Rows(rows) = &draw {
            if each == Each::Use {
                return Err(
                    "a row cannot be drawn wherever it stands: its values belong \
                            together; use each = \"scenario\" or \"user\""
                        .into(),
                );
            }
            let mut slots = Vec::new();
            for column in &rows.table.columns {
                if !is_name(column) {
                    return Err(format!(
                        "the column \"{}\" cannot be used: a name consists of letters, digits and _",
                        column.escape_default()
                    ));
                }
                slots.push(names.declare(&format!("{name}.{column}"), index, false)?);
            }
            slots[0]
        } else {
            names.declare(&name, index, each == Each::Use)?
        };
        Ok(Self {
            name,
            each,
            slot: match slot {
                Known::Kept(slot) => slot,
                Known::Fresh(_) => Slot::MAX, // not kept
            },
            draw,
            mentions,
        })
    }

    /// The rows of its file, if it has one.
    #[must_use]
    pub(crate) const fn rows(&self) -> Option<&FileRows> {
        match &self.draw {
            Draw::Rows(rows) => Some(rows),
            _ => None,
        }
    }

    /// Appends a drawn value; nothing for rows of a file.
    pub(crate) fn draw(
        &self,
        scope: &mut dyn Values,
        random: &mut SplitMix64,
        out: &mut String,
    ) -> Result<(), Missing> {
        match &self.draw {
            Draw::Text(template) => template.write(scope, out)?,
            Draw::Int(low, high) => {
                out.push_str(&between(*low, *high, random.next_u64()).to_string());
            }
            Draw::Choice(texts, bounds) => {
                let unit = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                let at = bounds.iter().position(|bound| unit < *bound);
                out.push_str(&texts[at.unwrap_or(texts.len() - 1)]);
            }
            Draw::Uuid => out.push_str(&uuid(random.next_u64(), random.next_u64())),
            Draw::Letters(count) => {
                for _ in 0..*count {
                    let letter = (u128::from(random.next_u64()) * 26) >> 64;
                    out.push(char::from(b'a' + letter as u8));
                }
            }
            Draw::Rows(_) => {}
        }
        Ok(())
    }
}

impl Draw {
    fn compile(table: Table, workers: u32, names: &mut Names) -> Result<Self, Mistake> {
        let kinds = [
            table.text.is_some(),
            table.value.is_some(),
            table.int.is_some(),
            table.choice.is_some(),
            table.uuid,
            table.letters.is_some(),
            table.rows.is_some(),
        ];
        if kinds.iter().filter(|is_there| **is_there).count() != 1 {
            return Err(
                "it must have one of text, int, choice, uuid, letters, file, secret".into(),
            );
        }
        if let Some(text) = table.text {
            return Template::parse(&text, names).map(Self::Text);
        }
        if let Some(value) = table.value {
            return Ok(Self::Text(Template::plain(&value)));
        }
        if let Some((low, high)) = table.int {
            return if low <= high {
                Ok(Self::Int(low, high))
            } else {
                Err(format!("int must be [low, high]; it is [{low}, {high}]"))
            };
        }
        if let Some(texts) = table.choice {
            return choice(&texts, table.weights);
        }
        if let Some(letters) = table.letters {
            return if (1..=1_000_000).contains(&letters) {
                Ok(Self::Letters(letters))
            } else {
                Err(format!(
                    "letters must be from 1 to 1000000; it is {letters}"
                ))
            };
        }
        if let Some(rows) = table.rows {
            return Ok(Self::Rows(FileRows {
                table: Rows::new(table.columns.unwrap_or_default(), rows, workers)?,
                order: table.order.unwrap_or(Order::InTurn),
            }));
        }
        Ok(Self::Uuid)
    }
}

fn choice(texts: &[String], weights: Option<Vec<f64>>) -> Result<Draw, Mistake> {
    let weights = weights.unwrap_or_else(|| vec![1.0; texts.len()]);
    if texts.is_empty() || weights.len() != texts.len() {
        return Err(format!(
            "choice needs texts, and one weight for each: {} texts have {} weights",
            texts.len(),
            weights.len()
        ));
    }
    if let Some(wrong) = weights
        .iter()
        .find(|weight| !(1e-9..=1e9).contains(*weight))
    {
        return Err(format!("weights must be from 1e-9 to 1e9; one is {wrong}"));
    }
    let total: f64 = weights.iter().sum();
    let mut sum = 0.0;
    let bounds = weights.iter().map(|weight| {
        sum += weight;
        sum / total
    });
    let bounds = bounds.collect();
    Ok(Draw::Choice(
        texts.iter().map(|text| text.as_str().into()).collect(),
        bounds,
    ))
}
