//! Transactions of several steps.

use headcount_load::{Fault, FaultKind, Moved, RollBack, User};
use serde_json::json;

use super::{EXECUTE, RETRY, ROLLBACK, SqlSession};
use crate::answer::Rows;
use crate::task::Task;
use crate::transaction::Isolation;

impl SqlSession {
    /// Begins a transaction.
    pub(super) async fn begin(
        &mut self,
        isolation: Option<Isolation>,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let now_ns = self.stopwatch.now_ns();
        self.unit_began_ns.get_or_insert(now_ns); // a retry counts from the first try
        self.command(Isolation::begin(isolation), user).await?;
        Ok(Moved::default())
    }

    /// Commits the transaction.
    pub(super) async fn commit(&mut self, user: &mut User) -> Result<Moved, Fault> {
        let rows = self.command("COMMIT", user).await?;
        if rows.is_rolled_back {
            return Err(Fault::step(
                FaultKind::Refused,
                "the server rolled the transaction back: a statement in it had failed",
            ));
        }
        self.end_unit(true);
        Ok(Moved::default())
    }

    /// Rolls back the transaction under way.
    pub(super) async fn roll_back_unit(&mut self, end: RollBack) -> Result<(), Fault> {
        match end {
            RollBack::Retry => self.stopwatch.sent(RETRY),
            RollBack::Leave => self.end_unit(false),
        }
        if self.wire.in_transaction() {
            self.stopwatch.sent(ROLLBACK);
            self.wire.query("ROLLBACK", |_| Ok(())).await?;
        }
        Ok(())
    }

    /// Notes the end of the transaction under way, if there is one.
    pub(super) fn end_unit(&mut self, is_kept: bool) {
        let Some(began_ns) = self.unit_began_ns.take() else {
            return;
        };
        let ended = if is_kept { Ok(()) } else { Err(()) };
        Task::Transaction.note(&self.stopwatch, began_ns, &ended);
    }

    async fn command(&mut self, statement: &str, user: &mut User) -> Result<Rows, Fault> {
        self.stopwatch.sent(EXECUTE);
        let done = self.wire.query(statement, |_| Ok(())).await;
        user.note(|| {
            json!({
                "method": "SQL", "path": statement, "sent": "", "status": 0, "headers": [],
                "received_bytes": 0, "received": null,
                "outcome": if done.is_ok() { "done" } else { "refused" },
            })
        });
        done
    }
}
