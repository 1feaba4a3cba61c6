//! What one request costs: requests per second and CPU time per request, on loopback.
//!
//! `cargo run --release -p headcount-app --example echo_cost -- [connections] [seconds]`
//!
//! Server and client share the machine's processors, so requests per second depend on both; CPU
//! time is counted by thread and printed for each side.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::rc::Rc;

use headcount_app::client::Step;
use headcount_app::control::{self, Target};
use headcount_app::message::Order;
use headcount_app::server::{Handle, Settings, serve};
use headcount_app::{App, AppOptions};
use headcount_load::clock::Origin;
use headcount_load::context::WorkerContext;
use headcount_load::{Compile, Protocol, Session, User};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

const MOST_CONNECTIONS: u32 = 2000;
const MOST_SECONDS: u64 = 10;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let connections = arguments.next().map_or(Ok(16), |word| word.parse())?;
    let seconds = arguments.next().map_or(Ok(2), |word| word.parse())?;
    let (connections, seconds) = (connections.min(MOST_CONNECTIONS), seconds.min(MOST_SECONDS));
    let folder = tempfile::tempdir()?;
    let server = serve(Settings::new(folder.path().join("data")))?;
    let options = AppOptions::new(server.address().to_string(), 1);
    let options = AppOptions {
        file_bytes: 1 << 20,
        range_bytes: 1 << 20,
        ..options
    };
    let order = Order {
        first: 0,
        last: connections - 1,
        shape: options.shape(),
        read_through: false,
    };
    let target = Target::new(options.address.clone());
    control::prepare(&target, &order, |_| ControlFlow::Continue(()))?;
    let app = Rc::new(App::new(options)?);
    println!("{connections} connections, {seconds} s each; CPU in µs a request");
    println!(
        "{:<34} {:>10} {:>8} {:>8} {:>8} {:>10} {:>8}",
        "request", "a second", "network", "service", "client", "queue p50", "p99"
    );
    for options in [
        json!({"op": "server-client", "reply_bytes": 1}),
        json!({"op": "server-client", "reply_bytes": 16384}),
        json!({"op": "client-server", "request_bytes": 16384}),
        json!({"op": "read", "bytes": 4096}),
        json!({"op": "write", "bytes": 4096}),
        json!({"op": "processor", "rounds": 16}),
    ] {
        measure(&app, &server, &options, connections, seconds)?;
    }
    server.stop();
    Ok(())
}

fn measure(
    app: &Rc<App>,
    server: &Handle,
    options: &Value,
    connections: u32,
    seconds: u64,
) -> Result<(), Failure> {
    let step = Rc::new(Step::compile(options)?);
    let (before, waits_before) = (cpu_ns()?, server.statistics().queue_wait.buckets);
    let (requests, elapsed_ns) = drive(app, &step, connections, seconds)?;
    let after = cpu_ns()?;
    let cost_us = |side: &str| {
        let used = after.get(side).unwrap_or(&0) - before.get(side).unwrap_or(&0);
        used as f64 / 1000.0 / requests as f64
    };
    let mut waits: BTreeMap<u64, u64> = BTreeMap::new();
    for (us, count) in server.statistics().queue_wait.buckets {
        *waits.entry((us * 1000.0) as u64).or_default() += count;
    }
    for (us, count) in waits_before {
        *waits.entry((us * 1000.0) as u64).or_default() -= count;
    }
    println!(
        "{:<34} {:>10.0} {:>8.1} {:>8.1} {:>8.1} {:>10.1} {:>8.1}",
        options.to_string().replace('"', ""),
        requests as f64 / (elapsed_ns as f64 / 1e9),
        cost_us("network"),
        cost_us("service"),
        cost_us("client"),
        quantile_us(&waits, 0.5),
        quantile_us(&waits, 0.99),
    );
    Ok(())
}

/// All connections send one request after the other; returns requests done and the time they took.
fn drive(
    app: &Rc<App>,
    step: &Rc<Step>,
    connections: u32,
    seconds: u64,
) -> Result<(u64, u64), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let done = Rc::new(Cell::new(0));
    let origin = Origin::now();
    let local = tokio::task::LocalSet::new();
    let faults = local.block_on(&runtime, async {
        let mut users = Vec::new();
        for id in 0..connections {
            let (app, step, done) = (Rc::clone(app), Rc::clone(step), Rc::clone(&done));
            users.push(tokio::task::spawn_local(async move {
                let mut user = User::outside(id, 1, WorkerContext::outside(0, 0));
                let mut session = app.open(&mut user).await?;
                while origin.elapsed_ns() < seconds * 1_000_000_000 {
                    session.play(&step, &mut user).await?;
                    done.set(done.get() + 1);
                }
                Ok::<_, headcount_load::Fault>(())
            }));
        }
        for user in users {
            user.await??;
        }
        Ok::<_, Failure>(())
    });
    faults?;
    Ok((done.get(), origin.elapsed_ns()))
}

/// CPU time of this process's threads by side, in ns, as the scheduler counts it.
fn cpu_ns() -> Result<BTreeMap<&'static str, u64>, Failure> {
    let mut sides = BTreeMap::new();
    for task in fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        let name = fs::read_to_string(task.join("comm"))?;
        let side = match name.trim() {
            name if name.starts_with("app-net") => "network",
            name if name.starts_with("app-serve") => "service",
            _ => "client",
        };
        let used = fs::read_to_string(task.join("schedstat"))?;
        let used: u64 = used
            .split_whitespace()
            .next()
            .ok_or("an empty schedstat")?
            .parse()?;
        *sides.entry(side).or_default() += used;
    }
    Ok(sides)
}

fn quantile_us(waits: &BTreeMap<u64, u64>, quantile: f64) -> f64 {
    let rank = waits.values().sum::<u64>() as f64 * quantile;
    let mut seen = 0;
    let found = waits.iter().find(|(_, count)| {
        seen += **count;
        seen as f64 >= rank
    });
    found.map_or(0.0, |(ns, _)| *ns as f64 / 1000.0)
}
