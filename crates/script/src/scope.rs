//! The values of one user.

use std::sync::Arc;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::names::Slot;
use crate::values::Values;
pub use crate::values::{Identity, Missing};
use crate::variable::{Each, Variables};

#[derive(Debug, Clone, Default)]
enum Value {
    #[default]
    None,
    Text(Box<str>),
    /// A row of the file that the slot belongs to.
    Row(u32),
}

/// The values of one user. Small for users without variables: there may be millions.
#[derive(Debug)]
pub struct Scope {
    variables: Option<Arc<Variables>>,
    values: Vec<Value>,
    identity: Option<Box<Identity>>,
    random: SplitMix64,
    iteration: u64,
    number: u32,
}

impl Scope {
    /// The scope of the user with this number, without values.
    #[must_use]
    pub fn new(variables: Option<Arc<Variables>>, number: u32) -> Self {
        let slots = variables.as_ref().map_or(0, |variables| variables.slots());
        Self {
            values: vec![Value::None; slots.into()],
            variables,
            identity: None,
            random: SplitMix64::seed_from_u64(0),
            iteration: 0,
            number,
        }
    }

    /// The same with `slots` slots and no declared variables, for tests.
    #[must_use]
    pub fn outside(slots: Slot, number: u32) -> Self {
        Self {
            values: vec![Value::None; slots.into()],
            ..Self::new(None, number)
        }
    }

    /// Changes the number from which names and rows derive.
    pub const fn renumber(&mut self, number: u32) {
        self.number = number;
    }

    /// Sets the name and password with which the user logs on.
    pub fn identify(&mut self, identity: Option<Identity>) {
        self.identity = identity.map(Box::new);
    }

    /// Whether the plan has variables, or draws anything for them.
    #[must_use]
    pub const fn has_variables(&self) -> bool {
        self.variables.is_some()
    }

    /// Whether any request needs the user's name or password.
    #[must_use]
    pub fn needs_identity(&self) -> bool {
        let variables = self.variables.as_ref();
        variables.is_some_and(|variables| variables.need_identity())
    }

    /// Gives a variable a value.
    pub fn set(&mut self, slot: Slot, value: &str) {
        self.put(slot, value.into());
    }

    /// The same, without copying the value.
    pub fn put(&mut self, slot: Slot, value: Box<str>) {
        self.values[usize::from(slot)] = Value::Text(value);
    }

    /// Removes a variable's value.
    pub fn unset(&mut self, slot: Slot) {
        self.values[usize::from(slot)] = Value::None;
    }

    /// All variables that have values, with their values.
    #[must_use]
    pub fn values(&self) -> Vec<(&str, &str)> {
        let Some(variables) = &self.variables else {
            return Vec::new();
        };
        let slots = 0..variables.slots();
        let named = |slot| Some((variables.name(slot)?, self.value(slot)?));
        slots.filter_map(named).collect()
    }

    /// The value of a variable, if it has one.
    #[must_use]
    pub fn value(&self, slot: Slot) -> Option<&str> {
        match self.values.get(usize::from(slot))? {
            Value::None => None,
            Value::Text(text) => Some(text),
            Value::Row(row) => self.variables.as_ref()?.cell(slot, *row),
        }
    }

    /// Begins the `iteration`-th scenario, from 0, and draws the variables that it needs.
    ///
    /// What is drawn depends only on the seed and the variable: `scenario_seed` for variables that
    /// change with each scenario, `user_seed` for those that the user keeps.
    pub fn begin(
        &mut self,
        iteration: u64,
        scenario_seed: u64,
        user_seed: u64,
        needed: &[u16],
    ) -> Result<(), Missing> {
        self.iteration = iteration;
        self.random = SplitMix64::seed_from_u64(scenario_seed);
        if needed.is_empty() {
            return Ok(());
        }
        let Some(variables) = self.variables.clone() else {
            return Ok(());
        };
        for &index in needed {
            let variable = variables.get(index);
            let seed = match variable.each {
                Each::Scenario => scenario_seed,
                Each::User if matches!(self.values[usize::from(variable.slot)], Value::None) => {
                    user_seed
                }
                Each::User | Each::Use => continue,
            };
            let mixed = seed ^ (u64::from(index) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut random = SplitMix64::seed_from_u64(mixed);
            if let Some(rows) = variable.rows() {
                let row = rows
                    .table
                    .row(rows.order, self.number, iteration, random.next_u64());
                let row = row.ok_or_else(|| Missing::Rows(variable.name.clone(), rows.remedy()))?;
                for column in 0..rows.table.columns.len() {
                    self.values[usize::from(variable.slot) + column] = Value::Row(row);
                }
            } else {
                let mut text = String::new();
                variable.draw(self, &mut random, &mut text)?;
                self.values[usize::from(variable.slot)] = Value::Text(text.into());
            }
        }
        Ok(())
    }
}

impl Default for Scope {
    /// Nobody's scope, which takes no memory.
    fn default() -> Self {
        Self::new(None, 0)
    }
}

impl Values for Scope {
    fn number(&self) -> u32 {
        self.number
    }

    fn iteration(&self) -> u64 {
        self.iteration
    }

    fn identity(&self) -> Result<&Identity, Missing> {
        self.identity.as_deref().ok_or(Missing::Identity)
    }

    fn bits(&mut self) -> u64 {
        self.random.next_u64()
    }

    fn write(&self, slot: Slot, out: &mut String) -> Result<(), Missing> {
        if let Some(value) = self.value(slot) {
            out.push_str(value);
            return Ok(());
        }
        let name = self
            .variables
            .as_ref()
            .and_then(|variables| variables.name(slot))
            .unwrap_or("?");
        Err(Missing::Value(name.into()))
    }

    fn write_fresh(&mut self, variable: u16, out: &mut String) -> Result<(), Missing> {
        let Some(variables) = self.variables.clone() else {
            return Ok(());
        };
        let mut random = SplitMix64::seed_from_u64(self.bits());
        variables.get(variable).draw(self, &mut random, out)
    }
}
