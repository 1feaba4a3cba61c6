//! One user's life: wait until a scenario is due, play it, think, repeat; until asked to leave.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use crate::attempt::Attempt;
use crate::compiled::Compiled;
use crate::fault::{Fault, FaultKind};
use crate::flow::{Flow, Move, next_place};
use crate::pace::Draw;
use crate::plan::LogOn;
use crate::protocol::{Protocol, Session};
use crate::recorder::{At, Ended, Recorder};
use crate::roster::{Member, Roster};
use crate::scripted::Script;
use crate::seat::{Playing, Seat};
use crate::section::Section;
use crate::timers::on_grid;
use crate::trace::{Trace, Traced};
use crate::user::User;

/// What a user shares with its worker.
pub struct Place<P: Protocol> {
    /// Opens the user's session.
    pub protocol: Arc<P>,
    /// What users do.
    pub plan: Arc<Compiled<P::Step>>,
    /// Where it is counted.
    pub recorder: Rc<RefCell<Recorder>>,
    /// The user, as its worker sees it.
    pub member: Member,
    /// All users of the worker.
    pub roster: Rc<Roster>,
    /// The line over which the user reaches the server, from 1; 0 if the user is on no line.
    pub line: usize,
}

/// A scenario fails after this many moves without a step: they block the other users of the worker.
const MOST_MOVES_BETWEEN_STEPS: u32 = 100_000;

/// Lives as `user` until asked to leave.
pub async fn live<P: Protocol>(place: Place<P>, mut user: User) {
    let mut session: Option<P::Session> = None;
    let joined_ns = user.now_ns();
    if place.plan.plan.log_on == LogOn::Join {
        session = place.log_on(&mut user).await;
        place.member.schedule.borrow_mut().rest(user.now_ns(), 0);
    }
    let first_pause_ns = place.first_pause_ns(joined_ns);
    place.pauses(joined_ns, first_pause_ns);
    loop {
        if place.member.seat.is_leaving() {
            break;
        }
        let now_ns = user.now_ns();
        let due_ns = on_grid(place.member.schedule.borrow().due_ns(), now_ns);
        let waited = now_ns < due_ns;
        if waited {
            user.sleep_until(due_ns).await;
        }
        if place.member.seat.is_leaving() {
            break;
        }
        let began_ns = user.now_ns().max(due_ns);
        place.record_lateness(began_ns - due_ns, waited);
        let (ended_ns, pause, completed) = place
            .play_one(due_ns, began_ns, &mut session, &mut user)
            .await;
        let mut pause_ns = place.member.schedule.borrow_mut().advance(ended_ns, pause);
        let is_lost = !completed && session.is_none();
        let least_ns = place.plan.least_pause_ns(&user, is_lost);
        if least_ns > 0 {
            pause_ns = place.member.schedule.borrow_mut().rest(ended_ns, least_ns);
        }
        place.pauses(ended_ns, pause_ns);
        if place.member.schedule.borrow().due_ns() <= ended_ns {
            yield_now().await; // a user without think time must not keep the worker to itself
        }
    }
    if let Some(session) = session {
        Box::pin(place.close(session, &mut user)).await; // rare; keeps users' futures small
    }
}

impl<P: Protocol> Place<P> {
    /// Notes that a scenario starts `late_ns` after it was due, which ends the user's pause.
    fn record_lateness(&self, late_ns: u64, by_timer: bool) {
        let mut recorder = self.recorder.borrow_mut();
        recorder.start_lateness.record_ns(late_ns);
        if by_timer {
            recorder.timer_lateness.record_ns(late_ns);
        }
        recorder.think_ns += self.roster.ends_pause(&self.member.seat);
    }

    fn pauses(&self, began_ns: u64, pause_ns: u64) {
        self.roster.pauses(&self.member.seat, began_ns, pause_ns);
    }

    /// How long a user who joined at this moment waits for its first scenario.
    fn first_pause_ns(&self, joined_ns: u64) -> u64 {
        self.member
            .schedule
            .borrow()
            .due_ns()
            .saturating_sub(joined_ns)
    }

    /// Opens the session of a user who has just joined; None if that failed, and the first scenario
    /// tries again.
    async fn log_on(&self, user: &mut User) -> Option<P::Session> {
        self.plan.enter(user);
        self.member.seat.logs_on(user.now_ns());
        self.roster.update(&self.member);
        let mut session = None;
        let drawn = self.draw(user, &self.plan.setup.needed);
        let is_ready = drawn && self.open(&mut session, user).await;
        self.member.seat.has_logged_on(!is_ready);
        self.roster.update(&self.member);
        session.filter(|_| is_ready)
    }

    /// Draws variables. Returns false, and records a fault, if there is no value for one.
    fn draw(&self, user: &mut User, needed: &[u16]) -> bool {
        match user.draw_variables(needed) {
            Ok(()) => true,
            Err(missing) => {
                self.fault(At::Opening, &missing.into());
                false
            }
        }
    }

    /// Plays one scenario; returns when it ended, the pause of its own that follows it, and whether
    /// every step succeeded.
    async fn play_one(
        &self,
        mut due_ns: u64,
        mut began_ns: u64,
        session: &mut Option<P::Session>,
        user: &mut User,
    ) -> (u64, Option<Draw>, bool) {
        user.begin_scenario();
        let index = self.plan.next(user);
        let scenario = &self.plan.scenarios[index];
        let mut failed = !self.draw(user, &scenario.flow.needed);
        if !failed && !scenario.setup.is_empty() {
            let took_ns;
            let setting_up = self.set_up(index, began_ns, session, user);
            (took_ns, failed) = Box::pin(setting_up).await; // keeps users' futures small
            (due_ns, began_ns) = (due_ns + took_ns, began_ns + took_ns);
        }
        self.recorder.borrow_mut().started(index, self.line);
        let late = began_ns - due_ns > scenario.late_ns;
        let playing = Playing {
            scenario: index as u32,
            due_ns,
            late,
        };
        let mut now_ns = began_ns;
        let seat = &*self.member.seat;
        seat.plays(playing, now_ns);
        self.roster.update(&self.member);
        if session.is_none() && !failed {
            failed = !self.open(session, user).await;
            now_ns = user.now_ns();
        }
        if !failed {
            (now_ns, failed) = self
                .play_whole(Section::Steps(index), &scenario.flow, now_ns, session, user)
                .await;
        }
        seat.has_played(now_ns, failed);
        self.roster.update(&self.member);
        if !failed {
            self.roster.completes(seat);
        }
        let idle_ns = seat.idle_ns(now_ns);
        self.recorder.borrow_mut().think_ns += idle_ns; // not response time in Little's law
        self.recorder.borrow_mut().ended(&Ended {
            scenario: index,
            line: self.line,
            due_ns,
            began_ns,
            ended_ns: now_ns,
            idle_ns,
            completed: !failed,
            limit_ns: scenario.limit_for(seat.expected_bytes()),
            late_ns: scenario.late_ns,
        });
        let mut teardown_failed = false;
        if !scenario.teardown.is_empty() && session.is_some() {
            teardown_failed = Box::pin(self.tear_down(index, session, user)).await;
            now_ns = user.now_ns();
        }
        if let Some(trace) = &self.plan.trace {
            trace.end(
                &self.plan.plan.scenarios[index].name,
                failed || teardown_failed,
            );
        }
        (now_ns, scenario.pause, !failed)
    }

    /// Plays steps to their end, or to the first that fails; returns when, and whether one failed.
    pub(crate) async fn play_flow(
        &self,
        section: Section,
        flow: &Flow<P::Step>,
        mut now_ns: u64,
        session: &mut Option<P::Session>,
        user: &mut User,
    ) -> (u64, bool) {
        let mut rounds = vec![0; flow.counters]; // no allocation without loops
        let (mut last_step, mut script) = (None, None::<Box<Script>>);
        let mut attempt = Attempt::default();
        let (mut place, mut moves) = (0, 0);
        while let Some(next) = flow.moves.get(place) {
            place += 1;
            if let Move::Step(step_index, step) = next {
                (last_step, moves) = (Some(*step_index), 0);
                let played = self.play_step(section, *step_index, step, now_ns, session, user);
                match played.await {
                    Ok(ended_ns) => now_ns = ended_ns,
                    Err((ended_ns, fault)) => {
                        if self.retries(&mut attempt, &fault, session, ended_ns).await {
                            (place, now_ns) = (attempt.place, user.now_ns());
                            continue;
                        }
                        self.fail_step(*step_index, &fault);
                        let (script, attempt) = (&mut script, &mut attempt);
                        let back = self.outlasted(script, attempt, fault, session, ended_ns);
                        let Some(back) = Box::pin(back).await else {
                            return (ended_ns, true);
                        };
                        (place, now_ns) = (back, user.now_ns());
                    }
                }
                continue;
            }
            attempt.follow(next, place);
            moves += 1;
            let onward_place = if moves > MOST_MOVES_BETWEEN_STEPS {
                Err(Fault::step(
                    FaultKind::Refused,
                    "a loop goes on without playing a step",
                ))
            } else {
                next_place(next, place, &mut rounds, &mut script, user).await
            };
            if let Some(trace) = &self.plan.trace {
                user.take_notes()
                    .into_iter()
                    .for_each(|note| trace.note(note));
            }
            match onward_place {
                Ok(onward) => place = onward,
                Err(fault) => {
                    let at = last_step.map_or(At::Opening, At::Step);
                    self.fault(at, &fault);
                    let (script, attempt) = (&mut script, &mut attempt);
                    let failed_ns = user.now_ns();
                    let back = self.outlasted(script, attempt, fault, session, failed_ns);
                    match Box::pin(back).await {
                        Some(back) if moves <= MOST_MOVES_BETWEEN_STEPS => place = back,
                        _ => return (failed_ns, true),
                    }
                }
            }
            now_ns = user.now_ns();
        }
        (now_ns, false)
    }

    /// Plays one step; returns when it ended, and with which fault if it failed.
    async fn play_step(
        &self,
        section: Section,
        step_index: usize,
        step: &P::Step,
        began_ns: u64,
        session: &mut Option<P::Session>,
        user: &mut User,
    ) -> Result<u64, (u64, Fault)> {
        let Some(open) = session.as_mut() else {
            let fault = Fault::session(FaultKind::Disconnected, "the session has ended");
            return Err((began_ns, fault));
        };
        let seat = &*self.member.seat;
        let idle_before_ns = seat.idle_ns(began_ns);
        seat.begins_step(began_ns);
        let played = {
            let playing = pin!(open.play(step, user));
            within_limit(seat, playing).await
        };
        user.resume();
        let now_ns = user.now_ns();
        let idle_ns = seat.idle_ns(now_ns) - idle_before_ns;
        let took_ns = (now_ns - began_ns).saturating_sub(idle_ns);
        if let Some(trace) = &self.plan.trace {
            let fault = played.as_ref().err().map(|fault| &*fault.message);
            self.note_step(trace, section, step_index, (began_ns, took_ns), fault, user);
        }
        let mut recorder = self.recorder.borrow_mut();
        match played {
            Ok(moved) => {
                recorder.step_completed(step_index, took_ns, moved);
                if let Some(scenario) = section.counted() {
                    let tally = &mut recorder.scenarios[scenario];
                    tally.read_bytes += moved.read_bytes;
                    tally.written_bytes += moved.written_bytes;
                }
                Ok(now_ns)
            }
            Err(fault) => {
                recorder.steps[step_index].service_ns += took_ns;
                if fault.ends_session {
                    *session = None;
                }
                Err((now_ns, fault))
            }
        }
    }

    /// Adds a step to the trace, if the plan keeps one.
    fn note_step(
        &self,
        trace: &Trace,
        section: Section,
        step: usize,
        (began_ns, took_ns): (u64, u64),
        fault: Option<&str>,
        user: &mut User,
    ) {
        let notes = user.take_notes();
        trace.add(&Traced {
            scenario: section
                .scenario()
                .map(|index| &*self.plan.plan.scenarios[index].name),
            step: &self.plan.step_names[step],
            began_ns,
            took_ns,
            fault,
            notes,
            values: user.scope().values(),
        });
    }

    /// Counts a fault outside any step, and adds it to the trace, if the plan keeps one.
    pub(crate) fn fault(&self, at: At, fault: &Fault) {
        self.recorder.borrow_mut().fault(at, fault);
        if let Some(trace) = &self.plan.trace {
            trace.fail(&fault.message);
        }
    }
}

/// Ends `future` with a timeout fault when the worker says that the step has expired. The future is
/// pinned by the caller: passing it by value would store it twice, and copy it.
pub(crate) async fn within_limit<T>(
    seat: &Seat,
    mut future: Pin<&mut impl Future<Output = Result<T, Fault>>>,
) -> Result<T, Fault> {
    let _ = seat.take_expiry(); // from an earlier step
    poll_fn(|context| {
        if seat.take_expiry() {
            let message = "no answer within the time limit of a step";
            return Poll::Ready(Err(Fault::session(FaultKind::Timeout, message)));
        }
        seat.remember(context.waker());
        future.as_mut().poll(context)
    })
    .await
}

async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
