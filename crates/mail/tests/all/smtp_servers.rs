//! The client with a real Postfix and a real Dovecot.

use crate::common::dovecot::Dovecot;
use crate::common::postfix::Postfix;
use crate::common::{RUN, endpoint, endpoint_of, message, play, stopwatch};
use headcount_load::FaultKind;
use headcount_mail::front;
use headcount_mail::message::{Checker, Kind, Part, Section, Verdict};
use headcount_mail::smtp::{Language, Outcome, Smtp, all_accepted};
use headcount_mail::task::Task;
use serde_json::json;

const PARTS: &[Part] = &[Part::text(1024), Part::new(Kind::Document, 30_000)];

fn sequence_of_intact(bytes: &[u8]) -> u32 {
    let mut checker = Checker::new(RUN, Section::Text);
    checker.whole(bytes);
    let found = checker.finish();
    assert_eq!(
        found.verdict,
        Verdict::Intact,
        "{}",
        String::from_utf8_lossy(bytes)
    );
    found.stamp.expect("a stamp").sequence
}

#[test]
fn dovecot_delivers_mail_over_lmtp_and_refuses_unknown_recipients() {
    let dovecot = Dovecot::of(9);
    let (watch, tasks) = stopwatch();
    let tallies = play(async {
        let endpoint = endpoint(dovecot.lmtp_address());
        let mut smtp = Smtp::connect(&endpoint, Language::Lmtp, "c.invalid", None, watch).await?;
        assert!(smtp.offered().pipelining);
        let to = ["u1@test.invalid", "u2@test.invalid"];
        let outcomes = smtp
            .send("u1@test.invalid", &to, &message(1, &to, PARTS))
            .await?;
        assert_eq!(outcomes, [Outcome::Accepted, Outcome::Accepted]);
        let to = ["nobody@test.invalid", "u2@test.invalid"];
        let outcomes = smtp
            .send("u1@test.invalid", &to, &message(2, &to, PARTS))
            .await?;
        assert_eq!(outcomes[1], Outcome::Accepted);
        let fault = all_accepted(&to, &outcomes).expect_err("one is unknown");
        assert!(
            fault
                .message
                .starts_with("<nobody@test.invalid>: 550 5.1.1"),
            "{fault}"
        );
        assert!(
            fault.message.ends_with("(1 of 2 recipients refused)"),
            "{fault}"
        );
        // All recipients refused: the transaction ends, and the connection stays usable.
        let fault = smtp
            .send("", &to[..1], &message(3, &to, PARTS))
            .await
            .expect_err("nobody");
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Refused, false)
        );
        let last = ["u2@test.invalid"];
        smtp.send("", &last, &message(4, &last, &[Part::text(200_000)]))
            .await?;
        smtp.quit().await;
        Ok::<_, headcount_load::Fault>(tasks.tallies())
    })
    .expect("a working server");
    let message = &tallies[Task::SmtpMessage as usize];
    assert_eq!((message.completed, message.failed), (2, 2));
    assert_eq!(tallies[Task::SmtpConnect as usize].completed, 1);
    let sequences = |user, count| {
        let inbox = dovecot.inbox(user, count);
        let mut found: Vec<u32> = inbox
            .iter()
            .map(|bytes| sequence_of_intact(bytes))
            .collect();
        found.sort_unstable();
        found
    };
    assert_eq!(sequences("u1", 1), [1]);
    assert_eq!(sequences("u2", 3), [1, 2, 4]);
}

#[test]
fn postfix_relays_mail_unchanged_with_and_without_tls() {
    let dovecot = Dovecot::of(9);
    let Some(postfix) = Postfix::start(dovecot.lmtp_address(), "message_size_limit = 100000")
    else {
        return relay_through_the_front(&dovecot); // only root can start a Postfix
    };
    let secure = endpoint_of(json!({
        "address": postfix.address().to_string(),
        "security": "starttls",
        "verify_certificates": postfix.authority(),
    }));
    let ways = [endpoint(postfix.address()), secure];
    for (number, endpoint) in ways.iter().enumerate() {
        let first = 10 * number as u32;
        play(async {
            let (watch, _) = stopwatch();
            let name = "client.invalid";
            let mut smtp = Smtp::connect(endpoint, Language::Smtp, name, None, watch).await?;
            assert_eq!(smtp.offered().starttls, number == 0);
            assert_eq!(smtp.offered().most_bytes, Some(100_000));
            for sequence in first..first + 3 {
                let to = ["u3@test.invalid", "u4@test.invalid"];
                smtp.send("u1@test.invalid", &to, &message(sequence, &to, PARTS))
                    .await?;
            }
            let to = ["u3@elsewhere.invalid", "u3@test.invalid"];
            let outcomes = smtp
                .send("u1@test.invalid", &to, &message(first + 3, &to, PARTS))
                .await?;
            assert!(matches!(&outcomes[0], Outcome::Refused(reply) if reply.code / 100 == 5));
            let large = message(99, &to, &[Part::text(100_000)]);
            let fault = smtp
                .send("u1@test.invalid", &to, &large)
                .await
                .expect_err("too large");
            assert!(fault.message.contains("at most 100000 bytes"), "{fault}");
            smtp.quit().await;
            Ok::<_, headcount_load::Fault>(())
        })
        .expect("a working server");
    }
    for (user, expected) in [
        ("u3", vec![0, 1, 2, 3, 10, 11, 12, 13]),
        ("u4", vec![0, 1, 2, 10, 11, 12]),
    ] {
        let inbox = dovecot.inbox(user, expected.len());
        let mut found: Vec<u32> = inbox
            .iter()
            .map(|bytes| sequence_of_intact(bytes))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

/// The same without root: the front relays mail to Dovecot.
fn relay_through_the_front(dovecot: &Dovecot) {
    let front = front::serve(front::Settings {
        listen: ([127, 0, 0, 1], 0).into(),
        lmtp: dovecot.lmtp_address().to_string(),
        routes: Vec::new(),
        reject: vec!["*@elsewhere.invalid".into()],
        delay: std::time::Duration::ZERO,
        password: None,
    })
    .expect("a front");
    play(async {
        let (watch, _) = stopwatch();
        let endpoint = endpoint(front.address());
        let mut smtp = Smtp::connect(&endpoint, Language::Smtp, "c.invalid", None, watch).await?;
        let to = ["u3@elsewhere.invalid", "u3@test.invalid"];
        let outcomes = smtp
            .send("u1@test.invalid", &to, &message(7, &to, PARTS))
            .await?;
        assert!(matches!(&outcomes[0], Outcome::Refused(reply) if reply.code / 100 == 5));
        smtp.quit().await;
        Ok::<_, headcount_load::Fault>(())
    })
    .expect("a working server");
    assert_eq!(sequence_of_intact(&dovecot.inbox("u3", 1)[0]), 7);
}

#[test]
fn the_front_relays_mail_unchanged() {
    relay_through_the_front(&Dovecot::of(9));
}
