//! Transactions of several steps: how they begin, and which are retried.

use headcount_load::Fault;
use serde::Deserialize;

/// How far a transaction is isolated from others (PostgreSQL 15, 13.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Each statement sees what was committed before it.
    ReadCommitted,
    /// All statements see what was committed before the first.
    RepeatableRead,
    /// As if transactions ran one after the other.
    Serializable,
}

impl Isolation {
    /// The statement that begins a transaction at this level, or at the server's default.
    pub(crate) const fn begin(level: Option<Self>) -> &'static str {
        match level {
            None => "BEGIN",
            Some(Self::ReadCommitted) => "BEGIN ISOLATION LEVEL READ COMMITTED",
            Some(Self::RepeatableRead) => "BEGIN ISOLATION LEVEL REPEATABLE READ",
            Some(Self::Serializable) => "BEGIN ISOLATION LEVEL SERIALIZABLE",
        }
    }
}

/// Whether the server aborted a transaction because of others, so that a retry may succeed
/// (PostgreSQL 15, 13.5): `serialization_failure` and `deadlock_detected`.
pub(crate) fn may_retry(fault: &Fault) -> bool {
    let ends = ["(SQLSTATE 40001)", "(SQLSTATE 40P01)"];
    !fault.ends_session && ends.iter().any(|end| fault.message.ends_with(end))
}
