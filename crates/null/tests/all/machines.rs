//! A run that several machines play together: every user does the same wherever it is played.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::common::{SECOND, nothing, plan, scenario, steady, step};
use headcount_load::pace::{Draw, Pace};
use headcount_load::plan::Plan;
use headcount_load::rehearsal::rehearse;
use headcount_load::share::Part;
use headcount_load::worker::{Command, Order};
use headcount_load::{Fault, Gathering, Interval, Moved, Protocol, Session, Snapshot, User};
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
    Plan {
        slot_ms: Some(10),
        ..plan(THINK, scenarios)
    }
}

/// The part of each machine, whose numbers of workers these are: in turn, as long as they have any.
fn parts(machines: &[u16]) -> Vec<Part> {
    let of: u32 = machines.iter().copied().map(u32::from).sum();
    let mut lanes = vec![Vec::new(); machines.len()];
    let turns = (0..*machines.iter().max().unwrap())
        .flat_map(|turn| (0..machines.len()).filter(move |at| turn < machines[*at]));
    for (lane, machine) in (0..).zip(turns) {
        lanes[machine].push(lane);
    }
    lanes.into_iter().map(|lanes| Part { lanes, of }).collect()
}

/// The snapshots of each machine. `machines` gives the number of workers of each.
fn rehearse_all(machines: &[u16], orders: &[Order], protocol: &Noting) -> Vec<Vec<Snapshot>> {
    let own = machines
        .iter()
        .zip(parts(machines))
        .map(|(workers, part)| Plan {
            workers: *workers,
            part: Some(part),
            ..mixed()
        });
    own.map(|own| rehearse(own, protocol.clone(), orders).unwrap())
        .collect()
}

/// An interval as bytes, without what depends on workers instead of users, and with its list
/// sorted.
fn comparable(mut interval: Interval) -> Vec<u8> {
    interval.worker_cpu_ns.clear();
    interval.counted.timer_lateness.clear(); // each worker notes its own
    interval.unserved_ns.sort_unstable();
    interval.to_bytes()
}

#[test]
fn the_same_users_do_the_same_things_on_1_3_and_24_machines() {
    let run = |machines: &[u16]| {
        let protocol = Noting::default();
        let snapshots = rehearse_all(machines, &steady(97, 300), &protocol);
        let done = protocol.0.lock().unwrap().clone();
        (done, snapshots)
    };
    let (alone, snapshots) = run(&[1]);
    assert_eq!(alone.len(), 97);
    for machines in [vec![1; 3], vec![2, 1, 4], vec![1; 24]] {
        let (done, parts) = run(&machines);
        assert_eq!(done, alone, "{machines:?}");
        // What the machines send adds up to what one counts, to the bit.
        let mut gathering = Gathering::new(2, 3);
        for at in 1..snapshots[0].len() {
            let whole = snapshots[0][at].since(&snapshots[0][at - 1]);
            let sent = parts
                .iter()
                .map(|part| part[at].since(&part[at - 1]).to_bytes());
            let read: Vec<_> = sent.map(|bytes| gathering.read(&bytes).unwrap()).collect();
            let mut sum = gathering.next(read).unwrap();
            assert_eq!(
                sum.worker_cpu_ns.len(),
                machines.iter().map(|one| usize::from(*one)).sum::<usize>()
            );
            if at == 1 {
                sum.from_ns = whole.from_ns; // nobody has gathered what came before
            }
            let is_equal = comparable(sum) == comparable(whole);
            assert!(is_equal, "{machines:?}, minute {at}");
        }
    }
}

#[test]
fn moments_of_another_clock_are_moved() {
    let protocol = Noting::default();
    let own = Plan {
        report_every_ms: 1000,
        ..mixed()
    };
    let snapshots = rehearse(own, protocol, &steady(9, 30)).unwrap();
    let interval = snapshots[20].since(&snapshots[19]);
    let moved = interval.clone().moved(-5_000);
    assert_eq!(
        (moved.from_ns, moved.to_ns),
        (interval.from_ns - 5_000, interval.to_ns - 5_000)
    );
    let keys: Vec<u64> = interval
        .completed
        .keys()
        .map(|at_ns| at_ns.saturating_sub(5_000))
        .collect();
    assert!(!keys.is_empty());
    assert_eq!(moved.completed.into_keys().collect::<Vec<_>>(), keys);
    let before = interval.moved(i64::MIN);
    assert_eq!((before.from_ns, before.to_ns), (0, 0));
    assert_eq!(before.completed.values().sum::<u32>(), 9);
}

#[test]
fn intervals_of_a_late_machine_are_merged() {
    let own = Plan {
        report_every_ms: 1000,
        ..mixed()
    };
    let snapshots = rehearse(own, Noting::default(), &steady(9, 30)).unwrap();
    let first = snapshots[20].since(&snapshots[19]);
    let both = first.with_next(snapshots[21].since(&snapshots[20]));
    let whole = snapshots[21].since(&snapshots[19]);
    assert_eq!(both.worker_cpu_ns.len(), whole.worker_cpu_ns.len());
    // A user who completed something in the second of two intervals counts there, not in their sum.
    let after = |interval: &Interval| interval.completed.values().sum::<u32>();
    assert_eq!(after(&both), after(&whole));
    let without = |mut interval: Interval| {
        interval.completed.clear();
        comparable(interval)
    };
    assert!(without(both) == without(whole));
}

#[test]
fn users_count_in_the_second_of_their_last_completion() {
    let own = Plan {
        report_every_ms: 1000,
        ..mixed()
    };
    let snapshots = rehearse(own, Noting::default(), &steady(9, 30)).unwrap();
    let mut gathering = Gathering::new(2, 3);
    let mut begun = vec![];
    for at in 1..snapshots.len() - 1 {
        let one = snapshots[at].since(&snapshots[at - 1]);
        let other = one.clone().moved(1_000_000); // a clock that is a millisecond ahead
        let sum = gathering.next([other, one]).unwrap();
        begun.push(sum.from_ns);
        assert_eq!(sum.completed.values().sum::<u32>() % 2, 0, "in pairs");
        // Nobody has gathered the second before the first of these.
        let mut known = sum.completed.keys().filter(|began| **began > SECOND);
        assert!(known.all(|began| *began <= 1_001_000_000 || begun.contains(began)));
    }
}

#[test]
fn figures_of_another_run_are_refused() {
    let snapshots = rehearse(mixed(), Noting::default(), &steady(9, 120)).unwrap();
    let bytes = snapshots[1].since(&snapshots[0]).to_bytes();
    assert!(Gathering::new(2, 3).read(&bytes).is_ok());
    let other = Gathering::new(2, 4).read(&bytes).unwrap_err();
    assert_eq!(
        other.to_string(),
        "an agent sent figures of another run: 2 scenarios and 3 steps"
    );
    assert!(Gathering::new(1, 3).read(&bytes).is_err());
    assert!(
        Gathering::new(2, 3)
            .read(&bytes[..bytes.len() / 2])
            .is_err()
    );
}

proptest! {
    #[test]
    fn corrupt_bytes_never_panic(
        noise in prop::collection::vec(any::<u8>(), 0..200),
        at in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let snapshots = rehearse(mixed(), Noting::default(), &steady(3, 60)).unwrap();
        let mut bytes = snapshots[1].since(&snapshots[0]).to_bytes();
        let from = at.index(bytes.len());
        for (old, new) in bytes[from..].iter_mut().zip(&noise) {
            *old = *new;
        }
        bytes.truncate(1 + cut.index(bytes.len()));
        for bytes in [noise, bytes] {
            let mut gathering = Gathering::new(2, 3);
            if let Ok(read) = gathering.read(&bytes) {
                let _ = gathering.next([read.moved(-1)]);
            }
        }
    }

    #[test]
    fn the_machines_play_every_user_once(
        machines in prop::collection::vec(1u16..5, 1..9),
        targets in prop::collection::vec(0u32..60, 1..4),
    ) {
        let mut orders: Vec<Order> = (0..).zip(&targets).map(|(at, &target)| {
            (20 * at * SECOND, Command::Users { target, over_ns: 5 * SECOND })
        }).collect();
        let end = 20 * targets.len() as u64 * SECOND;
        orders.push((end, Command::Stop { drain_ns: 10 * SECOND }));
        let protocol = Noting::default();
        let mut present = 0;
        for (workers, part) in machines.iter().zip(parts(&machines)) {
            let own = Plan {
                workers: *workers,
                part: Some(part),
                report_every_ms: 1000,
                ..plan(Pace::Closed { think: Draw::Fixed { s: 1.0 } }, nothing())
            };
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
fn invalid_parts_are_refused() {
    let refused = |workers, lanes: &[u32], of| {
        let lanes = lanes.to_vec();
        let part = Some(Part { lanes, of });
        let own = Plan {
            workers,
            part,
            ..mixed()
        };
        own.compile::<NullStep>().unwrap_err().to_string()
    };
    assert_eq!(
        refused(3, &[0, 1, 2], 2),
        "the workers of all machines is 2; it must be from 3 to 1048576"
    );
    assert_eq!(
        refused(2, &[3, 4], 4),
        "the list of this machine's workers is [3, 4]; it must be 2 ascending numbers below 4"
    );
    let text = json!({"lanes": [0], "of": 2, "extra": 1}).to_string();
    assert!(serde_json::from_str::<Part>(&text).is_err());
}
