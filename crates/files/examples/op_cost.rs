//! What one operation on files costs in CPU time, with a ring and with threads.
//!
//! `cargo run --release -p headcount-files --example op_cost -- [FOLDER] [--seconds N] [--users N]
//! [--json]`
//!
//! Each user repeats 19 operations without think time, the same as in the SMB client's example of
//! this name: a file of 64 KiB is opened, written in four parts and closed; opened, read in four
//! parts, checked and closed; its folder is opened, listed and closed; the file is opened, deleted
//! and closed. The CPU time is that of this process: the worker, the threads, and the kernel's work
//! on behalf of them and of the ring. The rate is that of one worker on an otherwise idle machine.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use common::{Person, play, step};
use headcount_files::{Engine, Files, FilesOptions, Mode};
use headcount_load::Session;
use headcount_load::clock::Origin;
use headcount_tree::step::Step;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use tokio::task::LocalSet;

const MOST_USERS: u64 = 2000;
const MOST_SECONDS: u64 = 10;
/// Operations of a loop, as over SMB: each part of a file and each answer of a listing is one.
const OPERATIONS: u64 = 19;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let at = arguments.iter().position(|word| word == name)?;
        Some(arguments[at + 1].parse::<u64>().unwrap())
    };
    let seconds = number("--seconds").unwrap_or(3).clamp(1, MOST_SECONDS);
    let users = number("--users").map(|users| users.clamp(1, MOST_USERS));
    let folder = arguments.first().filter(|word| !word.starts_with("--"));
    let around = folder.map_or_else(std::env::temp_dir, PathBuf::from);
    let disk = tempfile::tempdir_in(around).unwrap();
    let mut found = Vec::new();
    for (name, mode) in [("buffered", Mode::Buffered), ("direct", Mode::Direct)] {
        for engine in [Engine::Ring, Engine::Threads] {
            for users in users.map_or(vec![10, 100], |users| vec![users]) {
                let options = FilesOptions {
                    engine,
                    mode,
                    ..FilesOptions::new(disk.path())
                };
                found.push(cost(options, name, users, seconds));
            }
        }
    }
    if arguments.iter().any(|word| word == "--json") {
        println!("{}", Value::from(found));
        return;
    }
    println!("mode     engine    users      ops/s  CPU µs/op");
    for row in &found {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let figure = |key: &str| row[key].as_f64().unwrap();
        println!(
            "{:<8} {:<8} {:>6} {:>10.0} {:>10.1}",
            text("mode"),
            text("engine"),
            row["users"],
            figure("rate"),
            figure("cpu_us"),
        );
    }
}

fn steps() -> Rc<[Step]> {
    let chunk = 16 << 10;
    [
        json!({"op": "open", "path": {"file": "new"}, "access": "write",
               "how": "empty-or-create"}),
        json!({"op": "write", "bytes": 4 * chunk, "chunk_bytes": chunk}),
        json!({"op": "close"}),
        json!({"op": "open", "path": {"file": "new"}}),
        json!({"op": "read", "chunk_bytes": chunk}),
        json!({"op": "close"}),
        json!({"op": "open", "path": {"file": "home"}}),
        json!({"op": "list"}),
        json!({"op": "close"}),
        json!({"op": "open", "path": {"file": "new"}, "access": "delete"}),
        json!({"op": "delete"}),
        json!({"op": "close"}),
    ]
    .iter()
    .map(step)
    .collect()
}

/// The cost of operations when each user does one after the other.
fn cost(mut options: FilesOptions, mode: &str, users: u64, seconds: u64) -> Value {
    let engine = match options.engine {
        Engine::Ring => "io_uring",
        _ => "threads",
    };
    options.data_set.new_files = 1;
    options.data_set.folders = 1;
    for user in 0..users {
        let home = options.path.join(format!("headcount/user{user:05}"));
        fs::create_dir_all(home).unwrap();
    }
    let files = Files::new(options).unwrap();
    let steps = steps();
    play(async {
        let local = LocalSet::new();
        let done = Rc::new(Cell::new(0));
        let (origin, before_ns) = (Origin::now(), cpu_ns());
        let mut playing = Vec::new();
        for id in 0..users {
            let mut person = Person::of(&files, id as u32).await;
            let (steps, done) = (Rc::clone(&steps), Rc::clone(&done));
            playing.push(local.spawn_local(async move {
                while origin.elapsed_ns() < seconds * 1_000_000_000 {
                    for step in &*steps {
                        person.session.play(step, &mut person.user).await.unwrap();
                    }
                    done.set(done.get() + OPERATIONS);
                }
            }));
        }
        local
            .run_until(async {
                for task in playing {
                    task.await.unwrap();
                }
            })
            .await;
        let (elapsed_ns, cpu_ns) = (origin.elapsed_ns(), cpu_ns() - before_ns);
        let operations = done.get() as f64;
        json!({
            "mode": mode, "engine": engine, "users": users,
            "rate": operations * 1e9 / elapsed_ns as f64,
            "cpu_us": cpu_ns as f64 / 1000.0 / operations,
        })
    })
}

/// CPU time of this process so far, its threads and those of its ring included.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
