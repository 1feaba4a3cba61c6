//! One user's session outside of a run.

use std::time::Duration;

use headcount_load::{Fault, Protocol, User, provision};

use crate::client::{Mail, MailSession};
use crate::stage;

/// Sessions at a time. Some servers start a process for each: more at once only wait for each
/// other.
pub const AT_A_TIME: usize = 16;
/// The time limit of one operation: a logon at a server that serves others too, or a hundred
/// messages.
const PATIENCE: Duration = Duration::from_secs(120);

/// Logs on as the user with this number of the run.
pub async fn arrive(mail: &Mail, id: u32) -> Result<MailSession, Fault> {
    arrive_within(PATIENCE, mail, id).await
}

/// The same within `limit`, which covers all attempts.
pub async fn arrive_within(limit: Duration, mail: &Mail, id: u32) -> Result<MailSession, Fault> {
    let address = &mail.shared.options.imap.address;
    let open = async |user: &mut User| mail.open(user).await;
    let late = || stage::late(limit, address);
    stage::within(limit, address, provision::arrive(open, id, limit, late)).await
}

/// Runs `work` with the time limit; `what` is the message if the server does not answer in time.
async fn bounded<T, E: From<Fault>>(
    work: impl Future<Output = Result<T, E>>,
    what: impl FnOnce() -> String,
) -> Result<T, E> {
    provision::bounded(PATIENCE, work, what).await
}

/// The same; the message names the folder.
pub async fn in_folder<T, E: From<Fault>>(
    folder: &str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    bounded(work, || {
        format!("{folder}: no answer within the time limit")
    })
    .await
}
