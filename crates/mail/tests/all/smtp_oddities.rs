//! What servers rarely do: refusals and lost connections at each reply.

use crate::common;
use crate::common::peer::Act::{self, Hear, Say, Spell, Take};
use crate::common::peer::peer;
use crate::common::{endpoint, endpoint_of, message, play, stopwatch};
use headcount_load::{Fault, FaultKind, Password};
use headcount_mail::message::Part;
use headcount_mail::smtp::{Credentials, Language, Mechanism, Outcome, Smtp};
use serde_json::json;

const TO: [&str; 2] = ["a@test.invalid", "b@test.invalid"];

/// The script up to EHLO, with PIPELINING.
const OPEN: [Act; 3] = [
    Say("220 hello\r\n"),
    Hear("EHLO client.invalid"),
    Say("250-here\r\n250-SIZE 0\r\n250 PIPELINING\r\n"),
];
const ENVELOPE: [Act; 4] = [
    Hear("MAIL FROM:<u1@test.invalid> SIZE="),
    Hear("RCPT TO:<a@test.invalid>"),
    Hear("RCPT TO:<b@test.invalid>"),
    Hear("DATA"),
];

fn script(parts: &[&[Act]]) -> Vec<Act> {
    parts.concat()
}

type Sent = Result<Vec<Outcome>, Fault>;

/// Sends messages to a peer. Returns the result of each, and what the peer received.
fn send_in(language: Language, script: Vec<Act>, messages: u32) -> (Vec<Sent>, String) {
    let (address, thread) = peer(script);
    let (watch, _) = stopwatch();
    let sent = play(async {
        let endpoint = endpoint(address);
        let opened = Smtp::connect(&endpoint, language, "client.invalid", None, watch).await;
        let mut smtp = match opened {
            Ok(smtp) => smtp,
            Err(fault) => return vec![Err(fault)],
        };
        let mut sent = Vec::new();
        for sequence in 0..messages {
            let message = message(sequence, &TO, &[Part::text(500)]);
            sent.push(smtp.send("u1@test.invalid", &TO, &message).await);
        }
        sent
    });
    (sent, thread.join().expect("the script was followed"))
}

fn send(script: Vec<Act>) -> Sent {
    send_in(Language::Smtp, script, 1).0.remove(0)
}

fn fault(script: Vec<Act>) -> Fault {
    send(script).expect_err("a fault")
}

#[test]
fn commands_are_pipelined_and_replies_may_come_in_pieces() {
    let replies = Spell("250-2.1.0 one\r\n250 2.1.0 ok\r\n250 ok\r\n250\r\n354 go\r\n");
    let (sent, heard) = send_in(
        Language::Smtp,
        script(&[&OPEN, &ENVELOPE, &[replies, Take, Spell("250 queued\r\n")]]),
        1,
    );
    assert_eq!(sent[0], Ok(vec![Outcome::Accepted, Outcome::Accepted]));
    let expected = common::whole(&message(0, &TO, &[Part::text(500)]));
    assert!(heard.contains(&format!(
        "DATA\r\n{}.\r\n",
        String::from_utf8_lossy(&expected)
    )));
    assert!(heard.contains(&format!(" SIZE={}\r\n", expected.len())));
}

#[test]
fn commands_go_one_by_one_without_pipelining() {
    let script = vec![
        Say("220 hello\r\n"),
        Hear("EHLO"),
        Say("502 what\r\n"),
        Hear("HELO"),
        Say("250 hello\r\n"),
        Hear("MAIL FROM:<u1@test.invalid>\r\n"),
        Say("250 ok\r\n"),
        Hear("RCPT TO:<a@"),
        Say("250 ok\r\n"),
        Hear("RCPT TO:<b@"),
        Say("450 later\r\n"),
        Hear("DATA"),
        Say("354 go\r\n"),
        Take,
        Say("250 ok\r\n"),
    ];
    let outcomes = send(script).expect("one recipient");
    assert_eq!(outcomes[0], Outcome::Accepted);
    assert!(matches!(&outcomes[1], Outcome::Refused(reply) if reply.is_transient()));
}

#[test]
fn a_message_refused_for_all_recipients_does_not_end_the_session() {
    let refusal = Say("250 ok\r\n550 5.1.1 no\r\n550 5.1.1 no\r\n554 no valid recipients\r\n");
    let again = [Hear("RSET")];
    let replies = Say("250 reset\r\n250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n");
    let end = [replies, Take, Say("250 ok\r\n")];
    let (sent, _) = send_in(
        Language::Smtp,
        script(&[&OPEN, &ENVELOPE, &[refusal], &again, &ENVELOPE, &end]),
        2,
    );
    let fault = sent[0].clone().expect_err("refused");
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Refused, false)
    );
    assert_eq!(
        &*fault.message,
        "<a@test.invalid>: 550 5.1.1 no (2 of 2 recipients refused)"
    );
    assert_eq!(sent[1].as_ref().map(Vec::len), Ok(2));
    // A server that accepts DATA all the same gets no data.
    let wants = Say("250 ok\r\n550 5.1.1 no\r\n550 5.1.1 no\r\n354 go\r\n");
    let fault = self::fault(script(&[
        &OPEN,
        &ENVELOPE,
        &[wants, Hear(".\r\n"), Say("554 none\r\n")],
    ]));
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Refused, false)
    );
}

#[test]
fn refusals_name_the_command_and_keep_the_connection() {
    for (replies, expected) in [
        (
            "452 4.3.1 full\r\n503 a\r\n503 b\r\n503 c\r\n",
            "MAIL: 452 4.3.1 full",
        ),
        (
            "250 ok\r\n250 ok\r\n250 ok\r\n451 4.3.0 not now\r\n",
            "DATA: 451 4.3.0 not now",
        ),
    ] {
        let fault = fault(script(&[&OPEN, &ENVELOPE, &[Say(replies)]]));
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Refused, false)
        );
        assert_eq!(&*fault.message, expected);
    }
    let go = Say("250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n");
    let fault = fault(script(&[
        &OPEN,
        &ENVELOPE,
        &[go, Take, Say("552 5.3.4 too big\r\n")],
    ]));
    assert_eq!(&*fault.message, "end of data: 552 5.3.4 too big");
}

#[test]
fn a_farewell_ends_the_session_at_any_point() {
    let ok = "250 ok\r\n";
    let farewell = "421 4.3.2 shutting down\r\n";
    let go = Say("250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n");
    let scripts: [Vec<Act>; 4] = [
        vec![Say(farewell)],
        script(&[&OPEN, &ENVELOPE, &[Say(farewell)]]),
        script(&[&OPEN, &ENVELOPE, &[Say(ok), Say(farewell)]]),
        script(&[&OPEN, &ENVELOPE, &[go, Take, Say(farewell)]]),
    ];
    for script in scripts {
        let fault = fault(script);
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Disconnected, true),
            "{fault}"
        );
        assert!(
            fault.message.ends_with("421 4.3.2 shutting down"),
            "{fault}"
        );
    }
}

#[test]
fn a_lost_connection_is_noticed_at_any_point() {
    let go = Say("250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n");
    let all = script(&[&OPEN, &ENVELOPE, &[go, Take, Say("250 ok\r\n")]]);
    let last = all.len();
    assert!(send(all.clone()).is_ok());
    for length in 0..last {
        // The connection ends wherever the client waits for a reply, before it or in its middle.
        if matches!(all[length], Say(_)) {
            for half in [&[][..], &[Say("25")]] {
                let fault = fault(script(&[&all[..length], half]));
                assert_eq!(
                    (fault.kind, fault.ends_session),
                    (FaultKind::Disconnected, true)
                );
            }
        }
    }
}

#[test]
fn lmtp_answers_for_each_recipient() {
    let open = [
        Say("220 hello\r\n"),
        Hear("LHLO"),
        Say("250-here\r\n250-SIZE\r\n250 PIPELINING\r\n"),
    ];
    let go = Say("250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n");
    let replies = Say("250 2.0.0 in\r\n452 4.2.2 over quota\r\n");
    let (sent, _) = send_in(
        Language::Lmtp,
        script(&[&open, &ENVELOPE, &[go, Take, replies]]),
        1,
    );
    let outcomes = sent[0].as_ref().expect("one has it");
    assert_eq!(outcomes[0], Outcome::Accepted);
    let Outcome::Refused(reply) = &outcomes[1] else {
        panic!("{outcomes:?}")
    };
    assert_eq!(reply.enhanced(), Some((4, 2, 2)));
    let replies = Say("550 no\r\n452 no\r\n");
    let (sent, _) = send_in(
        Language::Lmtp,
        script(&[&open, &ENVELOPE, &[go, Take, replies]]),
        1,
    );
    let fault = sent[0].clone().expect_err("nobody has it");
    assert!(
        fault.message.ends_with("(2 of 2 recipients refused)"),
        "{fault}"
    );
}

#[test]
fn malformed_replies_end_the_session() {
    for odd in [
        "hello\r\n",
        "2x0 ok\r\n",
        "250~ok\r\n",
        "250 ok\n",
        "250-a\r\n251 b\r\n",
        "199 no\r\n",
    ] {
        let fault = fault(vec![Say(odd)]);
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Malformed, true),
            "{odd:?}"
        );
    }
    let endless = "2".repeat(10_000);
    let fault = fault(vec![Say(Box::leak(endless.into_boxed_str()))]);
    assert_eq!(&*fault.message, "a line of a reply does not end");
}

#[test]
fn users_log_on_and_wrong_passwords_are_not_shown() {
    let open = |script: Vec<Act>, mechanism| {
        let (address, thread) = peer(script);
        let password = Password::new("s3cret");
        let (watch, _) = stopwatch();
        let opened = play(async {
            let credentials = Credentials {
                user: "u1",
                password: &password,
                mechanism,
            };
            let endpoint = endpoint(address);
            Smtp::connect(&endpoint, Language::Smtp, "c", Some(credentials), watch)
                .await
                .map(|_| ())
        });
        thread.join().expect("the script was followed");
        opened
    };
    let hello = [
        Say("220 hi\r\n"),
        Hear("EHLO"),
        Say("250-hi\r\n250 AUTH PLAIN LOGIN\r\n"),
    ];
    // printf '\0u1\0s3cret' | base64, and the two words alone
    let plain = [
        Hear("AUTH PLAIN AHUxAHMzY3JldA==\r\n"),
        Say("235 2.7.0 welcome\r\n"),
    ];
    assert_eq!(open(script(&[&hello, &plain]), Mechanism::Plain), Ok(()));
    let login = [
        Hear("AUTH LOGIN\r\n"),
        Say("334 VXNlcm5hbWU6\r\n"),
        Hear("dTE=\r\n"),
        Say("334 UGFzc3dvcmQ6\r\n"),
        Hear("czNjcmV0\r\n"),
        Say("235 welcome\r\n"),
    ];
    assert_eq!(open(script(&[&hello, &login]), Mechanism::Login), Ok(()));
    let other = [
        Say("220 hi\r\n"),
        Hear("EHLO"),
        Say("250-hi\r\n250 AUTH NTLM LOGIN\r\n"),
    ];
    assert_eq!(open(script(&[&other, &login]), Mechanism::Plain), Ok(()));
    let wrong = [Hear("AUTH PLAIN"), Say("535 5.7.8 wrong\r\n")];
    let fault = open(script(&[&hello, &wrong]), Mechanism::Plain).expect_err("wrong");
    assert_eq!(
        (fault.kind, &*fault.message),
        (FaultKind::Login, "AUTH: 535 5.7.8 wrong")
    );
    let echo = [
        Hear("AUTH PLAIN"),
        Say("500 what is AUTH PLAIN AHUxAHMzY3JldA==\r\n"),
    ];
    let fault = open(script(&[&hello, &echo]), Mechanism::Plain).expect_err("unknown");
    assert!(!fault.message.contains("AHUx"), "{fault}");
    let none = [Say("220 hi\r\n"), Hear("EHLO"), Say("250 hi\r\n")];
    let fault = open(none.to_vec(), Mechanism::Plain).expect_err("none offered");
    assert!(
        fault.message.contains("neither AUTH PLAIN nor LOGIN"),
        "{fault}"
    );
}

#[test]
fn injected_clear_text_and_missing_starttls_are_faults() {
    let connect = |script: Vec<Act>| {
        let (address, thread) = peer(script);
        let options = json!({
            "address": address.to_string(), "security": "starttls", "verify_certificates": false,
        });
        let (watch, _) = stopwatch();
        let opened = play(async {
            let endpoint = endpoint_of(options);
            Smtp::connect(&endpoint, Language::Smtp, "c", None, watch)
                .await
                .map(|_| ())
        });
        let _ = thread.join();
        opened.expect_err("no TLS")
    };
    let offers = [
        Say("220 hi\r\n"),
        Hear("EHLO"),
        Say("250-hi\r\n250 STARTTLS\r\n"),
        Hear("STARTTLS"),
    ];
    let fault = connect(script(&[&offers, &[Say("220 go\r\n250 injected\r\n")]]));
    assert_eq!(fault.kind, FaultKind::Malformed, "{fault}");
    let fault = connect(script(&[&offers, &[Say("454 no\r\n")]]));
    assert_eq!(&*fault.message, "STARTTLS: 454 no");
    let fault = connect(vec![Say("220 hi\r\n"), Hear("EHLO"), Say("250 hi\r\n")]);
    assert!(fault.message.contains("does not offer STARTTLS"), "{fault}");
}

#[test]
fn addresses_cannot_inject_commands() {
    let (address, _thread) = peer(OPEN.to_vec());
    let (watch, _) = stopwatch();
    let faults = play(async {
        let endpoint = endpoint(address);
        let mut smtp =
            Smtp::connect(&endpoint, Language::Smtp, "client.invalid", None, watch).await?;
        let body = b"x\r\n".to_vec();
        let mut faults = Vec::new();
        for to in ["a>\r\nRSET", "a b", "<a>"] {
            faults.push(smtp.send("", &[to], &body).await.expect_err("odd"));
        }
        faults.push(smtp.send("", &[], &body).await.expect_err("none"));
        faults.push(smtp.send("", &TO, &vec![0xff]).await.expect_err("8 bit"));
        Ok::<_, Fault>(faults)
    });
    let faults = faults.expect("a connection");
    assert!(
        faults
            .iter()
            .all(|fault| !fault.ends_session && fault.kind == FaultKind::Refused)
    );
    assert_eq!(&*faults[0].message, "\"a>\\r\\nRSET\" is not an address");
}
