//! Journeys: what is taken from replies of strangers, and what workload files of strangers say.

use headcount_script::json::Document;
use headcount_script::{Capture, Check, Condition, Names, Realm, Reply, Scope, Template};
use serde_json::{Value, json};

/// The longest text of a workload that is tried: a person writes less.
const MOST_TEXT: usize = 4_000;

/// A reply of these contents, with a header and rows of the same bytes.
struct Foreign<'a> {
    body: &'a [u8],
    text: &'a str,
    json: Document,
}

impl Reply for Foreign<'_> {
    fn status(&self) -> u16 {
        200
    }

    fn body(&self) -> &[u8] {
        self.body
    }

    fn json(&self) -> Option<&Document> {
        Some(&self.json)
    }

    fn headers(&self, _name: &str) -> Vec<&str> {
        vec![self.text]
    }

    fn column(&self, _name: &str) -> Result<Vec<Option<&str>>, String> {
        Ok(vec![None, Some(self.text)])
    }

    fn rows(&self) -> u64 {
        2
    }
}

/// An input as two: what stands before the first zero byte, and what follows it.
fn halves(data: &[u8]) -> Option<(&str, &[u8])> {
    let at = data.iter().position(|byte| *byte == 0)?;
    let text = std::str::from_utf8(&data[..at]).ok()?;
    (text.len() <= MOST_TEXT).then_some((text, &data[at + 1..]))
}

/// Searches a reply with this source: alone, and beside others that read the same contents. Both find the
/// same.
fn search(source: &Value, body: &[u8]) {
    let found = |others: &[&Value]| {
        let mut names = Names::default();
        let tables = std::iter::once(&source).chain(others).enumerate();
        let table: Value = tables
            .map(|(number, table)| (format!("x{number}"), (*table).clone()))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let mut captures = Capture::compile(&table, Realm::Contents, &mut names).ok()?;
        headcount_script::read_together(&mut [], &mut captures);
        let mut scope = Scope::outside(names.slots(), 3);
        let text = std::str::from_utf8(body).unwrap_or_default();
        let reply = Foreign {
            body,
            text,
            json: Document::default(),
        };
        let first = captures.iter().find(|capture| capture.name() == "x0")?;
        let mut taken = Ok(());
        for capture in &captures {
            let result = capture.take(&reply, &mut scope);
            if capture.name() == "x0" {
                taken = result;
            }
        }
        let slot = names.set(first.name()).ok()?;
        Some((taken, scope.value(slot).map(str::to_owned)))
    };
    let others = [
        json!({"json": "$.a[*].b", "default": ""}),
        json!({"json": "$..id", "default": ""}),
    ];
    let (alone, beside) = (found(&[]), found(&[&others[0], &others[1]]));
    assert_eq!(alone, beside, "others beside it make no difference");
}

/// A path in JSON, a zero byte, and JSON.
pub fn json_paths(data: &[u8]) {
    let Some((path, body)) = halves(data) else {
        return;
    };
    search(&json!({"json": path}), body);
    search(&json!({"json": path, "pick": "count"}), body);
}

/// A selector, a zero byte, and a page.
pub fn html(data: &[u8]) {
    let Some((selector, body)) = halves(data) else {
        return;
    };
    search(&json!({"css": selector, "pick": "last"}), body);
    search(
        &json!({"css": selector, "attribute": "href", "default": ""}),
        body,
    );
}

/// A regular expression, a zero byte, and contents.
pub fn patterns(data: &[u8]) {
    let Some((pattern, body)) = halves(data) else {
        return;
    };
    search(&json!({"regex": pattern}), body);
    search(&json!({"regex": pattern, "pick": "random"}), body);
}

/// A text with placeholders, a zero byte, and the value of the variable `{x}`. Text that is read is
/// written the same each time, and one without braces as it is.
pub fn templates(data: &[u8]) {
    let Some((text, value)) = halves(data) else {
        return;
    };
    let mut names = Names::default();
    let slot = names.set("x").expect("a name");
    let Ok(template) = Template::parse(text, &mut names) else {
        return;
    };
    let mut scope = Scope::outside(names.slots(), 7);
    scope.set(slot, &String::from_utf8_lossy(value));
    let written = template.render(&mut scope);
    if !text.contains('{') {
        assert_eq!(written.as_deref(), Ok(text));
    }
    if let Some(plain) = template.text() {
        assert_eq!(written.as_deref(), Ok(plain));
    }
}

/// A table of a condition, check or capture as JSON, a zero byte, and the contents that it is of.
pub fn predicates(data: &[u8]) {
    let Some((text, body)) = halves(data) else {
        return;
    };
    let Ok(table) = serde_json::from_str::<Value>(text) else {
        return;
    };
    let shown = String::from_utf8_lossy(body);
    for realm in [
        Realm::Contents,
        Realm::Rows,
        Realm::Messages,
        Realm::Entries,
        Realm::Text,
    ] {
        let mut names = Names::default();
        let slot = names.set("x").expect("a name");
        let list = Value::Array(vec![table.clone()]);
        let checks = Check::compile(&list, realm, &mut names).unwrap_or_default();
        let captures = Capture::compile(&table, realm, &mut names).unwrap_or_default();
        let condition = Condition::compile(&table, &mut names);
        let mut scope = Scope::outside(names.slots(), 7);
        scope.set(slot, &shown);
        let reply = Foreign {
            body,
            text: &shown,
            json: Document::default(),
        };
        for check in &checks {
            let _ = check.judge(&reply, &mut scope);
        }
        for capture in &captures {
            let _ = capture.take(&reply, &mut scope);
        }
        if let Ok(condition) = condition {
            let _ = condition.holds(&mut scope);
        }
    }
}
