//! Several users' errands at a time, each on its own thread, which waits for the disk.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use headcount_tree::provision::{OnProgress, Progress};

use super::error::ProvisionError;

/// Errands under way at a time. Our choice: enough to keep a disk busy.
const AT_A_TIME: usize = 8;
/// How often progress is reported.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// How long to wait for cancelled errands; those that hang in the kernel are abandoned.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// What errands and their caller share.
#[derive(Debug, Default)]
pub struct Log {
    is_cancelled: AtomicBool,
    written_bytes: AtomicU64,
}

impl Log {
    /// An error if the errand was cancelled.
    pub fn check(&self) -> Result<(), ProvisionError> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return Err(ProvisionError::Cancelled);
        }
        Ok(())
    }

    /// Counts written bytes.
    pub fn wrote(&self, bytes: u64) {
        self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes written so far.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes.load(Ordering::Relaxed)
    }
}

/// Does `errand` for each of the users, several at a time; stops at the first that fails.
pub fn each<T: Send + 'static>(
    users: Vec<u32>,
    log: &Arc<Log>,
    on_progress: &mut OnProgress<'_>,
    errand: impl Fn(u32, &Log) -> Result<T, ProvisionError> + Send + Sync + 'static,
) -> Result<Vec<T>, ProvisionError> {
    let all = users.len();
    let (errand, users) = (Arc::new(errand), Arc::new(users));
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = channel();
    for _ in 0..AT_A_TIME.min(all) {
        let (errand, users) = (Arc::clone(&errand), Arc::clone(&users));
        let (next, log, sender) = (Arc::clone(&next), Arc::clone(log), sender.clone());
        std::thread::Builder::new()
            .name("headcount-prepare".to_owned())
            .spawn(move || {
                while let Some(user) = users.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = log.check().and_then(|()| errand(*user, &log));
                    let failed = done.is_err();
                    if sender.send(done).is_err() || failed {
                        return;
                    }
                }
            })?;
    }
    drop(sender);
    let mut done = Vec::with_capacity(all);
    let mut failed = None;
    loop {
        let wait = if failed.is_some() {
            LAST_WAIT
        } else {
            TELL_EVERY
        };
        match receiver.recv_timeout(wait) {
            Ok(Ok(one)) => done.push(one),
            Ok(Err(error)) => failed = failed.or(Some(error)),
            Err(RecvTimeoutError::Timeout) if failed.is_some() => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let progress = Progress {
            users_done: done.len() as u32,
            users: all as u32,
            written_bytes: log.written_bytes(),
        };
        if failed.is_none() && on_progress(progress) == ControlFlow::Break(()) {
            failed = Some(ProvisionError::Cancelled);
        }
        if failed.is_some() {
            log.is_cancelled.store(true, Ordering::Relaxed);
        }
    }
    failed.map_or(Ok(done), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_is_handled_once_and_progress_is_reported() {
        let log = Arc::new(Log::default());
        let mut most = 0;
        let mut on_progress = |far: Progress| {
            most = most.max(far.users_done);
            assert_eq!(far.users, 50);
            ControlFlow::Continue(())
        };
        let mut done = each((0..50).collect(), &log, &mut on_progress, |user, log| {
            log.wrote(2);
            Ok(user)
        })
        .unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..50).collect::<Vec<_>>());
        assert_eq!((most, log.written_bytes()), (50, 100));
    }

    #[test]
    fn cancelling_or_a_failure_ends_the_work() {
        let log = Arc::new(Log::default());
        let mut no = |_: Progress| ControlFlow::Break(());
        let ended = each((0..1000).collect(), &log, &mut no, |_, _| Ok(()));
        assert!(matches!(ended, Err(ProvisionError::Cancelled)));
        let log = Arc::new(Log::default());
        let mut on = |_: Progress| ControlFlow::Continue(());
        let ended = each((0..1000).collect(), &log, &mut on, |user, _| match user {
            7 => Err(ProvisionError::System(std::io::ErrorKind::Other.into())),
            _ => Ok(()),
        });
        assert!(matches!(ended, Err(ProvisionError::System(_))), "{ended:?}");
    }
}
