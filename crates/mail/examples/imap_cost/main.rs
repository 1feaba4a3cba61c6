//! The client's CPU time for IMAP commands and memory for a session, against a private Dovecot on
//! loopback, compared with the crate `async-imap`.
//!
//! `cargo run --release -p headcount-mail --example imap_cost -- [cost|memory] [--rounds N]
//! [--sessions N] [--commands N] [--json]`
//!
//! `cost`: sessions on one thread, each with a mailbox of 12 messages of 4.5 KB. In each round,
//! both clients log on and select, send NOOP, fetch all headers and fetch one message; ratios are
//! those within a round, so that other load on the machine affects both. Dovecot runs on processor
//! 0, clients on processor 1. `memory`: resident memory of a session that has logged on, selected
//! and fetched, each client in a process of its own.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

#[path = "../../tests/common/mod.rs"]
mod common;
mod crowd;
mod machine;
mod ours;
mod peer;

use std::process::Command;

use common::dovecot::{Dovecot, Way};
use common::person::{arrive, user};
use crowd::{Client, Crowd, on_one_thread};
use headcount_load::clock::Origin;
use headcount_mail::endpoint::Endpoint;
use machine::{have_many_files, resident_kib, stay_on, stolen};
use serde_json::{Value, json};

const MOST_ROUNDS: u64 = 50;
const MOST_SESSIONS: u32 = 10_000;
const MOST_COMMANDS: u32 = 1000;
/// Mailboxes that the sessions share, so that none has more sessions than Dovecot allows for a
/// user.
const MAILBOXES: u32 = 250;
const MESSAGES: u32 = 12;
const CLIENTS: [&str; 2] = ["headcount", "async-imap"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| {
        let at = arguments.iter().position(|word| word == name)?;
        Some(arguments[at + 1].as_str())
    };
    let number = |name| given(name).map(|word| word.parse::<u64>().unwrap());
    let rounds = number("--rounds").unwrap_or(5).clamp(1, MOST_ROUNDS);
    let sessions = number("--sessions")
        .unwrap_or(200)
        .clamp(1, MOST_SESSIONS.into()) as u32;
    let commands = number("--commands")
        .unwrap_or(50)
        .clamp(1, MOST_COMMANDS.into()) as u32;
    let what = arguments.first().map_or("", String::as_str);
    have_many_files();
    if let Some(name) = given("--client") {
        let dovecot = server(MAILBOXES.min(sessions));
        println!("{}", memory(&dovecot.imap(Way::Plain), name, sessions));
        return;
    }
    let costs = (what != "memory").then(|| costs(rounds, sessions.min(1000), commands));
    let memory = (what != "cost").then(|| memories(sessions));
    if arguments.iter().any(|word| word == "--json") {
        println!("{}", json!({"cost": costs, "memory": memory}));
        return;
    }
    show(costs.as_ref(), memory.as_deref().unwrap_or_default());
}

/// Dovecot on processor 0, with this process on processor 1 afterwards, and messages in its
/// mailboxes.
fn server(mailboxes: u32) -> Dovecot {
    stay_on(0);
    let dovecot = Dovecot::start();
    stay_on(1);
    let endpoint = dovecot.imap(Way::Plain);
    on_one_thread(async |_| {
        for id in 0..mailboxes {
            let user = user(id);
            let mut imap = arrive(&endpoint, &user).await;
            let mut messages = (0..MESSAGES).map(message);
            imap.append("INBOX", "", &mut messages).await.unwrap();
            imap.logout().await.unwrap();
        }
    });
    dovecot
}

fn message(number: u32) -> Vec<u8> {
    let mut text = format!(
        "Return-Path: <a@test.invalid>\r\nReceived: from here.test.invalid (here [127.0.0.1])\r\n\tby \
         there.test.invalid; Fri, 20 Nov 2026 10:00:00 +0000\r\nDate: Fri, 20 Nov 2026 10:00:00 \
         +0000\r\nFrom: Somebody <a@test.invalid>\r\nTo: Somebody else <b@test.invalid>\r\nSubject: \
         number {number}\r\nMessage-ID: <{number}@test.invalid>\r\nMIME-Version: 1.0\r\nContent-Type: \
         text/plain\r\n\r\n"
    );
    while text.len() < 4500 {
        text.push_str("a line of text as people write them, so long and not any longer\r\n");
    }
    text.into_bytes()
}

/// Measures the CPU time of each command, for both clients in turn.
fn costs(rounds: u64, sessions: u32, commands: u32) -> Value {
    let dovecot = server(MAILBOXES.min(sessions));
    let endpoint = dovecot.imap(Way::Plain);
    let before = stolen();
    let mut found: Vec<[[f64; 4]; 2]> = Vec::new();
    for round in 0..rounds {
        let mut row = [[0.0; 4]; 2];
        // Alternate the order: the second client finds warmer caches.
        for turn in 0..2 {
            let which = ((round + turn) % 2) as usize;
            row[which] = match which {
                0 => crowd::cost::<ours::Ours>(&endpoint, sessions, commands),
                _ => crowd::cost::<peer::Peer>(&endpoint, sessions, commands),
            };
        }
        found.push(row);
    }
    let after = stolen();
    let steal = (after.0 - before.0) as f64 / (after.1 - before.1).max(1) as f64;
    let rows: Vec<Value> = crowd::KINDS
        .iter()
        .enumerate()
        .map(|(kind, name)| {
            let us = |which: usize| spread(found.iter().map(|row| row[which][kind]).collect());
            let ratios = found.iter().map(|row| row[0][kind] / row[1][kind]);
            json!({"command": name, "headcount_us": us(0), "async_imap_us": us(1), "ratio": spread(ratios.collect())})
        })
        .collect();
    json!({"sessions": sessions, "commands": commands, "rounds": rounds, "steal": steal, "rows": rows})
}

/// Median, minimum and maximum.
fn spread(mut values: Vec<f64>) -> Value {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let median = f64::midpoint(values[middle], values[(values.len() - 1) / 2]);
    json!({"median": median, "least": values[0], "most": values[values.len() - 1]})
}

/// The resident memory of each further session. Call it once in a process, before there is freed
/// memory to reuse.
fn memory(endpoint: &Endpoint, name: &str, sessions: u32) -> Value {
    let origin = Origin::now();
    let each_kib = match name {
        "headcount" => each_kib::<ours::Ours>(endpoint, sessions),
        _ => each_kib::<peer::Peer>(endpoint, sessions),
    };
    let elapsed_s = origin.elapsed_ns() as f64 / 1e9;
    json!({"name": name, "sessions": sessions, "session_kib": each_kib, "seconds": elapsed_s})
}

fn each_kib<C: Client + 'static>(endpoint: &Endpoint, sessions: u32) -> f64 {
    on_one_thread(async |local| {
        // The first sessions allocate what all share.
        let first = Crowd::<C>::arrive(endpoint, 10, local).await;
        let before_kib = resident_kib().unwrap();
        let crowd = Crowd::<C>::arrive(endpoint, sessions, local).await;
        let after_kib = resident_kib().unwrap();
        crowd.leave().await;
        first.leave().await;
        after_kib.saturating_sub(before_kib) as f64 / f64::from(sessions)
    })
}

fn memories(sessions: u32) -> Vec<Value> {
    let one = |name: &&str| -> Value {
        let program = std::env::current_exe().unwrap();
        let sessions = sessions.to_string();
        let output = Command::new(program)
            .args(["memory", "--client", name, "--sessions", &sessions])
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    CLIENTS.iter().map(one).collect()
}

fn show(costs: Option<&Value>, memory: &[Value]) {
    if let Some(costs) = costs {
        println!(
            "CPU time of a command in µs, median of {} rounds (least to most), {} sessions:",
            costs["rounds"], costs["sessions"]
        );
        for row in costs["rows"].as_array().into_iter().flatten() {
            let text = |name: &str| {
                let figure = |part: &str| row[name][part].as_f64().unwrap();
                let (median, least, most) = (figure("median"), figure("least"), figure("most"));
                format!("{median:.2} ({least:.2} to {most:.2})")
            };
            println!(
                "  {}: {}, async-imap {}, ratio {}",
                row["command"].as_str().unwrap(),
                text("headcount_us"),
                text("async_imap_us"),
                text("ratio")
            );
        }
    }
    for row in memory {
        let (name, kib) = (
            row["name"].as_str().unwrap(),
            row["session_kib"].as_f64().unwrap(),
        );
        println!(
            "memory, {name}: {} sessions, {kib:.2} KiB each",
            row["sessions"]
        );
    }
}
