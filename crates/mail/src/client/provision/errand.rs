//! One user's session outside of a run.

use std::rc::Rc;
use std::time::Duration;

use headcount_load::clock::VirtualClock;
use headcount_load::seat::Seat;
use headcount_load::timers::Timers;
use headcount_load::{Fault, FaultKind, Protocol, User};

use crate::client::{Mail, MailSession};

/// The longest time for one thing: a logon at a server that serves others too, or a hundred messages.
const PATIENCE: Duration = Duration::from_secs(120);

/// Somebody who is no part of a run: no time passes for them.
pub fn outsider(id: u32) -> User {
    let timers = Timers::new(Rc::new(VirtualClock::default()));
    User::new(id, 0, Rc::new(Seat::new()), Rc::new(timers))
}

/// Logs on as the user with this number of the run.
pub async fn arrive(mail: &Mail, id: u32) -> Result<MailSession, Fault> {
    let address = &mail.shared.options.imap.address;
    let what = || format!("no answer from {address} within {PATIENCE:?}");
    bounded(mail.open(&mut outsider(id)), what).await
}

/// Gives up when the server does not answer.
pub async fn bounded<T, E: From<Fault>>(
    work: impl Future<Output = Result<T, E>>,
    what: impl FnOnce() -> String,
) -> Result<T, E> {
    tokio::time::timeout(PATIENCE, work)
        .await
        .unwrap_or_else(|_| Err(Fault::session(FaultKind::Timeout, what()).into()))
}

/// The same for work in a folder.
pub async fn in_folder<T, E: From<Fault>>(
    folder: &str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    bounded(work, || {
        format!("{folder}: no answer within the time limit")
    })
    .await
}
