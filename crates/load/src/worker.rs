//! One worker: a thread's users, polled in turn, with their timers, joins, leaves and reports.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::iter::repeat;
use std::mem::{replace, take};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::mpsc::UnboundedReceiver;

use crate::clock::{Clock, thread_cpu_ns};
use crate::compiled::Compiled;
use crate::context::WorkerContext;
use crate::crowd::Crowd;
use crate::life::{Place, live};
use crate::local_address::set_addresses;
use crate::moments::Moments;
use crate::protocol::Protocol;
use crate::recorder::Recorder;
use crate::report::Report;
use crate::roster::{Member, Roster};
use crate::seat::Seat;
use crate::share::Share;
use crate::timers::Timers;
use crate::times::Times;
use crate::user::User;

/// A command to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Bring the run's population to `target`, spreading joins or leaves evenly over `over_ns`.
    Users {
        /// Users of the whole run; the worker takes its share.
        target: u32,
        /// Duration of the ramp.
        over_ns: u64,
    },
    /// Let all users finish their current scenario, at most for `drain_ns`, and end.
    Stop {
        /// How long to wait for scenarios under way.
        drain_ns: u64,
    },
}

/// A command and when it is to be carried out, in ns of the run's clock (0: at once).
pub type Order = (u64, Command);

/// Totals since the run began, as of the last report.
#[derive(Debug, Default)]
struct Reported {
    requests: Vec<u64>,
    /// Pauses that have ended.
    ended_ns: u64,
    think_ns: u64,
}

/// The state of a worker beside its users' futures.
struct Worker<P: Protocol> {
    share: Share,
    protocol: Arc<P>,
    plan: Arc<Compiled<P::Step>>,
    recorder: Rc<RefCell<Recorder>>,
    /// An empty recorder for use after the next report.
    spare: Option<Recorder>,
    /// The totals at the last report.
    reported: Reported,
    /// What the users share.
    context: Rc<WorkerContext>,
    /// The users who stay, by number.
    members: Vec<Member>,
    /// How many scenarios each user has begun, by number; who joins again begins no scenario twice.
    begun: Vec<Rc<Cell<u64>>>,
    roster: Rc<Roster>,
    orders: VecDeque<Order>,
    /// The moments of the next joins (or leaves).
    changes: VecDeque<u64>,
    target: usize,
    next_tick: u64,
    next_scan_ns: u64,
    /// When to give up on scenarios under way; set by [`Command::Stop`].
    end_ns: Option<u64>,
}

/// Runs one worker until it is ordered to stop, or until its channel is closed.
pub async fn work<P: Protocol>(
    share: Share,
    protocol: Arc<P>,
    plan: Arc<Compiled<P::Step>>,
    clock: Rc<dyn Clock>,
    mut orders: UnboundedReceiver<Order>,
    mut publish: impl FnMut(Report) -> Option<Recorder>,
) {
    set_addresses(&plan.plan.local_addresses);
    let mut worker = Worker::new(share, protocol, plan, Rc::clone(&clock));
    let mut crowd = Crowd::default();
    poll_fn(|context| {
        // Bounded, so that the runtime gets to look at its sockets between rounds.
        for _ in 0..ROUNDS {
            if worker.receive(&mut orders, context).is_none() {
                return Poll::Ready(());
            }
            let now_ns = clock.now_ns();
            worker.carry_out(now_ns);
            worker.change(now_ns, |turn, place, user| {
                crowd.push(turn, live(place, user));
            });
            worker.watch(now_ns, crowd.len(), &mut publish);
            worker.context.timers.fire(now_ns);
            crowd.poll(POLLS);
            if worker.is_over(crowd.is_empty(), now_ns) {
                publish(worker.report(clock.now_ns(), crowd.len()));
                return Poll::Ready(());
            }
            let next_ns = worker.next_ns();
            if crowd.is_quiet(context) && next_ns > clock.now_ns() {
                clock.arm(next_ns, context);
                return Poll::Pending;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

const ROUNDS: usize = 4;

/// Polls of users in a round, at most; a round reads the clock and checks the timers once. This
/// many short steps take a tenth of a millisecond.
const POLLS: usize = 64;

impl<P: Protocol> Worker<P> {
    fn new(
        share: Share,
        protocol: Arc<P>,
        plan: Arc<Compiled<P::Step>>,
        clock: Rc<dyn Clock>,
    ) -> Self {
        let mut recorder = Recorder::new(plan.scenarios.len(), plan.step_names.len());
        recorder.keep_lines(plan.plan.lines.len());
        recorder.moments = Moments::new(u64::from(plan.plan.slot_ms.unwrap_or(0)) * 1_000_000);
        let timers = Rc::new(Timers::new(clock));
        let context = WorkerContext::new(timers, P::requests().len(), P::tasks().len());
        Self {
            share,
            protocol,
            plan,
            recorder: Rc::new(RefCell::new(recorder)),
            spare: None,
            reported: Reported::default(),
            context: Rc::new(context),
            members: Vec::new(),
            begun: Vec::new(),
            roster: Rc::default(),
            orders: VecDeque::new(),
            changes: VecDeque::new(),
            target: 0,
            next_tick: 1,
            next_scan_ns: 0,
            end_ns: None,
        }
    }

    /// Takes in new orders. `None` when the run was dropped and the worker must end.
    fn receive(
        &mut self,
        orders: &mut UnboundedReceiver<Order>,
        context: &mut Context<'_>,
    ) -> Option<()> {
        loop {
            match orders.poll_recv(context) {
                Poll::Ready(Some(order)) => self.orders.push_back(order),
                Poll::Ready(None) => return None,
                Poll::Pending => return Some(()),
            }
        }
    }

    fn carry_out(&mut self, now_ns: u64) {
        while self
            .orders
            .front()
            .is_some_and(|(at_ns, _)| *at_ns <= now_ns)
        {
            match self.orders.pop_front() {
                Some((_, Command::Users { target, over_ns })) => {
                    self.context.population.set(target);
                    self.ramp(self.my_share(target), over_ns, now_ns);
                }
                Some((_, Command::Stop { drain_ns })) => {
                    self.ramp(0, 0, now_ns);
                    self.end_ns = Some(now_ns + drain_ns);
                }
                None => {}
            }
        }
    }

    /// How many of the run's first `target` users are this worker's: those whose number modulo the
    /// number of workers is the worker's own.
    fn my_share(&self, target: u32) -> usize {
        let target = target as usize;
        (target + self.share.of - 1 - self.share.lane) / self.share.of
    }

    fn ramp(&mut self, target: usize, over_ns: u64, now_ns: u64) {
        self.target = target;
        self.changes.clear();
        let count = target.abs_diff(self.members.len()) as u64;
        // Workers take turns, so that joins of the whole run are evenly spaced.
        let turn = self.share.lane as f64 / self.share.of as f64;
        for index in 0..count {
            let part = (index as f64 + turn) / count as f64;
            self.changes
                .push_back(now_ns + (part * over_ns as f64) as u64);
        }
    }

    /// Lets users join or leave when their moment has come.
    fn change(&mut self, now_ns: u64, mut join: impl FnMut(usize, Place<P>, User)) {
        while self.changes.front().is_some_and(|at_ns| *at_ns <= now_ns) {
            self.changes.pop_front();
            if self.members.len() < self.target {
                let turn = self.members.len();
                let (place, user) = self.admit(now_ns);
                let has_lines = !self.plan.plan.lines.is_empty();
                join(if has_lines { place.line } else { turn }, place, user);
            } else if let Some(member) = self.members.pop() {
                let paused_ns = self.roster.leaves(&member, now_ns);
                self.recorder.borrow_mut().think_ns += paused_ns;
            }
        }
    }

    fn admit(&mut self, now_ns: u64) -> (Place<P>, User) {
        let plan = &self.plan.plan;
        let number = self.members.len();
        if self.begun.len() == number {
            self.begun.push(Rc::default());
        }
        let begun = Rc::clone(&self.begun[number]);
        let id = (number * self.share.of + self.share.lane) as u32;
        let seat = Rc::new(Seat::new(now_ns));
        let schedule = self.plan.schedule(id, now_ns);
        let schedule = Rc::new(RefCell::new(schedule));
        let user = User::new(id, plan.seed, Rc::clone(&seat), Rc::clone(&self.context));
        let user = user.with_variables(self.plan.variables.clone());
        let user = user.traced(self.plan.trace.is_some()).continuing(begun);
        let member = Member { seat, schedule };
        self.members.push(member.clone());
        let place = Place {
            protocol: Arc::clone(&self.protocol),
            plan: Arc::clone(&self.plan),
            recorder: Rc::clone(&self.recorder),
            member,
            roster: Rc::clone(&self.roster),
            line: self.plan.line_of(id),
        };
        (place, user)
    }

    /// Reports at each tick, and ends steps that have exceeded their limit.
    fn watch(
        &mut self,
        now_ns: u64,
        present: usize,
        publish: &mut impl FnMut(Report) -> Option<Recorder>,
    ) {
        let every_ns = self.report_every_ns();
        let due_ns = self.next_tick * every_ns;
        if now_ns >= due_ns {
            let mut recorder = self.recorder.borrow_mut();
            recorder.timer_lateness.record_ns(now_ns - due_ns);
            drop(recorder);
            self.next_tick = now_ns / every_ns + 1;
            self.spare = publish(self.report(now_ns, present));
        }
        if now_ns >= self.next_scan_ns {
            let limit_ns = self.plan.plan.step_timeout_ms * 1_000_000;
            // Time limits are enforced to a tenth of their length.
            self.next_scan_ns = now_ns + (limit_ns / 10).clamp(1_000_000, 1_000_000_000);
            for member in &*self.roster.busy() {
                member.seat.expire_after(limit_ns, now_ns);
            }
        }
    }

    fn report(&mut self, at_ns: u64, present: usize) -> Report {
        let counted = self.hand_over(at_ns);
        let mut report = Report {
            worker: self.share.worker,
            tick: at_ns / self.report_every_ns(),
            at_ns,
            users: present as u32,
            logging_on: 0,
            completed: self.roster.report(),
            unserved_ns: Vec::new(),
            cpu_ns: thread_cpu_ns(),
            counted,
            pending: vec![Times::new(); self.plan.scenarios.len()],
            overdue: vec![0; self.plan.scenarios.len()],
            backlog: Times::new(),
            backlog_overdue: 0,
        };
        self.look(at_ns, &mut report);
        report
    }

    /// Adds the state of the busy users to the report.
    fn look(&self, at_ns: u64, report: &mut Report) {
        let scenarios = &self.plan.scenarios;
        let limit_ns = |index: u32, bytes| scenarios[index as usize].limit_for(bytes);
        let limits = scenarios.iter().map(|scenario| scenario.limit_ns);
        let longest_ns = limits.max().unwrap_or(u64::MAX);
        let patience = scenarios.iter().map(|s| s.limit_ns.min(s.late_ns));
        let patience_ns = patience.max();
        for Member { seat, schedule } in &*self.roster.busy() {
            if !seat.is_leaving() {
                let since_ns = seat.unserved_since_ns(at_ns, limit_ns, longest_ns);
                report.unserved_ns.extend(since_ns);
                report.logging_on += u32::from(seat.is_logging_on());
            }
            let Some(playing) = seat.playing() else {
                continue;
            };
            let idle_ns = seat.idle_ns(at_ns);
            let age_ns = at_ns.saturating_sub(playing.due_ns + idle_ns);
            let index = playing.scenario as usize;
            report.pending[index].record_ns(age_ns);
            let allowed_ns = limit_ns(playing.scenario, seat.expected_bytes());
            report.overdue[index] += u64::from(playing.late || age_ns > allowed_ns);
            if seat.is_leaving() {
                continue; // a leaving user has no backlog
            }
            schedule.borrow().backlog(at_ns, |due_ns| {
                let age_ns = at_ns.saturating_sub(due_ns);
                report.backlog.record_ns(age_ns);
                report.backlog_overdue += u64::from(Some(age_ns) > patience_ns);
            });
        }
    }

    /// What was counted since the last report. Only a few sums are copied, since users wait
    /// meanwhile.
    fn hand_over(&mut self, at_ns: u64) -> Recorder {
        let empty = self.spare.take();
        let mut empty = empty.unwrap_or_else(|| {
            Recorder::new(self.plan.scenarios.len(), self.plan.step_names.len())
        });
        let tasks = self.context.tasks.hand_over(take(&mut empty.tasks));
        let mut counted = self.recorder.borrow_mut().hand_over(empty);
        self.reported.ended_ns += counted.think_ns;
        let think_ns = self.think_ns(at_ns);
        counted.think_ns = think_ns - replace(&mut self.reported.think_ns, think_ns);
        let sent = self.context.requests.counts();
        let before = replace(&mut self.reported.requests, sent.clone());
        let before = before.into_iter().chain(repeat(0));
        counted.requests = sent
            .iter()
            .zip(before)
            .map(|(now, then)| now - then)
            .collect();
        counted.tasks = tasks;
        counted
    }

    /// How long users have thought, or waited for news, up to this moment: of a pause that extends
    /// past the end of a window, the part within the window must count.
    fn think_ns(&self, at_ns: u64) -> u64 {
        // A late timer made a pause count too long; it must not count below zero when it ends.
        let thought_ns = self.reported.ended_ns + self.roster.thought_ns(at_ns);
        thought_ns.max(self.reported.think_ns)
    }

    fn is_over(&self, nobody_left: bool, now_ns: u64) -> bool {
        self.end_ns
            .is_some_and(|end_ns| nobody_left || now_ns >= end_ns)
    }

    fn next_ns(&self) -> u64 {
        let order = self.orders.front().map(|(at_ns, _)| *at_ns);
        let candidates = [
            order,
            self.changes.front().copied(),
            self.context.timers.next_ns(),
            self.end_ns,
        ];
        let watch_ns = (self.next_tick * self.report_every_ns()).min(self.next_scan_ns);
        candidates.into_iter().flatten().fold(watch_ns, u64::min)
    }

    fn report_every_ns(&self) -> u64 {
        self.plan.plan.report_every_ms * 1_000_000
    }
}
