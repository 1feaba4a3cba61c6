//! What a connection costs in memory.

use std::rc::Rc;

use headcount_http::HttpOptions;
use headcount_load::Session;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::common::{Person, http, step};
use crate::machine::resident_kib;
use crate::ours::on_one_thread;

/// Connections that are being opened at a time.
const AT_A_TIME: usize = 16;

/// The resident memory of each further user: a task with its connection, as in the engine, after
/// one page. Call it once per process, before any freed memory can be reused.
pub fn memory(options: &HttpOptions, name: &str, users: u32) -> Value {
    let (protocol, get) = (
        http(options.clone()),
        Rc::new(step(&json!({"op": "get", "page": ["k1"]}))),
    );
    on_one_thread(async |local| {
        let crowd = async |users: u32| {
            let turns = Rc::new(Semaphore::new(AT_A_TIME));
            let (arrived, may_leave) = (Rc::new(Semaphore::new(0)), Rc::new(Semaphore::new(0)));
            let mut tasks = Vec::with_capacity(users as usize);
            for id in 0..users {
                let (protocol, get, turns) = (protocol.clone(), Rc::clone(&get), Rc::clone(&turns));
                let (arrived, may_leave) = (Rc::clone(&arrived), Rc::clone(&may_leave));
                tasks.push(local.spawn_local(async move {
                    let turn = turns.acquire().await.unwrap();
                    let mut person = Person::arrive(&protocol, id).await;
                    person.session.play(&get, &mut person.user).await.unwrap();
                    drop(turn);
                    arrived.add_permits(1);
                    may_leave.acquire().await.unwrap().forget();
                }));
            }
            arrived.acquire_many(users).await.unwrap().forget();
            let resident = resident_kib("self").unwrap();
            may_leave.add_permits(users as usize);
            for task in tasks {
                task.await.unwrap();
            }
            resident
        };
        // The first users pay for what all users share.
        crowd(10).await;
        let before_kib = resident_kib("self").unwrap();
        let each_kib = crowd(users).await.saturating_sub(before_kib) as f64 / f64::from(users);
        json!({"name": name, "users": users, "connection_kib": each_kib})
    })
}
