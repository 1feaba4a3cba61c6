//! What one simple query costs the client in CPU time, and one connection in memory, against a
//! private PostgreSQL on loopback, beside pgbench.
//!
//! `cargo run --release -p headcount-sql --example query_cost -- [--rounds N] [--seconds N]
//! [--connections N] [--users N]`
//!
//! The query is that of `pgbench -S -M prepared`. pgbench and our client take turns, each alone
//! with the server; the ratio is taken within a round, so that whatever else the machine does
//! affects both. Memory is what `--users` connections, each after one query, add to this process.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::cell::Cell;
use std::fs;
use std::rc::Rc;
use std::time::Duration;

use common::{PASSWORD, Player, Server, program, run};
use futures_util::future::join_all;
use headcount_load::context::WorkerContext;
use headcount_sql::Sql;
use headcount_sql::task::NAMES;
use rustix::time::{ClockId, clock_gettime};

const QUERY: &str = r#"{"op": "sql",
    "statement": "SELECT abalance FROM pgbench_accounts WHERE aid = $1",
    "parameters": ["{random:1..100000}"]}"#;

/// Queries, and the CPU time of the client.
struct Cost {
    queries: u64,
    cpu_us: f64,
}

impl Cost {
    fn each_us(&self) -> f64 {
        self.cpu_us / self.queries as f64
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, usual: u64, most: u64| {
        let at = arguments.iter().position(|word| word == name);
        at.map_or(usual, |at| arguments[at + 1].parse::<u64>().unwrap())
            .clamp(1, most)
    };
    let (rounds, seconds) = (number("--rounds", 5, 20), number("--seconds", 4, 10));
    let connections = number("--connections", 16, 200);
    let users = number("--users", 500, 5_000) as u32;
    let server = Server::start(&format!("max_connections = {}", users + 20));
    pgbench(&server, &["-i", "-q"]);
    let sql = Sql::new(server.options()).unwrap();
    let kib = memory(&sql, users);
    println!("{users} connections, {kib:.1} KiB each");
    let mut ratios = Vec::new();
    for _ in 0..rounds {
        let (peer, own) = (
            beside(&server, connections, seconds),
            ours(&sql, connections, seconds),
        );
        ratios.push(own.each_us() / peer.each_us());
        println!(
            "{connections} connections: pgbench {:.1} us CPU a query ({} queries), ours {:.1} us \
             ({} queries), ratio {:.2}",
            peer.each_us(),
            peer.queries,
            own.each_us(),
            own.queries,
            own.each_us() / peer.each_us()
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2}", ratios[ratios.len() / 2]);
}

fn pgbench(server: &Server, more: &[&str]) -> String {
    let output = program("pgbench")
        .env("PGPASSWORD", PASSWORD)
        .args([
            "-h",
            "127.0.0.1",
            "-U",
            "headcount",
            "-p",
            &server.port.to_string(),
        ])
        .args(more)
        .arg("shop")
        .output()
        .unwrap();
    let output_text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{output_text}");
    String::from_utf8(output.stdout).unwrap()
}

/// pgbench with one thread.
fn beside(server: &Server, connections: u64, seconds: u64) -> Cost {
    let before_us = children_cpu_us();
    let (clients, time) = (connections.to_string(), seconds.to_string());
    let output_text = pgbench(
        server,
        &[
            "-S", "-n", "-M", "prepared", "-j", "1", "-c", &clients, "-T", &time,
        ],
    );
    let line = output_text
        .lines()
        .find(|line| line.starts_with("number of transactions actually processed"))
        .unwrap();
    let count = line.rsplit(' ').next().unwrap().split('/').next().unwrap();
    Cost {
        queries: count.parse().unwrap(),
        cpu_us: children_cpu_us() - before_us,
    }
}

/// Our client on one thread.
fn ours(sql: &Sql, connections: u64, seconds: u64) -> Cost {
    run(async {
        let mut players = Vec::new();
        for id in 0..connections {
            let mut player = Player::open(sql, id as u32).await.unwrap();
            player.play(QUERY).await.unwrap();
            players.push(player);
        }
        let before_us = own_cpu_us();
        let (ended, queries) = (Cell::new(false), Cell::new(0u64));
        let clock = async {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            ended.set(true);
        };
        let work = join_all(players.iter_mut().map(|player| async {
            let step = common::step(QUERY);
            while !ended.get() {
                player.play_step(&step).await.unwrap();
                queries.set(queries.get() + 1);
            }
        }));
        tokio::join!(clock, work);
        Cost {
            queries: queries.get(),
            cpu_us: own_cpu_us() - before_us,
        }
    })
}

/// The resident memory that each connection adds.
fn memory(sql: &Sql, users: u32) -> f64 {
    run(async {
        let mut players = Vec::with_capacity(users as usize);
        let mut before = 0;
        let context = Rc::new(WorkerContext::outside(2, NAMES.len()));
        for id in 0..users + 10 {
            if id == 10 {
                before = resident_kib(); // the first ones include what all share
            }
            let mut player = Player::open_with(sql, id, &context).await.unwrap();
            player.play(QUERY).await.unwrap();
            players.push(player);
        }
        (resident_kib() - before) as f64 / f64::from(users)
    })
}

/// CPU time of this process so far.
fn own_cpu_us() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// CPU time of children that have ended (fields 16 and 17 of `proc_pid_stat(5)`).
fn children_cpu_us() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.map(|word| word.parse::<u64>().unwrap()).sum();
    ticks as f64 * 1e6 / rustix::param::clock_ticks_per_second() as f64
}

fn resident_kib() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
