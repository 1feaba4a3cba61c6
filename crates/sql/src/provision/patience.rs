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

/// Logs on, and retries while the server is starting up (SQLSTATE 57P03, `cannot_connect_now`);
/// `starting` is then what it says.
async fn log_on_when_ready(shared: &Shared, starting: &mut Option<Fault>) -> Result<Wire, Fault> {
    loop {
        match shared.connect(shared.first_user).await {
            Err(fault) if fault.message.ends_with("(SQLSTATE 57P03)") => {
                *starting = Some(fault);
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
        Self::open_within(LOGON, sql).await
    }

    async fn open_within(patience: Duration, sql: &'a Sql) -> Result<Self, ProvisionError> {
        let shared = &*sql.shared;
        let address = &shared.address;
        let mut starting = None;
        let wire = tokio::time::timeout(patience, log_on_when_ready(shared, &mut starting))
            .await
            .unwrap_or_else(|_| {
                let sentence = format!("no answer from {address} within {patience:?}");
                Err(starting.unwrap_or_else(|| Fault::session(FaultKind::Timeout, sentence)))
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

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;
    use crate::options::{SqlOptions, SslMode};

    #[test]
    fn a_server_that_takes_too_long_to_start_says_so() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 200]); // the startup message
                let _ = stream.write_all(b"E\0\0\0\x20SFATAL\0C57P03\0Mstarting up\0\0");
            }
        });
        let mut options = SqlOptions::new(&address, "shop", "headcount", None);
        options.sslmode = SslMode::Disable;
        let sql = Sql::new(options).unwrap();
        let patience = Duration::from_millis(300);
        let opened = run(async { Desk::open_within(patience, &sql).await.map(drop) });
        let error = opened.unwrap_err();
        assert_eq!(error.to_string(), "starting up (SQLSTATE 57P03)");
    }
}
