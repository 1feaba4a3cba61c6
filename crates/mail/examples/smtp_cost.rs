//! The sender's CPU time for one message, compared with Postfix's `smtp-source`, against the same
//! sinks: Postfix's `smtp-sink`, and our front, which counts and drops.
//!
//! `cargo run --release -p headcount-mail --example smtp_cost -- [--rounds N] [--messages N]
//! [--json]`
//!
//! Messages of 1, 4 and 40 KB to 1 and 3 recipients, over 20 connections that stay open, or over
//! one each. Both senders are processes of their own and take turns; ratios are those within a
//! round. The sink runs on processor 0, senders on processor 1. `--ledger` measures the ledger's
//! cost per message.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::fs;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use common::{RUN, endpoint, free_port, stopwatch, wait_until_listening};
use headcount_load::clock::Origin;
use headcount_mail::front::{Settings, serve};
use headcount_mail::ledger::{Ledger, Seen};
use headcount_mail::message::{Message, Part, Stamp};
use headcount_mail::smtp::{Language, Smtp};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::{Value, json};

const CONNECTIONS: usize = 20;
const MOST_ROUNDS: usize = 20;
const MOST_MESSAGES: usize = 100_000;

/// Limited, since closed connections occupy their ports for a minute.
const MOST_UNKEPT: usize = 4000;

const ADVICE: &str = "Postfix's smtp-source and smtp-sink are missing: apt-get install -y \
                      --no-install-recommends postfix";

#[derive(Debug, Clone, Copy)]
struct Case {
    bytes: u32,
    recipients: usize,
    kept: bool,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for kept in [true, false] {
            for bytes in [1024, 4096, 40_960] {
                all.extend([1, 3].map(|recipients| Self {
                    bytes,
                    recipients,
                    kept,
                }));
            }
        }
        all
    }

    const fn messages(self, most: usize) -> usize {
        if !self.kept && most > MOST_UNKEPT {
            MOST_UNKEPT
        } else {
            most
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["front"] => return front(),
        ["send", address, bytes, recipients, kept, messages] => {
            let (bytes, recipients) = (bytes.parse().unwrap(), recipients.parse().unwrap());
            let case = Case {
                bytes,
                recipients,
                kept: kept == "true",
            };
            return send(address.parse().unwrap(), case, messages.parse().unwrap());
        }
        ["--ledger"] => return ledger(),
        _ => {}
    }
    let number = |name, default: usize, most| {
        let at = words.iter().position(|word| *word == name);
        at.map_or(default, |at| words[at + 1].parse().unwrap())
            .clamp(1, most)
    };
    let rounds = number("--rounds", 3, MOST_ROUNDS);
    let messages = number("--messages", 10_000, MOST_MESSAGES);
    let mut found = Vec::new();
    for sink in ["smtp-sink", "front"] {
        let (mut child, address) = start(sink);
        for case in Case::all() {
            let sides: Vec<[Figures; 2]> = (0..rounds)
                .map(|_| round(case, address, messages))
                .collect();
            found.push(summary(sink, case, &sides));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if words.contains(&"--json") {
        println!("{}", Value::Array(found));
        return;
    }
    for row in found {
        println!(
            "{:9} {:>5} B, {} recipients, {:8}: {:6.1} us a message, smtp-source {:6.1}, ratio {:.2} \
             ({:.2} to {:.2}); {:.0} and {:.0} messages/s",
            row["sink"].as_str().unwrap(),
            row["bytes"],
            row["recipients"],
            if row["kept"] == true {
                "kept"
            } else {
                "not kept"
            },
            number_of(&row, "us"),
            number_of(&row, "source_us"),
            number_of(&row, "ratio"),
            number_of(&row, "ratio_least"),
            number_of(&row, "ratio_most"),
            number_of(&row, "per_s"),
            number_of(&row, "source_per_s"),
        );
    }
}

fn number_of(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap()
}

/// CPU time per message, and messages per second.
#[derive(Debug, Clone, Copy)]
struct Figures {
    us: f64,
    per_s: f64,
}

fn round(case: Case, address: SocketAddr, messages: usize) -> [Figures; 2] {
    let messages = case.messages(messages);
    let count = messages.to_string();
    let (bytes, recipients) = (case.bytes.to_string(), case.recipients.to_string());
    let mut ours = Command::new(std::env::current_exe().unwrap());
    ours.args([
        "send",
        &address.to_string(),
        &bytes,
        &recipients,
        &case.kept.to_string(),
        &count,
    ]);
    let mut source = Command::new("smtp-source");
    source.args([
        "-s",
        &CONNECTIONS.to_string(),
        "-m",
        &count,
        "-l",
        &bytes,
        "-r",
        &recipients,
    ]);
    if case.kept {
        source.arg("-d");
    }
    source.arg(address.to_string());
    [&mut ours, &mut source].map(|command| run(command, messages))
}

fn run(command: &mut Command, messages: usize) -> Figures {
    let (before_ns, origin) = (children_cpu_ns(), Origin::now());
    let status = command.stdin(Stdio::null()).status().expect(ADVICE);
    assert!(status.success(), "{command:?}");
    let (cpu_ns, took_ns) = (children_cpu_ns() - before_ns, origin.elapsed_ns());
    Figures {
        us: cpu_ns as f64 / 1000.0 / messages as f64,
        per_s: messages as f64 / (took_ns as f64 / 1e9),
    }
}

fn summary(sink: &str, case: Case, rounds: &[[Figures; 2]]) -> Value {
    let median = |of: &dyn Fn(&[Figures; 2]) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        (all[0], all[all.len() / 2], all[all.len() - 1])
    };
    let (least, ratio, most) = median(&|[ours, source]| ours.us / source.us);
    json!({
        "sink": sink, "bytes": case.bytes, "recipients": case.recipients, "kept": case.kept,
        "us": median(&|[ours, _]| ours.us).1, "source_us": median(&|[_, source]| source.us).1,
        "ratio": ratio, "ratio_least": least, "ratio_most": most,
        "per_s": median(&|[ours, _]| ours.per_s).1,
        "source_per_s": median(&|[_, source]| source.per_s).1,
    })
}

/// CPU time of the children of this process that have ended, in ns (fields 16 and 17 of
/// `proc_pid_stat(5)`).
fn children_cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.map(|word| word.parse::<u64>().unwrap()).sum();
    ticks * 1_000_000_000 / rustix::param::clock_ticks_per_second()
}

/// A sink on processor 0, with this process on processor 1 afterwards.
fn start(sink: &str) -> (Child, SocketAddr) {
    stay_on(0);
    let port = free_port();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let child = if sink == "front" {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .arg("front")
            .env("PORT", port.to_string())
            .spawn()
            .unwrap()
    } else {
        let mut command = Command::new("smtp-sink");
        if rustix::process::getuid().is_root() {
            command.args(["-u", "nobody"]); // it refuses to run as root
        }
        command
            .args([&address.to_string(), "1000"])
            .spawn()
            .expect(ADVICE)
    };
    wait_until_listening(port);
    stay_on(1);
    (child, address)
}

fn stay_on(processor: usize) {
    let mut set = CpuSet::new();
    set.set(processor);
    sched_setaffinity(None, &set).unwrap();
}

/// Serves until it is killed.
fn front() {
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let _handle = serve(Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], port)),
        lmtp: "count".into(),
        routes: Vec::new(),
        reject: Vec::new(),
        delay: std::time::Duration::ZERO,
        password: None,
    })
    .unwrap();
    loop {
        std::thread::park();
    }
}

/// Sends messages over 20 connections, as one worker would.
fn send(address: SocketAddr, case: Case, messages: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let local = tokio::task::LocalSet::new();
    for connection in 0..CONNECTIONS {
        let share = messages / CONNECTIONS + usize::from(connection < messages % CONNECTIONS);
        local.spawn_local(one(address, case, connection as u32, share as u32));
    }
    runtime.block_on(local);
}

async fn one(address: SocketAddr, case: Case, sender: u32, messages: u32) {
    let endpoint = endpoint(address);
    let to = ["a@test.invalid", "b@test.invalid", "c@test.invalid"];
    let (to, parts) = (&to[..case.recipients], [Part::text(case.bytes)]);
    let (watch, _) = stopwatch();
    let mut kept: Option<Smtp> = None;
    for sequence in 0..messages {
        let mut smtp = match kept.take() {
            Some(smtp) => smtp,
            None => Smtp::connect(
                &endpoint,
                Language::Smtp,
                "client.invalid",
                None,
                watch.clone(),
            )
            .await
            .unwrap(),
        };
        let stamp = Stamp {
            run: RUN,
            sender,
            sequence,
            sent_unix_us: 1_763_761_234_000_000,
        };
        let message = Message::new(stamp, "u1@test.invalid", to, "Figures", &parts);
        assert_eq!(
            smtp.send("u1@test.invalid", to, &message)
                .await
                .unwrap()
                .len(),
            to.len()
        );
        if case.kept {
            kept = Some(smtp);
        } else {
            smtp.quit().await;
        }
    }
    if let Some(smtp) = kept {
        smtp.quit().await;
    }
}

/// The cost to note a message for one recipient, and to see it, with 100,000 in transit.
fn ledger() {
    const MESSAGES: u32 = 1_000_000;
    const WAITING: u32 = 100_000;
    let ledger = Ledger::new(RUN);
    let recipient = |number: u32| number.wrapping_mul(2_654_435_761) % 10_000;
    let origin = Origin::now();
    for number in 0..MESSAGES {
        ledger.posting(1, number, &[recipient(number)]);
        ledger.posted(1, number, &[recipient(number)], 1);
        if let Some(old) = number.checked_sub(WAITING) {
            let stamp = Stamp {
                run: RUN,
                sender: 1,
                sequence: old,
                sent_unix_us: 0,
            };
            let seen = ledger.seen(recipient(old), &stamp, old, 2);
            assert_eq!(seen, Seen::First { delivery_ns: 1 });
        }
    }
    println!(
        "{:.0} ns a message",
        origin.elapsed_ns() as f64 / f64::from(MESSAGES)
    );
}
