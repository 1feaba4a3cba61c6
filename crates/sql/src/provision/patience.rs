//! One connection outside a run: its statements have a time limit, and can be cancelled.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;

use headcount_load::{Fault, FaultKind};

use super::error::ProvisionError;
use crate::client::{Shared, Sql};
use crate::logon::Protection;
use crate::wire::Wire;

/// How long a logon may take.
const LOGON: Duration = Duration::from_secs(10);
/// How long a statement may take. The longest reads or writes 1,000 rows, or vacuums them all.
const STATEMENT: Duration = Duration::from_secs(600);
/// How often the caller is asked whether to go on.
const TICK: Duration = Duration::from_millis(200);

/// Called as time passes; returns whether to go on.
pub type Tick<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// Runs `work` on its own runtime.
pub fn run<T>(work: impl Future<Output = Result<T, ProvisionError>>) -> Result<T, ProvisionError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(work)
}

/// Logs on, and retries while the server is starting up (SQLSTATE 57P03, `cannot_connect_now`).
async fn log_on_when_ready(shared: &Shared) -> Result<Wire, Fault> {
    loop {
        match shared.connect(shared.first_user).await {
            Err(fault) if fault.message.ends_with("(SQLSTATE 57P03)") => {
                tokio::time::sleep(TICK).await;
            }
            other => return other,
        }
    }
}

/// One connection.
pub struct Desk<'a> {
    shared: &'a Shared,
    wire: Wire,
}

impl<'a> Desk<'a> {
    /// Logs on.
    pub async fn open(sql: &'a Sql) -> Result<Self, ProvisionError> {
        let shared = &*sql.shared;
        let address = &shared.address;
        let wire = tokio::time::timeout(LOGON, log_on_when_ready(shared))
            .await
            .unwrap_or_else(|_| {
                let sentence = format!("no answer from {address} within {LOGON:?}");
                Err(Fault::session(FaultKind::Timeout, sentence))
            });
        let wire = wire.map_err(|fault| ProvisionError::of(fault, shared))?;
        Ok(Self { shared, wire })
    }

    /// Asks a question. Without a tick it cannot be cancelled.
    pub async fn ask<T>(
        &mut self,
        tick: Option<Tick<'_>>,
        work: impl AsyncFnOnce(&mut Wire) -> Result<T, Fault>,
    ) -> Result<T, ProvisionError> {
        let Self { shared, wire } = self;
        let mut work = pin!(work(wire));
        let mut tick = tick;
        let mut passed = Duration::ZERO;
        loop {
            if let Ok(done) = tokio::time::timeout(TICK, work.as_mut()).await {
                return done.map_err(|fault| ProvisionError::of(fault, shared));
            }
            passed += TICK;
            if tick.as_mut().is_some_and(|tick| tick().is_break()) {
                return Err(ProvisionError::Cancelled);
            }
            let most = if tick.is_some() { STATEMENT } else { LOGON };
            if passed >= most {
                let sentence = format!("no answer from {} within {most:?}", shared.address);
                let fault = Fault::session(FaultKind::Timeout, sentence);
                return Err(ProvisionError::Fault(fault));
            }
        }
    }

    /// How the connection is protected.
    pub const fn protection(&self) -> Protection {
        self.wire.protection()
    }

    /// The process that the server says the connection is with.
    pub const fn process(&self) -> i32 {
        self.wire.process()
    }

    /// Says goodbye.
    pub async fn close(self) {
        let _ = tokio::time::timeout(LOGON, self.wire.close()).await; // all questions are answered
    }
}
