//! A run: all workers together. It tells them how many users to play and collects their counts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::clock::{Origin, RealClock};
use crate::compiled::Compiled;
use crate::intervals::{Intervals, Total};
use crate::mailbox::{Mail, Mailbox};
use crate::orders::Orders;
use crate::plan::Plan;
use crate::plan_error::PlanError;
use crate::protocol::Protocol;
use crate::share::Share;
use crate::snapshot::{Interval, Snapshot};
use crate::trace::Trace;
use crate::worker::{Order, work};

/// Why a run could not start, or did not go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The plan cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The system refused a thread.
    #[error("cannot start a worker thread: {0}")]
    Thread(String),
    /// A worker thread panicked: a defect of the engine or of a protocol. What it counted since its
    /// last report is lost, so the level under way is invalid.
    #[error("a worker of the load engine failed: {0}")]
    Worker(String),
}

/// A run under way. Dropping it ends its workers at once.
#[derive(Debug)]
pub struct Run {
    origin: Origin,
    mailbox: Arc<Mailbox>,
    workers: Vec<UnboundedSender<Order>>,
    threads: Vec<JoinHandle<()>>,
    step_names: Vec<String>,
    request_names: Vec<&'static str>,
    task_names: Vec<&'static str>,
    intervals: Intervals,
    total: Total,
    ended: bool,
    trace: Option<Trace>,
}

impl Run {
    /// Starts the plan's workers, with no users yet.
    pub fn start<P: Protocol>(plan: Plan, protocol: P) -> Result<Self, RunError> {
        Self::start_at(plan, protocol, None)
    }

    /// Like [`Run::start`], but the run's clock begins at `origin`, which may be in the future or
    /// in the past. Machines that play one run together thus report at the same moments.
    pub fn start_at<P: Protocol>(
        plan: Plan,
        protocol: P,
        origin: Option<Origin>,
    ) -> Result<Self, RunError> {
        let plan = Arc::new(plan.compile_for(&protocol)?);
        let protocol = Arc::new(protocol);
        let workers = usize::from(plan.plan.workers);
        let mut run = Self {
            origin: origin.unwrap_or_else(Origin::now),
            mailbox: Arc::new(Mailbox::new(workers)),
            workers: Vec::new(),
            threads: Vec::new(),
            step_names: plan.step_names.clone(),
            request_names: P::requests(),
            task_names: P::tasks(),
            intervals: Intervals::new(plan.scenarios.len(), plan.step_names.len()),
            total: Total::default(),
            ended: false,
            trace: plan.trace.clone(),
        };
        for worker in 0..workers {
            let share = Share::new(worker, workers, plan.plan.part.as_ref());
            let (sender, receiver) = unbounded_channel();
            let (protocol, plan) = (Arc::clone(&protocol), Arc::clone(&plan));
            let (mailbox, origin) = (Arc::clone(&run.mailbox), run.origin);
            let thread = std::thread::Builder::new()
                .name(format!("headcount-{worker}"))
                .spawn(move || {
                    let job = || run_worker(share, protocol, plan, origin, receiver, &mailbox);
                    let panic = catch_unwind(AssertUnwindSafe(job)).err();
                    mailbox.end(worker, panic.map(|payload| panic_message(&*payload)));
                })
                .map_err(|error| RunError::Thread(error.to_string()))?;
            run.workers.push(sender);
            run.threads.push(thread);
        }
        Ok(run)
    }

    /// The names of the plan's steps, in the order in which they are counted.
    #[must_use]
    pub fn step_names(&self) -> &[String] {
        &self.step_names
    }

    /// The names of the kinds of requests that the protocol counts, in that order.
    #[must_use]
    pub fn request_names(&self) -> &[&'static str] {
        &self.request_names
    }

    /// The names of what the protocol's sessions time, in the order of [`crate::tasks`].
    #[must_use]
    pub fn task_names(&self) -> &[&'static str] {
        &self.task_names
    }

    /// What users did since the last call, if the plan keeps a trace.
    #[must_use]
    pub fn take_trace(&self) -> Vec<serde_json::Value> {
        self.trace.as_ref().map_or_else(Vec::new, Trace::take)
    }

    /// Nanoseconds since the run began.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.origin.elapsed_ns()
    }

    /// A handle for giving orders while another thread waits for the next interval.
    #[must_use]
    pub fn orders(&self) -> Orders {
        Orders::new(self.origin, &self.workers)
    }

    /// See [`Orders::set_users`].
    pub fn set_users(&self, target: u32, ramp: Duration) {
        self.orders().set_users(target, ramp);
    }

    /// See [`Orders::stop`].
    pub fn stop(&self, drain: Duration) {
        self.orders().stop(drain);
    }

    /// The state of the run at the end of the next interval; see [`Run::next_interval`]. Each call
    /// copies everything counted since the run began: use it with few scenarios or call it rarely.
    pub fn next(&mut self, patience: Duration) -> Result<Option<Snapshot>, RunError> {
        let interval = self.next_interval(patience)?;
        Ok(interval.map(|interval| self.total.add(interval, &self.intervals)))
    }

    /// What happened since the last call, or since the run began; `None` when `patience` ran out
    /// first, or when the run has ended and its last interval was taken (see [`Run::has_ended`]).
    pub fn next_interval(&mut self, patience: Duration) -> Result<Option<Interval>, RunError> {
        if self.ended {
            return Ok(None);
        }
        let reports = match self.mailbox.wait(self.intervals.tick(), patience) {
            Mail::Nothing => return Ok(None),
            Mail::Failed(panic) => {
                self.ended = true;
                return Err(RunError::Worker(panic));
            }
            Mail::Fresh(reports) => reports,
            Mail::Ended(reports) => {
                self.ended = true;
                reports
            }
        };
        let mailbox = &self.mailbox;
        Ok(self.intervals.next(reports, |worker, mut recorder| {
            recorder.clear();
            mailbox.give_back(worker, recorder);
        }))
    }

    /// Whether the last interval has been taken.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.ended
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.workers.clear(); // closes the channels, which ends the workers
        let ended = self.mailbox.wait_for_end(PATIENCE);
        for thread in self.threads.drain(..) {
            // A protocol that blocks its thread is a defect, but must not hang the thread that ends
            // the run.
            if ended || thread.is_finished() {
                let _ = thread.join(); // panics were caught and reported inside
            }
        }
    }
}

/// How long the end of a run waits for its workers, which check for orders at every poll.
const PATIENCE: Duration = Duration::from_secs(2);

fn run_worker<P: Protocol>(
    share: Share,
    protocol: Arc<P>,
    plan: Arc<Compiled<P::Step>>,
    origin: Origin,
    orders: UnboundedReceiver<Order>,
    mailbox: &Mailbox,
) {
    // Without the runtime's timers unless a protocol needs them: the runtime would read the clock
    // whenever all users wait, and they wait for the timers of `timers`.
    let mut builder = tokio::runtime::Builder::new_current_thread();
    if protocol.needs_timers() {
        builder.enable_time();
    }
    let runtime = builder.enable_io().build();
    #[expect(
        clippy::expect_used,
        reason = "caught by the caller and reported as the run's error"
    )]
    let runtime = runtime.expect("the system refused an event queue (epoll) for a worker");
    runtime.block_on(async {
        #[expect(clippy::expect_used, reason = "caught by the caller as above")]
        let clock = RealClock::new(origin).expect("the system refused a timer (timerfd)");
        let publish = |report| mailbox.publish(report);
        // The worker itself limits how long it keeps the runtime from polling its sockets.
        let work = work(share, protocol, plan, Rc::new(clock), orders, publish);
        tokio::task::unconstrained(work).await;
    });
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
