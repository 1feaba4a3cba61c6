//! Why a data set could not be made, checked or deleted.

use headcount_load::{Blame, Blamed, Fault, FaultKind};

use crate::client::{Shared, SqlError};
use crate::data_set::SCHEMA;

/// Why a data set could not be made, checked or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// The options cannot be used.
    #[error(transparent)]
    Options(#[from] SqlError),
    /// There is a schema of that name that Headcount did not make.
    #[error(
        "the database {database} has a schema {SCHEMA} that Headcount did not make (it lacks the \
         table {SCHEMA}.marker as Headcount makes it), so nothing in it is touched; rename it, or \
         name another database"
    )]
    NotOurs {
        /// Where.
        database: String,
    },
    /// The role may not make the schema.
    #[error(
        "the role {user} may not make what Headcount needs in the database {database} ({reason}); \
         have its owner run: GRANT CREATE ON DATABASE \"{database}\" TO \"{user}\""
    )]
    NotAllowed {
        /// Who.
        user: String,
        /// Where.
        database: String,
        /// The server's words.
        reason: String,
    },
    /// Something that is not Headcount's depends on what is in the schema, or is in it.
    #[error(
        "the schema {SCHEMA} of the database {database} is kept, since something that Headcount \
         did not make depends on it ({reason}); drop that first"
    )]
    Depended {
        /// Where.
        database: String,
        /// The server's words.
        reason: String,
    },
    /// The server could not be reached, did not accept the user, or refused.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The caller did not want to go on.
    #[error("cancelled")]
    Cancelled,
    /// The system refused an event queue.
    #[error("the system refused what the network needs: {0}")]
    System(#[from] std::io::Error),
}

impl From<Fault> for ProvisionError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl ProvisionError {
    /// The error for a fault while preparing. SQLSTATEs are those of PostgreSQL 15, appendix A.
    pub(super) fn of(fault: Fault, shared: &Shared) -> Self {
        let database = shared.database.clone();
        let reason = fault.message.to_string();
        let is = |code: &str| {
            fault.kind == FaultKind::Refused && reason.ends_with(&format!("(SQLSTATE {code})"))
        };
        if is("42501") {
            let user = shared.terms.user.clone();
            return Self::NotAllowed {
                user,
                database,
                reason,
            };
        }
        if is("2BP01") {
            return Self::Depended { database, reason };
        }
        Self::Fault(fault)
    }
}

impl Blamed for ProvisionError {
    fn blame(&self) -> Blame {
        match self {
            Self::NotOurs { .. } | Self::NotAllowed { .. } | Self::Depended { .. } => Blame::Input,
            Self::System(_) => Blame::System,
            Self::Cancelled => Blame::Target,
            Self::Options(error) => error.blame(),
            Self::Fault(fault) => fault.blame(),
        }
    }
}
