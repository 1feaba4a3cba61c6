//! Captures and checks on a reply, as a protocol would have them.

use headcount_script::{Capture, Check, Entry, Names, Realm, Reply, Scope};
use serde_json::{Value, json};

/// A reply that holds what a test gives it.
struct Given {
    status: u16,
    body: &'static str,
}

impl Reply for Given {
    fn status(&self) -> u16 {
        self.status
    }

    fn body(&self) -> &[u8] {
        self.body.as_bytes()
    }

    fn headers(&self, name: &str) -> Vec<&str> {
        match name.to_ascii_lowercase().as_str() {
            "location" => vec!["/orders/17"],
            "link" => vec!["<a>", "<b>"],
            _ => vec![],
        }
    }

    fn cookie(&self, name: &str) -> Option<&str> {
        (name == "sid").then_some("s1")
    }

    fn path(&self) -> &'static str {
        "/final"
    }
}

const ORDER: Given = Given {
    status: 201,
    body: r#"{"id": 17, "status": "open", "items": [{"sku": "a"}, {"sku": "b"}]}"#,
};
const PAGE: Given = Given {
    status: 200,
    body: "<form><input name=csrf value='t&amp;1'></form><p>database is down</p> id=5, id=6",
};

/// What the variable `x` is after capturing it in this way.
fn captured(table: &Value, reply: &Given) -> Result<String, String> {
    let mut names = Names::default();
    let captures = Capture::compile(&json!({ "x": table }), Realm::Contents, &mut names)?;
    let mut scope = Scope::outside(names.slots(), 0);
    for capture in &captures {
        capture.take(reply, &mut scope)?;
    }
    Ok(scope.value(0).unwrap_or("(nothing)").to_owned())
}

fn checked(table: &Value, reply: &Given) -> Result<(), String> {
    let mut names = Names::default();
    let checks = Check::compile(&json!([table]), Realm::Contents, &mut names)?;
    let mut scope = Scope::outside(names.slots(), 0);
    checks
        .iter()
        .try_for_each(|check| check.judge(reply, &mut scope))
}

#[test]
fn values_are_captured_from_every_part_of_a_reply() {
    for (table, value) in [
        (json!({"json": "$.id"}), "17"),
        (json!({"json": "$.items[*].sku"}), "a"),
        (json!({"json": "$.items[*].sku", "pick": "last"}), "b"),
        (json!({"json": "$.items[*].sku", "pick": 2}), "b"),
        (json!({"json": "$.items[*].sku", "pick": "count"}), "2"),
        (json!({"json": "$.none", "pick": "count"}), "0"),
        (json!({"json": "$.none", "default": 5}), "5"),
        (json!({"header": "Location"}), "/orders/17"),
        (json!({"header": "link", "pick": "last"}), "<b>"),
        (json!({"cookie": "sid"}), "s1"),
        (json!({"of": "status"}), "201"),
        (json!({"of": "path"}), "/final"),
        (json!({"regex": "\"status\": *\"([a-z]+)\""}), "open"),
    ] {
        assert_eq!(captured(&table, &ORDER).as_deref(), Ok(value), "{table}");
    }
    for (table, value) in [
        (
            json!({"css": "input[name=csrf]", "attribute": "value"}),
            "t&1",
        ),
        (json!({"css": "p"}), "database is down"),
        (json!({"regex": "id=[0-9]"}), "id=5"),
        (json!({"regex": "id=([0-9])", "pick": "last"}), "6"),
        (json!({"json": "$.id", "default": ""}), ""),
    ] {
        assert_eq!(captured(&table, &PAGE).as_deref(), Ok(value), "{table}");
    }
}

#[test]
fn a_random_pick_can_be_any_match() {
    let mut names = Names::default();
    let table = json!({"x": {"regex": "id=([0-9])", "pick": "random"}});
    let captures = Capture::compile(&table, Realm::Contents, &mut names).unwrap();
    let mut scope = Scope::outside(names.slots(), 0);
    let mut found = std::collections::BTreeSet::new();
    for _ in 0..50 {
        captures[0].take(&PAGE, &mut scope).unwrap();
        found.insert(scope.value(0).unwrap().to_owned());
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["5", "6"]);
}

#[test]
fn failed_captures_give_the_reason() {
    for (table, reply, part) in [
        (
            json!({"json": "$.token"}),
            &ORDER,
            "nothing to capture for x (json $.token)",
        ),
        (json!({"json": "$.id"}), &PAGE, "the body is not JSON"),
        (
            json!({"json": "$.items[*].sku", "pick": 3}),
            &ORDER,
            "there are only 2",
        ),
        (
            json!({"css": "b", "attribute": "id"}),
            &PAGE,
            "(css b attribute id): it is not there",
        ),
        (json!({"cookie": "other"}), &PAGE, "(cookie other)"),
    ] {
        let sentence = captured(&table, reply).unwrap_err();
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn checks_pass_or_show_the_value() {
    for (table, reply) in [
        (json!({"json": "$.status", "equals": "open"}), &ORDER),
        (json!({"of": "status", "equals": 201}), &ORDER),
        (json!({"of": "size", "above": 10, "below": 100}), &ORDER),
        (json!({"contains": "sku"}), &ORDER),
        (json!({"json": "$.error", "exists": false}), &ORDER),
        (
            json!({"header": "Location", "matches": "^/orders/[0-9]+$"}),
            &ORDER,
        ),
    ] {
        assert_eq!(checked(&table, reply), Ok(()), "{table}");
    }
    for (table, part) in [
        (
            json!({"lacks": "database is down"}),
            "check failed: the body contains \"database is down\"",
        ),
        (
            json!({"json": "$.a", "exists": true}),
            "the body is not JSON",
        ),
        (
            json!({"css": "p", "equals": "ok"}),
            "check failed: css p is \"database is down\" instead of \"ok\"",
        ),
    ] {
        let sentence = checked(&table, &PAGE).unwrap_err();
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn mistakes_name_the_place() {
    for (table, part) in [
        (json!(5), "capture, x: it must be a table"),
        (json!({"json": "$.a", "css": "b"}), "only one of"),
        (json!({"jsn": "$.a"}), "jsn"),
        (json!({"attribute": "b"}), "attribute needs css"),
        (json!({"json": "$.a", "attribute": "b"}), "belongs to css"),
        (json!({"json": "$.a", "pick": 0}), "pick must be"),
        (json!({"json": "$.a", "pick": "all"}), "pick must be"),
        (json!({"regex": "("}), "regular expression"),
        (json!({"of": "time"}), "time"),
    ] {
        let sentence = captured(&table, &PAGE).unwrap_err();
        assert!(sentence.contains(part), "{sentence}");
    }
    let mut names = Names::default();
    for (list, part) in [
        (json!({}), "check must be a list"),
        (json!([5]), "check 1: it must be a table"),
        (
            json!([{"contains": "a"}, {"json": "$.a"}]),
            "check 2: it has no condition",
        ),
    ] {
        let sentence = Check::compile(&list, Realm::Contents, &mut names).unwrap_err();
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn contents_have_no_columns_and_rows_have_nothing_else() {
    let compile =
        |table: Value, realm| Check::compile(&json!([table]), realm, &mut Names::default());
    for table in [
        json!({"column": "id", "equals": 1}),
        json!({"row": 1, "equals": 1}),
        json!({"of": "rows", "equals": 1}),
    ] {
        let sentence = compile(table, Realm::Contents).unwrap_err();
        assert!(
            sentence.contains("are for the rows of a database"),
            "{sentence}"
        );
    }
    for table in [
        json!({"equals": 1}),
        json!({"json": "$.id", "equals": 1}),
        json!({"of": "status", "equals": 200}),
        json!({"of": "rows", "row": 2, "equals": 1}),
        json!({"column": "id", "of": "rows", "equals": 1}),
    ] {
        let sentence = compile(table, Realm::Rows).unwrap_err();
        assert!(sentence.contains("give column"), "{sentence}");
    }
    let zero = compile(json!({"column": "id", "row": 0, "equals": 1}), Realm::Rows);
    assert!(zero.is_err());
}

#[test]
fn messages_have_headers_texts_and_uids() {
    let compile =
        |table: Value, realm| Check::compile(&json!([table]), realm, &mut Names::default());
    for table in [
        json!({"column": "id", "equals": 1}),
        json!({"cookie": "id", "equals": 1}),
        json!({"of": "status", "equals": 200}),
        json!({"of": "rows", "equals": 1}),
    ] {
        let sentence = compile(table, Realm::Messages).unwrap_err();
        assert!(sentence.contains("of messages give"), "{sentence}");
    }
    for table in [
        json!({"header": "Subject", "contains": "code"}),
        json!({"regex": "[0-9]+", "exists": true}),
        json!({"of": "count", "above": 0}),
        json!({"of": "time-ms", "below": 500}),
        json!({"of": "size", "below": 500}),
        json!({"contains": "hello"}),
    ] {
        let compiled = compile(table.clone(), Realm::Messages);
        assert!(compiled.is_ok(), "{table}: {compiled:?}");
    }
    for of in ["count", "uid"] {
        let table = json!({"of": of, "equals": 1});
        let sentence = compile(table.clone(), Realm::Contents).unwrap_err();
        assert!(sentence.contains("messages of a mail server"), "{sentence}");
        assert!(compile(table, Realm::Rows).is_err());
    }
}

#[test]
fn files_have_names_sizes_and_times_but_their_text_has_none() {
    let compile =
        |table: Value, realm| Check::compile(&json!([table]), realm, &mut Names::default());
    for table in [
        json!({"json": "$.id", "equals": 1}),
        json!({"of": "status", "equals": 200}),
        json!({"of": "body", "equals": 200}),
        json!({"regex": "a", "of": "name", "equals": 200}),
        json!({"header": "a", "equals": 1}),
    ] {
        let sentence = compile(table, Realm::Entries).unwrap_err();
        assert!(sentence.contains("of files give"), "{sentence}");
    }
    for table in [
        json!({"header": "a", "equals": 1}),
        json!({"of": "name", "equals": 1}),
        json!({"of": "count", "equals": 1}),
        json!({"column": "a", "equals": 1}),
    ] {
        let sentence = compile(table, Realm::Text).unwrap_err();
        assert!(sentence.contains("of the text of a file"), "{sentence}");
    }
    assert!(compile(json!({"contains": "total"}), Realm::Text).is_ok());
    let sentence = compile(json!({"of": "name", "equals": 1}), Realm::Contents).unwrap_err();
    assert!(sentence.contains("of a file server"), "{sentence}");
}

struct Folder(Vec<Entry>, Vec<u8>);

impl Reply for Folder {
    fn body(&self) -> &[u8] {
        &self.1
    }

    fn entries(&self) -> &[Entry] {
        &self.0
    }
}

#[test]
fn one_of_several_files_is_picked() {
    let file = |name: &str, size, modified_ns| Entry {
        name: name.to_owned(),
        is_folder: false,
        size,
        modified_ns,
    };
    let files = vec![
        file("a-1.txt", Some(7), Some(1_500_000_000)),
        file("b-20.txt", None, Some(-1)),
        file("c-3.txt", Some(9), None),
    ];
    let folder = Folder(files, b"a-1.txt\nb-20.txt\nc-3.txt".to_vec());
    let mut names = Names::default();
    let table = json!({
        "first": {}, "last": {"of": "name", "pick": "last"}, "count": {"of": "count"},
        "sizes": {"of": "size", "pick": "count"}, "second": {"of": "size", "pick": 2},
        "at": {"of": "modified"}, "before": {"of": "modified", "pick": 2},
        "number": {"regex": "b-([0-9]+)"}, "none": {"of": "name", "pick": 4, "default": "-"},
    });
    let captures = Capture::compile(&table, Realm::Entries, &mut names).unwrap();
    let needed = captures.iter().filter(|one| one.needs_attributes()).count();
    assert_eq!(needed, 4);
    let mut scope = Scope::outside(names.slots(), 0);
    for capture in &captures {
        capture.take(&folder, &mut scope).unwrap();
    }
    for (name, expected) in [
        ("first", "a-1.txt"),
        ("last", "c-3.txt"),
        ("count", "3"),
        ("sizes", "2"),
        ("second", "9"),
        ("at", "1"),
        ("before", "-1"),
        ("number", "20"),
        ("none", "-"),
    ] {
        let slot = names.set(name).unwrap();
        assert_eq!(scope.value(slot), Some(expected), "{name}");
    }
}
