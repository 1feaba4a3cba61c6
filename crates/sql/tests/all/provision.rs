//! Making, checking and deleting the schema on a real server.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use std::ops::ControlFlow;

use crate::common::{Player, Server, run};
use headcount_sql::Sql;
use headcount_sql::provision::{Prepared, ProvisionError, cleanup, hello, prepare};

const ROWS: u64 = 2_345 + 1_100;

fn prepared(server: &Server, verify: bool) -> Prepared {
    prepare(server.options(), verify, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Everything in the tables that are prepared.
fn contents(server: &Server) -> String {
    server.shop(
        "SELECT md5(string_agg(d::text, ',' ORDER BY id)) FROM headcount.documents d UNION ALL \
         SELECT md5(string_agg(p::text, ',' ORDER BY id)) FROM headcount.people p",
    )
}

#[test]
fn rows_are_made_once_and_restored_before_every_run() {
    let server = Server::start("");
    let made = prepared(&server, false);
    assert_eq!((made.made_rows, made.kept_rows), (ROWS, 0));
    let first = contents(&server);
    assert_eq!(
        server.shop("SELECT count(*) FROM headcount.documents"),
        "2345"
    );
    let threads = "SELECT count(*) FROM headcount.documents WHERE parent IS NULL AND id = topic";
    assert_eq!(server.shop(threads), "469");
    let orphans = "SELECT count(*) FROM headcount.documents d JOIN headcount.documents p \
                   ON p.id = d.parent AND p.topic = d.topic AND p.category = d.category \
                   WHERE p.id < d.id";
    assert_eq!(server.shop(orphans), "1876");

    let sql = Sql::new(server.options()).unwrap();
    run(async {
        let mut player = Player::open(&sql, 3).await.unwrap();
        for step in [
            "set-unread",
            "read-unread",
            "add-document",
            "add-document",
            "appointment",
        ] {
            player
                .play(&format!(r#"{{"op": "{step}"}}"#))
                .await
                .unwrap();
        }
        player.play(r#"{"op": "update-document"}"#).await.unwrap();
    });
    server.shop("DELETE FROM headcount.documents WHERE id IN (7, 1500)");
    assert_ne!(contents(&server), first);

    let again = prepared(&server, false);
    assert!(again.made_rows <= 2 * 1_000 + 1_000, "{again:?}");
    assert_eq!(again.made_rows + again.kept_rows, ROWS);
    assert_eq!(contents(&server), first);
    for table in ["unread", "read_marks", "appointments"] {
        assert_eq!(
            server.shop(&format!("SELECT count(*) FROM headcount.{table}")),
            "0"
        );
    }
    assert_eq!(
        server.shop("SELECT nextval('headcount.document_numbers')"),
        "2346"
    );
    assert_eq!(prepared(&server, false).made_rows, 0);
}

#[test]
fn damage_is_found_by_the_servers_checksums_and_repaired() {
    let server = Server::start("");
    prepared(&server, false);
    let first = contents(&server);
    assert_eq!(prepared(&server, true).made_rows, 0);
    server.shop(
        "UPDATE headcount.documents SET body = overlay(body PLACING 'X' FROM 9) WHERE id = 17",
    );
    server.shop("UPDATE headcount.people SET mail = mail || 'x' WHERE id = 1050");
    assert_eq!(prepared(&server, false).made_rows, 0);
    assert_eq!(prepared(&server, true).made_rows, 1_000 + 100);
    assert_eq!(contents(&server), first);
}

#[test]
fn another_data_set_replaces_the_schema() {
    let server = Server::start("");
    prepared(&server, false);
    let mut options = server.options();
    options.data_set.documents = 10;
    let made = prepare(options, false, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(made.made_rows, 10 + 1_100);
    assert_eq!(
        server.shop("SELECT count(*) FROM headcount.documents"),
        "10"
    );
}

#[test]
fn rows_made_before_cancelling_are_kept() {
    let server = Server::start("");
    let mut calls = 0;
    let error = prepare(server.options(), false, &mut |far| {
        calls += 1;
        if far.rows_done >= 2_100 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    assert!(matches!(error, Err(ProvisionError::Cancelled)), "{error:?}");
    assert!(calls >= 3);
    let made = prepared(&server, false);
    assert_eq!((made.made_rows, made.kept_rows), (345 + 1_000, 2_100));
}

#[test]
fn only_the_schema_is_deleted_and_only_if_nothing_depends_on_it() {
    let server = Server::start("");
    server.shop("CREATE TABLE mine (id int)");
    assert!(!cleanup(server.options()).unwrap().found);
    prepared(&server, false);
    server.shop("CREATE VIEW report AS SELECT count(*) FROM headcount.documents");
    let error = cleanup(server.options()).unwrap_err().to_string();
    assert!(
        error.contains("something that Headcount did not make depends on it"),
        "{error}"
    );
    assert_eq!(server.shop("SELECT * FROM report"), "2345");
    server.shop("DROP VIEW report; CREATE TABLE headcount.ledger (writer int)");
    let cleaned = cleanup(server.options()).unwrap();
    assert!(cleaned.found && cleaned.bytes > 500_000, "{cleaned:?}");
    let left = "SELECT count(*) FROM pg_namespace WHERE nspname = 'headcount'";
    assert_eq!(server.shop(left), "0");
    assert_eq!(server.shop("SELECT count(*) FROM mine"), "0");
}

#[test]
fn somebody_elses_schema_is_left_alone() {
    let server = Server::start("");
    server.shop("CREATE SCHEMA headcount; CREATE TABLE headcount.documents (id int)");
    server.shop("GRANT ALL ON SCHEMA headcount TO headcount");
    let mut errors = vec![
        hello(server.options()).unwrap_err(),
        prepare(server.options(), false, &mut |_| ControlFlow::Continue(())).unwrap_err(),
        cleanup(server.options()).unwrap_err(),
    ];
    server.shop("CREATE TABLE headcount.marker (made_by text)");
    errors.push(cleanup(server.options()).unwrap_err());
    for error in errors {
        assert!(matches!(error, ProvisionError::NotOurs { .. }), "{error}");
    }
    assert_eq!(server.shop("SELECT count(*) FROM headcount.documents"), "0");
}

#[test]
fn a_role_that_may_not_make_a_schema_learns_what_to_grant() {
    let server = Server::start("");
    server.admin("postgres", "ALTER DATABASE shop OWNER TO admin");
    let error = prepare(server.options(), false, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the role headcount may not make what Headcount needs in the database shop (permission \
         denied for database shop (SQLSTATE 42501)); have its owner run: GRANT CREATE ON DATABASE \
         \"shop\" TO \"headcount\""
    );
    server.admin("postgres", "GRANT CREATE ON DATABASE shop TO headcount");
    prepared(&server, false);
}

#[test]
fn hello_returns_the_servers_settings() {
    let server = Server::start("work_mem = '5MB'\nmax_connections = 31");
    let answer = hello(server.options()).unwrap();
    let stated = server.shop("SHOW server_version");
    assert_eq!(answer.version, stated);
    assert_eq!(answer.tls, "");
    assert_eq!(answer.settings["work_mem"], "5MB");
    assert_eq!(answer.settings["max_connections"], "31");
    assert_eq!(answer.settings["fsync"], "off");
    assert_eq!(answer.settings.len(), 22);
}
