//! Steps on a real server, and what is noticed when the server's data is not what was stored.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use std::ops::ControlFlow;

use crate::common::{Player, Server, run};
use headcount_load::{Fault, FaultKind};
use headcount_sql::Sql;
use headcount_sql::provision::prepare;

fn start() -> (Server, Sql) {
    let server = Server::start("");
    prepare(server.options(), false, &mut |_| ControlFlow::Continue(())).unwrap();
    let sql = Sql::new(server.options()).unwrap();
    (server, sql)
}

fn wrong_data(played: Result<headcount_load::Moved, Fault>) -> String {
    let fault = played.unwrap_err();
    assert_eq!(fault.kind, FaultKind::WrongData, "{fault}");
    assert!(!fault.ends_session);
    fault.message.into()
}

#[test]
fn the_script_reads_pages_and_unread_documents_and_adds_and_deletes() {
    let (server, sql) = start();
    run(async {
        let mut player = Player::open(&sql, 3).await.unwrap();
        assert!(
            player
                .play(r#"{"op": "open-view"}"#)
                .await
                .unwrap()
                .read_bytes
                >= 7 * 12
        );
        for from in ["first", "next", "next"] {
            let step = format!(r#"{{"op": "read-view", "from": "{from}"}}"#);
            assert!(player.play(&step).await.unwrap().read_bytes > 20 * 40);
        }
        // Entries 41 to 60 by number are those that the third page had by key.
        let by_number = player
            .play(r#"{"op": "read-view", "from": 41}"#)
            .await
            .unwrap();
        player
            .play(r#"{"op": "read-view", "from": 21}"#)
            .await
            .unwrap();
        let by_key = player
            .play(r#"{"op": "read-view", "from": "next"}"#)
            .await
            .unwrap();
        assert_eq!(by_number, by_key);
        player.play(r#"{"op": "set-unread"}"#).await.unwrap();
        let unread = "SELECT count(*), count(DISTINCT document) FROM headcount.unread \
                      WHERE reader = 3";
        assert_eq!(server.shop(unread), "30|30");
        for _ in 0..3 {
            let moved = player.play(r#"{"op": "read-unread"}"#).await.unwrap();
            assert!(moved.read_bytes > 321, "{moved:?}");
        }
        let read = "SELECT count(*) FROM headcount.read_marks m JOIN headcount.unread u \
                    ON u.reader = m.reader AND u.document = m.document WHERE u.place <= 3";
        assert_eq!(server.shop(read), "3");
        let added = player
            .play(r#"{"op": "add-document", "bytes": 100}"#)
            .await
            .unwrap();
        assert!(added.written_bytes > 100, "{added:?}");
        let own = "SELECT id, length(body) FROM headcount.documents WHERE author = 3 AND id > 2345";
        assert_eq!(server.shop(own), "2346|100");
        let of_three = "SELECT count(*) FROM headcount.documents WHERE author = 3";
        let before: u32 = server.shop(of_three).parse().unwrap();
        player
            .play(r#"{"op": "delete-oldest", "documents": 2}"#)
            .await
            .unwrap();
        assert_eq!(server.shop(of_three), before.saturating_sub(2).to_string());
        assert_eq!(player.task_counts("read-view"), (6, 0));
        assert_eq!(player.task_counts("read-unread"), (3, 0));
        assert_eq!(player.task_counts("connect"), (1, 0));
        // A second list replaces the first and its marks.
        player
            .play(r#"{"op": "set-unread", "documents": 10}"#)
            .await
            .unwrap();
        assert_eq!(server.shop(unread), "10|10");
        assert_eq!(
            server.shop("SELECT count(*) FROM headcount.read_marks"),
            "0"
        );
        for _ in 0..10 {
            player.play(r#"{"op": "read-unread"}"#).await.unwrap();
        }
        let none = player.play(r#"{"op": "read-unread"}"#).await.unwrap_err();
        assert_eq!((none.kind, none.ends_session), (FaultKind::Refused, false));
        assert_eq!(player.task_counts("read-unread"), (13, 1));
    });
}

#[test]
fn the_view_is_read_to_its_end_and_starts_over() {
    let (server, sql) = start();
    run(async {
        let mut player = Player::open(&sql, 0).await.unwrap();
        let step = r#"{"op": "read-view", "from": "next", "entries": 1000}"#;
        let mut pages = Vec::new();
        for _ in 0..5 {
            pages.push(player.play(step).await.unwrap().read_bytes);
        }
        assert_eq!(pages[3], 0, "{pages:?}");
        assert_eq!(pages[0], pages[4]);
        server.shop("TRUNCATE headcount.documents");
        let none = player.play(r#"{"op": "read-view"}"#).await.unwrap_err();
        assert_eq!(none.kind, FaultKind::Refused);
    });
}

#[test]
fn documents_that_users_changed_are_read_and_checked_too() {
    let (server, sql) = start();
    run(async {
        let mut player = Player::open(&sql, 1_200).await.unwrap();
        for _ in 0..50 {
            player
                .play(r#"{"op": "update-document", "bytes": 77}"#)
                .await
                .unwrap();
        }
        let changed =
            "SELECT count(*) FROM headcount.documents WHERE editor = 1200 AND length(body) = 77";
        let changed: u32 = server.shop(changed).parse().unwrap();
        assert!((40..=50).contains(&changed), "{changed}");
        server.shop("DELETE FROM headcount.documents WHERE revision = 0");
        for _ in 0..30 {
            player
                .play(r#"{"op": "add-document", "bytes": 200}"#)
                .await
                .unwrap();
        }
        for _ in 0..50 {
            player.play(r#"{"op": "read-document"}"#).await.unwrap();
        }
        server.shop("DELETE FROM headcount.documents WHERE revision > 0");
        player.play(r#"{"op": "set-unread"}"#).await.unwrap();
        for _ in 0..3 {
            // All entries of the list now stand for the first document that is left; it is read
            // once.
            let _ = player.play(r#"{"op": "read-unread"}"#).await;
        }
        assert_eq!(player.task_counts("read-unread"), (1, 2));
    });
}

#[test]
fn altered_data_is_noticed() {
    let (server, sql) = start();
    run(async {
        let mut player = Player::open(&sql, 1).await.unwrap();
        let lookup = r#"{"op": "lookup"}"#;
        for _ in 0..20 {
            player.play(lookup).await.unwrap();
        }
        server.shop("UPDATE headcount.people SET mail = 'somebody@else.invalid'");
        assert!(wrong_data(player.play(lookup).await).starts_with("lookup: looking up"));

        let read = r#"{"op": "read-document"}"#;
        server.shop("UPDATE headcount.documents SET body = left(body, -1)");
        assert!(wrong_data(player.play(read).await).starts_with("read-document: the head"));
        server.shop("UPDATE headcount.documents SET body = body || ' '");
        assert!(wrong_data(player.play(read).await).starts_with("read-document: the body"));
        player.play(r#"{"op": "read-view"}"#).await.unwrap();
        server.shop("UPDATE headcount.documents SET subject = 'x' || subject");
        wrong_data(player.play(r#"{"op": "read-view"}"#).await);
        server.shop("UPDATE headcount.documents SET category = category + 1");
        wrong_data(player.play(r#"{"op": "open-view"}"#).await);
        assert_eq!(player.task_counts("open-view"), (0, 1));
    });
    let mut options = server.options();
    options.verify = false;
    run(async {
        let mut player = Player::open(&Sql::new(options).unwrap(), 1).await.unwrap();
        player.play(r#"{"op": "read-view"}"#).await.unwrap();
        player.play(r#"{"op": "read-document"}"#).await.unwrap();
    });
}

#[test]
fn documents_that_are_gone_are_not_read() {
    let (server, sql) = start();
    run(async {
        let mut player = Player::open(&sql, 1).await.unwrap();
        server.shop("DELETE FROM headcount.documents");
        for op in ["read-document", "read-view", "open-view"] {
            let fault = player.play(&format!(r#"{{"op": "{op}"}}"#)).await;
            let fault = fault.unwrap_err();
            assert_eq!(fault.kind, FaultKind::Refused, "{fault}");
            assert!(!fault.ends_session);
            assert_eq!(player.task_counts(op), (0, 1));
        }
    });
}

#[test]
fn appointments_are_made_and_moved() {
    let (server, sql) = start();
    run(async {
        let mut player = Player::open(&sql, 8).await.unwrap();
        let all =
            "SELECT count(*), count(DISTINCT starts) FROM headcount.appointments WHERE owner = 8";
        player
            .play(r#"{"op": "appointment", "change": "move"}"#)
            .await
            .unwrap();
        assert_eq!(server.shop(all), "1|1");
        let starts = "SELECT extract(epoch FROM max(starts))::bigint FROM headcount.appointments";
        let before: i64 = server.shop(starts).parse().unwrap();
        player
            .play(r#"{"op": "appointment", "change": "move"}"#)
            .await
            .unwrap();
        assert_eq!(server.shop(starts).parse::<i64>().unwrap() - before, 86_400);
        player.play(r#"{"op": "appointment"}"#).await.unwrap();
        assert_eq!(server.shop(all).split('|').next(), Some("2"));
    });
}

#[test]
fn own_statements_take_parameters_of_any_type() {
    let (server, sql) = start();
    run(async {
        let mut player = Player::open(&sql, 6).await.unwrap();
        player
            .play(r#"{"op": "sql", "statement": "CREATE TABLE public.own (a int, b text, c numeric, d timestamptz)"}"#)
            .await
            .unwrap();
        let insert = r#"{"op": "sql", "statement": "INSERT INTO public.own VALUES ($1, $2, $3, $4)",
            "parameters": ["{user}", "u{user} {random:5..5}", "{random:1..9}.25", "2024-02-29 12:00"]}"#;
        player.play(insert).await.unwrap();
        let row = "SELECT a, b, c BETWEEN 1 AND 10, c - floor(c), d::date FROM public.own";
        assert_eq!(server.shop(row), "6|u6 5|t|0.25|2024-02-29");
        let moved = player
            .play(r#"{"op": "sql", "statement": "SELECT 'four'"}"#)
            .await
            .unwrap();
        assert!(moved.read_bytes >= 4, "{moved:?}");
        let refused = [
            (
                r#"{"op": "sql", "statement": "SELECT * FROM nowhere"}"#,
                "42P01",
            ),
            (
                r#"{"op": "sql", "statement": "SELECT 1/$1::int", "parameters": ["0"]}"#,
                "22012",
            ),
            (
                r#"{"op": "sql", "statement": "SELECT $1::int", "parameters": ["x"]}"#,
                "22P02",
            ),
            (
                r#"{"op": "sql", "statement": "SELECT $1::int"}"#,
                "1 parameters",
            ),
        ];
        for (step, part) in refused {
            let fault = player.play(step).await.unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Refused, false)
            );
            assert!(fault.message.contains(part), "{fault}");
        }
        assert_eq!(player.task_counts("sql"), (3, 4));
    });
}
