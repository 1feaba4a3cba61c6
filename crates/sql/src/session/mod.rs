//! One user's connection, and how steps are played on it.
//!
//! `view`, `document`, `directory`, `free` and `copy`: the steps. Each is one statement, and its
//! own transaction outside those of `unit`.

mod copy;
mod directory;
mod document;
mod free;
mod query;
mod unit;
mod view;

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, RollBack, Session, Stopwatch, User};

use crate::answer::Rows;
use crate::client::Shared;
use crate::options::Statements;
use crate::parameter::Parameter;
use crate::row::Row;
use crate::step::SqlStep;
use crate::task::Task;
use crate::transaction::may_retry;
use crate::wire::{Name, Wire};
use free::Known;
use query::{QUERIES, Query};

/// Index in the protocol's `requests`.
const PREPARE: usize = 0;
const EXECUTE: usize = 1;
const RETRY: usize = 2;
const ROLLBACK: usize = 3;

/// The key of an entry of the view: category, main topic, document.
type Key = (i32, i64, i64);

/// One user's connection.
pub struct SqlSession {
    pub(crate) wire: Wire,
    shared: Arc<Shared>,
    stopwatch: Stopwatch,
    /// The user's number in rows.
    number: i32,
    /// The last entry of the page that was read last.
    last: Option<Key>,
    /// Names of prepared statements; unnamed until prepared.
    prepared: [Name; QUERIES],
    /// Statements from the workload that the server has described.
    free: Vec<Known>,
    /// When the transaction under way began.
    unit_began_ns: Option<u64>,
}

impl SqlSession {
    /// Connects and logs on.
    pub(crate) async fn open(shared: &Arc<Shared>, user: &mut User) -> Result<Self, Fault> {
        let number = shared.first_user.saturating_add(user.id());
        user.scope().renumber(number);
        let stopwatch = user.stopwatch();
        let began_ns = stopwatch.now_ns();
        let opened = shared.connect(number).await;
        Task::Connect.note(&stopwatch, began_ns, &opened);
        Ok(Self {
            wire: opened?,
            shared: Arc::clone(shared),
            stopwatch,
            number: number.cast_signed(),
            last: None,
            prepared: [Name::UNNAMED; QUERIES],
            free: Vec::new(),
            unit_began_ns: None,
        })
    }

    /// Executes a statement, and prepares it first if needed. Each row is passed to `each`, whose
    /// first fault becomes the result.
    async fn ask(
        &mut self,
        query: Query,
        parameters: &[Parameter<'_>],
        mut each: impl FnMut(&Shared, &mut Row<'_>) -> Result<(), Fault>,
    ) -> Result<Rows, Fault> {
        let columns = query.columns();
        if self.shared.statements == Statements::Unnamed {
            self.stopwatch.sent(PREPARE);
            self.stopwatch.sent(EXECUTE);
            let Self { wire, shared, .. } = self;
            let asked = wire.ask(query.text(), parameters, columns, |mut row| {
                each(shared, &mut row)
            });
            return asked.await;
        }
        let mut name = self.prepared[query as usize];
        if name == Name::UNNAMED {
            self.stopwatch.sent(PREPARE);
            name = self.wire.new_name();
            let types = parameters.iter().map(Parameter::oid);
            self.wire
                .prepare(name, query.text(), types, Some(columns))
                .await?;
            self.prepared[query as usize] = name;
        }
        self.stopwatch.sent(EXECUTE);
        let Self { wire, shared, .. } = self;
        wire.execute(name, parameters, columns.len() as u16, |mut row| {
            each(shared, &mut row)
        })
        .await
    }

    async fn play_now(&mut self, step: &SqlStep, user: &mut User) -> Result<Moved, Fault> {
        match step {
            SqlStep::OpenView => self.open_view().await,
            SqlStep::ReadView { from, entries } => self.read_view(*from, *entries).await,
            SqlStep::SetUnread { documents } => self.set_unread(*documents, user).await,
            SqlStep::ReadUnread => self.read_unread().await,
            SqlStep::ReadDocument => self.read_document(user).await,
            SqlStep::AddDocument { bytes } => self.add_document(*bytes, user).await,
            SqlStep::UpdateDocument { bytes } => self.update_document(*bytes, user).await,
            SqlStep::DeleteOldest { documents } => self.delete_oldest(*documents).await,
            SqlStep::Lookup { letters, entries } => self.lookup(*letters, *entries, user).await,
            SqlStep::Appointment { change } => self.appointment(*change, user).await,
            SqlStep::Sql(free) => self.play_free(free, user).await,
            SqlStep::Copy(copy) => self.play_copy(copy, user).await,
            SqlStep::Begin(isolation) => self.begin(*isolation, user).await,
            SqlStep::Commit => self.commit(user).await,
        }
    }
}

impl Session for SqlSession {
    type Step = SqlStep;

    async fn play(&mut self, step: &SqlStep, user: &mut User) -> Result<Moved, Fault> {
        let task = task_of(step);
        let began_ns = self.stopwatch.now_ns();
        // Boxed while it runs: otherwise every user's future would reserve room for it.
        let played = Box::pin(self.play_now(step, user)).await;
        let name = match step {
            SqlStep::Begin(_) => "begin",
            SqlStep::Commit => "commit",
            _ => {
                task.note(&self.stopwatch, began_ns, &played);
                task.name()
            }
        };
        played.map_err(|fault| {
            if fault.ends_session {
                self.end_unit(false);
            }
            Fault {
                message: format!("{name}: {}", fault.message).into(),
                ..fault
            }
        })
    }

    fn may_retry(&self, fault: &Fault) -> bool {
        may_retry(fault)
    }

    fn is_in_transaction(&self) -> bool {
        self.wire.in_transaction() || self.unit_began_ns.is_some()
    }

    async fn roll_back(&mut self, end: RollBack) -> Result<(), Fault> {
        let rolled_back = Box::pin(self.roll_back_unit(end)).await;
        if rolled_back.is_err() {
            self.end_unit(false); // the session ends: there is no other try
        }
        rolled_back
    }

    async fn close(self, _user: &mut User) {
        self.wire.close().await;
    }
}

const fn task_of(step: &SqlStep) -> Task {
    match step {
        SqlStep::OpenView => Task::OpenView,
        SqlStep::ReadView { .. } => Task::ReadView,
        SqlStep::SetUnread { .. } => Task::SetUnread,
        SqlStep::ReadUnread => Task::ReadUnread,
        SqlStep::ReadDocument => Task::ReadDocument,
        SqlStep::AddDocument { .. } => Task::AddDocument,
        SqlStep::UpdateDocument { .. } => Task::UpdateDocument,
        SqlStep::DeleteOldest { .. } => Task::DeleteOldest,
        SqlStep::Lookup { .. } => Task::Lookup,
        SqlStep::Appointment { .. } => Task::Appointment,
        SqlStep::Sql(_) => Task::Sql,
        SqlStep::Copy(_) => Task::Copy,
        SqlStep::Begin(_) | SqlStep::Commit => Task::Transaction,
    }
}

/// The server's data is not what was stored.
fn wrong(sentence: impl Into<Box<str>>) -> Fault {
    Fault::step(FaultKind::WrongData, sentence)
}

/// Bytes of rows that were received.
const fn received(rows: Rows) -> Moved {
    Moved {
        read_bytes: rows.bytes,
        written_bytes: 0,
    }
}
