//! What a protocol knows about the user it plays.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use headcount_script::scope::Missing;
use headcount_script::{Scope, Variables};
use serde_json::Value;

use crate::context::{Kinds, WorkerContext};
use crate::requests::Requests;
use crate::seat::Seat;
use crate::stopwatch::Stopwatch;
use crate::stream::{Purpose, Stream};
use crate::timers::{Sleep, on_grid};

/// Pauses that a leaving user skips. Where there are more, it may wait for something, and must not
/// ask for it without a pause.
const MOST_SKIPPED: u32 = 10;

/// The longest pause of a leaving user after that, in ns: it should leave soon.
const LEAVING_PAUSE_NS: u64 = 1_000_000_000;

/// One virtual user, as protocols see it.
#[derive(Debug)]
pub struct User {
    id: u32,
    seed: u64,
    /// How many scenarios it has begun.
    begun: Rc<Cell<u64>>,
    /// How many of them before it joined.
    begun_before: u64,
    /// Pauses that it skipped since it was asked to leave.
    skipped: u32,
    turn: u32,
    stream: Stream,
    seat: Rc<Seat>,
    context: Rc<WorkerContext>,
    kinds: Kinds,
    scope: Scope,
    /// The protocol's notes on the step under way, if notes are kept.
    notes: Option<Vec<Value>>,
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
            begun: Rc::default(),
            begun_before: 0,
            skipped: 0,
            turn: 0,
            stream,
            seat,
            context,
            kinds,
            scope: Scope::new(None, id),
            notes: None,
        }
    }

    /// The same user, who has begun this many scenarios before, and counts on.
    #[must_use]
    pub fn continuing(mut self, begun: Rc<Cell<u64>>) -> Self {
        self.begun_before = begun.get();
        self.begun = begun;
        self
    }

    /// The same user, with or without notes of what it sends and receives.
    #[must_use]
    pub fn traced(mut self, is_traced: bool) -> Self {
        self.notes = is_traced.then(Vec::new);
        self
    }

    /// Keeps a note of what was sent or received, if notes are kept; otherwise `note` is not
    /// called.
    pub fn note(&mut self, note: impl FnOnce() -> Value) {
        if let Some(notes) = &mut self.notes {
            notes.push(note());
        }
    }

    /// Whether notes are kept.
    #[must_use]
    pub const fn keeps_notes(&self) -> bool {
        self.notes.is_some()
    }

    /// Takes what was noted.
    pub(crate) fn take_notes(&mut self) -> Vec<Value> {
        self.notes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The same user with the variables of a plan.
    #[must_use]
    pub fn with_variables(mut self, variables: Option<Arc<Variables>>) -> Self {
        self.scope = Scope::new(variables, self.id);
        self
    }

    /// A user outside a run.
    #[must_use]
    pub fn outside(id: u32, seed: u64, context: WorkerContext) -> Self {
        Self::new(id, seed, Rc::default(), Rc::new(context))
    }

    /// What the user shares with the others of its worker.
    #[must_use]
    pub fn context(&self) -> &WorkerContext {
        &self.context
    }

    /// How many users the run has been asked for; their numbers are lower. Users in the middle of
    /// joining count already, users in the middle of leaving no longer.
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

    /// How many scenarios this user has begun, also before it left and joined again.
    #[must_use]
    pub fn ordinal(&self) -> u64 {
        self.begun.get()
    }

    /// How many of them since it joined.
    #[must_use]
    pub fn ordinal_since_joining(&self) -> u64 {
        self.begun.get() - self.begun_before
    }

    /// Which turn of the program the current scenario is, from 0; 0 where users follow none.
    #[must_use]
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// Sets the program's turn that the current scenario is.
    pub const fn take_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// The random stream of the current scenario. It depends only on the seed, the user and the
    /// number of the scenario, never on timing or failures, so the same plan repeats exactly.
    pub const fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The values of the user's variables.
    pub const fn scope(&mut self) -> &mut Scope {
        &mut self.scope
    }

    /// Draws the variables that the scenario needs. Users without variables draw nothing.
    pub fn draw_variables(&mut self, needed: &[u16]) -> Result<(), Missing> {
        if !self.scope.has_variables() {
            return Ok(());
        }
        let seed = |ordinal| Stream::new(self.seed, Purpose::Variables, self.id, ordinal).bits();
        let iteration = self.ordinal().saturating_sub(1);
        let (own, kept) = (seed(self.ordinal()), seed(0));
        self.scope.begin(iteration, own, kept, needed)
    }

    /// Thinks within a scenario: this does not count towards response times. A user who has been
    /// asked to leave skips its next pauses, and shortens further ones.
    pub(crate) async fn pause(&mut self, mut pause_ns: u64) {
        if self.seat.is_leaving() {
            if self.skipped < MOST_SKIPPED {
                self.skipped += 1;
                return;
            }
            pause_ns = pause_ns.min(LEAVING_PAUSE_NS);
        }
        if pause_ns == 0 {
            return;
        }
        self.rest();
        self.seat.set_pausing(true);
        let now_ns = self.now_ns();
        self.sleep_until(on_grid(now_ns + pause_ns, now_ns)).await;
        self.seat.set_pausing(false);
        self.resume();
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

    /// What a session needs to time and count its operations. It keeps a copy.
    #[must_use]
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch::new(Rc::clone(&self.context), self.kinds)
    }

    /// Sets the kinds that sessions of this user count from now on, where users play several
    /// protocols.
    pub const fn count(&mut self, kinds: Kinds) {
        self.kinds = kinds;
    }

    /// Tells the engine in advance that the scenario will move this many bytes more. A scenario
    /// whose limit grows with its size (`limit_per_mib_ms`) then counts as slow, or as overdue
    /// while it is under way, only if it is so for its size.
    pub fn expect_bytes(&self, bytes: u64) {
        self.seat.expects_bytes(bytes);
    }

    /// From now on the user only waits for news from the server (IDLE in IMAP, say), until
    /// [`Self::resume`] or the end of the scenario. That time counts towards no response time,
    /// service time or limit.
    pub fn rest(&self) {
        self.seat.rests(|| self.now_ns());
    }

    /// The user wants something again.
    pub fn resume(&self) {
        self.seat.resumes(|| self.now_ns()); // reading the clock costs as much as a short step
    }

    /// The engine's clock, in ns since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.context.timers.now_ns()
    }

    /// Moves on to the next scenario and its stream.
    pub fn begin_scenario(&mut self) {
        self.begun.set(self.begun.get() + 1);
        self.seat.begins_scenario();
        self.stream = Stream::new(self.seed, Purpose::Scenario, self.id, self.ordinal());
    }
}
