//! Our own client: alone, and in the engine.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use headcount_http::{Http, HttpOptions};
use headcount_load::clock::Origin;
use headcount_load::{Plan, Run, Session};
use serde_json::{Value, json};
use tokio::task::LocalSet;

use crate::common::{Person, http, step};
use crate::machine::own_cpu_ns;

/// Requests completed, and their CPU time.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub requests: u64,
    pub cpu_ns: u64,
}

impl Cost {
    /// CPU time of a request.
    pub fn us(self) -> f64 {
        self.cpu_ns as f64 / 1000.0 / self.requests.max(1) as f64
    }
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

/// Users on one thread, without an engine.
pub fn alone(options: &HttpOptions, get: &Value, users: u32, seconds: u64) -> Cost {
    let (protocol, get) = (http(options.clone()), Rc::new(step(get)));
    on_one_thread(async |local| {
        let (before_ns, origin, done) = (own_cpu_ns(), Origin::now(), Rc::new(Cell::new(0)));
        let mut playing = Vec::new();
        for id in 0..users {
            let (protocol, get, done) = (protocol.clone(), Rc::clone(&get), Rc::clone(&done));
            playing.push(local.spawn_local(async move {
                let mut person = Person::arrive(&protocol, id).await;
                while origin.elapsed_ns() < seconds * 1_000_000_000 {
                    person.session.play(&get, &mut person.user).await.unwrap();
                    done.set(done.get() + 1);
                }
            }));
        }
        for task in playing {
            task.await.unwrap();
        }
        Cost {
            requests: done.get(),
            cpu_ns: own_cpu_ns() - before_ns,
        }
    })
}

/// Users of one worker of the engine, without think time, everything recorded.
pub fn engine(options: &HttpOptions, get: &Value, users: u32, seconds: u64) -> Cost {
    let before_ns = own_cpu_ns();
    let mut get = get.clone();
    get["name"] = json!("get");
    let plan = json!({
        "seed": 1, "workers": 1, "step_timeout_ms": 30_000, "report_every_ms": 1000,
        "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 0.0}},
        "scenarios": [{
            "name": "get", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0, "steps": [get],
        }],
    });
    let plan = Plan::from_json(&plan.to_string()).unwrap();
    let mut run: Run = Run::start::<Http>(plan, http(options.clone())).unwrap();
    run.set_users(users, Duration::ZERO);
    let (mut last, mut is_stopping) = (None, false);
    while !run.has_ended() {
        last = run.next(Duration::from_millis(100)).unwrap().or(last);
        if !is_stopping && run.now_ns() > seconds * 1_000_000_000 {
            is_stopping = true;
            run.stop(Duration::from_secs(5));
        }
    }
    let recorder = last.unwrap().recorder;
    assert!(recorder.faults.is_empty(), "{:?}", recorder.faults);
    Cost {
        requests: recorder.steps[0].completed,
        cpu_ns: own_cpu_ns() - before_ns,
    }
}
