//! What the integration tests share: a server on a temporary folder, and users outside an engine.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::fmt::Display;
use std::future::Future;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use headcount_app::client::Step;
use headcount_app::control::{self, Target};
use headcount_app::frame::{HEADER_BYTES, Kind, header};
use headcount_app::message::{Order, PROTOCOL, Prepared, Shape};
use headcount_app::request::Request;
use headcount_app::server::{Handle, Settings, serve};
use headcount_app::{App, AppOptions};
use headcount_load::clock::Origin;
use headcount_load::context::WorkerContext;
use headcount_load::{Compile, Fault, Moved, Protocol, Session, User};
use serde_json::{Value, json};

/// Files of 256 KiB of which the first 128 KiB are used.
pub const SHAPE: Shape = Shape {
    seed: 7,
    file_bytes: 256 << 10,
    range_bytes: 128 << 10,
};

pub const PATIENCE: Duration = Duration::from_secs(20);

/// A temporary folder on the file system of the build, which is a real one where `/tmp` may not be.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

pub fn start(folder: &Path, change: impl FnOnce(&mut Settings)) -> Handle {
    let mut settings = Settings::new(folder.join("data"));
    settings.limits.connections = 200;
    change(&mut settings);
    serve(settings).unwrap()
}

pub fn target(server: &Handle) -> Target {
    Target {
        timeout: PATIENCE,
        ..Target::new(server.address().to_string())
    }
}

pub fn order(first: u32, last: u32) -> Order {
    Order {
        first,
        last,
        shape: SHAPE,
        read_through: false,
    }
}

pub fn prepare(server: &Handle, last: u32) -> Prepared {
    let go_on = |_| ControlFlow::Continue(());
    control::prepare(&target(server), &order(0, last), go_on).unwrap()
}

pub fn app(address: impl Display) -> App {
    let options = AppOptions::new(format!("{address}"), SHAPE.seed);
    let Shape {
        file_bytes,
        range_bytes,
        ..
    } = SHAPE;
    App::new(AppOptions {
        file_bytes,
        range_bytes,
        ..options
    })
    .unwrap()
}

pub fn user(id: u32) -> User {
    User::outside(id, 1, WorkerContext::outside(0, 0))
}

pub fn step(options: &Value) -> Step {
    Step::compile(options).unwrap()
}

/// Runs a future as a worker of the engine would, for a bounded time.
pub fn play<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}

/// Sleeps, to poll for something without a notification. Asking without a pause would keep a lock
/// that the server needs.
#[expect(clippy::disallowed_methods, reason = "a test's own thread may wait")]
fn pause() {
    std::thread::sleep(Duration::from_millis(1));
}

/// Waits until a condition holds, for a bounded time.
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let origin = Origin::now();
    while !holds() {
        assert!(
            origin.elapsed_ns() < PATIENCE.as_nanos() as u64,
            "never happened: {what}"
        );
        pause();
    }
}

/// A connection for sending any bytes, right or wrong.
pub fn raw(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

pub fn frame(request: &Request<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    request.encode(&mut bytes);
    bytes
}

/// A connection after the exchange of hello.
pub fn greeted(address: SocketAddr) -> TcpStream {
    let mut stream = raw(address);
    stream
        .write_all(&frame(&Request::Hello {
            protocol: PROTOCOL,
            token: b"",
        }))
        .unwrap();
    assert_eq!(receive(&mut stream).unwrap().0, Kind::Hello);
    stream
}

/// The next reply: its kind and its body; `None` when the server has closed.
pub fn receive(stream: &mut TcpStream) -> Option<(Kind, Vec<u8>)> {
    let mut head = [0; HEADER_BYTES];
    stream.read_exact(&mut head).ok()?;
    let head = header(&head).unwrap().unwrap();
    let mut body = vec![0; head.body_bytes as usize];
    stream.read_exact(&mut body).ok()?;
    Some((head.kind, body))
}

/// One step of each kind, and the payload it moves.
pub fn every_kind() -> [(Value, Moved); 5] {
    let moved = |read_bytes, written_bytes| Moved {
        read_bytes,
        written_bytes,
    };
    [
        (
            json!({"op": "client-server", "request_bytes": 16384}),
            moved(0, 16384),
        ),
        (json!({"op": "processor", "rounds": 8}), moved(0, 0)),
        (
            json!({"op": "server-client", "reply_bytes": 300_001}),
            moved(300_001, 0),
        ),
        (json!({"op": "read", "bytes": 8192}), moved(8192, 0)),
        (json!({"op": "write", "bytes": 4096}), moved(0, 4096)),
    ]
}

/// Plays one step as user `id` in a new session.
pub fn once(server: impl Display, id: u32, options: &Value) -> Result<Moved, Fault> {
    let (app, step, mut user) = (app(server), step(options), user(id));
    play(async {
        let mut session = app.open(&mut user).await?;
        session.play(&step, &mut user).await
    })
}
