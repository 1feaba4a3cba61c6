//! The threads of a sort, each with its part of the memory.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::SortError;
use crate::job::{Job, Shared, Tell, Times};

/// Numbers handed out in order, each to one thread.
#[derive(Debug)]
pub struct Queue {
    next: AtomicU64,
    end: u64,
}

impl Queue {
    /// The numbers from 0 up to, but not including, `end`.
    #[must_use]
    pub const fn new(end: u64) -> Self {
        Self {
            next: AtomicU64::new(0),
            end,
        }
    }

    /// The next number; None when all are handed out.
    pub fn take(&self) -> Option<u64> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        (next < self.end).then_some(next)
    }
}

/// Runs `work` once for each part, each in a thread; the first in the calling thread.
///
/// Returns the sum of the threads' times. The first error ends all threads at their next block and
/// is returned, not the cancellation of another thread by it.
pub fn play<P: Send>(
    parts: Vec<P>,
    shared: &Shared,
    tell: &mut Tell<'_>,
    work: impl Fn(P, &mut Job<'_>) -> Result<(), SortError> + Sync,
) -> Result<Times, SortError> {
    let times = Mutex::new(Times::default());
    let failed: Mutex<Option<SortError>> = Mutex::new(None);
    let one = |part: P, mut tell: Option<&mut Tell<'_>>| {
        let mut pass = |far| {
            tell.as_mut()
                .map_or(ControlFlow::Continue(()), |tell| tell(far))
        };
        let mut job = Job::new(shared, &mut pass);
        let done = work(part, &mut job);
        if let (Ok(mut times), played) = (times.lock(), job.times) {
            *times = times.and(played);
        }
        if let Err(error) = done {
            shared.call_off();
            if let Ok(mut first) = failed.lock() {
                keep(&mut first, error);
            }
        }
    };
    std::thread::scope(|scope| {
        let mut parts = parts.into_iter();
        let own = parts.next();
        let threads: Vec<_> = parts
            .map(|part| std::thread::Builder::new().spawn_scoped(scope, || one(part, None)))
            .collect();
        if threads.iter().any(Result::is_err) {
            shared.call_off();
        } else if let Some(part) = own {
            one(part, Some(tell));
        }
        for thread in threads {
            let joined = thread.map(std::thread::ScopedJoinHandle::join);
            if !matches!(joined, Ok(Ok(()))) {
                return Err(SortError::Thread);
            }
        }
        Ok(())
    })?;
    match failed.into_inner() {
        Ok(None) => times.into_inner().map_err(|_| SortError::Thread),
        Ok(Some(error)) => Err(error),
        Err(_) => Err(SortError::Thread),
    }
}

/// Keeps the first error. A cancellation gives way: another thread may have noticed an error before
/// the error itself was kept.
fn keep(first: &mut Option<SortError>, error: SortError) {
    if matches!(first, None | Some(SortError::Cancelled)) {
        *first = Some(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_outweighs_the_cancellations_that_follow_from_it() {
        let mut first = None;
        for error in [
            SortError::Cancelled,
            SortError::NoWork,
            SortError::Thread,
            SortError::Cancelled,
        ] {
            keep(&mut first, error);
        }
        assert!(matches!(first, Some(SortError::NoWork)), "{first:?}");
    }
}
