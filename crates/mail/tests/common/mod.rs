//! What the integration tests share: a real server on a temporary folder, and users outside an
//! engine.
#![allow(dead_code, unused_imports, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::future::Future;
use std::time::Duration;

pub mod dovecot;
pub mod person;

pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for something that nobody announces.
#[expect(clippy::disallowed_methods, reason = "a test's own thread may wait")]
pub fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// Runs a future as a worker of the engine would, for a bounded time.
pub fn play<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}
