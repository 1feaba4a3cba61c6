//! Mailboxes made, restored and emptied on a real Dovecot.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::common;
use crate::common::dovecot::{Dovecot, Way};
use crate::common::house::{count, options, order, play_run, prepared, scenarios};
use crate::common::person::{arrive, user};
use crate::common::play;
use headcount_load::FaultKind;
use headcount_mail::client::provision::{Order, ProvisionError, cleanup, hello, prepare};
use headcount_mail::imap::Imap;
use headcount_mail::message::{Checker, Section, Verdict};
use headcount_mail::task::Task;
use headcount_mail::{MailOptions, Password};
use serde_json::{Value, json};

fn profile() -> Value {
    json!({
        "recipients": {"mean": 2}, "mix": [
            {"weight": 3, "text_bytes": 1024},
            {"weight": 1, "text_bytes": 1024, "attached_bytes": 10240, "attached": "excel"},
        ],
        "replied": 0.1, "replied_to_all": 0.05, "forwarded": 0.05, "moved": 0.2, "copied": 0.1, "deleted": 0.4,
        "attachments_loaded": 0.25, "inbox_cap": 6,
        "start": {"folders": 3, "messages": 4, "inbox": 2, "deleted": 1, "calendar": 2},
    })
}

/// The messages on disk in each folder of a user, in order of arrival.
fn on_disk(dovecot: &Dovecot, user: &str) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let folders = ["", "Trash", "Sent", "Calendar", "f00", "f01", "f02"];
    let read = |folder| {
        let messages = dovecot.messages(user, folder);
        messages.into_iter().map(|(contents, _)| contents).collect()
    };
    folders
        .into_iter()
        .map(|folder| (folder, read(folder)))
        .collect()
}

fn counts(dovecot: &Dovecot, user: &str) -> Vec<usize> {
    on_disk(dovecot, user)
        .iter()
        .map(|(_, messages)| messages.len())
        .collect()
}

/// Whether a message on disk is as it was made for the data set.
fn is_intact(options: &MailOptions, contents: &[u8]) -> bool {
    let mut checker = Checker::new(options.prepared_run(), Section::Text);
    checker.whole(contents);
    checker.finish().verdict == Verdict::Intact
}

#[test]
fn mailboxes_are_made_kept_restored_and_emptied() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 1, &profile());
    let made = prepared(&options, &order(9)).unwrap();
    assert_eq!((made.created, made.kept, made.messages), (10, 0, 10 * 17));
    let first: Vec<_> = (0..10)
        .map(|id| on_disk(&dovecot, &format!("u{id:05}")))
        .collect();
    for mailbox in &first {
        let lengths: Vec<usize> = mailbox.iter().map(|(_, messages)| messages.len()).collect();
        assert_eq!(lengths, [2, 1, 0, 2, 4, 4, 4]);
        let all = mailbox.iter().flat_map(|(_, messages)| messages);
        assert!(all.clone().all(|contents| is_intact(&options, contents)));
    }
    let bytes: usize = first
        .iter()
        .flatten()
        .flat_map(|(_, all)| all)
        .map(Vec::len)
        .sum();
    assert_eq!(made.written_bytes, bytes as u64);

    // Again: nothing is written.
    let again = prepared(&options, &order(9)).unwrap();
    assert_eq!((again.created, again.kept, again.messages), (0, 10, 0));

    // A run changes the mailboxes; its changes are undone before the next.
    let steps = scenarios(&[
        (3.0, json!({"op": "send"})),
        (3.0, json!({"op": "process-inbox"})),
        (1.0, json!({"op": "schedule-change"})),
        (1.0, json!({"op": "empty-deleted"})),
    ]);
    let counted = play_run(&options, &steps, (10, 3), || {});
    assert!(counted.faults.is_empty(), "{:?}", counted.faults);
    assert!(count(&counted, Task::Move).0 > 0 && count(&counted, Task::Delete).0 > 0);
    let changed =
        (0..10).filter(|id| counts(&dovecot, &format!("u{id:05}")) != [2, 1, 0, 2, 4, 4, 4]);
    assert!(changed.count() > 5);
    let restored = prepared(&options, &order(9)).unwrap();
    assert_eq!((restored.created, restored.kept), (0, 10));
    for (id, before) in first.iter().enumerate() {
        let after = on_disk(&dovecot, &format!("u{id:05}"));
        for ((folder, after), (_, before)) in after.iter().zip(before) {
            let sorted = |messages: &[Vec<u8>]| {
                let mut messages = messages.to_vec();
                messages.sort();
                messages
            };
            assert!(sorted(after) == sorted(before), "{folder} of u{id:05}");
        }
    }

    let swept = cleanup(options.clone(), &order(9), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!((swept.users, swept.messages, swept.left), (10, 170, 0));
    for id in 0..10 {
        let user = format!("u{id:05}");
        assert!(dovecot.messages(&user, "").is_empty());
        for folder in ["f00", "Calendar", "Headcount"] {
            assert!(
                !dovecot.maildir(&user, folder).exists(),
                "{folder} of {user}"
            );
        }
    }
    let swept = cleanup(options, &order(9), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((swept.users, swept.left), (0, 10));
}

#[test]
fn other_data_sets_and_damaged_messages_are_replaced() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 1, &profile());
    prepared(&options, &order(1)).unwrap();
    // A message of the first user is cut short.
    let folder = dovecot.maildir("u00000", "f01").join("cur");
    let victim = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let contents = fs::read(&victim).unwrap();
    let mut damaged = contents.clone();
    let middle = contents.len() - 200;
    damaged[middle] ^= 1;
    fs::write(&victim, &damaged).unwrap();
    let kept = prepared(&options, &order(1)).unwrap();
    assert_eq!((kept.created, kept.kept), (0, 2), "nobody has read it");
    let read_through = Order {
        read_through: true,
        ..order(1)
    };
    let fixed = prepared(&options, &read_through).unwrap();
    assert_eq!((fixed.created, fixed.kept, fixed.messages), (1, 1, 4));
    let all = on_disk(&dovecot, "u00000");
    let mut messages = all.iter().flat_map(|(_, messages)| messages);
    assert!(messages.all(|contents| is_intact(&options, contents)));

    let mut other = options;
    other.seed = 8;
    let made = prepared(&other, &order(1)).unwrap();
    assert_eq!((made.created, made.messages), (2, 34));
    let all = on_disk(&dovecot, "u00001");
    let mut messages = all.iter().flat_map(|(_, messages)| messages);
    assert!(messages.all(|contents| is_intact(&other, contents)));
    assert_eq!(counts(&dovecot, "u00001"), [2, 1, 0, 2, 4, 4, 4]);
}

fn append_private_mail(dovecot: &Dovecot, id: u32) {
    play(async {
        let user = user(id);
        let mut imap: Imap = arrive(&dovecot.imap(Way::Plain), &user).await;
        let mail: &[u8] = b"From: a@b.invalid\r\nSubject: private\r\n\r\nSee you.\r\n";
        imap.append("INBOX", "", &mut std::iter::once(mail))
            .await
            .unwrap();
        imap.logout().await.unwrap();
    });
}

#[test]
fn other_peoples_mail_is_never_touched() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 1, &profile());
    append_private_mail(&dovecot, 2);
    let error = prepared(&options, &order(4)).unwrap_err();
    let ProvisionError::NotOurs { user, messages, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((&**user, *messages), ("u00002", 1));
    assert!(
        error
            .to_string()
            .contains("the mailbox of u00002 holds mail that is not Headcount's")
    );
    let swept = cleanup(options.clone(), &order(4), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(swept.left >= 1);
    assert_eq!(dovecot.messages("u00002", "").len(), 1);
    assert!(!dovecot.maildir("u00002", "Headcount").exists());

    // A run does not delete it either: the mailbox has no marker.
    append_private_mail(&dovecot, 0);
    let steps = scenarios(&[
        (1.0, json!({"op": "delete-one"})),
        (1.0, json!({"op": "delete"})),
        (1.0, json!({"op": "expunge"})),
        (1.0, json!({"op": "empty-deleted"})),
        (1.0, json!({"op": "move"})),
    ]);
    let counted = play_run(&options, &steps, (1, 2), || {});
    assert!(counted.scenarios.iter().all(|tally| tally.completed == 0));
    let examples: Vec<_> = counted
        .faults
        .values()
        .flat_map(|fault| &fault.examples)
        .collect();
    assert!(
        examples
            .iter()
            .any(|text| text.contains("lacks Headcount's marker")),
        "{examples:?}"
    );
    assert_eq!(dovecot.messages("u00000", "").len(), 1);
}

#[test]
fn a_cancelled_preparation_is_finished_by_the_next() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 1, &profile());
    let mut users_done = 0;
    let cancelled = prepare(options.clone(), &order(60), &mut |progress| {
        users_done = progress.users_done;
        if progress.users_done < 5 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert!(matches!(cancelled, Err(ProvisionError::Cancelled)) && users_done < 61);
    let made = prepared(&options, &order(60)).unwrap();
    assert_eq!(made.created + made.kept, 61);
    // Up to 16 more may have been in progress and then completed.
    assert!(
        made.created >= 61 - users_done - 16,
        "{made:?}, {users_done} before"
    );
    for id in 0..61 {
        assert_eq!(
            counts(&dovecot, &format!("u{id:05}")),
            [2, 1, 0, 2, 4, 4, 4]
        );
    }
}

#[test]
fn hello_describes_the_servers_or_says_why_it_failed() {
    let mut dovecot = Dovecot::start();
    let target = options(&dovecot, 1, &profile());
    let found = hello(target.clone()).unwrap();
    assert!(found.imap_greeting.contains("Dovecot"), "{found:?}");
    assert!(found.imap_offers.contains(&"MOVE") && found.imap_offers.contains(&"MULTIAPPEND"));
    assert!(found.send_greeting.unwrap().starts_with("220 "));
    let mut wrong = target.clone();
    wrong.password = Password::new("guess");
    let error = hello(wrong).unwrap_err();
    let ProvisionError::Fault(fault) = &error else {
        panic!("{error}");
    };
    assert_eq!(fault.kind, FaultKind::Login);
    assert!(fault.message.starts_with("user u00000: "), "{fault}");
    assert!(!fault.message.contains("guess"));
    dovecot.stop();
    common::pause(Duration::from_millis(50));
    let error = hello(target).unwrap_err().to_string();
    assert!(
        error.contains(&format!("127.0.0.1:{}", dovecot.port())),
        "{error}"
    );
}
