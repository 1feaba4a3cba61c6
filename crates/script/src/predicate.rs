//! What a value must be.

use std::cmp::Ordering;

use regex::bytes::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::Mistake;
use crate::names::Names;
use crate::number::{as_number, order};
use crate::quote::{MOST_SHOWN, boundary, quoted};
use crate::scope::{Missing, Scope};
use crate::source::regex;
use crate::template::Template;

/// What a value must be, as the workload has it: all that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredicateTable {
    /// It equals this text or number.
    pub equals: Option<Value>,
    /// It does not equal it.
    pub differs: Option<Value>,
    /// It contains this text.
    pub contains: Option<String>,
    /// It does not contain it.
    pub lacks: Option<String>,
    /// This regular expression is found in it.
    pub matches: Option<String>,
    /// It is a number above this.
    pub above: Option<Value>,
    /// It is a number below this.
    pub below: Option<Value>,
    /// Whether there is any value.
    pub exists: Option<bool>,
}

/// What a value must be.
#[derive(Debug, Clone)]
pub struct Predicates(Box<[Predicate]>);

#[derive(Debug, Clone)]
enum Predicate {
    Equals(Template),
    Differs(Template),
    Contains(Template),
    Lacks(Template),
    Matches(Regex),
    Above(Template),
    Below(Template),
    Exists(bool),
}

impl PredicateTable {
    /// The keys of predicates.
    pub const KEYS: [&'static str; 8] = [
        "equals", "differs", "contains", "lacks", "matches", "above", "below", "exists",
    ];

    /// Compiles it. The error names the key.
    pub fn compile(self, names: &mut Names) -> Result<Predicates, Mistake> {
        let mut all = Vec::new();
        if let Some(value) = self.equals {
            all.push(Predicate::Equals(scalar("equals", &value, names)?));
        }
        if let Some(value) = self.differs {
            all.push(Predicate::Differs(scalar("differs", &value, names)?));
        }
        if let Some(text) = self.contains {
            all.push(Predicate::Contains(Template::parse(&text, names)?));
        }
        if let Some(text) = self.lacks {
            all.push(Predicate::Lacks(Template::parse(&text, names)?));
        }
        if let Some(text) = self.matches {
            all.push(Predicate::Matches(regex(&text)?));
        }
        if let Some(value) = self.above {
            all.push(Predicate::Above(number("above", &value, names)?));
        }
        if let Some(value) = self.below {
            all.push(Predicate::Below(number("below", &value, names)?));
        }
        if let Some(exists) = self.exists {
            all.push(Predicate::Exists(exists));
        }
        if all.is_empty() {
            return Err(format!(
                "it has no condition: give one of {}",
                Self::KEYS.join(", ")
            ));
        }
        Ok(Predicates(all.into()))
    }
}

/// A text, number or boolean as a template.
fn scalar(key: &str, value: &Value, names: &mut Names) -> Result<Template, Mistake> {
    match value {
        Value::String(text) => Template::parse(text, names),
        Value::Number(_) | Value::Bool(_) | Value::Null => Ok(Template::plain(&value.to_string())),
        _ => Err(format!("{key} must be a text or a number; it is {value}")),
    }
}

fn number(key: &str, value: &Value, names: &mut Names) -> Result<Template, Mistake> {
    let template = scalar(key, value, names)?;
    match template.text() {
        Some(text) if as_number(text).is_none() => Err(format!(
            "{key} must be a number, or a placeholder; it is {value}"
        )),
        _ => Ok(template),
    }
}

impl Predicates {
    /// Whether a value, or its absence, is right. The inner error says what is wrong.
    pub fn judge(
        &self,
        value: Option<&str>,
        scope: &mut Scope,
    ) -> Result<Result<(), String>, Missing> {
        for predicate in &self.0 {
            if let Err(sentence) = predicate.judge(value, scope)? {
                return Ok(Err(sentence));
            }
        }
        Ok(Ok(()))
    }
}

impl Predicate {
    fn judge(&self, value: Option<&str>, scope: &mut Scope) -> Result<Result<(), String>, Missing> {
        let value = match (self, value) {
            (Self::Exists(wanted), value) => {
                return Ok(match (wanted, value) {
                    (true, None) => Err("is not there".into()),
                    (false, Some(value)) => Err(format!("is there: {}", quoted(value))),
                    _ => Ok(()),
                });
            }
            // A missing value contains nothing, and equals nothing.
            (Self::Lacks(_) | Self::Differs(_), None) => return Ok(Ok(())),
            (_, None) => return Ok(Err("is not there".into())),
            (_, Some(value)) => value,
        };
        let (is_right, wanted) = match self {
            Self::Exists(_) => return Ok(Ok(())),
            Self::Matches(regex) => (regex.is_match(value.as_bytes()), regex.as_str().into()),
            Self::Equals(wanted)
            | Self::Differs(wanted)
            | Self::Contains(wanted)
            | Self::Lacks(wanted)
            | Self::Above(wanted)
            | Self::Below(wanted) => {
                let wanted = wanted.render(scope)?;
                (self.holds(value, &wanted)?, wanted)
            }
        };
        if is_right {
            return Ok(Ok(()));
        }
        let is = format!("is {}", quoted(value));
        let wanted_text = quoted(&wanted);
        Ok(Err(match self {
            Self::Equals(_) => format!("{is} instead of {wanted_text}"),
            Self::Contains(_) => format!("{is} and does not contain {wanted_text}"),
            Self::Matches(_) => format!("{is} and does not match \"{wanted}\""),
            Self::Above(_) => format!("{is} and not above {wanted}"),
            Self::Below(_) => format!("{is} and not below {wanted}"),
            Self::Lacks(_) => {
                let at = value.find(&*wanted).unwrap_or(0);
                let start = boundary(value, at.saturating_sub(MOST_SHOWN / 3));
                format!("contains {wanted_text}: {}", quoted(&value[start..]))
            }
            Self::Differs(_) | Self::Exists(_) => format!("{is} and must not be"),
        }))
    }

    /// Whether the predicate holds for a value and a text.
    fn holds(&self, value: &str, wanted: &str) -> Result<bool, Missing> {
        match self {
            Self::Equals(_) => Ok(is_same(value, wanted)),
            Self::Differs(_) => Ok(!is_same(value, wanted)),
            Self::Contains(_) => Ok(value.contains(wanted)),
            Self::Lacks(_) => Ok(!value.contains(wanted)),
            Self::Above(_) => Ok(ordering(value, wanted)? == Some(Ordering::Greater)),
            Self::Below(_) => Ok(ordering(value, wanted)? == Some(Ordering::Less)),
            Self::Matches(_) | Self::Exists(_) => Ok(true),
        }
    }
}

/// Whether two texts are the same, or the same number: 1.50 and 1.5.
fn is_same(value: &str, wanted: &str) -> bool {
    value == wanted || order(value, wanted) == Some(Ordering::Equal)
}

/// How a value compares with a bound; `None` if the value is not a number. Fails if the bound is
/// not.
fn ordering(value: &str, bound: &str) -> Result<Option<Ordering>, Missing> {
    match as_number(bound) {
        Some(_) => Ok(order(value, bound)),
        None => Err(Missing::NotANumber(bound.into())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn judge(table: Value, value: Option<&str>) -> Result<(), String> {
        let mut names = Names::default();
        let slot = names.set("limit").unwrap();
        let predicates = PredicateTable::deserialize(table).unwrap();
        let predicates = predicates.compile(&mut names).unwrap();
        let mut scope = Scope::outside(names.slots(), 0);
        scope.set(slot, "5");
        predicates
            .judge(value, &mut scope)
            .unwrap_or_else(|missing| Err(missing.to_string()))
    }

    #[test]
    fn right_values_pass() {
        for (table, value) in [
            (json!({"equals": "open"}), "open"),
            (json!({"equals": 5}), "5"),
            (json!({"equals": 1.5}), "1.50"),
            (json!({"equals": 0}), "0.0"),
            (json!({"equals": 0}), "-0"),
            (
                json!({"differs": 9_007_199_254_740_993_u64}),
                "9007199254740992",
            ),
            (
                json!({"above": 9_007_199_254_740_992_u64}),
                "9007199254740993",
            ),
            (json!({"equals": "{limit}"}), "5"),
            (json!({"equals": true}), "true"),
            (json!({"differs": "a"}), "b"),
            (json!({"contains": "ell"}), "hello"),
            (json!({"lacks": "down"}), "up"),
            (json!({"matches": "^[0-9]+$"}), "123"),
            (json!({"above": 4, "below": "{limit}"}), "4.5"),
            (json!({"exists": true}), ""),
        ] {
            assert_eq!(judge(table.clone(), Some(value)), Ok(()), "{table}");
        }
        assert_eq!(judge(json!({"exists": false}), None), Ok(()));
        assert_eq!(judge(json!({"lacks": "x", "differs": "y"}), None), Ok(()));
    }

    #[test]
    fn wrong_values_are_shown() {
        for (table, value, sentence) in [
            (
                json!({"equals": "open"}),
                Some("shut"),
                "is \"shut\" instead of \"open\"",
            ),
            (json!({"equals": "open"}), None, "is not there"),
            (
                json!({"differs": 5}),
                Some("5.0"),
                "is \"5.0\" and must not be",
            ),
            (
                json!({"contains": "x"}),
                Some("a\nb"),
                "is \"a\\nb\" and does not contain \"x\"",
            ),
            (
                json!({"lacks": "down"}),
                Some("it is down"),
                "contains \"down\": \"it is down\"",
            ),
            (
                json!({"matches": "^x"}),
                Some("y"),
                "is \"y\" and does not match \"^x\"",
            ),
            (
                json!({"above": "{limit}"}),
                Some("5"),
                "is \"5\" and not above 5",
            ),
            (
                json!({"below": 1}),
                Some("many"),
                "is \"many\" and not below 1",
            ),
            (json!({"exists": false}), Some("a"), "is there: \"a\""),
            (json!({"exists": true}), None, "is not there"),
        ] {
            assert_eq!(
                judge(table.clone(), value),
                Err(sentence.to_owned()),
                "{table}"
            );
        }
        let long = judge(json!({"equals": "a"}), Some(&"\u{e4}".repeat(100))).unwrap_err();
        assert!(long.contains("\u{e4}...\"") && long.len() < 120, "{long}");
    }

    #[test]
    fn mistakes_are_named() {
        for (table, part) in [
            (json!({}), "give one of equals"),
            (json!({"equals": [1]}), "a text or a number"),
            (json!({"above": "many"}), "must be a number"),
            (json!({"matches": "("}), "regular expression"),
            (json!({"contains": "{x"}), "no closing brace"),
        ] {
            let mut names = Names::default();
            let predicates = PredicateTable::deserialize(table).unwrap();
            let sentence = predicates.compile(&mut names).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn texts_contain_lack_equal_or_differ(value in "[a-c]{0,6}", part in "[a-c]{1,2}") {
            let holds = |key: &str| judge(json!({key: part}), Some(&value)).is_ok();
            prop_assert_eq!(holds("contains"), value.contains(&part));
            prop_assert_eq!(holds("lacks"), !value.contains(&part));
            prop_assert_eq!(holds("equals"), value == part);
            prop_assert_eq!(holds("differs"), value != part);
        }

        #[test]
        fn any_value_is_judged(value: String, wanted: String) {
            for key in ["equals", "differs", "contains", "lacks", "above", "below", "matches"] {
                let mut names = Names::default();
                let table = PredicateTable::deserialize(json!({key: wanted})).unwrap();
                if let Ok(predicates) = table.compile(&mut names) {
                    let mut scope = Scope::outside(names.slots(), 0);
                    let _ = predicates.judge(Some(&value), &mut scope);
                }
            }
        }
    }
}
