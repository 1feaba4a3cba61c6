//! Statements from the workload: their parameters, and what is taken from their rows.

use std::fmt::Write as _;

use headcount_load::{Fault, User};
use headcount_script::names::{BUILT_IN, is_name};
use headcount_script::{Capture, Check, Names, Realm, Template};
use serde::Deserialize;
use serde_json::Value;

/// A statement as a workload file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Statement {
    #[serde(rename = "statement")]
    text: String,
    #[serde(default)]
    parameters: Vec<Value>,
    #[serde(default)]
    capture: Option<Value>,
    #[serde(default)]
    check: Option<Value>,
}

/// A statement with the parameters `$1`, `$2` and so on.
#[derive(Debug)]
pub struct Free {
    /// As PostgreSQL reads it.
    pub text: String,
    parameters: Box<[Box<[Part]>]>,
    /// What users keep of its rows.
    pub captures: Box<[Capture]>,
    /// The checks on its rows.
    pub checks: Box<[Check]>,
}

/// A part of a parameter, or of a value of a row.
#[derive(Debug)]
pub(crate) enum Part {
    Text(Template),
    /// A random number between these two, both included.
    Random(i64, i64),
    /// The number of the row, with at least this many digits.
    Row(usize),
}

/// The parameters of one execution, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Values {
    text: String,
    ends: Vec<usize>,
}

impl Values {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins
            .zip(&self.ends)
            .map(|(begin, end)| &self.text[begin..*end])
    }

    /// How many bytes they have.
    pub const fn bytes(&self) -> usize {
        self.text.len()
    }
}

impl Statement {
    /// Compiles it. The error is a sentence that names the option.
    pub fn compile(self, names: &mut Names) -> Result<Free, String> {
        if self.text.trim().is_empty() {
            return Err("statement is empty; write one, such as \"SELECT 1\"".to_owned());
        }
        if let Some(placeholder) = placeholder(&self.text, names) {
            return Err(format!(
                "the statement has {placeholder}, which would be sent as it stands: write $1 there, \
                 and parameters = [\"{placeholder}\"]"
            ));
        }
        let parameters = self.parameters.iter().zip(1..).map(|(value, place)| {
            let text = text_of(value)
                .ok_or_else(|| format!("parameter {place} must be a text or a number"))?;
            parts(&text, names, false).map_err(|mistake| format!("parameter {place}: {mistake}"))
        });
        let parameters = parameters.collect::<Result<_, _>>()?;
        let (capture, check) = (self.capture.as_ref(), self.check.as_ref());
        let captures = capture.map(|table| Capture::compile(table, Realm::Rows, names));
        let checks = check.map(|list| Check::compile(list, Realm::Rows, names));
        Ok(Free {
            text: self.text,
            parameters,
            captures: captures.transpose()?.unwrap_or_default(),
            checks: checks.transpose()?.unwrap_or_default(),
        })
    }
}

impl Free {
    /// The number of its parameters.
    #[must_use]
    pub const fn parameters(&self) -> usize {
        self.parameters.len()
    }

    /// Whether captures or checks look at its rows.
    #[must_use]
    pub const fn is_looked_at(&self) -> bool {
        !self.captures.is_empty() || !self.checks.is_empty()
    }

    /// The columns that captures and checks look at, with repetitions.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let captures = self.captures.iter().filter_map(Capture::column);
        captures.chain(self.checks.iter().filter_map(Check::column))
    }

    /// The parameters of one execution.
    pub(crate) fn values(&self, user: &mut User) -> Result<Values, Fault> {
        let mut values = Values::default();
        for parts in &self.parameters {
            for part in parts {
                part.write(0, user, &mut values.text)?;
            }
            values.ends.push(values.text.len());
        }
        Ok(values)
    }
}

impl Part {
    /// Appends its value in row `number`.
    pub fn write(&self, number: u64, user: &mut User, out: &mut String) -> Result<(), Fault> {
        match self {
            Self::Text(template) => template.write(user.scope(), out)?,
            Self::Random(low, high) => {
                let span = high.abs_diff(*low).saturating_add(1);
                let drawn = user.stream().below(span).cast_signed();
                out.push_str(&low.wrapping_add(drawn).to_string());
            }
            Self::Row(digits) => {
                let _ = write!(out, "{number:0digits$}"); // writing to a string cannot fail
            }
        }
        Ok(())
    }
}

/// A parameter or a value of a workload file as text.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A placeholder in the text of a statement, where none is allowed: its value could be read as SQL,
/// and the server would plan each text again.
pub(crate) fn placeholder(statement: &str, names: &Names) -> Option<String> {
    let mut rest = statement;
    while let Some((_, after)) = rest.split_once('{') {
        let (inside, _) = after.split_once('}')?;
        let name = inside.split(['|', ':', '.']).next().unwrap_or_default();
        let is_meant = name == "user" || BUILT_IN.contains(&name) || names.is_known(name);
        if (is_name(name) && is_meant) || inside.starts_with("random:") {
            return Some(format!("{{{inside}}}"));
        }
        rest = after;
    }
    None
}

/// Parses `text{name}text{random:1..6}text`. `{user}` is `{n}`, and `{row}` in a row is its number,
/// unless a variable has that name.
pub(crate) fn parts(text: &str, names: &mut Names, in_row: bool) -> Result<Box<[Part]>, String> {
    let mut found = Vec::new();
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('{') {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let number = after
            .strip_prefix("user")
            .filter(|behind| behind.starts_with(['}', '|', ':']) && !names.is_known("user"));
        let row = after
            .strip_prefix("row")
            .filter(|behind| behind.starts_with(['}', ':']) && in_row && !names.is_known("row"));
        if let Some(behind) = after.strip_prefix('{') {
            plain.push_str("{{");
            rest = behind;
        } else if let Some(behind) = number {
            plain.push_str("{n");
            rest = behind;
        } else if let Some(drawn) = row
            .map(row_number)
            .or_else(|| after.strip_prefix("random:").map(random))
        {
            found.push(Part::Text(Template::parse(&plain, names)?));
            plain.clear();
            let (part, behind) = drawn?;
            found.push(part);
            rest = behind;
        } else {
            plain.push('{');
            rest = after;
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        found.push(Part::Text(Template::parse(&plain, names)?));
    }
    Ok(found.into())
}

/// Parses `}` or `:06}` after `{row`; also returns the rest.
fn row_number(width: &str) -> Result<(Part, &str), String> {
    let (inside, behind) = width.split_once('}').unwrap_or((width, ""));
    let digits = inside
        .strip_prefix(":0")
        .and_then(|digits| digits.parse().ok());
    match digits.filter(|digits| (1..=20).contains(digits)) {
        Some(digits) => Ok((Part::Row(digits), behind)),
        None if inside.is_empty() => Ok((Part::Row(0), behind)),
        None => Err(format!(
            "{{row{}}} may have a width of 1 to 20 digits, as in {{row:06}}",
            inside.escape_default()
        )),
    }
}

/// Parses `1..6}`; also returns the rest.
fn random(range: &str) -> Result<(Part, &str), String> {
    let (inside, behind) = range.split_once('}').unwrap_or((range, ""));
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let bounds = inside.split_once("..");
    let bounds = bounds.and_then(|(low, high)| Some((number(low)?, number(high)?)));
    match bounds.filter(|(low, high)| low <= high) {
        Some((low, high)) => Ok((Part::Random(low, high), behind)),
        None => Err(format!(
            "{{random:{}}} needs two whole numbers, the lower first, as in {{random:1..6}}",
            inside.escape_default()
        )),
    }
}

#[cfg(test)]
mod tests {
    use headcount_load::context::WorkerContext;
    use serde_json::json;

    use super::*;

    fn compiled(options: &Value, names: &mut Names) -> Result<Free, String> {
        let statement = Statement::deserialize(options).map_err(|error| error.to_string())?;
        statement.compile(names)
    }

    fn wrong(options: &Value) -> String {
        compiled(options, &mut Names::default()).unwrap_err()
    }

    #[test]
    fn parameters_are_filled_from_the_users_stream() {
        let options = json!({
            "statement": "SELECT $1, $2, $3", "parameters": ["u{user}-{random:-3..3}", "x{{n}", 7],
        });
        let free = compiled(&options, &mut Names::default()).unwrap();
        let mut user = User::outside(4, 1, WorkerContext::outside(0, 0));
        user.scope().renumber(14);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let values = free.values(&mut user).unwrap();
            let filled: Vec<&str> = values.iter().collect();
            assert_eq!(filled[1..], ["x{n}", "7"]);
            let number = filled[0].strip_prefix("u14-").unwrap();
            seen.insert(number.parse::<i64>().unwrap());
        }
        assert_eq!(
            seen.into_iter().collect::<Vec<_>>(),
            [-3, -2, -1, 0, 1, 2, 3]
        );
    }

    #[test]
    fn a_variable_named_user_takes_precedence() {
        let mut names = Names::default();
        let slot = names.set("user").unwrap();
        let options = json!({"statement": "SELECT $1", "parameters": ["{user}"]});
        let free = compiled(&options, &mut names).unwrap();
        let variables = headcount_script::Variables::default().with_slots(&names);
        let user = User::outside(4, 1, WorkerContext::outside(0, 0));
        let mut user = user.with_variables(Some(variables));
        assert!(free.values(&mut user).is_err());
        user.scope().set(slot, "ada");
        assert_eq!(free.values(&mut user).unwrap().iter().next(), Some("ada"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(wrong(&json!({"statement": " "})).starts_with("statement is empty"));
        for (parameter, part) in [
            ("{random:2..1}", "the lower first"),
            ("{random:1}", "{random:1..6}"),
            ("{user", "no closing brace"),
            ("{n|rot13}", "the filters are"),
        ] {
            let options = json!({"statement": "SELECT $1", "parameters": [parameter]});
            let sentence = wrong(&options);
            assert!(sentence.contains(part), "{sentence}");
            assert!(sentence.starts_with("parameter 1: "), "{sentence}");
        }
        for statement in ["SELECT {user}", "SELECT '{random:1..6}'", "SELECT {n:05}"] {
            let sentence = wrong(&json!({"statement": statement}));
            assert!(sentence.contains("write $1 there"), "{sentence}");
        }
        let check = json!([{"json": "$.id", "equals": 1}]);
        let sentence = wrong(&json!({"statement": "SELECT 1", "check": check}));
        assert!(
            sentence.contains("check 1: of the rows of a database"),
            "{sentence}"
        );
        let unknown = json!({"statement": "SELECT 1", "parameter": 1});
        assert!(wrong(&unknown).contains("parameter"));
    }

    #[test]
    fn braces_of_arrays_and_json_stay_in_a_statement() {
        for statement in [
            "SELECT '{a,b}'::text[]",
            "SELECT '{1}'",
            "SELECT '{\"a\": 1}'",
            "{x}",
        ] {
            let options = json!({ "statement": statement });
            assert!(
                compiled(&options, &mut Names::default()).is_ok(),
                "{statement}"
            );
        }
    }
}
