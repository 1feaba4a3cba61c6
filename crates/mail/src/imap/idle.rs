//! IDLE: waits for new mail (RFC 2177; RFC 9051, 6.3.13).

use headcount_load::{Fault, User};

use super::capability::Capability;
use super::connection::Imap;
use super::faults::refused;
use super::session::Until;
use crate::task::Task;

/// How waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Messages came or went.
    Changed,
    /// The time was up first.
    Quiet,
}

impl Imap {
    /// Waits until messages come or go, or until `until_ns` on the engine's clock. Only how long
    /// the server takes to begin and to end IDLE is timed, not the wait between.
    ///
    /// Servers report changes that happen during IDLE. They may report a change from just before
    /// with the next command only: send NOOP first if that matters.
    pub async fn idle(&mut self, until_ns: u64, user: &User) -> Result<Idle, Fault> {
        if !self.offers(Capability::Idle) {
            return Err(refused("the server does not offer IDLE"));
        }
        let mut began_ns = self.stopwatch.now_ns();
        let ended = self.idle_until(until_ns, user, &mut began_ns).await;
        Task::Idle.note(&self.stopwatch, began_ns, &ended);
        ended
    }

    async fn idle_until(
        &mut self,
        until_ns: u64,
        user: &User,
        began_ns: &mut u64,
    ) -> Result<Idle, Fault> {
        let exists = self.state.exists;
        let mut fill = |line: &mut super::line::Line<'_>| {
            line.raw("IDLE\r\n");
            false
        };
        self.send(Task::Idle, &mut fill, &mut |_| Ok(())).await?;
        self.receive(Task::Idle, Until::Asked, &mut |_| Ok(()))
            .await?;
        let waiting_ns = self.stopwatch.now_ns();
        let mut is_changed = self.state.exists != exists;
        if !is_changed {
            user.rest();
            let sleep = std::pin::pin!(user.sleep_until(until_ns));
            let changed = self.receive_or(Task::Idle, sleep, &mut |_| Ok(())).await;
            user.resume();
            is_changed = changed?;
        }
        *began_ns += self.stopwatch.now_ns() - waiting_ns;
        self.send_line(Task::Idle, "DONE\r\n", &mut |_| Ok(()))
            .await?;
        self.receive(Task::Idle, Until::Done, &mut |_| Ok(()))
            .await?;
        Ok(if is_changed {
            Idle::Changed
        } else {
            Idle::Quiet
        })
    }
}
