//! Servers that do not let users in, or go away.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use crate::common::{Player, Server, run};
use headcount_load::{Fault, FaultKind, Session};
use headcount_sql::provision::prepare;
use headcount_sql::{ChannelBinding, Password, Sql, SqlOptions, SslMode};

fn logon_fault(options: SqlOptions) -> Fault {
    let sql = Sql::new(options).unwrap();
    run(async { Player::open(&sql, 0).await.map(|_| ()).unwrap_err() })
}

#[test]
fn refused_users_get_the_servers_reason() {
    let server = Server::start("");
    let mut options = server.options();
    options.password = Some(Password::new("wrong"));
    let fault = logon_fault(options);
    assert_eq!(fault.kind, FaultKind::Login);
    assert_eq!(
        &*fault.message,
        "password authentication failed for user \"headcount\" (SQLSTATE 28P01)"
    );
    let mut options = server.options();
    options.password = None;
    let fault = logon_fault(options);
    assert_eq!(fault.kind, FaultKind::Login);
    assert!(fault.message.contains("set HEADCOUNT_PASSWORD"), "{fault}");
    let mut options = server.options();
    options.database = "nowhere".into();
    let fault = logon_fault(options);
    assert_eq!(fault.kind, FaultKind::Login);
    assert_eq!(
        &*fault.message,
        "database \"nowhere\" does not exist (SQLSTATE 3D000)"
    );
    let mut options = server.options();
    options.sslmode = SslMode::Require;
    let fault = logon_fault(options);
    assert_eq!(fault.kind, FaultKind::Connect);
    assert!(fault.message.contains("does not support TLS"), "{fault}");
    let mut options = server.options();
    options.address = "127.0.0.1:1".into();
    assert_eq!(logon_fault(options).kind, FaultKind::Connect);
}

#[test]
fn a_full_server_refuses_users_until_one_leaves() {
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
        // A user who leaves closes the session properly, and makes room.
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
fn killed_servers_and_terminated_connections_are_reported() {
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
        // The victim's transaction ends, which lets the other go on.
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

/// Has openssl make a certificate for 127.0.0.1 in a folder. The server, which runs as another
/// user, insists on being the only reader of the key.
fn make_certificate(folder: &Path, key: &[&str], is_ca: &str) {
    let path = |name: &str| folder.join(name).display().to_string();
    let made = Command::new("openssl")
        .args(["req", "-x509", "-nodes", "-days", "2", "-newkey"])
        .args(key)
        .args([
            "-subj",
            "/CN=headcount test",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        .args(["-addext", &format!("basicConstraints=critical,CA:{is_ca}")])
        .args(["-keyout", &path("key.pem"), "-out", &path("cert.pem")])
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    if rustix::process::getuid().is_root() {
        for program in [["chown", "-R", "nobody"], ["chmod", "-R", "u=rwX,go="]] {
            let done = Command::new(program[0])
                .args(&program[1..])
                .arg(folder)
                .status();
            assert!(done.unwrap().success());
        }
    }
}

/// A server whose certificate has this key.
fn with_certificate(folder: &Path, key: &[&str]) -> Server {
    make_certificate(folder, key, "FALSE");
    Server::start(&format!(
        "ssl = on\nssl_cert_file = '{0}/cert.pem'\nssl_key_file = '{0}/key.pem'",
        folder.display()
    ))
}

#[test]
fn connections_are_encrypted_as_configured() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let server = with_certificate(folder.path(), &["rsa:2048"]);
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
    let advice = "--client sslmode=verify-full --client root_certificates=FILE (PEM), or any \
                  certificate with --client sslmode=require";
    assert!(error.contains(advice), "{error}");
    let error = is_tls(SslMode::Prefer, Some(&roots))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("only with sslmode verify-full or verify-ca"),
        "{error}"
    );
    let log = server.folder().join("log");
    assert!(log.is_file());
}

#[test]
fn a_certificate_can_be_trusted_under_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = with_certificate(folder.path(), &["rsa:2048"]);
    let mut options = server.options();
    options.root_certificates = Some(folder.path().join("cert.pem"));
    options.host = Some("elsewhere.invalid".into());
    options.sslmode = SslMode::VerifyFull;
    let error = headcount_sql::provision::hello(options.clone()).unwrap_err();
    let advice = "to trust it under another name: --client sslmode=verify-ca";
    assert!(error.to_string().contains(advice), "{error}");
    options.sslmode = SslMode::VerifyCa;
    assert!(headcount_sql::provision::hello(options).is_ok());
}

#[test]
fn users_present_a_certificate_to_a_server_that_requires_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rules = "hostssl all headcount 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n\
                 host all all 127.0.0.1/32 scram-sha-256\n";
    std::fs::write(path("hba"), rules).unwrap();
    make_certificate(folder.path(), &["rsa:2048"], "TRUE");
    let server = Server::start(&format!(
        "ssl = on\nssl_cert_file = '{0}/cert.pem'\nssl_key_file = '{0}/key.pem'\n\
         ssl_ca_file = '{0}/cert.pem'\nhba_file = '{0}/hba'",
        folder.path().display()
    ));
    let mut options = server.options();
    options.sslmode = SslMode::Require;
    let fault = logon_fault(options.clone());
    assert!(
        fault
            .message
            .contains("requires a valid client certificate"),
        "{fault}"
    );
    options.certificate = Some(path("cert.pem"));
    options.key = Some(path("key.pem"));
    assert!(headcount_sql::provision::hello(options.clone()).is_ok());
    // It is an authority's certificate, and the server shows it, too.
    options.sslmode = SslMode::VerifyFull;
    options.root_certificates = Some(path("cert.pem"));
    assert!(headcount_sql::provision::hello(options).is_ok());
}

#[test]
fn a_proof_is_bound_to_the_certificate_of_a_real_server() {
    // The server compares the hash with its own (libpq's backend): SHA-256, -384 and -512, RSASSA-PSS.
    let pss = [
        "rsa:2048",
        "-sha512",
        "-sigopt",
        "rsa_padding_mode:pss",
        "-sigopt",
        "rsa_pss_saltlen:32",
    ];
    let curve = ["ec", "-pkeyopt", "ec_paramgen_curve:P-384", "-sha384"];
    for (key, can_bind) in [
        (&["rsa:2048"][..], true),
        (&curve, true),
        (&pss, true),
        (&["ed25519"], false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = with_certificate(folder.path(), key);
        let logon = |binding| {
            let mut options = server.options();
            options.channel_binding = binding;
            headcount_sql::provision::hello(options)
        };
        for binding in [ChannelBinding::Prefer, ChannelBinding::Disable] {
            let hello = logon(binding).unwrap();
            assert!(hello.tls.starts_with("TLSv1.3 "), "{key:?}: {}", hello.tls);
            let is_bound = can_bind && binding == ChannelBinding::Prefer;
            let bound = "scram-sha-256, bound to the certificate";
            let expected = if is_bound { bound } else { "scram-sha-256" };
            assert_eq!(hello.authentication, expected, "{key:?}");
        }
        match logon(ChannelBinding::Require) {
            Ok(_) => assert!(can_bind, "{key:?}"),
            Err(error) => {
                assert!(!can_bind, "{key:?}: {error}");
                assert!(
                    error.to_string().contains("a signature without a hash"),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn a_required_binding_needs_tls() {
    let server = Server::start("");
    let mut options = server.options();
    options.channel_binding = ChannelBinding::Require;
    let fault = logon_fault(options.clone());
    assert_eq!(fault.kind, FaultKind::Login);
    assert!(
        fault.message.starts_with("the connection has no TLS"),
        "{fault}"
    );
    options.sslmode = SslMode::Disable;
    let error = Sql::new(options).map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("needs TLS, which sslmode disable never uses"),
        "{error}"
    );
}
