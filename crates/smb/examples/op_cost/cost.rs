//! The CPU time of an operation.

use std::cell::Cell;
use std::rc::Rc;

use headcount_load::clock::Origin;
use headcount_smb::Smb;
use headcount_tree::step::Step;

use crate::crowd::{arrive, on_one_thread, play_once};
use crate::machine::{cpu_ns, user_share};

/// A loop without think time, and how many operations it has.
pub struct Loop {
    pub steps: Rc<[Step]>,
    pub operations: u64,
}

/// Operations, and CPU time of one operation.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub operations: u64,
    pub rate: f64,
    pub cpu_us: f64,
    pub user_us: f64,
}

/// The cost of operations, logons not included.
pub fn cost(protocol: &Smb, played: &Loop, users: u32, seconds: u64) -> Cost {
    let each = played.operations;
    on_one_thread(async |local| {
        let people = arrive(protocol, users, local).await;
        let (before_ns, before_share) = (cpu_ns(), user_share());
        let (origin, done) = (Origin::now(), Rc::new(Cell::new(0)));
        let mut playing = Vec::new();
        for mut person in people {
            let (steps, done) = (Rc::clone(&played.steps), Rc::clone(&done));
            playing.push(local.spawn_local(async move {
                while origin.elapsed_ns() < seconds * 1_000_000_000 {
                    play_once(&mut person, &steps).await.unwrap();
                    done.set(done.get() + each);
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
            operations: done.get(),
            rate: operations / elapsed_s,
            cpu_us,
            user_us,
        }
    })
}
