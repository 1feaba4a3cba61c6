//! Several users' errands at a time.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};

use super::error::ProvisionError;
use super::{Progress, Told};

/// Errands under way at a time: a server that starts a process for each session has so many starting
/// at once, and more of them only wait for each other.
const AT_A_TIME: usize = 16;
/// How often the caller is told.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// Does `errand` for each of the users, several at a time; ends with the first that fails.
pub async fn each<T, F>(
    users: impl ExactSizeIterator<Item = u32>,
    written_bytes: &Cell<u64>,
    told: &mut Told<'_>,
    errand: impl Fn(u32) -> F,
) -> Result<Vec<T>, ProvisionError>
where
    F: Future<Output = Result<T, ProvisionError>>,
{
    let mut done = Vec::with_capacity(users.len());
    let all = users.len() as u32;
    let mut errands = stream::iter(users.map(errand)).buffer_unordered(AT_A_TIME);
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
        if told(progress) == ControlFlow::Break(()) {
            return Err(ProvisionError::CalledOff);
        }
    }
    Ok(done)
}

/// Runs work that waits for the network, from a thread that does nothing else meanwhile.
pub fn run<T>(work: impl Future<Output = Result<T, ProvisionError>>) -> Result<T, ProvisionError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(work)
}
