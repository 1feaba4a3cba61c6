//! Transactions: when their steps are retried, and how they are rolled back.

use std::pin::pin;

use crate::attempt::Attempt;
use crate::fault::{Fault, FaultKind};
use crate::flow::Flow;
use crate::life::{Place, within_limit};
use crate::protocol::{Protocol, RollBack, Session};
use crate::recorder::At;
use crate::scripted::Script;
use crate::section::Section;
use crate::user::User;

impl<P: Protocol> Place<P> {
    /// Plays steps to their end or the first that fails, and leaves no transaction open. Returns
    /// when they ended, and whether one failed.
    pub(crate) async fn play_whole(
        &self,
        section: Section,
        flow: &Flow<P::Step>,
        now_ns: u64,
        session: &mut Option<P::Session>,
        user: &mut User,
    ) -> (u64, bool) {
        let (ended_ns, failed) = self.play_flow(section, flow, now_ns, session, user).await;
        if !session.as_ref().is_some_and(Session::is_in_transaction) {
            return (ended_ns, failed);
        }
        let _ = self
            .roll_back(RollBack::Leave, session, user.now_ns())
            .await;
        if failed {
            return (ended_ns, true);
        }
        let sentence = "the scenario ends within a transaction, which is rolled back: commit it, or write \
                        its steps as a transaction";
        self.fault(At::Opening, &Fault::step(FaultKind::Refused, sentence));
        (user.now_ns(), true)
    }

    /// Whether to retry the transaction after this fault. If so, it has been rolled back.
    pub(crate) async fn retries(
        &self,
        attempt: &mut Attempt,
        fault: &Fault,
        session: &mut Option<P::Session>,
        now_ns: u64,
    ) -> bool {
        let may_retry = session.as_ref().is_some_and(|open| open.may_retry(fault));
        if attempt.left == 0 || !may_retry {
            return false;
        }
        attempt.left -= 1;
        self.roll_back(RollBack::Retry, session, now_ns).await
    }

    /// Counts a step that failed for good.
    pub(crate) fn fail_step(&self, step_index: usize, fault: &Fault) {
        let mut recorder = self.recorder.borrow_mut();
        recorder.fault(At::Step(step_index), fault);
        recorder.steps[step_index].failed += 1;
    }

    /// Where Lua code goes on that attempted what failed, after a rollback of the transaction under
    /// way; `None` if it did not.
    pub(crate) async fn outlasted(
        &self,
        script: &mut Option<Box<Script>>,
        attempt: &mut Attempt,
        fault: Fault,
        session: &mut Option<P::Session>,
        now_ns: u64,
    ) -> Option<usize> {
        let script = script.as_mut().filter(|_| session.is_some())?;
        let back = script.outlasts(fault.message)?;
        attempt.left = 0;
        self.leave_transaction(session, now_ns).await;
        Some(back)
    }

    /// Rolls back the transaction under way, if there is one.
    pub(crate) async fn leave_transaction(&self, session: &mut Option<P::Session>, now_ns: u64) {
        if session.as_ref().is_some_and(Session::is_in_transaction) {
            let _ = self.roll_back(RollBack::Leave, session, now_ns).await;
        }
    }

    /// Rolls back the transaction; returns whether that succeeded. If not, the session ends, and
    /// the transaction with it.
    async fn roll_back(
        &self,
        end: RollBack,
        session: &mut Option<P::Session>,
        now_ns: u64,
    ) -> bool {
        let Some(open) = session else {
            return false;
        };
        let seat = &*self.member.seat;
        seat.begins_step(now_ns);
        let is_back = {
            let rolling = pin!(open.roll_back(end));
            within_limit(seat, rolling).await.is_ok()
        };
        if !is_back {
            *session = None;
        }
        is_back
    }
}
