//! Users who follow a program, on virtual time: every turn counted as what it is, and in order.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::sync::{Arc, Mutex};

use crate::common::{SECOND, plan, scenario, steady, step};
use headcount_load::pace::{Draw, Pace};
use headcount_load::rehearsal::rehearse;
use headcount_load::worker::Command;
use headcount_load::{Fault, Moved, Protocol, Session, Turns, User};
use headcount_null::{Null, NullSession, NullStep};
use serde_json::json;

/// The null protocol with a program.
struct Follower(Turns);

/// Checks that its turns come one after the other.
struct Followed {
    session: NullSession,
    next: u32,
}

const ORDER: [u16; 5] = [0, 1, 1, 0, 1];

impl Protocol for Follower {
    type Step = NullStep;
    type Session = Followed;

    fn turns(&self) -> Option<Turns> {
        Some(self.0.clone())
    }

    async fn open(&self, user: &mut User) -> Result<Followed, Fault> {
        let session = Null::default().open(user).await?;
        let next = user.turn();
        Ok(Followed { session, next })
    }
}

impl Session for Followed {
    type Step = NullStep;

    async fn play(&mut self, step: &NullStep, user: &mut User) -> Result<Moved, Fault> {
        assert_eq!(user.turn(), self.next);
        self.next = (self.next + 1) % ORDER.len() as u32;
        self.session.play(step, user).await
    }
}

#[test]
fn each_turn_is_counted_as_its_kind_and_users_go_on_where_they_stopped() {
    let pace = Pace::Closed {
        think: Draw::Fixed { s: 1.0 },
    };
    let nothing = |name: &str| scenario(name, 1.0, vec![step(name, json!({"op": "nothing"}))]);
    // The plan has its scenarios in another order than the program, and one more.
    let plan = plan(pace, vec![nothing("b"), nothing("unused"), nothing("a")]);
    let follower = Follower(Turns {
        names: vec!["a".into(), "b".into()],
        order: ORDER.into(),
        entries: [0, 3].into(),
    });
    let snapshots = rehearse(plan, follower, &steady(2, 59)).unwrap();
    let counted = &snapshots.last().unwrap().recorder.scenarios;
    let ended: Vec<u64> = counted.iter().map(|tally| tally.completed).collect();
    // Each user begins within a second and then plays a turn each second.
    let turns: u64 = ended.iter().sum();
    let each = turns / 2;
    let kinds = |from: u64| (from..from + each).map(|turn| ORDER[(turn % 5) as usize]);
    let b = kinds(0).chain(kinds(3)).filter(|kind| *kind == 1).count() as u64;
    assert!(
        (118..=120).contains(&turns) && turns.is_multiple_of(2),
        "{ended:?}"
    );
    assert_eq!(ended, [b, 0, turns - b]);
}

/// The number and the turn of each scenario.
type Notes = Arc<Mutex<Vec<(u64, u32)>>>;

/// A protocol with a program, which notes what its users play.
struct Noting(Turns, Notes);

struct Noted(Notes);

impl Protocol for Noting {
    type Step = NullStep;
    type Session = Noted;

    fn turns(&self) -> Option<Turns> {
        Some(self.0.clone())
    }

    async fn open(&self, _: &mut User) -> Result<Noted, Fault> {
        Ok(Noted(Arc::clone(&self.1)))
    }
}

impl Session for Noted {
    type Step = NullStep;

    async fn play(&mut self, _: &NullStep, user: &mut User) -> Result<Moved, Fault> {
        let played = (user.ordinal(), user.turn());
        self.0.lock().unwrap().push(played);
        Ok(Moved::default())
    }
}

#[test]
fn users_who_join_again_begin_the_program_again_but_repeat_no_scenario() {
    let pace = Pace::Closed {
        think: Draw::Fixed { s: 1.0 },
    };
    let nothing = |name: &str| scenario(name, 1.0, vec![step(name, json!({"op": "nothing"}))]);
    let plan = plan(pace, vec![nothing("a"), nothing("b")]);
    let notes = Notes::default();
    let program = Turns {
        names: vec!["a".into(), "b".into()],
        order: ORDER.into(),
        entries: [0].into(),
    };
    let users = |target| Command::Users { target, over_ns: 0 };
    // The user leaves in the middle of the program.
    let orders = [
        (0, users(1)),
        (8_500_000_000, users(0)),
        (20 * SECOND, users(1)),
        (30 * SECOND, Command::Stop { drain_ns: 0 }),
    ];
    rehearse(plan, Noting(program, Arc::clone(&notes)), &orders).unwrap();
    let notes = notes.lock().unwrap();
    let numbers = notes.iter().map(|(number, _)| *number);
    assert!(numbers.eq(1..=notes.len() as u64), "{notes:?}");
    let jumps: Vec<u32> = notes
        .windows(2)
        .filter(|two| two[1].1 != (two[0].1 + 1) % ORDER.len() as u32)
        .map(|two| two[1].1)
        .collect();
    assert_eq!(jumps, [0], "{notes:?}");
}
