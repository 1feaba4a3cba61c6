//! Users of an engine on a real Dovecot: every step is played, and mail that the server loses or
//! damages is noticed.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use crate::common;
use crate::common::dovecot::{Dovecot, Way};
use crate::common::house::{count, options, order, play_run, prepared, read, scenarios};
use crate::common::person::{arrive, user};
use crate::common::{pause, play};
use headcount_load::recorder::Recorder;
use headcount_load::{Compile, FaultKind};
use headcount_mail::imap::{Change, Uids};
use headcount_mail::task::Task;
use headcount_mail::{Mail, Step};
use serde_json::{Value, json};

fn profile() -> Value {
    json!({
        "recipients": {"mean": 3}, "handled": 0.5, "replied": 0.2, "replied_to_all": 0.1, "forwarded": 0.1,
        "moved": 0.2, "copied": 0.1, "deleted": 0.3, "attachments_loaded": 0.5, "inbox_cap": 30,
        "mix": [
            {"weight": 1, "text_bytes": 1024},
            {"weight": 1, "text_bytes": 500, "attached_bytes": 5000, "attached": "word"},
        ],
        "start": {"folders": 2, "messages": 6, "inbox": 25, "deleted": 1, "calendar": 1},
    })
}

fn faults(counted: &Recorder) -> Vec<&str> {
    let all = counted.faults.values().flat_map(|fault| &fault.examples);
    all.map(|example| &**example).collect()
}

#[test]
fn every_step_is_played() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 1, &profile());
    prepared(&options, &order(3)).unwrap();
    let idle = json!({"op": "idle", "lasting": {"draw": "fixed", "s": 0.2}, "until_mail": true});
    let steps = [
        json!({"op": "login-sequence"}),
        json!({"op": "select", "folder": "f00"}),
        json!({"op": "list"}),
        json!({"op": "fetch", "what": "headers", "messages": 9}),
        json!({"op": "fetch", "what": "whole", "which": "random"}),
        json!({"op": "fetch", "what": "flags"}),
        json!({"op": "fetch", "what": "envelope"}),
        json!({"op": "fetch", "what": "body", "messages": 3}),
        json!({"op": "search", "key": "UNSEEN"}),
        json!({"op": "append", "bytes": 22_528}),
        json!({"op": "move"}),
        json!({"op": "copy"}),
        json!({"op": "flag", "flag": "\\Flagged"}),
        json!({"op": "delete"}),
        json!({"op": "expunge"}),
        idle,
        json!({"op": "noop"}),
        json!({"op": "status"}),
        json!({"op": "check"}),
        json!({"op": "unselect"}),
        json!({"op": "logout"}),
        json!({"op": "send"}),
        json!({"op": "send", "recipients": 2, "bytes": 900, "attached_bytes": 70_000}),
        json!({"op": "send", "invitation": true}),
        json!({"op": "process-inbox"}),
        json!({"op": "process-inbox"}),
        json!({"op": "read-old"}),
        json!({"op": "empty-deleted"}),
        json!({"op": "schedule-change"}),
        json!({"op": "delivery"}),
        json!({"op": "delivery", "poll_s": 0.05}),
        json!({"op": "open-inbox"}),
        json!({"op": "page"}),
        json!({"op": "read-next"}),
        json!({"op": "categorise"}),
        json!({"op": "delete-one"}),
        json!({"op": "add-message", "bytes": 2000}),
        json!({"op": "close-inbox"}),
    ];
    for step in &steps {
        Step::compile(step).unwrap();
    }
    let weighted: Vec<(f64, Value)> = steps.iter().map(|step| (1.0, step.clone())).collect();
    let counted = play_run(&options, &scenarios(&weighted), (4, 14), || {});
    // A message drawn for flagging may have been moved away by other steps of the user; nothing
    // else may fail.
    assert_eq!(faults(&counted), Vec::<&str>::new());
    for (tally, step) in counted.scenarios.iter().zip(&steps) {
        assert!(tally.completed > 0, "{step}");
    }
    for task in [
        Task::Read,
        Task::Delete,
        Task::Send,
        Task::Move,
        Task::Copy,
        Task::ScheduleChange,
        Task::EmptyDeleted,
        Task::Delivery,
        Task::Idle,
        Task::SmtpMessage,
        Task::Append,
    ] {
        let (completed, failed) = count(&counted, task);
        assert!(
            completed > 0 && failed == 0,
            "{}: {completed}, {failed}",
            task.name()
        );
    }
    // The wait in IDLE counts towards no response time.
    let idled = &counted.scenarios[15];
    assert!(
        idled.response_ns / idled.completed < 150_000_000,
        "{idled:?}"
    );
    // The probes are gone, and every inbox has at most its cap and what arrived since.
    let probes = dovecot.messages("u00001", "").len();
    assert!(probes < 200, "{probes}");
}

#[test]
fn no_mail_is_missed_if_none_is_lost() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 2, &profile());
    prepared(&options, &order(7)).unwrap();
    let steps = scenarios(&[
        (1.0, json!({"op": "send"})),
        (2.0, json!({"op": "process-inbox"})),
    ]);
    let counted = play_run(&options, &steps, (8, 6), || {});
    assert_eq!(faults(&counted), Vec::<&str>::new());
    for task in [
        Task::Read,
        Task::Reply,
        Task::ReplyAll,
        Task::Forward,
        Task::LoadAttachment,
    ] {
        let (completed, failed) = count(&counted, task);
        assert!(
            completed > 0 && failed == 0,
            "{}: {completed}, {failed}",
            task.name()
        );
    }
    // Senders keep a copy of each message as it was sent.
    let sent: usize = (0..8)
        .map(|id| dovecot.messages(&format!("u{id:05}"), "Sent").len())
        .sum();
    let tasks = [Task::Send, Task::Reply, Task::ReplyAll, Task::Forward];
    let all: u64 = tasks.iter().map(|task| count(&counted, *task).0).sum();
    assert_eq!(sent as u64, all);
    assert_eq!(count(&counted, Task::SmtpMessage).0, all);
}

/// Alters the body of a message.
fn damage(file: &fs::File) {
    let mut text = Vec::new();
    let mut reading = file;
    reading.read_to_end(&mut text).unwrap();
    let below = text.windows(4).position(|four| four == b"\r\n\r\n");
    let below = below
        .or_else(|| text.windows(2).position(|two| two == b"\n\n"))
        .unwrap();
    let end = text.len().min(below + 60);
    for byte in &mut text[below + 8..end] {
        if byte.is_ascii_lowercase() {
            *byte = b'z';
        }
    }
    file.write_all_at(&text, 0).unwrap();
}

#[test]
fn mail_that_is_lost_or_damaged_is_noticed() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 3, &profile());
    prepared(&options, &order(5)).unwrap();
    let look = json!([{"name": "send and look", "weight": 1.0, "limit_ms": 30_000.0,
    "late_ms": 30_000.0, "steps": [
        {"name": "send", "op": "send"},
        {"name": "wait", "op": "idle", "lasting": {"draw": "fixed", "s": 2.0}},
        {"name": "look", "op": "process-inbox"},
    ]}]);
    let counted = play_run(&options, &look, (6, 4), || {
        // Another client removes new mail of the first users before they look at it. Several users,
        // as on a busy machine one may look just before.
        for id in 0..3 {
            play(async {
                let user = user(id);
                let mut imap = arrive(&dovecot.imap(Way::Plain), &user).await;
                imap.select("INBOX").await.unwrap();
                let mut new = Uids::default();
                for _ in 0..20 {
                    new = imap.search("UNSEEN").await.unwrap().into_iter().collect();
                    if !new.is_empty() || id > 0 {
                        break;
                    }
                    pause(Duration::from_millis(100)); // it is in transit
                }
                assert!(!new.is_empty() || id > 0, "nothing came");
                if !new.is_empty() {
                    imap.store(&new, Change::Add, "\\Deleted", true)
                        .await
                        .unwrap();
                    imap.expunge(None).await.unwrap();
                }
                imap.logout().await.unwrap();
            });
        }
        // Messages of several other users are damaged, so that one of them is read before the end.
        let mut plain = Vec::new();
        for id in 1..6 {
            for folder in ["new", "cur"] {
                let folder = dovecot.maildir(&format!("u{id:05}"), "").join(folder);
                let paths = fs::read_dir(folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().path());
                plain.extend(paths.filter(|path| {
                    let text = fs::read_to_string(path).unwrap_or_default();
                    text.contains("<0000000000000003.") && !text.contains("multipart/")
                }));
            }
        }
        // Reading renames the file, so it is altered through a handle. Messages already seen (S)
        // are not read again.
        plain.retain(|path| !path.to_string_lossy().ends_with('S'));
        let files: Vec<_> = plain
            .iter()
            .filter_map(|path| fs::File::options().read(true).write(true).open(path).ok())
            .collect();
        assert!(!files.is_empty(), "no mail that nobody has read");
        files.iter().for_each(damage);
    });
    let examples = faults(&counted);
    assert!(
        counted
            .faults
            .keys()
            .all(|(_, kind, _)| *kind == FaultKind::WrongData),
        "{examples:?}"
    );
    let has_example = |part: &str| examples.iter().any(|example| example.contains(part));
    assert!(
        has_example("was accepted but is not in the inbox"),
        "{examples:?}"
    );
    assert!(has_example("was altered at byte"), "{examples:?}");
}

#[test]
fn readers_keep_their_sessions_if_the_server_takes_no_mail() {
    let dovecot = Dovecot::start();
    let mut target = options(&dovecot, 4, &profile());
    prepared(&target, &order(1)).unwrap();
    let nobody = common::free_port();
    let sending = target.send.as_mut().unwrap();
    sending.server.address = format!("127.0.0.1:{nobody}");
    let steps = scenarios(&[(1.0, json!({"op": "send"})), (1.0, json!({"op": "noop"}))]);
    let counted = play_run(&target, &steps, (2, 2), || {});
    assert!(
        counted
            .faults
            .keys()
            .all(|(_, kind, _)| *kind == FaultKind::Connect)
    );
    assert!(
        faults(&counted)[0].starts_with("sending: "),
        "{:?}",
        faults(&counted)
    );
    assert_eq!(counted.sessions_opened, 2);
    assert!(counted.scenarios[1].completed > 0 && counted.scenarios[0].completed == 0);
}

#[test]
fn invalid_options_are_reported() {
    let good = json!({"imap": {"address": "127.0.0.1:143"}, "user": "u{n:05}", "run": 1,
        "address": "u{n:05}@test.invalid", "password": "x"});
    Mail::new(read(&good)).unwrap();
    for (key, value, part) in [
        ("user", json!("u{x}"), "user: "),
        ("address", json!("u{n:05}"), "address must be an address"),
        ("verify", json!(2.0), "verify must be"),
        ("lost_after_s", json!(0.0), "lost_after_s must be"),
        (
            "imap",
            json!({"address": "no such host:143"}),
            "cannot be resolved",
        ),
        ("profile", json!({"replied": 1.0}), "makes 1.00 others"),
    ] {
        let mut options = good.clone();
        options[key] = value;
        let error = Mail::new(read(&options)).unwrap_err().to_string();
        assert!(error.contains(part), "{key}: {error}");
    }
}
