//! What mail users cost the load generator: one process with many of them, who follow the day of
//! `LoadSim`'s medium user. Measures lateness, CPU time and memory per user.
//!
//! `cargo run --release -p headcount-mail --example day_cost -- [--users N] [--compress X]
//! [--seconds S]` prints the figures as JSON.
//!
//! The server is a stand-in: a process that answers at once from memory, without a disk, and speaks
//! only as much IMAP and SMTP as these users need. It delivers mail before it accepts it, and every
//! message read is checked. The stand-in runs on processor 0, the users on processor 1. With
//! `--imap ADDRESS --lmtp ADDRESS`, users of a real server do the same, with its processes on any
//! processor; their mailboxes are made first, small ones. Their password is in the environment
//! variable `HEADCOUNT_PASSWORD`.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

mod day;
mod house;
mod imap;
#[allow(dead_code, reason = "the other example needs more of it")]
#[path = "../imap_cost/machine.rs"]
mod machine;
mod smtp;
mod stand_in;

use std::ops::ControlFlow;
use std::process::Command;
use std::time::Duration;

use headcount_load::clock::Origin;
use headcount_load::distribution::Distribution;
use headcount_load::{Interval, Plan, Run, Snapshot};
use headcount_mail::client::provision::{Order, prepare};
use headcount_mail::task::Task;
use headcount_mail::{Mail, MailOptions};
use machine::{have_many_files, resident_kib, stay_on};
use serde_json::{Value, json};
use stand_in::StandIn;

/// The argument that makes the program only prepare mailboxes.
const PREPARE: &str = "--prepare";
const MOST_USERS: u32 = 20_000;
const MOST_SECONDS: u32 = 600;
/// Users who log on per second.
const JOIN_PER_S: u32 = 400;
/// All users must have logged on this many seconds after the last one is due.
const PATIENCE_S: u32 = 60;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        Some(words[at + 1].as_str())
    };
    have_many_files();
    if words.first().is_some_and(|word| word == stand_in::VERB) {
        return stand_in::serve();
    }
    let number = |name| given(name).map(|word| word.parse::<u32>().unwrap());
    let users = number("--users").unwrap_or(10_000).clamp(2, MOST_USERS);
    let seconds = number("--seconds").unwrap_or(60).clamp(5, MOST_SECONDS);
    let compress: f64 = given("--compress").map_or(1.0, |word| word.parse().unwrap());
    if let Some((imap, lmtp)) = given("--imap").zip(given("--lmtp")) {
        let password = std::env::var("HEADCOUNT_PASSWORD").unwrap();
        let options = read(&day::of_a_server(imap, lmtp, &password));
        if words.iter().any(|word| word == PREPARE) {
            return prepared(options, users);
        }
        let prepare_s = prepared_by_another(&words);
        let mut figures = measure(options, users, compress, seconds);
        figures["prepare_s"] = json!(prepare_s);
        println!("{figures}");
        return;
    }
    stay_on(0);
    let stand_in = StandIn::start();
    stay_on(1);
    let options = read(&day::of_the_stand_in(stand_in.imap, stand_in.smtp));
    println!("{}", measure(options, users, compress, seconds));
}

fn read(options: &Value) -> MailOptions {
    serde_json::from_value(options.clone()).unwrap()
}

/// Prepares the users' mailboxes.
fn prepared(options: MailOptions, users: u32) {
    let order = Order {
        first: 0,
        last: users - 1,
        read_through: false,
    };
    prepare(options, &order, &mut |_| ControlFlow::Continue(())).unwrap();
}

/// Prepares them in another process, so that users cannot reuse memory it has freed. Returns how
/// long it took.
fn prepared_by_another(words: &[String]) -> f64 {
    let origin = Origin::now();
    let program = std::env::current_exe().unwrap();
    let ended = Command::new(program).args(words).arg(PREPARE).status();
    assert!(ended.unwrap().success(), "the mailboxes were not made");
    origin.elapsed_ns() as f64 / 1e9
}

fn measure(options: MailOptions, users: u32, compress: f64, seconds: u32) -> Value {
    let plan = Plan::from_json(&day::plan(compress).to_string()).unwrap();
    let mut run = Run::start(plan, Mail::new(options).unwrap()).unwrap();
    // From the second report on, each replaces an earlier one, so that only users need more memory.
    after(&mut run, 2);
    let before_kib = resident_kib().unwrap();
    let join_s = users.div_ceil(JOIN_PER_S);
    run.set_users(users, Duration::from_secs(join_s.into()));
    let mut first = after(&mut run, join_s);
    for _ in 0..PATIENCE_S {
        if first.recorder.sessions_opened >= u64::from(users) {
            break;
        }
        first = after(&mut run, 1);
    }
    let logged_on = first.recorder.sessions_opened;
    // The first users have begun their day; wait until the last ones have, too.
    let arrived_kib = resident_kib().unwrap();
    first = after(&mut run, 2);
    let last = after(&mut run, seconds);
    let played_kib = resident_kib().unwrap();
    run.stop(Duration::from_secs(10));
    while !run.has_ended() {
        let _ = run.next(Duration::from_secs(15)).unwrap(); // only wait for the end
    }
    let each = |kib: u64| kib.saturating_sub(before_kib) as f64 / f64::from(users);
    let mut figures = figures(&last.since(&first));
    figures["logged_on"] = json!(logged_on);
    figures["compress"] = json!(compress);
    figures["arrived_kib"] = json!(each(arrived_kib));
    figures["played_kib"] = json!(each(played_kib));
    figures
}

/// The run's state after this many reports, one a second.
fn after(run: &mut Run, seconds: u32) -> Snapshot {
    let mut next = || run.next(Duration::from_secs(10)).unwrap().unwrap();
    (1..seconds).for_each(|_| drop(next()));
    next()
}

fn figures(interval: &Interval) -> Value {
    let seconds = (interval.to_ns - interval.from_ns) as f64 / 1e9;
    let cpu_s = interval.worker_cpu_ns.iter().sum::<u64>() as f64 / 1e9;
    let counted = &interval.counted;
    let scenarios: u64 = counted.scenarios.iter().map(|tally| tally.completed).sum();
    let faults: Vec<&str> = counted
        .faults
        .values()
        .flat_map(|fault| &fault.examples)
        .map(|example| &**example)
        .take(3)
        .collect();
    let of = |task: Task| counted.tasks[task as usize].completed as f64 / seconds;
    let lateness = Distribution::of(&counted.timer_lateness);
    json!({
        "users": interval.users,
        "scenarios_per_s": scenarios as f64 / seconds,
        "read_per_s": of(Task::Read),
        "sent_per_s": of(Task::SmtpMessage),
        "cpu_share_of_a_core": cpu_s / seconds,
        "cpu_us_per_scenario": cpu_s * 1e6 / scenarios as f64,
        "lateness_p50_us": lateness.quantile_us(0.5),
        "lateness_p99_us": lateness.quantile_us(0.99),
        "lateness_max_us": lateness.max_us(),
        "faults": faults,
    })
}
