//! What a protocol is told about the user it plays.

use std::cell::Cell;
use std::rc::Rc;

use crate::requests::Requests;
use crate::seat::{Idle, Seat};
use crate::stream::{Purpose, Stream};
use crate::tasks::{Stopwatch, Tasks};
use crate::timers::{Sleep, Timers};

/// One virtual user, as protocols see it.
#[derive(Debug)]
pub struct User {
    id: u32,
    seed: u64,
    ordinal: u64,
    turn: u32,
    stream: Stream,
    seat: Rc<Seat>,
    timers: Rc<Timers>,
    requests: Rc<Requests>,
    tasks: Rc<Tasks>,
    population: Rc<Cell<u32>>,
    /// Where the kinds of tasks begin that stopwatches note.
    tasks_from: usize,
}

impl User {
    /// The user with this number (0-based) in a run with this seed.
    #[must_use]
    pub fn new(id: u32, seed: u64, seat: Rc<Seat>, timers: Rc<Timers>) -> Self {
        let stream = Stream::new(seed, Purpose::Scenario, id, 0);
        Self {
            id,
            seed,
            ordinal: 0,
            turn: 0,
            stream,
            seat,
            timers,
            requests: Rc::default(),
            tasks: Rc::default(),
            population: Rc::default(),
            tasks_from: 0,
        }
    }

    /// The same user, whose requests are counted here.
    #[must_use]
    pub fn counting(self, requests: Rc<Requests>) -> Self {
        Self { requests, ..self }
    }

    /// The same user, whose tasks are noted here.
    #[must_use]
    pub fn timing(self, tasks: Rc<Tasks>) -> Self {
        Self { tasks, ..self }
    }

    /// The same user, in a run whose number of users is told here.
    #[must_use]
    pub fn among(self, population: Rc<Cell<u32>>) -> Self {
        Self { population, ..self }
    }

    /// How many users the run has been asked to have: those numbered below it. Users in the middle
    /// of joining or leaving count as what they are about to be.
    #[must_use]
    pub fn population(&self) -> u32 {
        self.population.get()
    }

    /// The user's number, from 0; names, folders and credentials derive from it.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The seed of the run; data sets are generated from it.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// How many scenarios this user has begun.
    #[must_use]
    pub const fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Which turn of the program the current scenario is, from 0; 0 where users follow none.
    #[must_use]
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// The current scenario is this turn of the program.
    pub const fn take_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// The random stream of the current scenario. It depends on the seed, the user and the number
    /// of the scenario alone, never on timing or failures, so the same plan repeats exactly.
    pub const fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Waits on the engine's clock, for protocols that pause inside a step.
    #[must_use]
    pub fn sleep_until(&self, due_ns: u64) -> Sleep {
        Sleep::new(Rc::clone(&self.timers), Rc::clone(&self.seat), due_ns)
    }

    /// Where requests are counted as they are sent. A session keeps a copy.
    #[must_use]
    pub const fn requests(&self) -> &Rc<Requests> {
        &self.requests
    }

    /// What a session needs to time and count what it does. It keeps a copy.
    #[must_use]
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch::new(
            Rc::clone(&self.timers),
            Rc::clone(&self.tasks),
            Rc::clone(&self.requests),
        )
        .noting_from(self.tasks_from)
    }

    /// Stopwatches from now on note the kind 0 as this one: for sessions of a protocol whose tasks
    /// come after those of another.
    pub const fn note_tasks_from(&mut self, kind: usize) {
        self.tasks_from = kind;
    }

    /// Tells the engine, before it happens, that the scenario moves so many bytes more. A scenario
    /// whose limit grows with its size (`limit_per_mib_ms`) then counts as slow, or as overdue
    /// while it is under way, only when it is so for its size.
    pub fn expect_bytes(&self, bytes: u64) {
        let known = self.seat.bytes.get();
        self.seat.bytes.set(known.saturating_add(bytes));
    }

    /// From now on the user wants nothing of the server but news (IDLE in IMAP, say), until
    /// [`Self::resume`] or the end of the scenario. That time counts towards no response time, no
    /// service time of a step and no limit.
    pub fn rest(&self) {
        let idle = self.seat.idle.get();
        let since_ns = Some(idle.since_ns.unwrap_or_else(|| self.now_ns()));
        self.seat.idle.set(Idle { since_ns, ..idle });
    }

    /// The user wants something again.
    pub fn resume(&self) {
        let idle = self.seat.idle.get();
        if idle.since_ns.is_none() {
            return; // looking at the clock costs as much as a short step
        }
        let passed_ns = idle.until(self.now_ns());
        self.seat.idle.set(Idle {
            passed_ns,
            since_ns: None,
        });
    }

    /// The engine's clock, in ns since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.timers.now_ns()
    }

    /// Moves on to the next scenario and its stream.
    pub fn begin_scenario(&mut self) {
        self.ordinal += 1;
        self.seat.bytes.set(0);
        self.seat.idle.take();
        self.stream = Stream::new(self.seed, Purpose::Scenario, self.id, self.ordinal);
    }
}
