//! The protocol that talks to nobody. It measures the engine itself, plays servers of known
//! behaviour in tests, and is the template for a new protocol: copy it and follow the comments.
//!
//! A protocol is four types. The *target* describes the server, in JSON; the *protocol* holds what
//! all users share and opens sessions; the *session* is one user's connection and plays steps; the
//! *step* is what a step of the workload file compiles to.

mod server;
mod step;
mod target;

pub use server::Stalls;
pub use step::{NullStep, NullTask};
pub use target::{EndlessStalls, NullTarget};

use headcount_load::{Fault, FaultKind, Moved, Protocol, Session, User};

/// What all users share. A real protocol holds the server's address, the pattern of user names, and
/// requests that are the same for everybody.
#[derive(Debug, Clone, Default)]
pub struct Null {
    /// When the imagined server stands still.
    pub stalls: Option<Stalls>,
}

/// One user's connection. A real session holds its socket and what the server told it. Keep it
/// small, because there are thousands: buffers belong in a thread-local, shared by a worker's
/// users.
#[derive(Debug)]
pub struct NullSession {
    stalls: Option<Stalls>,
}

impl Protocol for Null {
    type Step = NullStep;
    type Session = NullSession;

    // What sessions time inside their steps, beside the steps themselves. Results and criteria show
    // these names.
    fn tasks() -> Vec<&'static str> {
        NullTask::NAMES.to_vec()
    }

    // A real protocol connects and logs in here. Errors become faults: `Fault::session` with the
    // kind (connect, login) and a sentence that names the address and never a password.
    async fn open(&self, _user: &mut User) -> Result<NullSession, Fault> {
        Ok(NullSession {
            stalls: self.stalls,
        })
    }
}

impl Session for NullSession {
    type Step = NullStep;

    // Plays one step to its end. No time limits here: the engine drops the future when the plan's
    // limit passes. Random choices come from `user.stream()`, which repeats for the same seed.
    async fn play(&mut self, step: &NullStep, user: &mut User) -> Result<Moved, Fault> {
        match step {
            NullStep::Nothing {} => Ok(Moved::default()),
            NullStep::Serve { service, task } => {
                let work_ns = service.draw_ns(user.stream());
                let arrived_ns = user.now_ns();
                let stalls = self.stalls;
                let done_ns =
                    stalls.map_or(arrived_ns + work_ns, |s| s.done_ns(arrived_ns, work_ns));
                user.sleep_until(done_ns).await;
                // A task is noted as it ends. A session that times many keeps a stopwatch of its
                // own, from `open`, and gives copies to its parts.
                if let Some(task) = task {
                    let ended: Result<(), Fault> = Ok(());
                    user.stopwatch().note(*task as usize, arrived_ns, &ended);
                }
                // The number of payload bytes each way; the engine counts them.
                Ok(Moved::default())
            }
            // Between these two calls the user wants nothing of the server: the time does not
            // count.
            NullStep::Rest { lasting } => {
                user.rest();
                let until_ns = user.now_ns() + lasting.draw_ns(user.stream());
                user.sleep_until(until_ns).await;
                user.resume();
                Ok(Moved::default())
            }
            // `Fault::step` leaves the session usable; `Fault::session` makes the engine open a
            // new one for the user's next scenario.
            NullStep::Fail { ends_session, task } => {
                let message = "the workload asked for this failure";
                let failed = Err(if *ends_session {
                    Fault::session(FaultKind::Disconnected, message)
                } else {
                    Fault::step(FaultKind::Refused, message)
                });
                if let Some(task) = task {
                    let began_ns = user.now_ns();
                    user.stopwatch().note(*task as usize, began_ns, &failed);
                }
                failed
            }
            #[expect(
                clippy::panic,
                reason = "what the workload asks for, to test the engine"
            )]
            NullStep::Panic {} => panic!("the workload asked for this panic"),
        }
    }

    // `close` may be left to its default, which drops the connection. Protocols with a goodbye
    // (SMB's logoff, IMAP's logout) send it there.
}
