//! Two protocols played by the same users: mail and a database, say.
//!
//! A step goes to the second protocol if it has the option `on`, whatever its value (the plan makes
//! sure that it is the second's name); all others go to the first. The second session is opened by
//! the first step that needs it, and losing it leaves the first open.

use std::sync::Arc;

use headcount_script::Names;
use serde::Deserialize;
use serde_json::Value;

use crate::blame::{Blame, Blamed};
use crate::context::Kinds;
use crate::fault::Fault;
use crate::protocol::{Compile, Moved, Protocol, RollBack, Session};
use crate::requests::Span;
use crate::target::Target;
use crate::turns::Turns;
use crate::user::User;

/// Two protocols, one after the other.
#[derive(Debug)]
pub struct Pair<A, B> {
    /// Where users log on first.
    pub first: A,
    /// Where steps with `on` go.
    pub second: B,
}

/// The targets of both.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairTarget<A, B> {
    first: A,
    second: B,
}

/// Why a target of either cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PairError<A, B> {
    /// That of the first.
    #[error("{0}")]
    First(A),
    /// That of the second.
    #[error("{0}")]
    Second(B),
}

impl<A: Blamed, B: Blamed> Blamed for PairError<A, B> {
    fn blame(&self) -> Blame {
        match self {
            Self::First(error) => error.blame(),
            Self::Second(error) => error.blame(),
        }
    }
}

impl<A: Target, B: Target> Target for PairTarget<A, B> {
    type Protocol = Pair<A::Protocol, Arc<B::Protocol>>;
    type Error = PairError<A::Error, B::Error>;

    fn protocol(self) -> Result<Self::Protocol, Self::Error> {
        let first = self.first.protocol().map_err(PairError::First)?;
        let second = self.second.protocol().map_err(PairError::Second)?;
        Ok(Pair::new(first, second))
    }
}

/// A step of either.
#[derive(Debug)]
pub enum PairStep<A, B> {
    /// Of the first.
    First(A),
    /// Of the second.
    Second(B),
}

/// A user's sessions on both.
pub struct PairSession<A: Protocol, B: Protocol> {
    first: A::Session,
    second: Option<B::Session>,
    pair: Arc<B>,
    /// The kinds of requests and tasks of each.
    kinds: [Kinds; 2],
}

impl<A: Protocol, B: Protocol> Pair<A, Arc<B>> {
    /// Both.
    pub fn new(first: A, second: B) -> Self {
        let second = Arc::new(second);
        Self { first, second }
    }
}

impl<A: Compile, B: Compile> Compile for PairStep<A, B> {
    fn compile(options: &Value) -> Result<Self, String> {
        Self::compile_with(options, &mut Names::default())
    }

    fn compile_with(options: &Value, names: &mut Names) -> Result<Self, String> {
        let Some(table) = options.as_object().filter(|table| table.contains_key("on")) else {
            return A::compile_with(options, names).map(Self::First);
        };
        let mut table = table.clone();
        table.remove("on");
        B::compile_with(&Value::Object(table), names).map(Self::Second)
    }
}

impl<A: Protocol, B: Protocol> Protocol for Pair<A, Arc<B>> {
    type Step = PairStep<A::Step, B::Step>;
    type Session = PairSession<A, B>;

    fn requests() -> Vec<&'static str> {
        let mut requests = A::requests();
        requests.extend(B::requests());
        requests
    }

    fn tasks() -> Vec<&'static str> {
        let mut tasks = A::tasks();
        tasks.extend(B::tasks());
        tasks
    }

    fn turns(&self) -> Option<Turns> {
        self.first.turns()
    }

    async fn open(&self, user: &mut User) -> Result<Self::Session, Fault> {
        let requests = Span::first(A::requests().len());
        let tasks = Span::first(A::tasks().len());
        let kinds = [
            Kinds { requests, tasks },
            Kinds {
                requests: requests.then(B::requests().len()),
                tasks: tasks.then(B::tasks().len()),
            },
        ];
        user.count(kinds[0]);
        Ok(PairSession {
            first: self.first.open(user).await?,
            second: None,
            pair: Arc::clone(&self.second),
            kinds,
        })
    }
}

impl<A: Protocol, B: Protocol> Session for PairSession<A, B> {
    type Step = PairStep<A::Step, B::Step>;

    async fn play(&mut self, step: &Self::Step, user: &mut User) -> Result<Moved, Fault> {
        match step {
            PairStep::First(step) => {
                user.count(self.kinds[0]);
                self.first.play(step, user).await
            }
            PairStep::Second(step) => {
                user.count(self.kinds[1]);
                let played = self.play_second(step, user).await;
                user.count(self.kinds[0]);
                played
            }
        }
    }

    fn may_retry(&self, fault: &Fault) -> bool {
        let second = self.second.as_ref();
        self.first.may_retry(fault) || second.is_some_and(|second| second.may_retry(fault))
    }

    fn is_in_transaction(&self) -> bool {
        let second = self.second.as_ref();
        self.first.is_in_transaction() || second.is_some_and(Session::is_in_transaction)
    }

    async fn roll_back(&mut self, end: RollBack) -> Result<(), Fault> {
        if self.first.is_in_transaction() {
            self.first.roll_back(end).await?;
        }
        if let Some(second) = self.second.as_mut().filter(|it| it.is_in_transaction())
            && second.roll_back(end).await.is_err()
        {
            self.second = None; // the first stays open
        }
        Ok(())
    }

    async fn close(self, user: &mut User) {
        self.first.close(user).await;
        if let Some(second) = self.second {
            second.close(user).await;
        }
    }
}

impl<A: Protocol, B: Protocol> PairSession<A, B> {
    async fn play_second(&mut self, step: &B::Step, user: &mut User) -> Result<Moved, Fault> {
        let mut session = match self.second.take() {
            Some(session) => session,
            None => self.pair.open(user).await.map_err(stays)?,
        };
        let played = session.play(step, user).await;
        if !played.as_ref().is_err_and(|fault| fault.ends_session) {
            self.second = Some(session);
        }
        played.map_err(stays)
    }
}

/// The same fault, without ending the first session.
fn stays(fault: Fault) -> Fault {
    Fault {
        ends_session: false,
        ..fault
    }
}

impl<A: Protocol, B: Protocol> std::fmt::Debug for PairSession<A, B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairSession").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use serde_json::json;

    use super::*;
    use crate::fault::FaultKind;
    use crate::plan::Plan;
    use crate::rehearsal::rehearse;
    use crate::worker::Command;

    static OPENED: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

    /// A protocol whose only step is its own number, or a failure.
    struct Numbered<const N: usize>;
    struct NumberedSession<const N: usize>;
    struct NumberedStep {
        fails: bool,
    }

    impl Compile for NumberedStep {
        fn compile(options: &Value) -> Result<Self, String> {
            match options.get("on") {
                Some(on) => Err(format!("{on} is not for this protocol")),
                None => Ok(Self {
                    fails: options.get("fails").is_some(),
                }),
            }
        }
    }

    impl<const N: usize> Protocol for Numbered<N> {
        type Step = NumberedStep;
        type Session = NumberedSession<N>;

        fn tasks() -> Vec<&'static str> {
            if N == 0 { vec!["a", "b"] } else { vec!["c"] }
        }

        fn requests() -> Vec<&'static str> {
            if N == 0 { vec!["d"] } else { vec!["e", "f"] }
        }

        async fn open(&self, _: &mut User) -> Result<NumberedSession<N>, Fault> {
            OPENED[N].fetch_add(1, Ordering::Relaxed);
            Ok(NumberedSession)
        }
    }

    impl<const N: usize> Session for NumberedSession<N> {
        type Step = NumberedStep;

        async fn play(&mut self, step: &NumberedStep, user: &mut User) -> Result<Moved, Fault> {
            let stopwatch = user.stopwatch();
            stopwatch.note(0, stopwatch.now_ns(), &Ok::<(), ()>(()));
            stopwatch.sent(0);
            user.requests().sent(1);
            if step.fails {
                return Err(Fault::session(FaultKind::Disconnected, "as asked"));
            }
            Ok(Moved::default())
        }
    }

    #[test]
    fn each_step_reaches_its_protocol_and_a_lost_second_session_keeps_the_first() {
        let plan = json!({
            "seed": 1, "workers": 1, "step_timeout_ms": 1000, "report_every_ms": 1000,
            "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 1.0}},
            "scenarios": [{
                "name": "both", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0,
                "steps": [{"name": "one"}, {"name": "two", "on": "second"},
                          {"name": "lost", "on": "second", "fails": true}],
            }],
        });
        let plan = Plan::from_json(&plan.to_string()).unwrap();
        let orders = [
            (
                0,
                Command::Users {
                    target: 1,
                    over_ns: 0,
                },
            ),
            (10_000_000_000, Command::Stop { drain_ns: 0 }),
        ];
        let pair = Pair::new(Numbered::<0>, Numbered::<1>);
        let last = rehearse(plan, pair, &orders).unwrap().pop().unwrap();
        let rounds = last.recorder.scenarios[0].failed;
        assert!(rounds > 5, "{rounds}");
        let noted: Vec<u64> = last
            .recorder
            .tasks
            .iter()
            .map(|task| task.completed)
            .collect();
        assert_eq!(noted, [rounds, 0, 2 * rounds]);
        // The first also counts a kind that it does not name.
        assert_eq!(last.recorder.requests, [rounds, 2 * rounds, 2 * rounds]);
        let opened = [0, 1].map(|n: usize| OPENED[n].load(Ordering::Relaxed));
        assert_eq!(opened, [1, rounds as u32]);
    }
}
