//! Long operations on the data set: one at a time, on a separate thread, so that they neither wait
//! for service threads nor take any from clients.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::files::{Failure, Files};
use super::prepare::{cleanup, prepare};
use super::tally::Tally;
use crate::frame::Kind;
use crate::message::{Order, Progress};
use crate::reply::{Code, append_error, append_json};

/// How often progress is reported.
const PROGRESS_NS: u64 = 200_000_000;

/// What is to be done to the data set.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Task {
    Prepare(Order),
    Cleanup,
}

/// The thread that works on the data set, while there is one.
#[derive(Debug, Default)]
pub(crate) struct Administration {
    /// The working thread, and earlier ones that still report their result.
    threads: Mutex<Vec<JoinHandle<()>>>,
    is_at_work: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
}

impl Administration {
    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a task; the receiver yields its frames, the last one being its reply. Dropping the
    /// receiver cancels the task.
    pub(crate) fn start(
        &self,
        task: Task,
        files: &Arc<Files>,
        tally: &Arc<Tally>,
    ) -> Result<Receiver<Vec<u8>>, Failure> {
        let mut threads = self.threads();
        if self.is_at_work.swap(true, Ordering::AcqRel) {
            let sentence =
                "another preparation or clean-up is under way: try again when it is done";
            return Err((Code::Conflict, sentence.into()));
        }
        let (sender, receiver) = channel(4);
        let (files, tally) = (Arc::clone(files), Arc::clone(tally));
        let (is_at_work, stopping) = (Arc::clone(&self.is_at_work), Arc::clone(&self.stopping));
        let run = move || {
            let frame = carry_out(task, &files, &tally, &sender, &stopping);
            is_at_work.store(false, Ordering::Release); // before the client may ask for more
            let _ = sender.blocking_send(frame); // the client may have gone
        };
        threads.retain(|thread| !thread.is_finished());
        match std::thread::Builder::new()
            .name("app-prepare".into())
            .spawn(run)
        {
            Ok(thread) => {
                threads.push(thread);
                Ok(receiver)
            }
            Err(error) => {
                self.is_at_work.store(false, Ordering::Release);
                Err((
                    Code::System,
                    format!("cannot start a thread to prepare the data set: {error}"),
                ))
            }
        }
    }

    /// Cancels what is running and joins its thread.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        for thread in self.threads().drain(..) {
            let _ = thread.join();
        }
    }
}

fn carry_out(
    task: Task,
    files: &Files,
    tally: &Tally,
    sender: &Sender<Vec<u8>>,
    stopping: &AtomicBool,
) -> Vec<u8> {
    let mut frame = Vec::new();
    let result = match task {
        Task::Prepare(order) => {
            let mut reported_ns = tally.now_ns();
            let mut report = |progress: Progress| {
                if tally.now_ns() - reported_ns >= PROGRESS_NS {
                    reported_ns = tally.now_ns();
                    let mut frame = Vec::new();
                    append_json(&mut frame, Kind::Progress, &progress);
                    let _ = sender.blocking_send(frame); // a closed channel is detected below
                }
                !sender.is_closed() && !stopping.load(Ordering::Acquire)
            };
            prepare(files, &order, &mut report)
                .map(|prepared| append_json(&mut frame, Kind::Prepare, &prepared))
        }
        Task::Cleanup => {
            cleanup(files).map(|cleaned| append_json(&mut frame, Kind::Cleanup, &cleaned))
        }
    };
    if let Err((code, message)) = result {
        append_error(&mut frame, code, &message);
    }
    frame
}
