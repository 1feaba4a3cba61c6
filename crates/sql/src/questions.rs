//! A connection for occasional questions beside the load: what a server reports about itself.

use std::future::Future;
use std::time::Duration;

use headcount_load::{Fault, FaultKind};
use tokio::runtime::Runtime;

use crate::client::Sql;
use crate::options::SqlOptions;
use crate::provision::ProvisionError;
use crate::wire::Wire;

/// A row as text, `None` for NULL.
pub type Row = Vec<Option<String>>;

/// One connection that is logged on.
pub struct Questions {
    runtime: Runtime,
    wire: Wire,
    patience: Duration,
}

impl Questions {
    /// Logs on; this and each answer may take as long as `patience`.
    pub fn open(options: SqlOptions, patience: Duration) -> Result<Self, ProvisionError> {
        let sql = Sql::new(options)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let wire = runtime
            .block_on(within(patience, sql.shared.connect(sql.shared.first_user)))
            .map_err(ProvisionError::Fault)?;
        Ok(Self {
            runtime,
            wire,
            patience,
        })
    }

    /// The rows of all these statements together.
    pub fn ask(&mut self, statements: &str) -> Result<Vec<Row>, ProvisionError> {
        let Self {
            runtime,
            wire,
            patience,
        } = self;
        let mut rows = Vec::new();
        let work = wire.query(statements, |mut row| {
            let values = std::iter::from_fn(|| row.next_bytes());
            let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
            rows.push(values.map(|value| value.map(text)).collect());
            Ok(())
        });
        runtime
            .block_on(within(*patience, work))
            .map_err(ProvisionError::Fault)?;
        Ok(rows)
    }
}

async fn within<T>(
    patience: Duration,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::time::timeout(patience, work)
        .await
        .unwrap_or_else(|_| {
            let sentence = format!("no answer within {patience:?}");
            Err(Fault::session(FaultKind::Timeout, sentence))
        })
}
