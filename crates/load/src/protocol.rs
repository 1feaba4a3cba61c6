//! What a protocol implements: how a user opens a session, and how a session plays a step.
//!
//! To add a protocol, copy `crates/null`: it is the commented template.

use std::future::Future;

use headcount_script::Names;
use serde_json::Value;

use crate::fault::Fault;
use crate::turns::Turns;
use crate::user::User;

/// One protocol's client side: opens a session for a virtual user.
///
/// All workers share one value, so it holds what users have in common: the address, patterns of
/// credentials, prepared requests. Scratch buffers belong in thread-locals: a worker is one thread,
/// and thousands of users then share one buffer.
pub trait Protocol: Send + Sync + 'static {
    /// What a step of the workload compiles to, once, before the run.
    type Step: Compile;
    /// One virtual user's connection.
    type Session: Session<Step = Self::Step>;

    /// The names of the kinds of requests that sessions count in [`User::requests`], as results
    /// show them; none for a protocol whose steps are its requests.
    #[must_use]
    fn requests() -> Vec<&'static str> {
        Vec::new()
    }

    /// The names of what sessions time inside their steps ([`User::stopwatch`]), as results and
    /// criteria show them: commands, say, or the tasks that a person would tell apart. By default
    /// there are none.
    #[must_use]
    fn tasks() -> Vec<&'static str> {
        Vec::new()
    }

    /// The program that users follow, for protocols whose target has one; by default each user
    /// draws what to do by the weights of the plan. Asked once, before the run.
    fn turns(&self) -> Option<Turns> {
        None
    }

    /// Whether sessions need the timers of tokio's runtime, which are off otherwise: reading the
    /// clock for them makes each round of a worker more expensive. By default they do not.
    fn needs_timers(&self) -> bool {
        false
    }

    /// Connects and logs in `user`. Its time is part of the response time of the scenario that
    /// needed the session.
    fn open(&self, user: &mut User) -> impl Future<Output = Result<Self::Session, Fault>>;
}

/// One virtual user's connection.
pub trait Session {
    /// The protocol's compiled step.
    type Step;

    /// Plays one step to its end and returns how many bytes it moved.
    ///
    /// The engine ends a step that exceeds the plan's time limit by dropping this future and the
    /// session with it; an implementation needs no time limits of its own.
    fn play(
        &mut self,
        step: &Self::Step,
        user: &mut User,
    ) -> impl Future<Output = Result<Moved, Fault>>;

    /// Whether a transaction in which a step failed with `fault` may succeed if it is retried. By
    /// default none may.
    fn may_retry(&self, fault: &Fault) -> bool {
        let _ = fault;
        false
    }

    /// Whether a transaction is under way, which must end before the next scenario.
    fn is_in_transaction(&self) -> bool {
        false
    }

    /// Rolls back the transaction under way.
    fn roll_back(&mut self, end: RollBack) -> impl Future<Output = Result<(), Fault>> {
        let _ = end;
        std::future::ready(Ok(()))
    }

    /// Closes the session in order when the user leaves. The default just drops the connection. The
    /// time limit of a step applies here, too.
    fn close(self, user: &mut User) -> impl Future<Output = ()>
    where
        Self: Sized,
    {
        let _ = user;
        std::future::ready(())
    }
}

/// Why a transaction is rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RollBack {
    /// It is played again.
    Retry,
    /// The scenario has ended.
    Leave,
}

/// Turns a step of the workload file into what the protocol plays, before the run starts.
pub trait Compile: Sized + Send + Sync + 'static {
    /// Compiles the options of one step (its table in the workload file, without `name`).
    ///
    /// The error is a sentence that names the option and says what it may be.
    fn compile(options: &Value) -> Result<Self, String>;

    /// Like [`Self::compile`], for protocols whose steps take values from replies and send values
    /// of the user: `names` are the variables of the plan. By default steps use none.
    fn compile_with(options: &Value, names: &mut Names) -> Result<Self, String> {
        let _ = names;
        Self::compile(options)
    }
}

/// Payload bytes that one step moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes of payload the client received.
    pub read_bytes: u64,
    /// Bytes of payload the client sent.
    pub written_bytes: u64,
}
