//! What one request costs the client in CPU time, and one connection in memory, against a private
//! nginx on loopback, beside wrk.
//!
//! `cargo run --release -p headcount-http --example get_cost -- [cost|memory] [--rounds N]
//! [--seconds N] [--users N] [--json]`
//!
//! `cost`: pages of 1, 16 and 128 KB over 64 connections that are kept, and of 1 KB over one
//! connection each. wrk, our client alone, our client in the engine (which records everything), the
//! same with all contents checked, and h2load, oha and k6 if they are on the PATH take turns, each
//! alone with nginx. Ratios are taken within a round, so that disturbances of the machine affect
//! both sides. nginx has processor 0, clients have processor 1. `memory`: resident memory of a
//! connection, in a process for each way; for other tools, what 1,000 connections need beyond what
//! 10 do.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

#[path = "../../tests/common/mod.rs"]
mod common;
mod machine;
mod memory;
mod ours;
mod peer;

use std::process::Command;

use common::{Nginx, Way};
use headcount_http::HttpOptions;
use headcount_http::pages::PageSet;
use machine::{stay_on, stolen};
use ours::{Cost, alone, engine};
use peer::Peer;
use serde_json::{Value, json};

const CONNECTIONS: u32 = 64;
const MOST_ROUNDS: u64 = 20;
const MOST_SECONDS: u64 = 10;
const MOST_USERS: u32 = 4000;

/// The class of pages, and whether connections are kept.
const CASES: [(&str, bool); 4] = [("k1", true), ("k16", true), ("k128", true), ("k1", false)];

/// Settings that spare nginx work unrelated to pages.
const QUIET_NGINX: &str = "access_log off; open_file_cache max=100;";

/// Our sides that take turns with wrk.
const OURS: [&str; 3] = ["client", "engine", "checked"];

const WAYS: [(&str, Way); 4] = [
    ("http", Way::Plain),
    ("https", Way::Tls),
    ("http2", Way::Http2),
    ("http2-tls", Way::Http2Tls),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| {
        let at = arguments.iter().position(|word| word == name)?;
        Some(arguments[at + 1].as_str())
    };
    let number = |name| given(name).map(|word| word.parse::<u64>().unwrap());
    let seconds = number("--seconds").unwrap_or(3).clamp(1, MOST_SECONDS);
    let rounds = number("--rounds").unwrap_or(5).clamp(1, MOST_ROUNDS);
    let users = number("--users")
        .unwrap_or(1000)
        .clamp(1, MOST_USERS.into()) as u32;
    let what = arguments.first().map_or("", String::as_str);
    if let Some(name) = given("--way") {
        let (_, way) = WAYS.iter().find(|(known, _)| *known == name).unwrap();
        println!("{}", memory::memory(&quiet(&server(), *way), name, users));
        return;
    }
    let costs = (what != "memory").then(|| costs(rounds, seconds));
    let memory = (what != "cost").then(|| memories(users));
    if arguments.iter().any(|word| word == "--json") {
        println!("{}", json!({"cost": costs, "memory": memory}));
        return;
    }
    show_costs(&costs.unwrap_or_default());
    for row in memory.iter().flatten() {
        let kib = row["connection_kib"].as_f64().unwrap();
        println!(
            "{}: {users} connections, {kib:.1} KiB each",
            row["name"].as_str().unwrap()
        );
    }
}

/// nginx on processor 0, with this process on processor 1 afterwards.
fn server() -> Nginx {
    let set: PageSet = serde_json::from_value(json!({
        "directories": [""],
        "classes": [
            {"name": "k1", "percent": 1, "sizes": [1024]},
            {"name": "k16", "percent": 1, "sizes": [16384]},
            {"name": "k128", "percent": 1, "sizes": [131_072]},
        ],
    }))
    .unwrap();
    stay_on(0);
    let nginx = Nginx::with(set, QUIET_NGINX);
    stay_on(1);
    nginx
}

/// A target whose contents are not checked.
fn quiet(nginx: &Nginx, way: Way) -> HttpOptions {
    HttpOptions {
        verify: 0.0,
        ..nginx.options(way)
    }
}

fn costs(rounds: u64, seconds: u64) -> Vec<Value> {
    let nginx = server();
    let peers: Vec<Peer> = Peer::ALL
        .into_iter()
        .filter(|peer| peer.is_here())
        .collect();
    assert!(
        peers.contains(&Peer::Wrk),
        "wrk is missing: apt-get install -y --no-install-recommends wrk"
    );
    let mut found = vec![Vec::new(); CASES.len()];
    let before = stolen();
    for _ in 0..rounds {
        for (case, rows) in CASES.iter().zip(&mut found) {
            rows.push(round(&nginx, &peers, *case, seconds));
        }
    }
    let after = stolen();
    let steal = (after.0 - before.0) as f64 / (after.1 - before.1) as f64;
    CASES
        .iter()
        .zip(found)
        .map(|((class, keep_alive), rows)| {
            let sides: Vec<Value> = (0..rows[0].len())
                .map(|index| {
                    let us = rows.iter().map(|row| row[index].1).collect();
                    let ratios = rows.iter().map(|row| row[index].1 / row[0].1).collect();
                    json!({"name": rows[0][index].0, "us": spread(us), "ratio": spread(ratios)})
                })
                .collect();
            json!({
                "class": class, "keep_alive": keep_alive, "rounds": rounds, "seconds": seconds,
                "connections": CONNECTIONS, "steal": steal, "sides": sides,
            })
        })
        .collect()
}

/// CPU time of a request, in µs: of wrk, of each of our sides, and of other tools.
fn round(
    nginx: &Nginx,
    peers: &[Peer],
    (class, keep_alive): (&str, bool),
    seconds: u64,
) -> Vec<(&'static str, f64)> {
    let plain = HttpOptions {
        keep_alive,
        ..quiet(nginx, Way::Plain)
    };
    let checked = HttpOptions {
        verify: 1.0,
        ..plain.clone()
    };
    let get = json!({"op": "get", "page": [class]});
    let url = format!("{}/{class}-0000.html", plain.url);
    let theirs = |peer: &Peer| (peer.name(), peer.cost(&url, keep_alive, seconds).us());
    let ours = [
        alone(&plain, &get, CONNECTIONS, seconds),
        engine(&plain, &get, CONNECTIONS, seconds),
        engine(&checked, &get, CONNECTIONS, seconds),
    ];
    let mut row = vec![theirs(&Peer::Wrk)];
    row.extend(OURS.into_iter().zip(ours.map(Cost::us)));
    let others = peers
        .iter()
        .filter(|peer| **peer != Peer::Wrk && (keep_alive || peer.can_close()));
    row.extend(others.map(theirs));
    row
}

/// The median, the least and the greatest.
fn spread(mut values: Vec<f64>) -> Value {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let median = f64::midpoint(values[middle], values[(values.len() - 1) / 2]);
    json!({"median": median, "least": values[0], "most": values[values.len() - 1]})
}

/// The figures of each way, in a process of its own, so that no memory freed by another is reused;
/// and those of other tools.
fn memories(users: u32) -> Vec<Value> {
    let one = |(name, _): &(&str, Way)| -> Value {
        let program = std::env::current_exe().unwrap();
        let users = users.to_string();
        let output = Command::new(program)
            .args(["memory", "--way", name, "--users", &users])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let mut rows: Vec<Value> = WAYS.iter().map(one).collect();
    let nginx = server();
    let url = format!("{}/k1-0000.html", quiet(&nginx, Way::Plain).url);
    for peer in Peer::ALL.into_iter().filter(|peer| peer.is_here()) {
        let each_kib = peer.connection_kib(&url, users);
        rows.push(json!({"name": peer.name(), "users": users, "connection_kib": each_kib}));
    }
    rows
}

fn show_costs(cases: &[Value]) {
    println!("CPU time of a request in µs, and its ratio to wrk's: median (least to most)");
    for case in cases {
        let kept = if case["keep_alive"] == true {
            "kept"
        } else {
            "one each"
        };
        println!("{} {kept}:", case["class"].as_str().unwrap());
        for side in case["sides"].as_array().into_iter().flatten() {
            let text = |name: &str| {
                let figure = |part: &str| side[name][part].as_f64().unwrap();
                format!(
                    "{:.2} ({:.2} to {:.2})",
                    figure("median"),
                    figure("least"),
                    figure("most")
                )
            };
            let name = side["name"].as_str().unwrap();
            println!("  {name}: {}, ratio {}", text("us"), text("ratio"));
        }
    }
}
