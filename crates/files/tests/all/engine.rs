//! The load engine itself plays users on files: on two workers, without faults and with every
//! call counted.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::collections::BTreeMap;
use std::time::Duration;

use crate::common::{Disk, Person, WAYS, names, play};
use headcount_files::{Files, FilesOptions};
use headcount_load::clock::Origin;
use headcount_load::recorder::Recorder;
use headcount_load::{Plan, Protocol, Run};
use serde_json::{Value, json};

const USERS: u32 = 12;

fn steps() -> Vec<Value> {
    vec![
        json!({"name": "probe", "op": "probe", "path": {"file": "missing"}}),
        json!({"name": "create", "op": "open", "path": {"file": "new"}, "access": "all",
               "how": "replace-or-create"}),
        json!({"name": "write", "op": "write", "chunk_bytes": 8192}),
        json!({"name": "flush", "op": "flush"}),
        json!({"name": "read", "op": "read", "from": "start", "chunk_bytes": 4096}),
        json!({"name": "delete", "op": "delete"}),
        json!({"name": "close", "op": "close"}),
        json!({"name": "logoff", "op": "logoff"}),
        json!({"name": "logon", "op": "logon"}),
    ]
}

/// The system calls of all these steps, by hand: `docs/files.md` says which each step becomes.
fn expected() -> BTreeMap<&'static str, u64> {
    BTreeMap::from([
        ("openat2", 3), // a missing name; the file; its folder, to delete it there
        ("statx", 1),
        ("pwrite", 3), // 20,480 bytes by 8,192
        ("fsync", 1),
        ("pread", 5),
        ("unlinkat", 1),
        ("close", 2), // the folder and the file
    ])
}

fn run(options: FilesOptions, seconds: u64) -> Recorder {
    let plan = json!({
        "seed": 3, "workers": 2, "step_timeout_ms": 30_000, "report_every_ms": 100,
        "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": 0.01}},
        "scenarios": [{
            "name": "mixed", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0,
            "steps": steps(),
        }],
    });
    let files = Files::new(options).unwrap();
    let mut run = Run::start(Plan::from_json(&plan.to_string()).unwrap(), files).unwrap();
    run.set_users(USERS, Duration::from_millis(50));
    let origin = Origin::now();
    let (mut last, mut is_stopping) = (None, false);
    while !run.has_ended() {
        let elapsed_ms = origin.elapsed_ns() / 1_000_000;
        assert!(elapsed_ms < 90_000, "the run does not end");
        last = run.next(Duration::from_millis(100)).unwrap().or(last);
        // A busy machine may need longer for the few scenarios of the test, and for every user.
        let is_enough = last.as_ref().is_some_and(|snapshot| {
            let recorder = &snapshot.recorder;
            let completed: u64 = recorder.scenarios.iter().map(|tally| tally.completed).sum();
            completed > 20 && recorder.sessions_opened >= u64::from(USERS)
        });
        if !is_stopping && elapsed_ms > seconds * 1000 && is_enough {
            is_stopping = true;
            // A flush waits for others' writes to the disk, and must not be cut off: it is counted.
            run.stop(Duration::from_secs(30));
        }
    }
    last.unwrap().recorder
}

#[test]
fn every_user_of_a_run_is_served_and_every_call_counted() {
    for way in WAYS {
        let disk = Disk::new();
        for user in 0..USERS {
            disk.give_home(user);
        }
        let counted = run(disk.options_for(way), 1);
        assert!(counted.faults.is_empty(), "{way:?}: {:?}", counted.faults);
        let tally = &counted.scenarios[0];
        assert!(tally.completed > 10, "{way:?}: {}", tally.completed);
        assert_eq!(counted.sessions_opened, u64::from(USERS));
        assert_eq!(tally.read_bytes, tally.completed * 20_480);
        assert_eq!(tally.written_bytes, tally.read_bytes);
        let sent: BTreeMap<_, _> = Files::requests()
            .into_iter()
            .zip(counted.requests.iter().copied())
            .filter(|(_, count)| *count > 0)
            .collect();
        let each = expected().into_iter();
        assert_eq!(
            sent,
            each.map(|(name, count)| (name, count * tally.completed))
                .collect()
        );
        for user in 0..USERS {
            let left = names(&disk.own(&format!("user{user:05}")));
            assert_eq!(left, [""; 0], "{way:?}");
        }
    }
}

#[test]
fn many_users_of_one_worker_read_at_the_same_time() {
    for way in WAYS {
        let disk = Disk::new();
        disk.give_home(0);
        play(async {
            let files = Files::new(disk.options_for(way)).unwrap();
            let mut first = Person::of(&files, 0).await;
            let make = json!({"op": "open", "path": {"file": "new"}, "access": "all",
                              "how": "create"});
            first
                .play_all([make, json!({"op": "write"}), json!({"op": "close"})])
                .await;
            let local = tokio::task::LocalSet::new();
            let mut reading = Vec::new();
            for _ in 0..200 {
                // All draw the same file, because they share the random stream of one user and
                // scenario.
                let mut person = Person::of(&files, 0).await;
                reading.push(local.spawn_local(async move {
                    let open = json!({"op": "open", "path": {"file": "new"}});
                    let moved = person
                        .play_all([
                            open,
                            json!({"op": "read", "chunk_bytes": 4096}),
                            json!({"op": "close"}),
                        ])
                        .await;
                    assert_eq!(moved.read_bytes, 20_480);
                }));
            }
            local
                .run_until(async {
                    for task in reading {
                        task.await.unwrap();
                    }
                })
                .await;
        });
    }
}

#[test]
fn a_user_who_stops_waiting_leaves_nothing_behind() {
    for way in WAYS {
        let disk = Disk::new();
        disk.give_home(0);
        play(async {
            let files = Files::new(disk.options_for(way)).unwrap();
            let make = json!({"op": "open", "path": {"file": "new"}, "access": "all",
                              "how": "open-or-create"});
            for _ in 0..50 {
                let mut person = Person::of(&files, 0).await;
                person.play_all([make.clone()]).await;
                // Polled once and dropped, as the engine does when a step takes too long.
                let write = json!({"op": "write", "from": "start"});
                let one_poll = async {
                    tokio::select! {
                        biased;
                        moved = person.play(write) => drop(moved),
                        () = std::future::ready(()) => {}
                    }
                };
                one_poll.await;
                drop(person);
            }
            // Others of the same worker go on.
            let mut person = Person::of(&files, 0).await;
            let moved = person
                .play_all([
                    make,
                    json!({"op": "write"}),
                    json!({"op": "read", "from": "start"}),
                ])
                .await;
            assert_eq!(moved.read_bytes, 20_480);
        });
    }
}
