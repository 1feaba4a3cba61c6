//! Users who return to their files after a lost connection, with and without durable handles.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::common::relay::{Way, relay};
use crate::common::{PATIENCE, Person, Samba, play, smb};
use crate::steps::give_way;
use headcount_load::clock::Origin;
use headcount_load::{Fault, FaultKind, Moved, Plan, Protocol, Run};
use headcount_smb::wire::header::Command;
use headcount_smb::wire::negotiate::Dialect;
use headcount_smb::wire::status::Status;
use headcount_smb::{Smb, SmbOptions};
use serde_json::{Value, json};

/// The settings with which Samba grants durable handles (smb.conf(5)).
const GRANTING: [(&str, &str); 4] = [
    ("durable handles", "yes"),
    ("kernel oplocks", "no"),
    ("kernel share modes", "no"),
    ("posix locking", "no"),
];

/// What happens to the connection when its third WRITE is answered.
#[derive(Debug, Clone)]
enum Fate {
    /// It is cut, and the response is lost.
    Cut,
    /// Also, the client sends a wrong id to reclaim the handle.
    Forget,
    /// Also, the file is cut after its first block: the server has lost what it acknowledged.
    Lose(PathBuf),
    /// Also, this many later connections are cut at once.
    Refuse(u32),
}

/// A relay to the server, and the server's answers to requests to reclaim a handle.
fn cutting_relay(samba: &Samba, fate: Fate) -> (String, Receiver<Status>) {
    let (sender, answers): (Sender<Status>, _) = channel();
    let writes = AtomicU32::new(0);
    let (cut, refused) = (AtomicU32::new(0), AtomicU32::new(0));
    let is_claim = AtomicU32::new(0);
    let address = relay(&samba.options().address, move |way, number, message| {
        let command = u16::from_le_bytes([message[12], message[13]]);
        let is_create = command == Command::Create as u16;
        let name = |name: &[u8; 4]| message.windows(4).position(|part| part == name);
        match way {
            Way::ToServer if is_create => {
                let claim = name(b"DH2C").or_else(|| name(b"DHnC"));
                is_claim.store(claim.is_some().into(), Ordering::SeqCst);
                if let (Some(at), Fate::Forget) = (claim, &fate) {
                    message[at + 8..at + 24].fill(0x55);
                }
            }
            Way::ToClient if is_create && is_claim.load(Ordering::SeqCst) == 1 => {
                let status = message[8..12].try_into().unwrap();
                sender.send(Status(u32::from_le_bytes(status))).unwrap();
            }
            Way::ToClient if number == 0 && cut.load(Ordering::SeqCst) == 1 => {
                let most = if let Fate::Refuse(most) = fate {
                    most
                } else {
                    0
                };
                if refused.fetch_add(1, Ordering::SeqCst) < most {
                    message.clear();
                }
            }
            Way::ToClient
                if command == Command::Write as u16
                    && writes.fetch_add(1, Ordering::SeqCst) == 2 =>
            {
                if let Fate::Lose(path) = &fate {
                    let file = fs::File::options().write(true).open(path).unwrap();
                    file.set_len(4096).unwrap();
                }
                cut.store(1, Ordering::SeqCst);
                message.clear();
            }
            _ => {}
        }
    });
    (address, answers)
}

/// A user writes a file in four requests, of which the third loses its connection, and reads it.
async fn write_and_read(options: SmbOptions, oplock: &str) -> (Result<Moved, Fault>, Vec<u64>) {
    let mut person = Person::arrive(&smb(options), 0).await.unwrap();
    let open = json!({"op": "open", "path": {"file": "new"}, "access": "read-write",
                      "how": "replace-or-create", "oplock": oplock});
    person.play_all([open]).await;
    let written = person.play(json!({"op": "write", "bytes": 200_704})).await;
    if written.is_ok() {
        let read = person.play(json!({"op": "read", "from": "start"})).await;
        assert_eq!(read.unwrap().read_bytes, 200_704);
        person.play_all([json!({"op": "close"})]).await;
    }
    (written, person.user.requests().counts())
}

fn count(counts: &[u64], name: &str) -> u64 {
    let kind = Smb::requests().iter().position(|kind| *kind == name);
    counts[kind.unwrap()]
}

fn durable_options(samba: &Samba, address: String, dialect: Dialect) -> SmbOptions {
    SmbOptions {
        address,
        durable: true,
        dialects: vec![dialect],
        ..samba.options()
    }
}

#[test]
fn a_user_reclaims_a_durable_handle_and_goes_on_writing() {
    let samba = Samba::with(&GRANTING);
    samba.give_home("user00000");
    for dialect in Dialect::ALL {
        for oplock in ["none", "batch", "lease"] {
            let (address, answers) = cutting_relay(&samba, Fate::Cut);
            let options = durable_options(&samba, address, dialect);
            let (written, counts) = play(write_and_read(options, oplock));
            assert_eq!(
                written.unwrap().written_bytes,
                200_704,
                "{dialect:?} {oplock}"
            );
            let statuses: Vec<_> = answers.try_iter().collect();
            assert_eq!(statuses, [Status::SUCCESS], "{dialect:?} {oplock}");
            assert_eq!(count(&counts, "NEGOTIATE"), 2);
            assert_eq!(count(&counts, "CREATE (reclaim)"), 1);
            assert_eq!(count(&counts, "CREATE (reopen)"), 0);
        }
    }
}

#[test]
fn a_handle_that_cannot_be_reclaimed_is_reopened() {
    let samba = Samba::with(&GRANTING);
    samba.give_home("user00000");
    for dialect in [Dialect::Smb302, Dialect::Smb311] {
        let (address, answers) = cutting_relay(&samba, Fate::Forget);
        let options = durable_options(&samba, address, dialect);
        let (written, counts) = play(write_and_read(options, "none"));
        assert_eq!(written.unwrap().written_bytes, 200_704);
        let statuses: Vec<_> = answers.try_iter().collect();
        assert!(
            matches!(statuses[..], [status] if status.is_error()),
            "{statuses:?}"
        );
        assert_eq!(count(&counts, "CREATE (reclaim)"), 1);
        assert_eq!(count(&counts, "CREATE (reopen)"), 1);
    }
}

#[test]
fn a_lock_that_the_server_does_not_give_back_ends_the_session_at_once() {
    let samba = Samba::with(&GRANTING);
    samba.give_home("user00000");
    let (address, answers) = cutting_relay(&samba, Fate::Forget);
    let options = durable_options(&samba, address, Dialect::Smb311);
    let (fault, counts) = play(async {
        let mut person = Person::arrive(&smb(options), 0).await.unwrap();
        let open = json!({"op": "open", "path": {"file": "new"}, "access": "read-write",
                          "how": "replace-or-create"});
        person
            .play_all([open, json!({"op": "lock", "bytes": 10})])
            .await;
        let written = person.play(json!({"op": "write", "bytes": 200_704})).await;
        (written.unwrap_err(), person.user.requests().counts())
    });
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Disconnected, true)
    );
    let lost = "the server did not give the handle back";
    assert!(fault.message.contains(lost), "{fault}");
    assert_eq!(answers.try_iter().count(), 1);
    assert_eq!(count(&counts, "NEGOTIATE"), 2);
    assert_eq!(count(&counts, "CREATE (reopen)"), 0);
}

#[test]
fn handles_that_are_not_durable_are_never_reclaimed() {
    let samba = Samba::with(&[("durable handles", "no")]);
    samba.give_home("user00000");
    for dialect in Dialect::ALL {
        let (address, answers) = cutting_relay(&samba, Fate::Cut);
        let options = durable_options(&samba, address, dialect);
        let (written, counts) = play(write_and_read(options, "none"));
        assert_eq!(written.unwrap().written_bytes, 200_704);
        assert!(answers.try_iter().next().is_none());
        assert_eq!(count(&counts, "CREATE (reclaim)"), 0);
        assert_eq!(count(&counts, "CREATE (reopen)"), 1);
    }
}

#[test]
fn acknowledged_bytes_that_are_gone_are_wrong_data() {
    let samba = Samba::with(&[("durable handles", "no")]);
    samba.give_home("user00000");
    let file = samba.behind(r"user00000\n0000.doc");
    let (address, _answers) = cutting_relay(&samba, Fate::Lose(file));
    let mut options = durable_options(&samba, address, Dialect::Smb311);
    options.data_set.new_files = 1;
    let (written, _) = play(write_and_read(options, "none"));
    let fault = written.unwrap_err();
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::WrongData, true)
    );
    // What is read depends on what the server still had to write when the file was cut: fewer
    // bytes, or only zeros.
    let file = r#"wrong data in "user00000\n0000.doc" at offset "#;
    assert!(fault.message.contains(file), "{fault}");
}

#[test]
fn users_without_durable_handles_lose_their_session() {
    let samba = Samba::with(&GRANTING);
    samba.give_home("user00000");
    let (address, answers) = cutting_relay(&samba, Fate::Cut);
    let options = SmbOptions {
        durable: false,
        ..durable_options(&samba, address, Dialect::Smb311)
    };
    let (written, counts) = play(write_and_read(options, "batch"));
    let fault = written.unwrap_err();
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Disconnected, true)
    );
    assert!(answers.try_iter().next().is_none());
    assert_eq!(count(&counts, "NEGOTIATE"), 1);
}

#[test]
fn an_oplock_of_a_durable_handle_is_given_up_for_another_user() {
    let samba = Samba::with(&GRANTING);
    fs::create_dir(samba.behind("shared")).unwrap();
    for dialect in Dialect::ALL {
        let mut options = durable_options(&samba, samba.options().address, dialect);
        options.data_set.shared_files = 1;
        play(give_way(options, "none"));
    }
}

#[test]
fn logon_logoff_and_tree_connect_are_repeated() {
    let samba = Samba::with(&GRANTING);
    samba.give_home("user00000");
    for (step, lost) in [
        (json!({"op": "logon"}), Command::Logoff),
        (json!({"op": "logoff"}), Command::TreeDisconnect),
        (json!({"op": "tree-connect"}), Command::TreeConnect),
    ] {
        let seen = AtomicU32::new(0);
        // The first TREE_CONNECT belongs to the user's first logon.
        let which = u32::from(lost == Command::TreeConnect);
        let address = relay(&samba.options().address, move |way, _, message| {
            let is_lost = way == Way::ToClient && message[12] == lost as u8;
            if is_lost && seen.fetch_add(1, Ordering::SeqCst) == which {
                message.clear();
            }
        });
        play(async {
            let options = durable_options(&samba, address, Dialect::Smb311);
            let mut person = Person::arrive(&smb(options), 0).await.unwrap();
            person
                .play_all([
                    step,
                    json!({"op": "open", "path": {"file": "home"}}),
                    json!({"op": "list"}),
                ])
                .await;
            let counts = person.user.requests().counts();
            assert_eq!(count(&counts, "NEGOTIATE"), 2);
        });
    }
}

#[test]
fn a_user_retries_until_the_server_is_back_and_no_scenario_fails() {
    let samba = Samba::with(&GRANTING);
    samba.give_home("user00000");
    let (address, answers) = cutting_relay(&samba, Fate::Refuse(3));
    let steps = [
        json!({"name": "open", "op": "open", "path": {"file": "new"}, "access": "read-write",
               "how": "replace-or-create"}),
        json!({"name": "write", "op": "write", "bytes": 200_704}),
        json!({"name": "read", "op": "read", "from": "start"}),
        json!({"name": "close", "op": "close"}),
    ];
    let counted = run_once(&durable_options(&samba, address, Dialect::Smb311), &steps);
    assert_eq!(answers.try_iter().next(), Some(Status::SUCCESS));
    assert!(counted.faults.is_empty(), "{:?}", counted.faults);
    assert_eq!(counted.sessions_opened, 1);
    assert_eq!(count(&counted.requests, "NEGOTIATE"), 5); // the first, three refused, the last
    assert_eq!(count(&counted.requests, "CREATE (reclaim)"), 1);
    assert_eq!(count(&counted.requests, "CREATE (reopen)"), 0);
}

/// Plays the steps in an engine with one user, until a scenario has been played.
fn run_once(options: &SmbOptions, steps: &[Value]) -> headcount_load::recorder::Recorder {
    let plan = json!({
        "seed": 3, "workers": 1, "step_timeout_ms": 20_000, "report_every_ms": 100,
        "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": 0.1}},
        "scenarios": [{
            "name": "saves", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0,
            "steps": steps,
        }],
    });
    let plan = Plan::from_json(&plan.to_string()).unwrap();
    let mut run = Run::start(plan, smb(options.clone())).unwrap();
    run.set_users(1, Duration::ZERO);
    let origin = Origin::now();
    let (mut last, mut is_stopping) = (None, false);
    while !run.has_ended() {
        assert!(
            origin.elapsed_ns() < PATIENCE.as_nanos() as u64,
            "the run does not end"
        );
        let Some(snapshot) = run.next(Duration::from_millis(100)).unwrap() else {
            continue;
        };
        if snapshot.recorder.scenarios[0].completed > 0 && !is_stopping {
            is_stopping = true;
            run.stop(Duration::from_secs(5));
        }
        last = Some(snapshot.recorder);
    }
    last.unwrap()
}
