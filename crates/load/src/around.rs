//! What users do outside their scenarios, not counted in any response time: opening the session,
//! setup and teardown, closing the session.

use std::pin::pin;

use crate::fault::Fault;
use crate::life::{Place, within_limit};
use crate::protocol::{Protocol, Session};
use crate::recorder::At;
use crate::section::Section;
use crate::user::User;

impl<P: Protocol> Place<P> {
    /// Opens the session and plays the setup. Returns false, and records a fault, if either fails.
    pub(crate) async fn open(&self, session: &mut Option<P::Session>, user: &mut User) -> bool {
        let opened = {
            let opening = pin!(self.protocol.open(user));
            within_limit(&self.member.seat, opening).await
        };
        match opened {
            Ok(opened) => *session = Some(opened),
            Err(fault) => {
                self.fault(At::Opening, &fault);
                return false;
            }
        }
        if !self.plan.setup.is_empty() {
            let (setup, now_ns) = (&self.plan.setup, user.now_ns());
            let playing = self.play_whole(Section::Setup, setup, now_ns, session, user);
            let (_, failed) = Box::pin(playing).await; // rare; keeps users' futures small
            if failed {
                *session = None; // the next scenario tries both again
                return false;
            }
        }
        self.recorder.borrow_mut().opened(|| user.now_ns());
        true
    }

    /// Plays a scenario's setup, and opens the session for it; returns how long that took, in ns,
    /// and whether it failed.
    pub(crate) async fn set_up(
        &self,
        scenario: usize,
        began_ns: u64,
        session: &mut Option<P::Session>,
        user: &mut User,
    ) -> (u64, bool) {
        let seat = &*self.member.seat;
        seat.plays_around(began_ns);
        self.roster.update(&self.member);
        let mut failed = session.is_none() && !self.open(session, user).await;
        if !failed {
            let (flow, now_ns) = (&self.plan.scenarios[scenario].setup, user.now_ns());
            let section = Section::Around(scenario);
            (_, failed) = self.play_whole(section, flow, now_ns, session, user).await;
        }
        seat.begins_scenario(); // resets the bytes moved and the idle time
        let took_ns = user.now_ns() - began_ns;
        self.recorder.borrow_mut().think_ns += took_ns; // not response time in Little's law
        (took_ns, failed)
    }

    /// Plays a scenario's teardown, even after a failure; returns whether the teardown failed.
    pub(crate) async fn tear_down(
        &self,
        scenario: usize,
        session: &mut Option<P::Session>,
        user: &mut User,
    ) -> bool {
        let (seat, began_ns) = (&*self.member.seat, user.now_ns());
        seat.plays_around(began_ns);
        self.roster.update(&self.member);
        let (flow, section) = (
            &self.plan.scenarios[scenario].teardown,
            Section::Around(scenario),
        );
        let (_, failed) = self
            .play_whole(section, flow, began_ns, session, user)
            .await;
        seat.has_played_around();
        self.roster.update(&self.member);
        self.recorder.borrow_mut().think_ns += user.now_ns() - began_ns;
        failed
    }

    /// Closes the session of a user who leaves, or drops it if that takes longer than a step may.
    pub(crate) async fn close(&self, session: P::Session, user: &mut User) {
        let (seat, began_ns) = (&*self.member.seat, user.now_ns());
        seat.plays_around(began_ns);
        self.roster.update(&self.member);
        {
            let closing = pin!(async {
                session.close(user).await;
                Ok::<(), Fault>(())
            });
            let _ = within_limit(seat, closing).await; // the user is gone either way
        }
        seat.has_played_around();
        self.roster.update(&self.member);
        self.recorder.borrow_mut().think_ns += user.now_ns() - began_ns;
    }
}
