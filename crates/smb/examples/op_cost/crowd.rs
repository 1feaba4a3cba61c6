//! Users on one thread, as a worker of the engine has them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use headcount_load::clock::Origin;
use headcount_load::{Fault, Session};
use headcount_smb::Smb;
use headcount_tree::step::Step;
use tokio::task::LocalSet;

use crate::common::Person;

/// The time limit for logons: only users who have logged on by then count.
const LOGON_LIMIT: Duration = Duration::from_secs(60);
/// Logons at a time: smbd forks for each.
pub const LOGONS: usize = 16;

/// Plays the steps of a loop, which must succeed.
pub async fn play_once(person: &mut Person, steps: &[Step]) -> Result<(), Fault> {
    for step in steps {
        person.session.play(step, &mut person.user).await?;
    }
    Ok(())
}

/// Logs users on, a few at a time.
pub async fn arrive(protocol: &Smb, users: u32, local: &LocalSet) -> Vec<Person> {
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

/// A runtime of one thread.
pub fn on_one_thread<R>(work: impl AsyncFnOnce(&LocalSet) -> R) -> R {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let local = LocalSet::new();
    runtime.block_on(local.run_until(async { work(&local).await }))
}
