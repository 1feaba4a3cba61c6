//! Servers that do not let users in, or go away.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use std::ops::ControlFlow;
use std::process::Command;

use crate::common::{Player, Server, run};
use headcount_load::{Fault, FaultKind, Session};
use headcount_sql::provision::prepare;
use headcount_sql::{Password, Sql, SqlOptions, SslMode};

fn refused(options: SqlOptions) -> Fault {
    let sql = Sql::new(options).unwrap();
    run(async { Player::open(&sql, 0).await.map(|_| ()).unwrap_err() })
}

#[test]
fn users_who_are_not_let_in_are_told_in_the_servers_words() {
    let server = Server::start("");
    let mut options = server.options();
    options.password = Some(Password::new("wrong"));
    let fault = refused(options);
    assert_eq!(fault.kind, FaultKind::Login);
    assert_eq!(
        &*fault.message,
        "password authentication failed for user \"headcount\" (SQLSTATE 28P01)"
    );
    let mut options = server.options();
    options.password = None;
    let fault = refused(options);
    assert_eq!(fault.kind, FaultKind::Login);
    assert!(fault.message.contains("set HEADCOUNT_PASSWORD"), "{fault}");
    let mut options = server.options();
    options.database = "nowhere".into();
    let fault = refused(options);
    assert_eq!(fault.kind, FaultKind::Login);
    assert_eq!(
        &*fault.message,
        "database \"nowhere\" does not exist (SQLSTATE 3D000)"
    );
    let mut options = server.options();
    options.sslmode = SslMode::Require;
    let fault = refused(options);
    assert_eq!(fault.kind, FaultKind::Connect);
    assert!(fault.message.contains("does not support TLS"), "{fault}");
    let mut options = server.options();
    options.address = "127.0.0.1:1".into();
    assert_eq!(refused(options).kind, FaultKind::Connect);
}

#[test]
fn a_full_server_says_so() {
    let server = Server::start("max_connections = 5\nsuperuser_reserved_connections = 1");
    let sql = Sql::new(server.options()).unwrap();
    run(async {
        let mut inside = Vec::new();
        for id in 0..4 {
            inside.push(Player::open(&sql, id).await.unwrap());
        }
        let fault = Player::open(&sql, 4).await.map(|_| ()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Connect);
        assert!(fault.message.contains("SQLSTATE 53300"), "{fault}");
        // One who leaves says goodbye, and makes room.
        let Player {
            session, mut user, ..
        } = inside.pop().unwrap();
        session.close(&mut user).await;
        for _ in 0..100 {
            if Player::open(&sql, 5).await.is_ok() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("the one who left took the place along");
    });
}

#[test]
fn a_server_that_is_killed_and_a_connection_that_is_ended_are_told() {
    let mut server = Server::start("");
    let sql = Sql::new(server.options()).unwrap();
    run(async {
        let sleep = r#"{"op": "sql", "statement": "SELECT 1"}"#;
        let mut player = Player::open(&sql, 0).await.unwrap();
        server.admin(
            "shop",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                              WHERE application_name = 'headcount'",
        );
        let fault = player.play(sleep).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Disconnected, true),
            "{fault}"
        );
        // The server's own words are lost if the connection is reset before they are read.
        let parts = ["57P01", "closed the connection"];
        assert!(
            parts.iter().any(|words| fault.message.contains(words)),
            "{fault}"
        );
        let mut player = Player::open(&sql, 0).await.unwrap();
        server.kill();
        let fault = player.play(sleep).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Disconnected, true),
            "{fault}"
        );
        let fault = Player::open(&sql, 0).await.map(|_| ()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Connect);
    });
}

#[test]
fn a_deadlock_is_refused_with_its_sqlstate_and_the_session_goes_on() {
    let server = Server::start("deadlock_timeout = '100ms'");
    prepare(server.options(), false, &mut |_| ControlFlow::Continue(())).unwrap();
    let sql = Sql::new(server.options()).unwrap();
    run(async {
        let mut one = Player::open(&sql, 0).await.unwrap();
        let mut two = Player::open(&sql, 1).await.unwrap();
        let lock = |id| {
            format!(
                r#"{{"op": "sql", "statement": "UPDATE headcount.people SET mail = mail WHERE id = {id}"}}"#
            )
        };
        for player in [&mut one, &mut two] {
            player
                .play(r#"{"op": "sql", "statement": "BEGIN"}"#)
                .await
                .unwrap();
        }
        one.play(&lock(1)).await.unwrap();
        two.play(&lock(2)).await.unwrap();
        let (steps, rollback) = (
            (lock(2), lock(1)),
            r#"{"op": "sql", "statement": "ROLLBACK"}"#,
        );
        // The one who is the victim ends its transaction, which lets the other go on.
        let attempt = async |player: &mut Player, step: &str| {
            let played = player.play(step).await;
            player.play(rollback).await.unwrap();
            played
        };
        let (first, second) =
            tokio::join!(attempt(&mut one, &steps.0), attempt(&mut two, &steps.1));
        let faults: Vec<Fault> = [first, second]
            .into_iter()
            .filter_map(Result::err)
            .collect();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(
            (faults[0].kind, faults[0].ends_session),
            (FaultKind::Refused, false)
        );
        assert!(
            faults[0].message.contains("SQLSTATE 40P01"),
            "{}",
            faults[0]
        );
    });
}

#[test]
fn connections_are_encrypted_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let made = Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args([
            "-subj",
            "/CN=headcount test",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", &path("key.pem"), "-out", &path("cert.pem")])
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    // The server reads its key as another user, and insists on being its only reader.
    for program in [["chown", "-R"], ["chmod", "-R"]] {
        let who = if program[0] == "chown" {
            "nobody"
        } else {
            "u=rwX,go="
        };
        if rustix::process::getuid().is_root() {
            let done = Command::new(program[0])
                .args([program[1], who, &path("")])
                .status();
            assert!(done.unwrap().success());
        }
    }
    let server = Server::start(&format!(
        "ssl = on\nssl_cert_file = '{}'\nssl_key_file = '{}'",
        path("cert.pem"),
        path("key.pem")
    ));
    let is_tls = |mode: SslMode, roots: Option<&str>| {
        let mut options = server.options();
        options.sslmode = mode;
        options.root_certificates = roots.map(Into::into);
        headcount_sql::provision::hello(options).map(|hello| hello.tls)
    };
    assert_eq!(is_tls(SslMode::Disable, None).unwrap(), "");
    for mode in [SslMode::Prefer, SslMode::Require] {
        assert!(
            is_tls(mode, None).unwrap().starts_with("TLSv1.3 "),
            "{mode:?}"
        );
    }
    let roots = path("cert.pem");
    assert!(
        is_tls(SslMode::VerifyFull, Some(&roots))
            .unwrap()
            .starts_with("TLSv1.3 ")
    );
    let error = is_tls(SslMode::VerifyFull, None).unwrap_err().to_string();
    assert!(error.contains("certificate is not trusted"), "{error}");
    let error = is_tls(SslMode::Prefer, Some(&roots))
        .unwrap_err()
        .to_string();
    assert!(error.contains("sslmode verify-full only"), "{error}");
    let log = server.folder().join("log");
    assert!(log.is_file());
}
