//! Holds connections, connections to shares and open files, to measure what they cost the server.
//!
//! They belong to a thread of their own, which sends nothing while they are held. Files are
//! delete-on-close, so that none outlives its connection; folders that were made for them are
//! deleted at the end.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::error::ProvisionError;
use super::holder::Holder;
use super::holding::{Holding, Notes};
use super::{OnProgress, Progress};
use crate::client::Smb;
use crate::options::SmbOptions;

/// How often the caller's progress callback runs.
const TELL_EVERY: Duration = Duration::from_millis(100);

enum Errand {
    Bring(Holding),
    Check,
    Close,
}

type Answer = Result<Holding, ProvisionError>;

/// Connections that are held.
#[derive(Debug)]
pub struct Hold {
    errands: Option<UnboundedSender<Errand>>,
    answers: Receiver<Answer>,
    notes: Arc<Notes>,
    thread: Option<JoinHandle<()>>,
}

impl Hold {
    /// Starts the thread; nothing is sent yet.
    pub fn new(options: SmbOptions) -> Result<Self, ProvisionError> {
        let smb = Smb::new(options)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let notes = Arc::new(Notes::default());
        let (errands, received) = unbounded_channel();
        let (answer, answers) = channel();
        let shared_notes = Arc::clone(&notes);
        let thread = std::thread::Builder::new()
            .name("hold".into())
            .spawn(move || {
                runtime.block_on(serve(Holder::new(smb, shared_notes), received, &answer));
            })?;
        Ok(Self {
            errands: Some(errands),
            answers,
            notes,
            thread: Some(thread),
        })
    }

    /// Opens and closes the difference between what is held and `holding`. After an error, what was
    /// opened so far stays open.
    pub fn bring(&mut self, holding: Holding, on_progress: &mut OnProgress<'_>) -> Answer {
        self.ask(Errand::Bring(holding), holding.connections, on_progress)
    }

    /// How many connections still answer, and what they should hold: only the connections are
    /// checked.
    pub fn check(&mut self) -> Answer {
        self.ask(Errand::Check, 0, &mut |_| ControlFlow::Continue(()))
    }

    /// Closes everything and deletes the folders made for it.
    pub fn close(&mut self) -> Result<(), ProvisionError> {
        if self.errands.is_none() {
            return Ok(());
        }
        let closed = self.ask(Errand::Close, 0, &mut |_| ControlFlow::Continue(()));
        self.join();
        closed.map(drop)
    }

    fn ask(
        &mut self,
        errand: Errand,
        connections: u32,
        on_progress: &mut OnProgress<'_>,
    ) -> Answer {
        self.notes.is_cancelled.store(false, Ordering::Relaxed);
        self.notes.done.store(0, Ordering::Relaxed);
        let sent = self.errands.as_ref().map(|errands| errands.send(errand));
        if !matches!(sent, Some(Ok(()))) {
            return Err(thread_error());
        }
        loop {
            match self.answers.recv_timeout(TELL_EVERY) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(thread_error()),
                Err(RecvTimeoutError::Timeout) => {
                    let progress = Progress {
                        users_done: self.notes.done.load(Ordering::Relaxed),
                        users: connections,
                        written_bytes: 0,
                    };
                    if on_progress(progress) == ControlFlow::Break(()) {
                        self.notes.is_cancelled.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    }

    fn join(&mut self) {
        self.errands = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic has been reported already
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.join(); // the thread closes everything once the channel is closed
    }
}

async fn serve(
    mut holder: Holder,
    mut errands: UnboundedReceiver<Errand>,
    answer: &Sender<Answer>,
) {
    while let Some(errand) = errands.recv().await {
        let done = match errand {
            Errand::Bring(holding) => holder.bring(holding).await,
            Errand::Check => holder.check().await,
            Errand::Close => {
                let _ = answer.send(holder.close().await); // the caller may have gone
                return;
            }
        };
        if answer.send(done).is_err() {
            break;
        }
    }
    let _ = holder.close().await; // nobody is left to report an error to
}

fn thread_error() -> ProvisionError {
    ProvisionError::System(std::io::Error::other(
        "the thread that held the connections has ended",
    ))
}
