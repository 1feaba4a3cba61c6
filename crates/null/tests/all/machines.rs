//! A run that several machines play together: every user does the same wherever it is played.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::common::{SECOND, nothing, plan, scenario, steady, step};
use headcount_load::pace::{Draw, Pace};
use headcount_load::plan::{Part, Plan};
use headcount_load::rehearsal::rehearse;
use headcount_load::worker::{Command, Order};
use headcount_load::times::Times;
use headcount_load::{Fault, Moved, Protocol, Session, Snapshot, User};
use headcount_null::{Null, NullSession, NullStep};
use proptest::prelude::*;
use serde_json::json;

const THINK: Pace = Pace::Closed {
    think: Draw::Exponential { mean_s: 4.0 },
};

/// What each user did: a hash of its steps, their moments and what was drawn for them.
type Done = BTreeMap<u32, u64>;

/// The null protocol, which notes what users do.
#[derive(Debug, Default, Clone)]
struct Noting(Arc<Mutex<Done>>);

struct NotingSession(NullSession, Arc<Mutex<Done>>);

impl Protocol for Noting {
    type Step = NullStep;
    type Session = NotingSession;

    async fn open(&self, user: &mut User) -> Result<NotingSession, Fault> {
        let session = Null::default().open(user).await?;
        Ok(NotingSession(session, Arc::clone(&self.0)))
    }
}

impl Session for NotingSession {
    type Step = NullStep;

    async fn play(&mut self, step: &NullStep, user: &mut User) -> Result<Moved, Fault> {
        let drawn = user.stream().bits();
        let moved = self.0.play(step, user).await?;
        let mut done = self.1.lock().unwrap();
        let hash = done.entry(user.id()).or_default();
        for part in [user.ordinal(), user.now_ns(), drawn] {
            *hash = (*hash ^ part).wrapping_mul(0x0000_0100_0000_01b3); // FNV-1a
        }
        Ok(moved)
    }
}

fn mixed() -> Plan {
    let service =
        |mean_s: f64| json!({"op": "serve", "service": {"draw": "exponential", "mean_s": mean_s}});
    let steps = vec![step("b1", service(0.2)), step("b2", service(0.3))];
    let scenarios = vec![
        scenario("a", 3.0, vec![step("a", service(0.1))]),
        scenario("b", 1.0, steps),
    ];
    plan(THINK, scenarios)
}

/// The last snapshot of each machine, whose workers are as many as `machines` says.
fn played(machines: &[u16], orders: &[Order], protocol: &Noting) -> Vec<Snapshot> {
    let of: u32 = machines.iter().copied().map(u32::from).sum();
    let mut first = 0;
    let mut last = Vec::new();
    for workers in machines {
        let own = Plan {
            workers: *workers,
            part: Some(Part { first, of }),
            ..mixed()
        };
        first += u32::from(*workers);
        last.extend(rehearse(own, protocol.clone(), orders).unwrap().pop());
    }
    last
}

#[test]
fn the_same_users_do_the_same_things_on_1_3_and_24_machines() {
    let run = |machines: &[u16]| {
        let protocol = Noting::default();
        let last = played(machines, &steady(97, 300), &protocol);
        let done = protocol.0.lock().unwrap().clone();
        (done, last)
    };
    let (alone, last) = run(&[1]);
    assert_eq!(alone.len(), 97);
    for machines in [vec![1; 3], vec![2, 1, 4], vec![1; 24]] {
        let (done, parts) = run(&machines);
        assert_eq!(done, alone, "{machines:?}");
        // What the machines counted adds up to what one counts, bucket by bucket.
        for (at, whole) in last[0].recorder.scenarios.iter().enumerate() {
            let mut merged = Times::new();
            for part in &parts {
                merged.add(&part.recorder.scenarios[at].response);
            }
            assert_eq!(merged.buckets(), whole.response.buckets());
            let sum = |count: fn(&Snapshot, usize) -> u64| {
                parts.iter().map(|part| count(part, at)).sum::<u64>()
            };
            assert_eq!(
                sum(|part, at| part.recorder.scenarios[at].completed),
                whole.completed
            );
            assert_eq!(
                sum(|part, at| part.recorder.scenarios[at].response_ns),
                whole.response_ns
            );
        }
    }
}

proptest! {
    #[test]
    fn the_machines_play_all_users_and_nobody_twice(
        machines in prop::collection::vec(1u16..5, 1..9),
        targets in prop::collection::vec(0u32..60, 1..4),
    ) {
        let mut orders: Vec<Order> = (0..).zip(&targets).map(|(at, &target)| {
            (20 * at * SECOND, Command::Users { target, over_ns: 5 * SECOND })
        }).collect();
        let end = 20 * targets.len() as u64 * SECOND;
        orders.push((end, Command::Stop { drain_ns: 10 * SECOND }));
        let protocol = Noting::default();
        let of: u32 = machines.iter().copied().map(u32::from).sum();
        let mut first = 0;
        let mut present = 0;
        for workers in &machines {
            let own = Plan {
                workers: *workers,
                part: Some(Part { first, of }),
                report_every_ms: 1000,
                ..plan(Pace::Closed { think: Draw::Fixed { s: 1.0 } }, nothing())
            };
            first += u32::from(*workers);
            let snapshots = rehearse(own, protocol.clone(), &orders).unwrap();
            let before_the_end = snapshots.iter().rfind(|one| one.at_ns < end).unwrap();
            present += before_the_end.users;
        }
        prop_assert_eq!(present, *targets.last().unwrap());
        let most = targets.iter().copied().max().unwrap();
        let users: Vec<u32> = protocol.0.lock().unwrap().keys().copied().collect();
        prop_assert_eq!(users, (0..most).collect::<Vec<_>>());
    }
}

#[test]
fn a_part_that_cannot_be_is_refused() {
    let refused = |workers, first, of| {
        let part = Some(Part { first, of });
        let own = Plan {
            workers,
            part,
            ..mixed()
        };
        own.compile::<NullStep>().unwrap_err().to_string()
    };
    assert_eq!(
        refused(3, 0, 2),
        "the workers of all machines is 2; it must be from 3 to 1048576"
    );
    assert_eq!(
        refused(2, 3, 4),
        "the number of the first worker is 3; it must be from 0 to 2"
    );
    let text = json!({"first": 0, "of": 2, "extra": 1}).to_string();
    assert!(serde_json::from_str::<Part>(&text).is_err());
}
