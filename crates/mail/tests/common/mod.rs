//! What the integration tests share: real servers on temporary folders, peers that follow a script,
//! and users outside an engine.
#![allow(dead_code, unused_imports, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::future::Future;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::time::Duration;

use headcount_load::clock::{Origin, VirtualClock};
use headcount_load::context::WorkerContext;
use headcount_load::tasks::Tasks;
use headcount_load::timers::Timers;
use headcount_load::{Requests, Stopwatch};
use headcount_mail::endpoint::{Endpoint, EndpointOptions};
use headcount_mail::message::{Body, Message, Part, Stamp};
use headcount_mail::task::NAMES;
use serde_json::{Value, json};

pub mod configuration;
pub mod dovecot;
pub mod house;
pub mod liar;
pub mod peer;
pub mod person;
pub mod postfix;
pub mod script;

pub const PATIENCE: Duration = Duration::from_secs(30);

/// Sleeps, to poll for something without a notification.
#[expect(clippy::disallowed_methods, reason = "a test's own thread may wait")]
pub fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// Polls until there is a value.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let origin = Origin::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            origin.elapsed_ns() < PATIENCE.as_nanos() as u64,
            "{what} does not come"
        );
        pause(Duration::from_millis(10));
    }
}

/// Waits until a server listens.
pub fn wait_until_listening(port: u16) {
    wait_for("a listener", || {
        TcpStream::connect(("127.0.0.1", port)).ok()
    });
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// Runs a future as a worker of the engine would, for a bounded time.
pub fn play<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}

pub fn endpoint(address: SocketAddr) -> Endpoint {
    endpoint_of(json!({"address": address.to_string()}))
}

pub fn endpoint_of(options: Value) -> Endpoint {
    Endpoint::new(&serde_json::from_value::<EndpointOptions>(options).unwrap()).unwrap()
}

/// A stopwatch, and the context it writes to.
pub fn stopwatch() -> (Stopwatch, Tasks) {
    let context = Rc::new(WorkerContext::outside(0, NAMES.len()));
    let (kinds, tasks) = (context.kinds(), context.tasks.clone());
    (Stopwatch::new(context, kinds), tasks)
}

pub const RUN: u64 = 0x5eed_0000_0000_0001;

/// The message with this number of sender 1.
pub fn message(sequence: u32, to: &[&str], parts: &[Part]) -> Message {
    let stamp = Stamp {
        run: RUN,
        sender: 1,
        sequence,
        sent_unix_us: 1_763_761_234_000_000,
    };
    Message::new(stamp, "u1@test.invalid", to, "Figures", parts)
}

pub fn whole(body: &impl Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < body.len() {
        let at = bytes.len() as u64;
        body.write_piece(at, &mut bytes);
    }
    bytes
}
