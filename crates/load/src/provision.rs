//! What users do outside a run, whatever the protocol: several users' errands at a time, each with
//! a time limit, with progress reported to the caller.

use std::cell::Cell;
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use serde::Serialize;

use crate::context::WorkerContext;
use crate::fault::{Fault, FaultKind};
use crate::user::User;

/// How often progress is reported.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// How often to try to log on when the server disconnects at once.
const TRIES: u32 = 5;
/// The pause after the first try, enough for a server to accept waiting connections. Each further
/// pause is twice as long: a server may have few places, which others hold for some seconds.
const PAUSE: Duration = Duration::from_millis(500);

/// Progress of an order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Users whose errand is done.
    pub users_done: u32,
    /// Users of the order.
    pub users: u32,
    /// Bytes written so far.
    pub written_bytes: u64,
}

/// Called a few times a second with the progress; returns whether to go on.
pub type OnProgress<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// The caller did not want to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

/// A user outside a run: no time passes for them.
fn outsider(id: u32) -> User {
    User::outside(id, 0, WorkerContext::outside(0, 0))
}

/// Does `errand` for each of the users, `at_a_time` of them at once; stops at the first that fails.
pub async fn each<T, E, F>(
    users: impl ExactSizeIterator<Item = u32>,
    at_a_time: usize,
    written_bytes: &Cell<u64>,
    on_progress: &mut OnProgress<'_>,
    errand: impl Fn(u32) -> F,
) -> Result<Vec<T>, E>
where
    F: Future<Output = Result<T, E>>,
    E: From<Cancelled>,
{
    let mut done = Vec::with_capacity(users.len());
    let all = users.len() as u32;
    let mut errands = stream::iter(users.map(errand)).buffer_unordered(at_a_time);
    let mut ticks = tokio::time::interval(TELL_EVERY);
    loop {
        tokio::select! {
            next = errands.next() => match next {
                Some(result) => done.push(result?),
                None => break,
            },
            _ = ticks.tick() => {}
        }
        let progress = Progress {
            users_done: done.len() as u32,
            users: all,
            written_bytes: written_bytes.get(),
        };
        if on_progress(progress) == ControlFlow::Break(()) {
            return Err(Cancelled.into());
        }
    }
    Ok(done)
}

/// Logs on with `open`, outside a run, as the user with this number. `silent` is the sentence for a
/// server that does not answer within `patience`.
///
/// A server whose accept queue is full resets new connections. While other users play on, that is
/// no reason to abandon a job of minutes, so a disconnected logon is retried a few times.
pub async fn arrive<S>(
    open: impl AsyncFn(&mut User) -> Result<S, Fault>,
    id: u32,
    patience: Duration,
    silent: impl Fn() -> String,
) -> Result<S, Fault> {
    arrive_every(PAUSE, open, id, patience, silent).await
}

async fn arrive_every<S>(
    mut pause: Duration,
    open: impl AsyncFn(&mut User) -> Result<S, Fault>,
    id: u32,
    patience: Duration,
    silent: impl Fn() -> String,
) -> Result<S, Fault> {
    let mut tries = TRIES;
    loop {
        tries -= 1;
        let opened = bounded(patience, open(&mut outsider(id)), &silent).await;
        match opened {
            Err(fault) if tries > 0 && fault.kind == FaultKind::Disconnected => {
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
            result => return result,
        }
    }
}

/// Runs work that waits for the network, and blocks the calling thread. Also fails if the system
/// refuses an event queue.
pub fn run<T, E: From<io::Error>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(work)
}

/// Gives up when the server does not answer within `patience`; `what` is the sentence that says so.
pub async fn bounded<T, E: From<Fault>>(
    patience: Duration,
    work: impl Future<Output = Result<T, E>>,
    what: impl FnOnce() -> String,
) -> Result<T, E> {
    tokio::time::timeout(patience, work)
        .await
        .unwrap_or_else(|_| Err(Fault::session(FaultKind::Timeout, what()).into()))
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[derive(Debug)]
    enum Failure {
        Off,
        Fault(Fault),
        System,
        Own(u32),
    }

    impl From<Cancelled> for Failure {
        fn from(_: Cancelled) -> Self {
            Self::Off
        }
    }

    impl From<Fault> for Failure {
        fn from(fault: Fault) -> Self {
            Self::Fault(fault)
        }
    }

    impl From<io::Error> for Failure {
        fn from(_: io::Error) -> Self {
            Self::System
        }
    }

    #[test]
    fn errands_run_up_to_the_limit_at_a_time_and_report_progress() {
        let (under_way, most, bytes) = (Cell::new(0), Cell::new(0), Cell::new(0));
        let mut reports = Vec::new();
        let mut note = |progress| {
            reports.push(progress);
            ControlFlow::Continue(())
        };
        let done: Result<Vec<u32>, Failure> =
            run(each(3..23_u32, 4, &bytes, &mut note, async |id| {
                under_way.set(under_way.get() + 1);
                most.set(most.get().max(under_way.get()));
                tokio::task::yield_now().await;
                under_way.set(under_way.get() - 1);
                bytes.set(bytes.get() + 10);
                Ok(id)
            }));
        let mut done = done.unwrap();
        done.sort_unstable();
        assert_eq!(done, (3..23).collect::<Vec<u32>>());
        assert_eq!(most.get(), 4);
        let last = Progress {
            users_done: 20,
            users: 20,
            written_bytes: 200,
        };
        assert_eq!(reports.last(), Some(&last));
    }

    #[test]
    fn the_first_failure_or_the_caller_ends_the_errands() {
        let bytes = Cell::new(0);
        let fails = |id| {
            ready(if id == 2 {
                Err(Failure::Own(id))
            } else {
                Ok(id)
            })
        };
        let ended = run(each(
            0..9_u32,
            1,
            &bytes,
            &mut |_| ControlFlow::Continue(()),
            fails,
        ));
        assert!(matches!(ended, Err(Failure::Own(2))), "{ended:?}");
        let never = |_| pending::<Result<(), Failure>>();
        let ended = run(each(
            0..9_u32,
            1,
            &bytes,
            &mut |_| ControlFlow::Break(()),
            never,
        ));
        assert!(matches!(ended, Err(Failure::Off)), "{ended:?}");
    }

    #[test]
    fn a_server_that_does_not_answer_times_out() {
        let never = pending::<Result<(), Failure>>();
        let work = bounded(Duration::from_millis(1), never, || "nobody there".into());
        let ended = run(work);
        let Err(Failure::Fault(fault)) = ended else {
            panic!("{ended:?}")
        };
        assert_eq!(
            (fault.kind, &*fault.message),
            (FaultKind::Timeout, "nobody there")
        );
        assert!(fault.ends_session);
    }

    /// Logs on to a server that fails `faults` times, with hardly a pause; returns how it ended,
    /// and after how many tries.
    fn log_on(faults: u32, kind: FaultKind) -> (Result<u32, FaultKind>, u32) {
        let tried = Cell::new(0);
        let open = async |user: &mut User| {
            tried.set(tried.get() + 1);
            if tried.get() <= faults {
                return Err(Fault::session(kind, "no"));
            }
            Ok(user.id())
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let silent = || "silence".into();
        let pause = Duration::from_millis(1);
        let work = arrive_every(pause, open, 7, Duration::from_secs(9), silent);
        let opened = runtime.block_on(work);
        (opened.map_err(|fault| fault.kind), tried.get())
    }

    #[test]
    fn only_logons_that_are_disconnected_are_retried() {
        assert_eq!(log_on(0, FaultKind::Disconnected), (Ok(7), 1));
        assert_eq!(log_on(4, FaultKind::Disconnected), (Ok(7), 5));
        let dead = (Err(FaultKind::Disconnected), 5);
        assert_eq!(log_on(u32::MAX, FaultKind::Disconnected), dead);
        assert_eq!(log_on(1, FaultKind::Refused), (Err(FaultKind::Refused), 1));
    }
}
