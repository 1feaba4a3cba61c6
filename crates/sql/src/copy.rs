//! COPY statements from the workload: rows that are generated and sent, or received and counted.

use headcount_load::{Fault, User};
use headcount_script::{Capture, Check, Names, Realm};
use serde::Deserialize;
use serde_json::Value;

use crate::statement::{Part, parts, placeholder, text_of};

/// The most rows of one COPY.
const MOST_ROWS: u64 = 10_000_000;
/// The default number of rows of a COPY: what a loader sends at a time.
const ROWS: u64 = 1_000;

/// A COPY as a workload file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopyTable {
    #[serde(rename = "statement")]
    text: String,
    #[serde(default)]
    rows: Option<u64>,
    #[serde(default)]
    values: Option<Vec<Value>>,
    #[serde(default)]
    capture: Option<Value>,
    #[serde(default)]
    check: Option<Value>,
}

/// A COPY.
#[derive(Debug)]
pub struct Copy {
    /// As PostgreSQL reads it.
    pub text: String,
    /// The rows that it sends; None if it receives rows.
    pub(crate) made: Option<MadeRows>,
    /// What users keep of it.
    pub captures: Box<[Capture]>,
    /// The checks on its result.
    pub checks: Box<[Check]>,
}

/// Rows that are generated while they are sent.
#[derive(Debug)]
pub(crate) struct MadeRows {
    count: u64,
    values: Box<[Box<[Part]>]>,
}

impl CopyTable {
    /// Compiles it. The error is a sentence that names the option.
    pub fn compile(self, names: &mut Names) -> Result<Copy, String> {
        let sends = sends_rows(&self.text)?;
        if let Some(placeholder) = placeholder(&self.text, names) {
            return Err(format!(
                "the statement has {placeholder}, which would be sent as it stands: placeholders \
                 belong in values"
            ));
        }
        let made = match (sends, self.values) {
            (true, Some(values)) => {
                let count = self.rows.unwrap_or(ROWS);
                if !(1..=MOST_ROWS).contains(&count) {
                    return Err(format!("rows is {count}; it must be from 1 to {MOST_ROWS}"));
                }
                Some(MadeRows::compile(count, &values, names)?)
            }
            (true, None) => {
                return Err(
                    "COPY FROM STDIN needs the values of a row, one a column: values = \
                     [\"{row}\", \"{random:1..6}\"]"
                        .to_owned(),
                );
            }
            (false, None) if self.rows.is_none() => None,
            (false, _) => {
                return Err(
                    "rows and values are for COPY FROM STDIN; the server makes the rows of COPY TO \
                     STDOUT"
                        .to_owned(),
                );
            }
        };
        let (capture, check) = (self.capture.as_ref(), self.check.as_ref());
        let captures = capture.map(|table| Capture::compile(table, Realm::Rows, names));
        let checks = check.map(|list| Check::compile(list, Realm::Rows, names));
        let captures = captures.transpose()?.unwrap_or_default();
        let checks = checks.transpose()?.unwrap_or_default();
        let of_captures = captures.iter().filter_map(Capture::column);
        let mut columns = of_captures.chain(checks.iter().filter_map(Check::column));
        if let Some(column) = columns.next() {
            return Err(format!(
                "column \"{}\" of a COPY cannot be read; give of = \"rows\" or \"time-ms\"",
                column.escape_default()
            ));
        }
        Ok(Copy {
            text: self.text,
            made,
            captures,
            checks,
        })
    }
}

impl MadeRows {
    fn compile(count: u64, values: &[Value], names: &mut Names) -> Result<Self, String> {
        if values.is_empty() {
            return Err("values is empty; give one for each column".to_owned());
        }
        let compiled = values.iter().zip(1..).map(|(value, place)| {
            let text = text_of(value)
                .ok_or_else(|| format!("value {place} must be a text or a number"))?;
            parts(&text, names, true).map_err(|mistake| format!("value {place}: {mistake}"))
        });
        Ok(Self {
            count,
            values: compiled.collect::<Result<_, _>>()?,
        })
    }

    /// Appends row `number`, from 1, in the text format; returns whether there are more.
    pub fn append(&self, number: u64, user: &mut User, out: &mut String) -> Result<bool, Fault> {
        let mut value = String::new();
        for (parts, place) in self.values.iter().zip(0..) {
            if place > 0 {
                out.push('\t');
            }
            value.clear();
            for part in parts {
                part.write(number, user, &mut value)?;
            }
            escape(&value, out);
        }
        out.push('\n');
        Ok(number < self.count)
    }
}

/// Appends a value, escaped for the text format (PostgreSQL 15, COPY, "File Formats").
fn escape(value: &str, out: &mut String) {
    let mut rest = value;
    while let Some(at) = rest.find(['\\', '\t', '\n', '\r']) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'\t' => "\\t",
            b'\n' => "\\n",
            b'\r' => "\\r",
            _ => "\\\\",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Whether a statement is COPY FROM STDIN rather than COPY TO STDOUT. An error if it is neither.
fn sends_rows(statement: &str) -> Result<bool, String> {
    let outside = unquoted(statement);
    let (one, more) = outside.split_once(';').unwrap_or((&outside, ""));
    let words: Vec<&str> = one
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    if words.first() != Some(&"copy") || !more.trim().is_empty() {
        return Err(
            "statement must be one COPY, such as \"COPY events (id, name) FROM STDIN\"; op = \"sql\" \
             is for others"
                .to_owned(),
        );
    }
    let ways = [["from", "stdin"], ["to", "stdout"]];
    let way = words
        .windows(2)
        .rposition(|pair| ways.iter().any(|way| pair == way));
    let Some(at) = way else {
        return Err(
            "the COPY reads or writes a file on the server: write FROM STDIN or TO STDOUT, or use \
             op = \"sql\""
                .to_owned(),
        );
    };
    let sends = words[at] == "from";
    let changed = ["csv", "binary", "delimiter", "delimiters"];
    let other = words[at + 2..].iter().find(|word| changed.contains(word));
    match other.filter(|_| sends) {
        Some(option) => Err(format!(
            "values are sent in COPY's text format, with tabs between: leave out {}",
            option.to_uppercase()
        )),
        None => Ok(sends),
    }
}

/// A statement in lower case, with blanks in place of strings and quoted names.
fn unquoted(statement: &str) -> String {
    let mut open = None;
    let outside = statement.chars().map(|letter| match open {
        Some(quote) => {
            if letter == quote {
                open = None;
            }
            ' '
        }
        None if matches!(letter, '\'' | '"') => {
            open = Some(letter);
            ' '
        }
        None => letter.to_ascii_lowercase(),
    });
    outside.collect()
}

#[cfg(test)]
mod tests {
    use headcount_load::context::WorkerContext;
    use serde_json::json;

    use super::*;

    fn compiled(options: &Value) -> Result<Copy, String> {
        let table = CopyTable::deserialize(options).map_err(|error| error.to_string())?;
        table.compile(&mut Names::default())
    }

    #[test]
    fn each_row_has_its_own_values() {
        let options = json!({
            "statement": "COPY t FROM STDIN", "rows": 3,
            "values": ["{row}", "{n}-{row:03}", "{random:1..1000000}", "a\tb\\\n", 7],
        });
        let made = compiled(&options).unwrap().made.unwrap();
        let mut user = User::outside(4, 1, WorkerContext::outside(0, 0));
        user.scope().renumber(14);
        let mut out = String::new();
        let more: Vec<bool> = (1..=3)
            .map(|number| made.append(number, &mut user, &mut out).unwrap())
            .collect();
        assert_eq!(more, [true, true, false]);
        let rows: Vec<Vec<&str>> = out.lines().map(|row| row.split('\t').collect()).collect();
        assert_eq!(rows.len(), 3);
        for (row, number) in rows.iter().zip(1..) {
            let padded = format!("14-{number:03}");
            assert_eq!(row[..2], [number.to_string(), padded]);
            assert_eq!(row[3..], [r"a\tb\\\n", "7"]);
        }
        let drawn: std::collections::BTreeSet<&str> = rows.iter().map(|row| row[2]).collect();
        assert_eq!(drawn.len(), 3);
    }

    #[test]
    fn the_statement_decides_who_sends_rows() {
        for (statement, sends) in [
            ("copy t from stdin", true),
            ("COPY \"from stdin\" (a) FROM STDIN WITH (FREEZE);", true),
            (
                "COPY (SELECT ' from stdin' FROM t) TO STDOUT (FORMAT csv, DELIMITER ';')",
                false,
            ),
            ("COPY t (csv)\n TO\tSTDOUT", false),
            ("COPY t (csv) FROM STDIN", true),
        ] {
            assert_eq!(sends_rows(statement), Ok(sends), "{statement}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let from = "COPY t FROM STDIN";
        for (options, part) in [
            (json!({"statement": "SELECT 1"}), "must be one COPY"),
            (
                json!({"statement": "COPY t FROM STDIN; SELECT 1", "values": [1]}),
                "must be one COPY",
            ),
            (
                json!({"statement": "COPY t FROM '/tmp/x'"}),
                "a file on the server",
            ),
            (json!({"statement": from}), "needs the values of a row"),
            (json!({"statement": from, "values": []}), "values is empty"),
            (
                json!({"statement": from, "values": [1], "rows": 0}),
                "rows is 0",
            ),
            (
                json!({"statement": from, "values": ["{row:x}"]}),
                "value 1: {row:x}",
            ),
            (
                json!({"statement": from, "values": ["{random:2..1}"]}),
                "the lower first",
            ),
            (
                json!({"statement": "COPY t FROM STDIN CSV", "values": [1]}),
                "leave out CSV",
            ),
            (
                json!({"statement": "COPY t TO STDOUT", "rows": 5}),
                "rows and values are for",
            ),
            (
                json!({"statement": "COPY {n} TO STDOUT"}),
                "belong in values",
            ),
            (
                json!({"statement": "COPY t TO STDOUT", "check": [{"column": "a", "equals": 1}]}),
                "give of = \"rows\"",
            ),
            (json!({"statement": "COPY t TO STDOUT", "row": 5}), "row"),
        ] {
            let sentence = compiled(&options).map(drop).unwrap_err();
            assert!(sentence.contains(part), "{options}: {sentence}");
        }
    }
}
