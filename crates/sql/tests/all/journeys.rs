//! Statements from the workload on a real server: what is taken from their rows, and transactions.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use crate::common::{PASSWORD, Player, Server, run};
use headcount_load::{Compile, Fault, RollBack, Session};
use headcount_script::{Names, Variables};
use headcount_sql::provision::hello;
use headcount_sql::step::SqlStep;
use headcount_sql::{Password, Sql, SqlOptions, Statements};
use serde_json::{Value, json};

const TABLE: &str = "CREATE TABLE public.goods (item int PRIMARY KEY, name text, price numeric); \
    INSERT INTO public.goods VALUES (1, 'chair', 9.50), (2, NULL, 20), (3, 'desk', NULL); \
    GRANT ALL ON public.goods TO headcount";

/// A server whose database has a table of goods, and its users, who have no schema of Headcount's.
pub fn start(statements: Statements) -> (Server, Sql) {
    let server = Server::start("");
    server.shop(TABLE);
    let address = format!("127.0.0.1:{}", server.port);
    let mut options = SqlOptions::new(&address, "shop", "headcount", Some(Password::new(PASSWORD)));
    options.has_schema = false;
    options.statements = statements;
    let found = hello(options.clone()).unwrap();
    assert!(!found.is_pooled, "the server answers itself");
    (server, Sql::new(options).unwrap())
}

/// Plays steps one after the other; returns the result of each, and the variables after all of
/// them.
pub async fn played(sql: &Sql, steps: &[Value]) -> (Vec<Result<(), Fault>>, Vec<(String, String)>) {
    let mut names = Names::default();
    let compiled: Vec<SqlStep> = steps
        .iter()
        .map(|step| SqlStep::compile_with(step, &mut names).unwrap())
        .collect();
    let Player {
        mut session, user, ..
    } = Player::open(sql, 7).await.unwrap();
    let variables = Variables::default().with_slots(&names);
    let mut user = user.with_variables(Some(variables));
    let mut ended = Vec::new();
    for step in &compiled {
        ended.push(session.play(step, &mut user).await.map(drop));
    }
    if session.is_in_transaction() {
        session.roll_back(RollBack::Leave).await.unwrap();
    }
    let values = user.scope().values().into_iter();
    let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
    (ended, values.collect())
}

fn statement(text: &str, more: &Value) -> Value {
    let mut step = json!({"op": "sql", "statement": text});
    let table = step.as_object_mut().unwrap();
    table.extend(more.as_object().unwrap().clone());
    step
}

pub fn sentence(ended: &Result<(), Fault>) -> String {
    ended.as_ref().unwrap_err().message.to_string()
}

#[test]
fn rows_are_captured_and_checked_however_statements_are_sent() {
    for statements in [Statements::Prepared, Statements::Unnamed] {
        let (server, sql) = start(statements);
        let goods = "SELECT item, name, price FROM public.goods ORDER BY item";
        let steps = [
            statement(
                goods,
                &json!({"capture": {
                    "first": {"column": "name"},
                    "second": {"column": "item", "row": 2},
                    "last": {"column": "item", "pick": "last"},
                    "price": {"column": "price", "row": 3, "default": "none"},
                    "count": {"of": "rows"},
                }, "check": [
                    {"of": "rows", "equals": 3},
                    {"column": "price", "equals": 9.5},
                    {"column": "name", "row": 2, "exists": false},
                    {"of": "time-ms", "below": 60_000},
                ]}),
            ),
            statement(
                "UPDATE public.goods SET price = price + $1 WHERE item = $2 OR item = $3",
                &json!({"parameters": [1, "{second}", "{last}"],
                       "check": [{"of": "rows", "equals": 2}]}),
            ),
        ];
        let (ended, values) = run(played(&sql, &steps));
        assert!(ended.iter().all(Result::is_ok), "{ended:?}");
        let expected = [
            ("count", "3"),
            ("first", "chair"),
            ("last", "3"),
            ("price", "none"),
            ("second", "2"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut values = values;
        values.sort();
        assert_eq!(values, expected);
        let prices = "SELECT string_agg(price::text, ' ' ORDER BY item) FROM public.goods";
        assert_eq!(server.shop(prices), "9.50 21");
    }
}

#[test]
fn values_of_types_without_a_binary_form_are_received() {
    let (_server, sql) = start(Statements::Prepared);
    let rights = statement("SELECT 'headcount=r/headcount'::aclitem", &json!({}));
    let (ended, _) = run(played(&sql, &[rights]));
    assert!(ended[0].is_ok(), "{ended:?}");
}

#[test]
fn failed_checks_and_captures_name_the_reason() {
    let (_server, sql) = start(Statements::Unnamed);
    let goods = "SELECT item, name FROM public.goods WHERE item = $1";
    let given = |parameter: &str, key: &str, value: Value| {
        statement(goods, &json!({"parameters": [parameter], key: value}))
    };
    let cases = [
        (
            given("1", "check", json!([{"column": "name", "equals": "desk"}])),
            "sql: check failed: column name is \"chair\" instead of \"desk\"",
        ),
        (
            given("9", "check", json!([{"of": "rows", "above": 0}])),
            "sql: check failed: the number of rows is \"0\" and not above 0",
        ),
        (
            given("1", "check", json!([{"column": "nam", "exists": true}])),
            "sql: there is no column \"nam\"; there are item, name",
        ),
        (
            given("2", "capture", json!({"it": {"column": "name"}})),
            "sql: nothing to capture for it (column name): it is NULL",
        ),
        (
            given("9", "capture", json!({"it": {"column": "name"}})),
            "sql: nothing to capture for it (column name): it is not there",
        ),
        (
            statement("SELECT $1::int", &json!({})),
            "sql: bind message supplies 0 parameters, but prepared statement \"\" requires 1 \
             (SQLSTATE 08P01)",
        ),
    ];
    for (step, expected) in cases {
        let (ended, _) = run(played(&sql, &[step]));
        assert_eq!(sentence(&ended[0]), expected);
    }
}

#[test]
fn a_transaction_is_kept_as_a_whole_or_not_at_all() {
    let (server, sql) = start(Statements::Prepared);
    let raise = statement(
        "UPDATE public.goods SET price = 1 WHERE item = 1",
        &json!({}),
    );
    let broken = statement("SELECT 1 / 0", &json!({}));
    let price = "SELECT price FROM public.goods WHERE item = 1";
    let begin = json!({"op": "begin", "isolation": "serializable"});
    let commit = json!({"op": "commit"});

    let level = statement(
        "SELECT current_setting('transaction_isolation') AS level",
        &json!({"check": [{"column": "level", "equals": "serializable"}]}),
    );
    let (ended, _) = run(played(
        &sql,
        &[begin.clone(), level, raise.clone(), broken.clone()],
    ));
    assert!(ended[..3].iter().all(Result::is_ok), "{ended:?}");
    assert!(sentence(&ended[3]).contains("SQLSTATE 22012"));
    assert_eq!(server.shop(price), "9.50");

    // The server answers the COMMIT of a failed transaction with ROLLBACK, which counts as a
    // failure.
    let (ended, _) = run(played(&sql, &[begin.clone(), broken, commit.clone()]));
    let last = sentence(&ended[2]);
    assert!(
        last.starts_with("commit: the server rolled the transaction back"),
        "{last}"
    );

    let (ended, _) = run(played(&sql, &[begin, raise, commit]));
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert_eq!(server.shop(price), "1");
}

#[test]
fn a_transaction_that_lost_to_another_may_be_retried() {
    let (_server, sql) = start(Statements::Prepared);
    run(async {
        let mut one = Player::open(&sql, 1).await.unwrap();
        let mut other = Player::open(&sql, 2).await.unwrap();
        let begin = r#"{"op": "begin", "isolation": "repeatable-read"}"#;
        let look = r#"{"op": "sql", "statement": "SELECT * FROM public.goods"}"#;
        let raise =
            r#"{"op": "sql", "statement": "UPDATE public.goods SET price = 2 WHERE item = 1"}"#;
        for step in [begin, look] {
            one.play(step).await.unwrap();
        }
        other.play(raise).await.unwrap();
        let fault = one.play(raise).await.unwrap_err();
        assert!(fault.message.ends_with("(SQLSTATE 40001)"), "{fault}");
        assert!(one.session.may_retry(&fault));
        one.session.roll_back(RollBack::Retry).await.unwrap();
        for step in [begin, raise, r#"{"op": "commit"}"#] {
            one.play(step).await.unwrap();
        }
        // Two tries count as one transaction.
        assert_eq!(one.task_counts("transaction"), (1, 0));
        let fault = other
            .play(r#"{"op": "sql", "statement": "SELECT x"}"#)
            .await;
        assert!(!other.session.may_retry(&fault.unwrap_err()));
    });
}
