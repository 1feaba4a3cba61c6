//! The values of variables, scenario by scenario.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use headcount_script::{Names, Scope, Template, Variables};
use serde_json::{Value, json};

/// The results of the template in successive scenarios of user `number`.
fn render(tables: &Value, text: &str, number: u32, scenarios: u64) -> Vec<String> {
    let mut names = Names::default();
    let variables = Variables::compile(tables.as_array().unwrap(), 1, &mut names).unwrap();
    let template = Template::parse(text, &mut names).unwrap();
    names.check().unwrap();
    let needed = variables.needed(&names.take_mentioned());
    let variables = variables.with_slots(&names);
    let mut scope = Scope::new(Some(variables), number);
    let texts = (0..scenarios).map(|scenario| {
        let begun = scope.begin(scenario, 100 + scenario, 7, &needed);
        begun.map_or_else(
            |missing| missing.to_string(),
            |()| template.render(&mut scope).unwrap(),
        )
    });
    texts.collect()
}

#[test]
fn values_last_for_a_scenario_a_user_or_a_use() {
    let tables = json!([
        {"name": "a", "int": [1, 1_000_000]},
        {"name": "b", "int": [1, 1_000_000], "each": "user"},
        {"name": "c", "int": [1, 1_000_000], "each": "use"},
    ]);
    let texts = render(&tables, "{a} {a} {b} {c} {c}", 0, 2);
    let words: Vec<Vec<&str>> = texts.iter().map(|text| text.split(' ').collect()).collect();
    for scenario in &words {
        assert_eq!(scenario[0], scenario[1]);
        assert_ne!(scenario[3], scenario[4]);
    }
    assert_ne!(words[0][0], words[1][0]);
    assert_eq!(words[0][2], words[1][2]);
    assert_eq!(
        render(&tables, "{a} {b} {c}", 0, 3),
        render(&tables, "{a} {b} {c}", 0, 3)
    );
}

#[test]
fn draws_do_not_depend_on_other_variables() {
    let tables = json!([
        {"name": "x", "uuid": true}, {"name": "a", "int": [1, 1_000_000]},
    ]);
    let alone = render(&tables, "{a}", 0, 3);
    let beside: Vec<_> = render(&tables, "{x} {a}", 0, 3)
        .iter()
        .map(|text| text.split(' ').nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(alone, beside);
}

#[test]
fn texts_can_use_the_variables_above_them() {
    let tables = json!([
        {"name": "city", "choice": ["Bonn"]},
        {"name": "place", "text": "{city}-{n:03}"},
        {"name": "secret", "value": "{city}"},
    ]);
    assert_eq!(
        render(&tables, "{place} {secret}", 4, 1),
        ["Bonn-004 {city}"]
    );
}

#[test]
fn shares_follow_the_weights() {
    let tables = json!([{"name": "a", "choice": ["x", "y"], "weights": [3, 1]}]);
    let drawn = render(&tables, "{a}", 0, 4_000);
    let share = drawn.iter().filter(|text| *text == "x").count() as f64 / 4_000.0;
    assert!((share - 0.75).abs() < 0.035, "{share}"); // five standard errors
    let tables = json!([{"name": "a", "int": [-1, 1]}]);
    let drawn = render(&tables, "{a}", 0, 300);
    for value in ["-1", "0", "1"] {
        let count = drawn.iter().filter(|text| *text == value).count();
        assert!((60..=140).contains(&count), "{value}: {count}");
    }
    let tables = json!([{"name": "a", "letters": 12}]);
    let letters = &render(&tables, "{a}", 0, 1)[0];
    assert!(letters.len() == 12 && letters.bytes().all(|byte| byte.is_ascii_lowercase()));
}

#[test]
fn numbers_can_be_drawn_from_the_widest_range() {
    let tables = json!([{"name": "a", "int": [i64::MIN, i64::MAX]}]);
    let drawn = render(&tables, "{a}", 0, 40);
    assert!(
        drawn.iter().all(|text| text.parse::<i64>().is_ok()),
        "{drawn:?}"
    );
}

#[test]
fn columns_of_a_row_keep_together_and_rows_run_out() {
    let rows = json!([["ada", "1"], ["bob", "2"]]);
    let table = |order: &str| json!([{"name": "who", "columns": ["name", "id"], "rows": rows, "order": order}]);
    assert_eq!(
        render(&table("in-turn"), "{who.name}{who.id}", 1, 3),
        ["bob2", "ada1", "bob2"]
    );
    assert_eq!(render(&table("unique"), "{who.name}", 1, 2), ["bob", "bob"]);
    let missing = &render(&table("unique"), "{who.name}", 2, 1)[0];
    assert!(missing.contains("each user needs a row"), "{missing}");
    let missing = &render(&table("once"), "{who.name}", 0, 3)[2];
    assert!(missing.contains("each row is used once"), "{missing}");
}

#[test]
fn mistakes_name_the_variable() {
    for (table, part) in [
        (json!({"name": "a"}), "one of text"),
        (json!({"name": "a", "int": [2, 1]}), "[low, high]"),
        (
            json!({"name": "a", "int": [1, 2], "uuid": true}),
            "one of text",
        ),
        (json!({"name": "a", "choice": []}), "choice needs texts"),
        (
            json!({"name": "a", "choice": ["x"], "weights": [0]}),
            "weights must be",
        ),
        (json!({"name": "a", "letters": 0}), "from 1"),
        (json!({"name": "n", "uuid": true}), "built in"),
        (json!({"name": "a b", "uuid": true}), "a valid name"),
        (
            json!({"name": "a", "columns": ["x y"], "rows": [["1"]]}),
            "column",
        ),
        (
            json!({"name": "a", "columns": ["x"], "rows": []}),
            "no rows",
        ),
        (
            json!({"name": "a", "columns": ["x"], "rows": [["1"]], "each": "use"}),
            "together",
        ),
        (json!({"name": "a", "text": "{b"}), "no closing brace"),
        (json!({"name": "a", "txt": "b"}), "txt"),
    ] {
        let mut names = Names::default();
        let sentence = Variables::compile(&[table], 1, &mut names).unwrap_err();
        assert!(sentence.contains(part), "{sentence}");
    }
}
