//! The front, between our client and a real Dovecot.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use crate::common;
use crate::common::dovecot::Dovecot;
use crate::common::{RUN, endpoint, message, play, stopwatch, wait_for};
use headcount_load::{Fault, FaultKind, Password};
use headcount_mail::front::{Delivered, Handle, Settings, serve};
use headcount_mail::message::{Checker, Kind, Part, Section, Verdict};
use headcount_mail::smtp::{Credentials, Language, Mechanism, Outcome, Smtp, all_accepted};

fn settings(lmtp: &str) -> Settings {
    Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        lmtp: lmtp.into(),
        routes: Vec::new(),
        reject: Vec::new(),
        delay: Duration::ZERO,
        password: None,
    }
}

/// Sends one message each to these recipients, on one connection.
fn send(
    front: &Handle,
    language: Language,
    to: &[&[&str]],
    parts: &[Part],
) -> Vec<Result<Vec<Outcome>, Fault>> {
    let (watch, _) = stopwatch();
    play(async {
        let endpoint = endpoint(front.address());
        let mut smtp = Smtp::connect(&endpoint, language, "c", None, watch)
            .await
            .expect("a front");
        let mut sent = Vec::new();
        for (sequence, to) in to.iter().enumerate() {
            let message = message(sequence as u32, to, parts);
            sent.push(smtp.send("u1@test.invalid", to, &message).await);
        }
        smtp.quit().await;
        sent
    })
}

fn assert_intact(bytes: &[u8]) {
    let mut checker = Checker::new(RUN, Section::Text);
    checker.whole(bytes);
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(
        checker.finish().verdict,
        Verdict::Intact,
        "{}",
        &text[..text.len().min(2000)]
    );
}

#[test]
fn accepted_mail_is_in_the_mailbox_and_refusals_are_passed_on() {
    let dovecot = Dovecot::of(9);
    let front = serve(Settings {
        routes: vec!["far.invalid=count".into()],
        reject: vec!["*9@*".into()],
        ..settings(&dovecot.lmtp_address().to_string())
    })
    .expect("a front");
    let parts = [Part::text(1024), Part::new(Kind::Archive, 300_000)];
    let to: [&[&str]; 4] = [
        &[
            "u1@test.invalid",
            "u2@far.invalid",
            "stranger@test.invalid",
            "u9@test.invalid",
        ],
        &["u2@test.invalid"],
        &["stranger@test.invalid"],
        &["u1@test.invalid", "u2@test.invalid"],
    ];
    let sent = send(&front, Language::Smtp, &to, &parts);
    let outcomes = sent[0].as_ref().expect("two have it");
    assert_eq!(outcomes[..2], [Outcome::Accepted, Outcome::Accepted]);
    let Outcome::Refused(stranger) = &outcomes[2] else {
        panic!("{outcomes:?}")
    };
    assert_eq!(stranger.enhanced(), Some((5, 1, 1)));
    let refused = all_accepted(to[0], outcomes).expect_err("two were refused");
    assert!(
        refused.message.ends_with("(2 of 4 recipients refused)"),
        "{refused}"
    );
    assert!(sent[1].is_ok() && sent[2].is_err() && sent[3].is_ok());
    for bytes in dovecot.inbox("u1", 2).iter().chain(&dovecot.inbox("u2", 2)) {
        assert_intact(bytes);
    }
    let counts = front.stop();
    assert_eq!(
        (counts.connections, counts.messages, counts.refused),
        (1, 3, 3)
    );
    let bytes = |sequence: usize| {
        headcount_mail::message::Body::len(&message(sequence as u32, to[sequence], &parts))
    };
    let far = Delivered {
        messages: 1,
        recipients: 1,
        bytes: bytes(0),
    };
    assert_eq!(counts.delivered["far.invalid"], far);
    let near = Delivered {
        messages: 3,
        recipients: 4,
        bytes: bytes(0) + bytes(1) + bytes(3),
    };
    assert_eq!(counts.delivered[&dovecot.lmtp_address().to_string()], near);
}

#[test]
fn the_front_also_speaks_lmtp() {
    let front = serve(settings("count")).expect("a front");
    let sent = send(
        &front,
        Language::Lmtp,
        &[&["a@b", "c@d"]],
        &[Part::text(100)],
    );
    assert_eq!(sent[0], Ok(vec![Outcome::Accepted, Outcome::Accepted]));
}

#[test]
fn held_mail_is_delivered_after_the_delay_or_at_the_end() {
    let dovecot = Dovecot::of(9);
    let hold = |delay| {
        let lmtp = dovecot.lmtp_address().to_string();
        serve(Settings {
            delay,
            ..settings(&lmtp)
        })
        .expect("a front")
    };
    let front = hold(Duration::from_millis(200));
    assert!(
        send(
            &front,
            Language::Smtp,
            &[&["u1@test.invalid"]],
            &[Part::text(500)]
        )[0]
        .is_ok()
    );
    assert_intact(&dovecot.inbox("u1", 1)[0]);
    wait_for("the end of holding", || {
        (front.counts().held == 0).then_some(())
    });
    let front = hold(Duration::from_hours(1));
    assert!(
        send(
            &front,
            Language::Smtp,
            &[&["u2@test.invalid"]],
            &[Part::text(500)]
        )[0]
        .is_ok()
    );
    wait_for("the message", || (front.counts().held == 1).then_some(()));
    let counts = front.stop();
    assert_eq!((counts.held, counts.lost, counts.messages), (0, 0, 1));
    assert_intact(&dovecot.inbox("u2", 1)[0]);
}

#[test]
fn clients_log_on_if_a_password_is_set() {
    let password = Password::new("s3cret");
    let front = Settings {
        password: Some(password.clone()),
        ..settings("count")
    };
    let front = serve(front).expect("a front");
    let try_with = |password: Option<(&Password, Mechanism)>| {
        let (watch, _) = stopwatch();
        play(async {
            let endpoint = endpoint(front.address());
            let credentials = password.map(|(password, mechanism)| Credentials {
                user: "u",
                password,
                mechanism,
            });
            let mut smtp =
                Smtp::connect(&endpoint, Language::Smtp, "c", credentials, watch).await?;
            smtp.send("a@b", &["c@d"], &message(1, &["c@d"], &[Part::text(10)]))
                .await
                .map(|_| ())
        })
    };
    assert_eq!(try_with(Some((&password, Mechanism::Plain))), Ok(()));
    assert_eq!(try_with(Some((&password, Mechanism::Login))), Ok(()));
    for mechanism in [Mechanism::Plain, Mechanism::Login] {
        let fault = try_with(Some((&Password::new("s3creT"), mechanism))).expect_err("wrong");
        assert_eq!(fault.kind, FaultKind::Login);
    }
    let fault = try_with(None).expect_err("not logged on");
    assert_eq!(&*fault.message, "MAIL: 530 5.7.0 log on first");
}

#[test]
fn the_front_reports_its_counts_and_refuses_bad_commands() {
    let front = serve(settings("count")).expect("a front");
    send(&front, Language::Smtp, &[&["a@b"]], &[Part::text(100)])[0]
        .clone()
        .expect("accepted");
    let mut stream = TcpStream::connect(front.address()).expect("a connection");
    let long = "x".repeat(5000);
    // In one piece, as from a client that does not wait; one message is only a dot.
    let commands = format!(
        "RCPT TO:<a@b>\r\nMAIL\r\nMAIL FROM:<a b>\r\nMAIL FROM:<> SIZE=99999999999\r\nDATA\r\n\
         what\r\nMAIL FROM:<>\r\nMAIL FROM:<>\r\nRCPT TO:<>\r\nRCPT TO:<a@b>\r\nDATA\r\n.\r\n\
         XCOUNT\r\n{long}\r\n"
    );
    stream.write_all(commands.as_bytes()).expect("written");
    let replies: Vec<String> = BufReader::new(stream)
        .lines()
        .map_while(Result::ok)
        .collect();
    let codes: Vec<&str> = replies.iter().map(|reply| &reply[..3]).collect();
    let expected = [
        "220", "503", "501", "501", "552", "503", "500", "250", "503", "501", "250", "354", "250",
    ];
    assert_eq!(codes[..13], expected);
    let counts: serde_json::Value = serde_json::from_str(&replies[13][4..]).expect("JSON");
    assert_eq!(
        (
            &counts["messages"],
            &counts["delivered"]["count"]["recipients"]
        ),
        (&2.into(), &2.into())
    );
}

#[test]
fn reasons_not_to_start_are_reported() {
    let error = |settings: Settings| serve(settings).expect_err("an error").to_string();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let found = error(Settings {
        listen: address,
        ..settings("count")
    });
    assert!(
        found.starts_with(&format!(
            "cannot listen on {address}: Address already in use"
        )),
        "{found}"
    );
    let free = format!("127.0.0.1:{}", common::free_port());
    let found = error(settings(&free));
    assert!(
        found.starts_with(&format!(
            "mail for {free} cannot be delivered: no connection"
        )),
        "{found}"
    );
    let front = serve(settings("count")).expect("a front");
    let other = error(Settings {
        routes: vec!["x".into()],
        ..settings("count")
    });
    assert!(other.starts_with("\"x\" is not a route"), "{other}");
    let open = error(Settings {
        listen: SocketAddr::from(([0, 0, 0, 0], 0)),
        ..settings("count")
    });
    assert!(open.contains("set a password"), "{open}");
    drop(front);
}

#[test]
fn mail_is_refused_once_the_server_is_gone() {
    let dovecot = Dovecot::of(9);
    let front = serve(settings(&dovecot.lmtp_address().to_string())).expect("a front");
    let to: &[&[&str]] = &[&["u1@test.invalid"]];
    assert!(send(&front, Language::Smtp, to, &[Part::text(100)])[0].is_ok());
    drop(dovecot);
    let fault = send(&front, Language::Smtp, to, &[Part::text(100)])[0]
        .clone()
        .expect_err("nobody there");
    assert!(
        fault.message.starts_with("<u1@test.invalid>: 451 4.4.1"),
        "{fault}"
    );
    assert!(!fault.ends_session);
}

/// The address of an LMTP server that disconnects instead of answering a second recipient.
fn forgetful_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = talk(&stream.expect("a client")); // the client may be gone
        }
    });
    address
}

fn talk(mut stream: &TcpStream) -> std::io::Result<()> {
    stream.write_all(b"220 hello\r\n")?;
    let mut recipients = 0;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        recipients += u32::from(line.starts_with("RCPT"));
        if recipients == 2 {
            break;
        }
        let code = if line == "DATA" { 354 } else { 250 };
        stream.write_all(format!("{code} ok\r\n").as_bytes())?;
    }
    Ok(())
}

#[test]
fn mail_is_refused_if_the_server_forgets_recipients() {
    let front = serve(settings(&forgetful_server())).expect("a front");
    let to: &[&[&str]] = &[&["a@b", "c@d", "e@f"]];
    let fault = send(&front, Language::Smtp, to, &[Part::text(100)])[0]
        .clone()
        .expect_err("nobody has it");
    assert!(fault.message.starts_with("end of data: 451"), "{fault}");
}
