//! What a protocol is told about the user it plays.

use std::rc::Rc;

use crate::context::{Kinds, WorkerContext};
use crate::requests::Requests;
use crate::seat::Seat;
use crate::stopwatch::Stopwatch;
use crate::stream::{Purpose, Stream};
use crate::timers::Sleep;

/// One virtual user, as protocols see it.
#[derive(Debug)]
pub struct User {
    id: u32,
    seed: u64,
    ordinal: u64,
    turn: u32,
    stream: Stream,
    seat: Rc<Seat>,
    context: Rc<WorkerContext>,
    kinds: Kinds,
}

impl User {
    /// The user with this number (0-based) in a run with this seed.
    #[must_use]
    pub fn new(id: u32, seed: u64, seat: Rc<Seat>, context: Rc<WorkerContext>) -> Self {
        let stream = Stream::new(seed, Purpose::Scenario, id, 0);
        let kinds = context.kinds();
        Self {
            id,
            seed,
            ordinal: 0,
            turn: 0,
            stream,
            seat,
            context,
            kinds,
        }
    }

    /// Somebody who is no part of a run.
    #[must_use]
    pub fn outside(id: u32, seed: u64, context: WorkerContext) -> Self {
        Self::new(id, seed, Rc::default(), Rc::new(context))
    }

    /// What the user shares with the others of its worker.
    #[must_use]
    pub fn context(&self) -> &WorkerContext {
        &self.context
    }

    /// How many users the run has been asked to have: those numbered below it. Users in the middle
    /// of joining or leaving count as what they are about to be.
    #[must_use]
    pub fn population(&self) -> u32 {
        self.context.population.get()
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
        Sleep::new(
            Rc::clone(&self.context.timers),
            Rc::clone(&self.seat),
            due_ns,
        )
    }

    /// Where requests are counted as they are sent. A session keeps a copy.
    #[must_use]
    pub fn requests(&self) -> Requests {
        let requests = &self.context.requests;
        requests.within(self.kinds.requests)
    }

    /// What a session needs to time and count what it does. It keeps a copy.
    #[must_use]
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch::new(Rc::clone(&self.context), self.kinds)
    }

    /// What sessions get of the user from now on counts these kinds: where users play several
    /// protocols.
    pub const fn count(&mut self, kinds: Kinds) {
        self.kinds = kinds;
    }

    /// Tells the engine, before it happens, that the scenario moves so many bytes more. A scenario
    /// whose limit grows with its size (`limit_per_mib_ms`) then counts as slow, or as overdue
    /// while it is under way, only when it is so for its size.
    pub fn expect_bytes(&self, bytes: u64) {
        self.seat.expects_bytes(bytes);
    }

    /// From now on the user wants nothing of the server but news (IDLE in IMAP, say), until
    /// [`Self::resume`] or the end of the scenario. That time counts towards no response time, no
    /// service time of a step and no limit.
    pub fn rest(&self) {
        self.seat.rests(|| self.now_ns());
    }

    /// The user wants something again.
    pub fn resume(&self) {
        self.seat.resumes(|| self.now_ns()); // looking at the clock costs as much as a short step
    }

    /// The engine's clock, in ns since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.context.timers.now_ns()
    }

    /// Moves on to the next scenario and its stream.
    pub fn begin_scenario(&mut self) {
        self.ordinal += 1;
        self.seat.begins_scenario();
        self.stream = Stream::new(self.seed, Purpose::Scenario, self.id, self.ordinal);
    }
}
