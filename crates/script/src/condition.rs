//! Conditions, which decide how a scenario continues.

use serde::Deserialize;
use serde_json::Value;

use crate::Mistake;
use crate::names::Names;
use crate::predicate::{PredicateTable, Predicates};
use crate::scope::{Missing, Scope};
use crate::template::Template;

/// A condition on a value of the user: `{ value = "{stock}", above = 0 }`.
#[derive(Debug, Clone)]
pub struct Condition {
    value: Template,
    predicates: Predicates,
}

impl Condition {
    /// Reads a condition. The error names the key.
    pub fn compile(table: &Value, names: &mut Names) -> Result<Self, Mistake> {
        let form = || {
            format!(
                "a condition is a table such as {{ value = \"{{stock}}\", above = 0 }}; it is {table}"
            )
        };
        let mut given = table.as_object().cloned().ok_or_else(form)?;
        let value = given.remove("value").ok_or_else(form)?;
        let value = value.as_str().ok_or_else(form)?;
        let predicates =
            PredicateTable::deserialize(Value::Object(given)).map_err(|e| e.to_string())?;
        Ok(Self {
            value: Template::parse(value, names)?,
            predicates: predicates.compile(names)?,
        })
    }

    /// Whether it holds. A variable without a value does not exist: `exists = false` holds for it.
    pub fn holds(&self, scope: &mut Scope) -> Result<bool, Missing> {
        let value = match self.value.render(scope) {
            Ok(value) => Some(value),
            Err(Missing::Value(_)) => None,
            Err(other) => return Err(other),
        };
        Ok(self.predicates.judge(value.as_deref(), scope)?.is_ok())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_test_the_users_values() {
        let mut names = Names::default();
        let slot = names.set("stock").unwrap();
        let mut condition = |table| Condition::compile(&table, &mut names).unwrap();
        let some = condition(json!({"value": "{stock}", "above": 0}));
        let none = condition(json!({"value": "{stock}", "exists": false}));
        let mut scope = Scope::outside(1, 0);
        assert_eq!(some.holds(&mut scope), Ok(false));
        assert_eq!(none.holds(&mut scope), Ok(true));
        scope.set(slot, "3");
        assert_eq!(some.holds(&mut scope), Ok(true));
        assert_eq!(none.holds(&mut scope), Ok(false));
        scope.set(slot, "0");
        assert_eq!(some.holds(&mut scope), Ok(false));
    }

    #[test]
    fn mistakes_show_the_expected_form() {
        for table in [
            json!("x"),
            json!({"above": 1}),
            json!({"value": 5, "above": 1}),
        ] {
            let sentence = Condition::compile(&table, &mut Names::default()).unwrap_err();
            assert!(sentence.contains("a condition is a table"), "{sentence}");
        }
        let extra = json!({"value": "a", "equals": "a", "than": 1});
        assert!(
            Condition::compile(&extra, &mut Names::default())
                .unwrap_err()
                .contains("than")
        );
    }
}
