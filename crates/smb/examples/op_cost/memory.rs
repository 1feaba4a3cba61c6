//! The memory of a user.

use std::rc::Rc;

use headcount_load::clock::Origin;
use headcount_smb::Smb;
use headcount_tree::step::Step;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::LocalSet;

use crate::common::Person;
use crate::crowd::{LOGONS, on_one_thread, play_once};
use crate::machine::resident_kib;

/// The resident memory of each further user: a task with connection and session, as in the engine,
/// after logon and after a loop. Call it first in a process, before there is freed memory to reuse.
pub fn memory(protocol: &Smb, steps: &Rc<[Step]>, name: &str, users: u32) -> Value {
    on_one_thread(async |local| {
        // The first users allocate what all share.
        let _first = crowd(protocol, 10, steps, local).await;
        let (before_kib, origin) = (resident_kib(), Origin::now());
        let [idle_kib, played_kib] = crowd(protocol, users, steps, local).await;
        let elapsed_s = origin.elapsed_ns() as f64 / 1e9;
        let each = |kib: u64| kib.saturating_sub(before_kib) as f64 / f64::from(users);
        json!({
            "name": name, "users": users, "seconds": elapsed_s,
            "logged_on_kib": each(idle_kib), "played_kib": each(played_kib),
        })
    })
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
