//! What one SMB operation costs the client in CPU time, and one user in memory, against a private
//! smbd on loopback.
//!
//! `cargo run --release -p headcount-smb --example op_cost -- [seconds] [users in memory]`
//!
//! Each user repeats 19 operations without thinking: CREATE, four WRITEs of 16 KiB, CLOSE; CREATE,
//! four READs of 16 KiB, CLOSE; CREATE of the folder, two QUERY_DIRECTORY, CLOSE; CREATE, SET_INFO
//! (delete), CLOSE. That is 6.9 KB of payload an operation; contents are made and checked. Client and
//! server share the machine, so operations a second are no property of the client; its CPU time is.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::cell::{Cell, RefCell};
use std::fs;
use std::rc::Rc;
use std::time::Duration;

use common::{Person, Samba, smb, step};
use headcount_load::clock::Origin;
use headcount_load::{Fault, Session};
use headcount_smb::wire::negotiate::Dialect;
use headcount_smb::{SigningPolicy, Smb, SmbOptions, Step};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::LocalSet;

/// Operations of one loop.
const OPERATIONS: u64 = 19;
const MOST_USERS: u32 = 2000;
const MOST_SECONDS: u64 = 10;
/// No more users than have logged on by then count.
const LOGON_LIMIT: Duration = Duration::from_secs(60);
/// Logons at a time: smbd forks for each.
const LOGONS: usize = 16;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments
        .next()
        .map_or(3, |word| word.parse().unwrap())
        .min(MOST_SECONDS);
    let users = arguments
        .next()
        .map_or(1000, |word| word.parse().unwrap())
        .min(MOST_USERS);
    let samba = Samba::start("auto");
    for user in 0..users.max(100) {
        samba.give_home(&format!("user{user:05}"));
    }
    // First, while nothing that was freed can be used again.
    memory(
        &protocol(&samba, SigningPolicy::Required, true),
        "AES-GMAC",
        users,
    );
    println!(
        "{:<28} {:>6} {:>10} {:>10} {:>8} {:>8}",
        "3.1.1", "users", "ops/s", "CPU µs/op", "user", "system"
    );
    for (name, signing, checks) in [
        ("unsigned, reads unchecked", SigningPolicy::Off, false),
        ("unsigned", SigningPolicy::Off, true),
        ("AES-GMAC", SigningPolicy::Required, true),
    ] {
        for count in [10, 100] {
            let Cost {
                rate,
                cpu_us,
                user_us,
            } = cost(&protocol(&samba, signing, checks), count, seconds);
            let system_us = cpu_us - user_us;
            println!(
                "{name:<28} {count:>6} {rate:>10.0} {cpu_us:>10.1} {user_us:>8.1} {system_us:>8.1}"
            );
        }
    }
}

fn protocol(samba: &Samba, signing: SigningPolicy, verify: bool) -> Smb {
    let dialects = vec![Dialect::Smb311];
    let mut options = SmbOptions {
        dialects,
        signing,
        verify,
        ..samba.options()
    };
    options.data_set.new_files = 1;
    smb(options)
}

fn steps() -> Vec<Step> {
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

async fn play_once(person: &mut Person, steps: &[Step]) -> Result<(), Fault> {
    for step in steps {
        person.session.play(step, &mut person.user).await?;
    }
    Ok(())
}

/// Operations a second, and CPU time of one operation.
struct Cost {
    rate: f64,
    cpu_us: f64,
    user_us: f64,
}

/// What operations cost after all have logged on.
fn cost(protocol: &Smb, users: u32, seconds: u64) -> Cost {
    let steps: Rc<[Step]> = steps().into();
    on_one_thread(async |local| {
        let people = arrive(protocol, users, local).await;
        let (before_ns, before_share) = (cpu_ns(), user_share());
        let (origin, done) = (Origin::now(), Rc::new(Cell::new(0)));
        let mut playing = Vec::new();
        for mut person in people {
            let (steps, done) = (Rc::clone(&steps), Rc::clone(&done));
            playing.push(local.spawn_local(async move {
                while origin.elapsed_ns() < seconds * 1_000_000_000 {
                    play_once(&mut person, &steps).await.unwrap();
                    done.set(done.get() + OPERATIONS);
                }
            }));
        }
        for task in playing {
            task.await.unwrap();
        }
        let (elapsed_s, operations) = (origin.elapsed_ns() as f64 / 1e9, done.get() as f64);
        let cpu_us = (cpu_ns() - before_ns) as f64 / 1000.0 / operations;
        let (user, system) = user_share();
        let (user, system) = (user - before_share.0, system - before_share.1);
        let user_us = cpu_us * user as f64 / (user + system).max(1) as f64;
        Cost {
            rate: operations / elapsed_s,
            cpu_us,
            user_us,
        }
    })
}

/// Prints the resident memory that each further user costs: a task with connection and session, as
/// in the engine, after logon and after a loop.
fn memory(protocol: &Smb, name: &str, users: u32) {
    let steps: Rc<[Step]> = steps().into();
    on_one_thread(async |local| {
        // The first users pay for what all share.
        let _first = crowd(protocol, 10, &steps, local).await;
        let (before_kib, origin) = (resident_kib(), Origin::now());
        let [idle_kib, played_kib] = crowd(protocol, users, &steps, local).await;
        let elapsed_s = origin.elapsed_ns() as f64 / 1e9;
        let each = |kib: u64| kib.saturating_sub(before_kib) as f64 / f64::from(users);
        println!(
            "{name}: {users} users in {elapsed_s:.0} s; resident KiB a user: {:.2} logged on, {:.2} \
             after a loop",
            each(idle_kib),
            each(played_kib),
        );
    });
}

/// Resident memory when all users have logged on, and when all have played a loop.
async fn crowd(protocol: &Smb, users: u32, steps: &Rc<[Step]>, local: &LocalSet) -> [u64; 2] {
    let turns = Rc::new(Semaphore::new(LOGONS));
    let (arrived, played) = (Rc::new(Semaphore::new(0)), Rc::new(Semaphore::new(0)));
    let (may_play, may_leave) = (Rc::new(Semaphore::new(0)), Rc::new(Semaphore::new(0)));
    let mut tasks = Vec::with_capacity(users as usize);
    for id in 0..users {
        let (protocol, steps, turns) = (protocol.clone(), Rc::clone(steps), Rc::clone(&turns));
        let (arrived, played) = (Rc::clone(&arrived), Rc::clone(&played));
        let (may_play, may_leave) = (Rc::clone(&may_play), Rc::clone(&may_leave));
        tasks.push(local.spawn_local(async move {
            let turn = turns.acquire().await.unwrap();
            let mut person = Person::arrive(&protocol, id).await.unwrap();
            drop(turn);
            arrived.add_permits(1);
            may_play.acquire().await.unwrap().forget();
            let turn = turns.acquire().await.unwrap();
            play_once(&mut person, &steps).await.unwrap();
            drop(turn);
            played.add_permits(1);
            may_leave.acquire().await.unwrap().forget();
        }));
    }
    arrived.acquire_many(users).await.unwrap().forget();
    let idle_kib = resident_kib();
    may_play.add_permits(users as usize);
    played.acquire_many(users).await.unwrap().forget();
    let played_kib = resident_kib();
    may_leave.add_permits(users as usize);
    for task in tasks {
        task.await.unwrap();
    }
    [idle_kib, played_kib]
}

/// Logs users on, a few at a time.
async fn arrive(protocol: &Smb, users: u32, local: &LocalSet) -> Vec<Person> {
    let (next, people) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(Vec::new())));
    people.borrow_mut().reserve_exact(users as usize);
    let origin = Origin::now();
    let mut arriving = Vec::new();
    for _ in 0..LOGONS {
        let (protocol, next, people) = (protocol.clone(), Rc::clone(&next), Rc::clone(&people));
        arriving.push(local.spawn_local(async move {
            while next.get() < users && origin.elapsed_ns() < LOGON_LIMIT.as_nanos() as u64 {
                let id = next.replace(next.get() + 1);
                let person = Person::arrive(&protocol, id).await.unwrap();
                people.borrow_mut().push(person);
            }
        }));
    }
    for task in arriving {
        task.await.unwrap();
    }
    people.take()
}

fn on_one_thread<R>(work: impl AsyncFnOnce(&LocalSet) -> R) -> R {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let local = LocalSet::new();
    runtime.block_on(local.run_until(async { work(&local).await }))
}

/// CPU time of this process so far, as the scheduler counts it; it has one thread.
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// Clock ticks in user code and in the kernel so far (fields 14 and 15 of proc_pid_stat(5)).
fn user_share() -> (u64, u64) {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    let mut ticks = fields
        .split_whitespace()
        .skip(11)
        .map(|word| word.parse().unwrap());
    (ticks.next().unwrap(), ticks.next().unwrap())
}

fn resident_kib() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
