//! The client's CPU time for an SMB operation, and its memory for a user, against a private smbd on
//! loopback.
//!
//! `cargo run --release -p headcount-smb --example op_cost -- [cost|memory|encrypted-memory|peer]
//! [--seconds N] [--users N] [--only NAME] [--json]`
//!
//! `cost`: each user repeats 19 operations without think time: CREATE, four WRITEs of 16 KiB,
//! CLOSE; CREATE, four READs of 16 KiB, CLOSE; CREATE of the folder, two QUERY_DIRECTORY, CLOSE;
//! CREATE, SET_INFO (delete), CLOSE. That is 6.9 KB of payload per operation; contents are
//! generated and checked. `--only` names one way of protecting messages, such as AES-GMAC.
//! `peer`: Samba's smbtorture and our client play the same loop, opening and closing a folder.
//! Client and server share the machine, so operations per second say nothing about the client; its
//! CPU time does.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the program ends with the failure")]

#[path = "../../tests/common/mod.rs"]
mod common;
mod cost;
mod crowd;
mod machine;
mod memory;
mod peer;

use std::rc::Rc;

use common::{Samba, smb, step};
use cost::{Cost, Loop, cost};
use headcount_smb::options::EncryptionPolicy;
use headcount_smb::wire::negotiate::Dialect;
use headcount_smb::{SigningPolicy, Smb, SmbOptions};
use memory::memory;
use serde_json::{Value, json};

const MOST_USERS: u32 = 2000;
const MOST_SECONDS: u64 = 10;

/// How messages are protected: a name, and the options.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    signing: SigningPolicy,
    encryption: EncryptionPolicy,
    verify: bool,
}

const UNSIGNED: Way = Way {
    name: "unsigned",
    signing: SigningPolicy::Off,
    encryption: EncryptionPolicy::Off,
    verify: true,
};
const UNCHECKED: Way = Way {
    name: "unsigned, reads unchecked",
    verify: false,
    ..UNSIGNED
};
const SIGNED: Way = Way {
    name: "AES-GMAC",
    signing: SigningPolicy::Required,
    ..UNSIGNED
};
const ENCRYPTED: Way = Way {
    name: "AES-GCM",
    signing: SigningPolicy::Offered,
    encryption: EncryptionPolicy::Required,
    ..UNSIGNED
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| {
        let at = arguments.iter().position(|word| word == name)?;
        Some(arguments[at + 1].as_str())
    };
    let number = |name| given(name).map(|word| word.parse::<u64>().unwrap());
    let seconds = number("--seconds").unwrap_or(3).clamp(1, MOST_SECONDS);
    let users = number("--users").map(|users| (users as u32).clamp(1, MOST_USERS));
    let remembered = users.unwrap_or(1000);
    let working = users.map_or(vec![10, 100], |users| vec![users]);
    let only = given("--only");
    let is_json = arguments.iter().any(|word| word == "--json");
    let samba = Samba::start("auto");
    for user in 0..remembered.max(100) {
        samba.give_home(&format!("user{user:05}"));
    }
    let of = |way| protocol(&samba, way);
    let remembers = |way: Way| memory(&of(way), &files().steps, way.name, remembered);
    let show = |found: Value, text: fn(&Value)| {
        if is_json {
            println!("{found}");
        } else {
            text(&found);
        }
    };
    let costs = || costs(&samba, seconds, &working, only);
    match arguments.first().map(String::as_str) {
        Some("cost") => show(costs(), show_costs),
        Some("memory") => show(remembers(SIGNED), show_memory),
        Some("encrypted-memory") => show(remembers(ENCRYPTED), show_memory),
        Some("peer") => show(peer::peer(&samba, seconds), show_peer),
        _ => {
            show(remembers(SIGNED), show_memory);
            show(costs(), show_costs);
        }
    }
}

fn protocol(samba: &Samba, way: Way) -> Smb {
    let mut options = SmbOptions {
        dialects: vec![Dialect::Smb311],
        signing: way.signing,
        encryption: way.encryption,
        verify: way.verify,
        ..samba.options()
    };
    options.data_set.new_files = 1;
    smb(options)
}

fn files() -> Loop {
    let chunk = 16 << 10;
    let steps: Rc<[_]> = [
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
    .collect();
    Loop {
        steps,
        operations: 19,
    }
}

fn costs(samba: &Samba, seconds: u64, users: &[u32], only: Option<&str>) -> Value {
    let played = files();
    let one = |way: Way, users| {
        let Cost {
            rate,
            cpu_us,
            user_us,
            ..
        } = cost(&protocol(samba, way), &played, users, seconds);
        json!({"name": way.name, "users": users, "rate": rate, "cpu_us": cpu_us,
               "user_us": user_us})
    };
    let ways = [UNCHECKED, UNSIGNED, SIGNED, ENCRYPTED];
    ways.into_iter()
        .filter(|way| only.is_none_or(|name| name == way.name))
        .flat_map(|way| users.iter().map(move |users| (way, *users)))
        .map(|(way, users)| one(way, users))
        .collect()
}

fn show_costs(found: &Value) {
    println!(
        "{:<28} {:>6} {:>10} {:>10} {:>8} {:>8}",
        "3.1.1", "users", "ops/s", "CPU µs/op", "user", "system"
    );
    for row in found.as_array().into_iter().flatten() {
        let name = row["name"].as_str().unwrap();
        let figure = |name: &str| row[name].as_f64().unwrap();
        let (rate, cpu_us, user_us) = (figure("rate"), figure("cpu_us"), figure("user_us"));
        let (users, system_us) = (row["users"].as_u64().unwrap(), cpu_us - user_us);
        println!(
            "{name:<28} {users:>6} {rate:>10.0} {cpu_us:>10.1} {user_us:>8.1} {system_us:>8.1}"
        );
    }
}

fn show_memory(found: &Value) {
    let figure = |name: &str| found[name].as_f64().unwrap();
    println!(
        "{}: {} users in {:.0} s; resident KiB a user: {:.2} logged on, {:.2} after a loop",
        found["name"].as_str().unwrap(),
        found["users"],
        figure("seconds"),
        figure("logged_on_kib"),
        figure("played_kib"),
    );
}

fn show_peer(found: &Value) {
    let figure = |name: &str| found[name].as_f64().unwrap();
    println!(
        "open and close: {:.1} µs CPU an operation; {}: {:.1}; ratio {:.2}",
        figure("ours_us"),
        found["peer"].as_str().unwrap(),
        figure("peer_us"),
        figure("ratio"),
    );
}
