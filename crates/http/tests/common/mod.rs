//! Shared by the integration tests: real servers on temporary folders, and users outside an engine.
#![allow(dead_code, unused_imports, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::cell::Cell;
use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::pin::pin;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;

use headcount_http::pages::PageSet;
use headcount_http::{Http, HttpOptions, HttpSession, Step};
use headcount_load::clock::VirtualClock;
use headcount_load::context::WorkerContext;
use headcount_load::seat::Seat;
use headcount_load::timers::Timers;
use headcount_load::{Compile, Fault, Moved, Protocol, Requests, Session, User};
use serde_json::{Value, json};

pub mod apache;
pub mod nginx;

pub use nginx::{Nginx, Way};

pub const PATIENCE: Duration = Duration::from_secs(30);
/// The password of every user of the test server.
pub const PASSWORD: &str = "Passw0rd";

/// Pages of both kinds, from less than a line to more than a socket's buffer holds.
pub fn small_set() -> PageSet {
    serde_json::from_value(json!({
        "seed": 7,
        "directories": ["", "a", "a/b"],
        "classes": [
            {"name": "text", "percent": 60, "sizes": [100, 1024, 16384], "files": 3},
            {"name": "image", "percent": 30, "range": [1000, 3000], "files": 3, "content": "binary"},
            {"name": "large", "percent": 10, "sizes": [131_072, 2_000_000], "content": "binary"},
        ],
    }))
    .unwrap()
}

/// Waits for something that nobody announces.
#[expect(clippy::disallowed_methods, reason = "a test's own thread may wait")]
pub fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

pub fn step(options: &Value) -> Step {
    Step::compile(options).unwrap()
}

thread_local! {
    /// Steps that this thread's users have completed.
    static ENDED: Cell<u64> = const { Cell::new(0) };
}

/// Runs a future as a worker of the engine would, for as long as steps complete: a busy machine
/// takes its time for thousands of them.
pub fn play<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut future = pin!(future);
        loop {
            let before = ENDED.get();
            if let Ok(done) = tokio::time::timeout(PATIENCE, future.as_mut()).await {
                return done;
            }
            assert_ne!(ENDED.get(), before, "no step ended within {PATIENCE:?}");
        }
    })
}

pub fn http(options: HttpOptions) -> Http {
    Http::new(options).unwrap()
}

/// One user.
pub struct Person {
    pub session: HttpSession,
    pub user: User,
}

impl Person {
    pub async fn arrive(http: &Http, id: u32) -> Self {
        let context = WorkerContext::outside(Http::requests().len(), 0);
        let mut user = User::outside(id, 1, context);
        let session = http.open(&mut user).await.unwrap();
        Self { session, user }
    }

    pub async fn play(&mut self, options: Value) -> Result<Moved, Fault> {
        let played = self.session.play(&step(&options), &mut self.user).await;
        ENDED.set(ENDED.get() + 1);
        played
    }

    /// Plays a step that must succeed; returns the bytes it read.
    pub async fn read(&mut self, options: Value) -> u64 {
        let moved = self.play(options.clone()).await;
        moved
            .unwrap_or_else(|fault| panic!("{options}: {fault}"))
            .read_bytes
    }

    /// How many requests of this kind were sent.
    pub fn sent(&self, kind: &str) -> u64 {
        let index = Http::requests()
            .iter()
            .position(|name| *name == kind)
            .unwrap();
        self.user.requests().counts()[index]
    }
}

/// One user of a new target.
pub async fn person(options: HttpOptions) -> Person {
    Person::arrive(&http(options), 0).await
}

/// A peer that does what nginx cannot: it takes one connection, waits for a request, and sends
/// these pieces one after the other before it closes.
pub fn peer(pieces: Vec<Vec<u8>>) -> (HttpOptions, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let request = read_request(&mut stream);
        for piece in pieces {
            if stream.write_all(&piece).is_err() {
                break; // the client has had enough
            }
            pause(Duration::from_millis(2));
        }
        request
    });
    let options = HttpOptions {
        data_set: small_set(),
        ..HttpOptions::new(&url)
    };
    (options, thread)
}

/// Reads the head of a request.
pub fn read_request(stream: &mut impl Read) -> Vec<u8> {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
        request.push(byte[0]);
    }
    request
}
