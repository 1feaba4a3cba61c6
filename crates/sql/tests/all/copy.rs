//! COPY on a real server: which rows it stores, and what happens when it refuses some.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use headcount_load::Fault;
use headcount_sql::{Sql, Statements};
use serde_json::{Value, json};

use crate::common::{Player, Server, run};
use crate::journeys::{played, sentence, start};

const EVENTS: &str = "CREATE TABLE public.events (id int CHECK (id < 21000), who int, draw int, words text); \
    GRANT ALL ON public.events TO headcount";
const FROM: &str = "COPY public.events (id, who, draw, words) FROM STDIN";

/// A server with a table for events.
fn with_events() -> (Server, Sql) {
    let (server, sql) = start(Statements::Prepared);
    server.shop(EVENTS);
    (server, sql)
}

fn copy(statement: &str, more: Value) -> Value {
    let mut step = json!({"op": "copy", "statement": statement});
    let Value::Object(more) = more else {
        panic!("options are a table");
    };
    step.as_object_mut().unwrap().extend(more);
    step
}

/// A statement after which a session must be usable.
fn select() -> Value {
    json!({"op": "sql", "statement": "SELECT count(*) AS found FROM public.events",
           "capture": {"found": {"column": "found"}}})
}

fn value<'a>(values: &'a [(String, String)], name: &str) -> &'a str {
    let found = values.iter().find(|(known, _)| known == name);
    &found.unwrap().1
}

fn faults(ended: &[Result<(), Fault>]) -> Vec<String> {
    let failed = ended.iter().filter(|one| one.is_err());
    failed.map(sentence).collect()
}

#[test]
fn rows_are_stored_as_they_were_made() {
    let (server, sql) = with_events();
    let steps = [
        copy(
            FROM,
            json!({
                "rows": 20_000,
                "values": ["{row}", "{user}", "{random:1..1000000}", "tab\t, \\N and\nline of {row:06}"],
                "capture": {"stored": {"of": "rows"}},
                "check": [{"of": "rows", "equals": 20_000}, {"of": "time-ms", "below": 600_000}],
            }),
        ),
        copy(FROM, json!({"values": [1, 2, 3, ""]})),
        select(),
    ];
    let (ended, values) = run(played(&sql, &steps));
    assert_eq!(faults(&ended), [""; 0]);
    assert_eq!(
        (value(&values, "stored"), value(&values, "found")),
        ("20000", "21000")
    );
    let right = "SELECT count(*), min(id), max(id), min(who), max(who), count(DISTINCT draw) > 15000 \
         FROM public.events WHERE words = E'tab\\t, \\\\N and\\nline of ' || lpad(id::text, 6, '0')";
    assert_eq!(server.shop(right), "20000|1|20000|7|7|t");
}

#[test]
fn a_refused_row_fails_the_step_and_the_session_goes_on() {
    let (server, sql) = with_events();
    let wide = "x".repeat(2_000);
    let steps = [
        copy(
            FROM,
            json!({"rows": 3, "values": ["{row}", 0, "no number", "a"]}),
        ),
        // Of 50 MB, the server takes four fifths.
        copy(
            FROM,
            json!({"rows": 25_000, "values": ["{row}", 0, 0, wide]}),
        ),
        copy("COPY public.nowhere FROM STDIN", json!({"values": [1]})),
        copy(FROM, json!({"values": [1]})),
        copy(
            "COPY public.events FROM STDIN (FREEZE 7)",
            json!({"values": [1]}),
        ),
        copy(
            "COPY (SELECT 1 / (5000 - n) FROM generate_series(1, 9999) n) TO STDOUT",
            json!({}),
        ),
        select(),
    ];
    let (ended, values) = run(played(&sql, &steps));
    let states = ["22P02", "23514", "42P01", "22P04", "42601", "22012"];
    let found = faults(&ended);
    assert_eq!(found.len(), states.len(), "{found:?}");
    for (sentence, state) in found.iter().zip(states) {
        assert!(sentence.starts_with("copy: "), "{sentence}");
        assert!(
            sentence.ends_with(&format!("(SQLSTATE {state})")),
            "{sentence}"
        );
    }
    assert!(ended.last().unwrap().is_ok());
    assert_eq!(value(&values, "found"), "0");
    assert_eq!(server.shop("SELECT count(*) FROM public.events"), "0");
}

#[test]
fn a_row_that_cannot_be_made_ends_the_copy_but_not_the_session() {
    let (_server, sql) = with_events();
    let kept = json!({"op": "sql", "statement": "SELECT 1 AS a WHERE false",
                      "capture": {"late": {"column": "a"}}});
    let steps = [
        kept,
        copy(FROM, json!({"values": ["{late}", 1, 1, "a"]})),
        select(),
    ];
    let (ended, values) = run(played(&sql, &steps));
    assert!(sentence(&ended[1]).contains("late"), "{ended:?}");
    assert!(ended[2].is_ok(), "{ended:?}");
    assert_eq!(value(&values, "found"), "0");
}

#[test]
fn rows_are_kept_or_dropped_with_their_transaction() {
    let (server, sql) = with_events();
    let (begin, commit) = (json!({"op": "begin"}), json!({"op": "commit"}));
    let rows = copy(FROM, json!({"rows": 70, "values": ["{row}", 0, 0, "a"]}));
    let bad = copy(FROM, json!({"values": ["a", 0, 0, "a"]}));
    let count = "SELECT count(*) FROM public.events";
    let (ended, _) = run(played(&sql, &[begin.clone(), rows.clone(), bad]));
    assert_eq!(faults(&ended).len(), 1);
    assert_eq!(server.shop(count), "0");
    let (ended, _) = run(played(&sql, &[begin, rows.clone(), rows, commit]));
    assert_eq!(faults(&ended), [""; 0]);
    assert_eq!(server.shop(count), "140");
}

#[test]
fn notices_are_read_while_rows_are_sent() {
    let (server, sql) = with_events();
    // 8 MB of notices are more than sockets hold: the server waits with the rows until they are read.
    server.shop(
        "CREATE FUNCTION public.say() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE NOTICE '%', repeat('x', 4000); RETURN NEW; END $$; \
         CREATE TRIGGER say BEFORE INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION public.say()",
    );
    let wide = "y".repeat(4_000);
    let steps = [
        copy(
            FROM,
            json!({"rows": 2_000, "values": ["{row}", 0, 0, wide]}),
        ),
        select(),
    ];
    let (ended, values) = run(played(&sql, &steps));
    assert_eq!(faults(&ended), [""; 0]);
    assert_eq!(value(&values, "found"), "2000");
}

#[test]
fn rows_that_the_server_sends_are_counted() {
    let (_server, sql) = with_events();
    run(async {
        let mut player = Player::open(&sql, 0).await.unwrap();
        for options in ["", " (FORMAT csv)"] {
            let statement = format!(
                "COPY (SELECT 'row', 7 FROM generate_series(1, 300000)) TO STDOUT{options}"
            );
            let step = copy(
                &statement,
                json!({"check": [{"of": "rows", "equals": 300_000}]}),
            );
            let moved = player.play(&step.to_string()).await.unwrap();
            assert_eq!((moved.read_bytes, moved.written_bytes), (300_000 * 6, 0));
        }
        assert_eq!(player.task_counts("copy"), (2, 0));
        // As an ordinary statement it is not expected to be a COPY, and the connection is lost.
        let step = json!({"op": "sql", "statement": "COPY public.events TO STDOUT"});
        let fault = player.play(&step.to_string()).await.unwrap_err();
        assert!(
            fault.ends_session && fault.message.contains("op = \"copy\""),
            "{fault}"
        );
    });
}
