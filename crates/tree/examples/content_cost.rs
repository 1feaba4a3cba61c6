//! What contents cost: `cargo run --release -p headcount-tree --example content_cost`.
//!
//! Prints, for each kind, how long it takes to make and to check 16 KiB of it: the minimum of
//! several rounds, since other work on the machine can only add time.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::hint::black_box;

use headcount_load::clock::Origin;
use headcount_tree::block::{Owner, stamp, verify};
use headcount_tree::content::Content::{Compressed, Data, Image, Office, Text};

const CHUNK: usize = 16 << 10;
const ROUNDS: u32 = 50;
const TURNS: u64 = 1000;

fn main() {
    println!("{:<12}{:>14}{:>14}", "", "make, ns", "check, ns");
    for content in [Compressed, Text, Image, Data, Office] {
        let owner = Owner {
            user: 1,
            file: 2,
            seed: 3,
            content,
        };
        let mut data = vec![0; CHUNK];
        let made = least(|turn| stamp(black_box(&mut data), owner, turn * CHUNK as u64));
        stamp(&mut data, owner, 0);
        let checked = least(|_| assert!(verify(black_box(&data), owner, 0).is_ok()));
        println!("{:<12}{made:>14}{checked:>14}", content.ending());
    }
}

fn least(mut work: impl FnMut(u64)) -> u64 {
    let round = |_| {
        let origin = Origin::now();
        (0..TURNS).for_each(&mut work);
        origin.elapsed_ns() / TURNS
    };
    (0..ROUNDS).map(round).min().unwrap_or(0)
}
