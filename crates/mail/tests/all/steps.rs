//! Steps of users on servers that follow a script.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::rc::Rc;
use std::time::Duration;

use crate::common::house::read;
use crate::common::liar::Then::Silence;
use crate::common::liar::liar;
use crate::common::peer::Act::{self, Hear, Say, Take};
use crate::common::peer::peer;
use crate::common::person::{user, watched};
use crate::common::script::script;
use crate::common::{free_port, play};
use headcount_load::context::WorkerContext;
use headcount_load::seat::Seat;
use headcount_load::{Compile, Fault, FaultKind, Moved, Protocol, Session, User};
use headcount_mail::endpoint::Endpoint;
use headcount_mail::task::Task;
use headcount_mail::{Mail, MailSession, Step};
use serde_json::{Value, json};

/// The greeting of a server that considers everybody logged on.
const GREETING: &str = "* PREAUTH [CAPABILITY IMAP4rev1 LITERAL+] ready\r\n";

/// An SMTP server that accepts a message.
const ACCEPTS: [Act; 13] = [
    Say("220 hello\r\n"),
    Hear("EHLO"),
    Say("250 here\r\n"),
    Hear("MAIL"),
    Say("250 ok\r\n"),
    Hear("RCPT"),
    Say("250 ok\r\n"),
    Hear("DATA"),
    Say("354 go\r\n"),
    Take,
    Say("250 ok\r\n"),
    Hear("QUIT"),
    Say("221 bye\r\n"),
];

/// The options for this IMAP server and this server for sending.
fn options(imap: &str, send: &Value) -> Value {
    json!({
        "imap": {"address": imap}, "send": send,
        "user": "u{n}", "address": "u{n}@test.invalid", "password": "secret", "run": 1,
        "lost_after_s": 0.1, "profile": {"save_sent": false},
    })
}

fn mail(imap: &Endpoint, send: &Value) -> Mail {
    let address = imap.addresses[0].to_string();
    Mail::new(read(&options(&address, send))).unwrap()
}

/// Plays steps without sending mail. Returns how each ended, and what the server received.
fn play_steps(
    greeting: &str,
    turns: &[(&str, &[u8])],
    steps: &[Value],
) -> (Vec<Result<Moved, Fault>>, String) {
    let (endpoint, server) = script(greeting, turns);
    let ended = play(async {
        let mut user = user(0);
        let mail = mail(&endpoint, &Value::Null);
        let mut session = mail.open(&mut user).await.unwrap();
        let mut ended = Vec::new();
        for step in steps {
            ended.push(play_step(&mut session, step, &mut user).await);
        }
        ended
    });
    (ended, server.join().unwrap())
}

async fn play_step(
    session: &mut MailSession,
    step: &Value,
    user: &mut User,
) -> Result<Moved, Fault> {
    session.play(&Step::compile(step).unwrap(), user).await
}

#[test]
fn bytes_that_a_step_announces_count_once() {
    let (endpoint, server) = script(GREETING, &[("+}", b"a1 OK done\r\n")]);
    let (written, expected) = play(async {
        let seat = Rc::new(Seat::default());
        let context = Rc::new(WorkerContext::outside(0, 0));
        let mut user = User::new(0, 1, Rc::clone(&seat), context);
        let mail = mail(&endpoint, &Value::Null);
        let mut session = mail.open(&mut user).await.unwrap();
        let step = json!({"op": "append", "bytes": 100});
        let moved = play_step(&mut session, &step, &mut user).await.unwrap();
        (moved.written_bytes, seat.expected_bytes())
    });
    server.join().unwrap();
    assert!(written > 100);
    assert_eq!(expected, written);
}

#[test]
fn all_mail_may_be_new_if_the_server_does_not_send_uidnext() {
    let selected: &[u8] = b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\na1 OK [READ-WRITE] in\r\n";
    let nothing: &[u8] = b"* SEARCH\r\na2 OK done\r\n";
    let turns = [("SELECT \"INBOX\"", selected), ("1:* UNSEEN", nothing)];
    let look = json!({"op": "process-inbox"});
    let (ended, heard) = play_steps(GREETING, &turns, &[look]);
    assert_eq!(ended, [Ok(Moved::default())]);
    assert!(heard.contains("UID SEARCH UID 1:* UNSEEN"), "{heard}");
}

#[test]
fn mail_counts_as_lost_only_after_a_complete_look() {
    let selected: &[u8] = b"* 1 EXISTS\r\n* OK [UIDNEXT 2] next\r\na1 OK [READ-WRITE] in\r\n";
    let turns: [(&str, &[u8]); 7] = [
        ("SELECT \"INBOX\"", selected),
        ("1:* UNSEEN", b"a2 NO [INUSE] not now\r\n"),
        ("NOOP", b"a3 OK done\r\n"),
        ("1:* UNSEEN", b"* SEARCH 1\r\na4 OK done\r\n"),
        ("PEEK[HEADER])", b"a5 NO [SERVERBUG] sorry\r\n"),
        ("NOOP", b"a6 OK done\r\n"),
        ("1:* UNSEEN", b"* SEARCH\r\na7 OK done\r\n"),
    ];
    let (endpoint, server) = script(GREETING, &turns);
    let (address, _peer) = peer(ACCEPTS.to_vec());
    let kinds = play(async {
        let mut user = user(0);
        let send = json!({"server": {"address": address.to_string()}});
        let mail = mail(&endpoint, &send);
        let mut session = mail.open(&mut user).await.unwrap();
        let step = json!({"op": "send", "recipients": 1});
        play_step(&mut session, &step, &mut user).await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        let mut kinds = Vec::new();
        for _ in 0..3 {
            let step = json!({"op": "process-inbox"});
            let ended = play_step(&mut session, &step, &mut user).await;
            kinds.push(ended.unwrap_err().kind);
        }
        kinds
    });
    server.join().unwrap();
    let (refused, lost) = (FaultKind::Refused, FaultKind::WrongData);
    assert_eq!(kinds, [refused, refused, lost]);
}

#[test]
fn a_message_without_a_server_to_take_it_is_a_failed_task() {
    let (endpoint, _server) = script(GREETING, &[]);
    let failed = play(async {
        let (mut user, tasks) = watched(0);
        let address = format!("127.0.0.1:{}", free_port());
        let mail = mail(&endpoint, &json!({"server": {"address": address}}));
        let mut session = mail.open(&mut user).await.unwrap();
        let step = json!({"op": "send", "subject": "Figures"});
        let ended = play_step(&mut session, &step, &mut user).await;
        assert_eq!(ended.unwrap_err().kind, FaultKind::Connect);
        tasks.tallies()[Task::Send as usize].failed
    });
    assert_eq!(failed, 1);
}

#[test]
fn mail_that_arrives_while_others_are_removed_is_found() {
    let selected: &[u8] = b"* 2 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 1]\r\na1 OK\r\n";
    let marker: &[u8] = b"* STATUS Headcount (MESSAGES 1)\r\na2 OK\r\n";
    let expunged: &[u8] = b"* 1 EXPUNGE\r\n* 1 EXPUNGE\r\n* 1 EXISTS\r\na3 OK\r\n";
    let turns: [(&str, &[u8]); 5] = [
        ("SELECT \"INBOX\"", selected),
        ("UNSEEN)", marker),
        ("EXPUNGE", expunged),
        ("NOOP", b"a4 OK\r\n"),
        ("1:* UNSEEN", b"* SEARCH\r\na5 OK\r\n"),
    ];
    let look = json!({"op": "process-inbox"});
    let steps = [look.clone(), json!({"op": "expunge"}), look];
    let (ended, heard) = play_steps(GREETING, &turns, &steps);
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert!(heard.contains("UID SEARCH UID 1:* UNSEEN"), "{heard}");
}

#[test]
fn a_second_login_sequence_enables_nothing() {
    let greeting = "* PREAUTH [CAPABILITY IMAP4rev2] ready\r\n";
    let turns: [(&str, &[u8]); 7] = [
        ("ENABLE IMAP4rev2", b"* ENABLED IMAP4rev2\r\na1 OK\r\n"),
        ("NAMESPACE", b"a2 OK\r\n"),
        ("LIST \"\" \"*\"", b"a3 OK\r\n"),
        ("SELECT \"INBOX\"", b"a4 OK\r\n"),
        ("NAMESPACE", b"a5 OK\r\n"),
        ("LIST \"\" \"*\"", b"a6 OK\r\n"),
        ("SELECT \"INBOX\"", b"a7 OK\r\n"),
    ];
    let step = json!({"op": "login-sequence"});
    let (ended, _) = play_steps(greeting, &turns, &[step.clone(), step]);
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
}

#[test]
fn users_enable_rev2_only_if_they_are_allowed_to() {
    let greeting = "* PREAUTH [CAPABILITY IMAP4rev2] ready\r\n";
    let turns: [(&str, &[u8]); 3] = [
        ("NAMESPACE", b"a1 OK\r\n"),
        ("LIST \"\" \"*\"", b"a2 OK\r\n"),
        ("SELECT \"INBOX\"", b"a3 OK\r\n"),
    ];
    let (endpoint, _server) = script(greeting, &turns);
    let address = endpoint.addresses[0].to_string();
    let mut options = options(&address, &Value::Null);
    options["rev2"] = json!(false);
    let ended = play(async {
        let mut user = user(0);
        let mail = Mail::new(read(&options)).unwrap();
        let mut session = mail.open(&mut user).await.unwrap();
        let step = json!({"op": "login-sequence"});
        play_step(&mut session, &step, &mut user).await
    });
    assert_eq!(ended, Ok(Moved::default()));
}

#[test]
fn users_say_quit_before_they_wait_for_the_message() {
    const SELECTED: &str = "* 0 EXISTS\r\n* OK [UIDNEXT 1] next\r\na1 OK [READ-WRITE] in\r\n";
    let imap = liar(&[GREETING, SELECTED], Silence);
    let (address, peer) = peer(ACCEPTS.to_vec());
    let send = json!({"server": {"address": address.to_string()}});
    let options = options(&imap, &send);
    play(async {
        let mut user = user(0);
        let mail = Mail::new(read(&options)).unwrap();
        let mut session = mail.open(&mut user).await.unwrap();
        let step = json!({"op": "delivery"});
        let waiting = play_step(&mut session, &step, &mut user);
        let ended = tokio::time::timeout(Duration::from_secs(1), waiting).await;
        assert!(ended.is_err(), "the IMAP server is silent");
    });
    assert!(peer.join().unwrap().contains("QUIT"));
}
