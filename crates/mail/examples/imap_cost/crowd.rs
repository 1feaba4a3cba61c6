//! Sessions of either client on one thread, as a worker of the engine has them.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

use headcount_mail::endpoint::Endpoint;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, LocalSet};

use crate::MAILBOXES;
use crate::machine::own_cpu_ns;

/// Logons at a time.
const AT_A_TIME: usize = 50;

/// The commands that are measured.
pub const KINDS: [&str; 4] = ["login+select", "NOOP", "FETCH headers", "FETCH message"];

/// One session of a client to measure.
pub trait Client: Sized {
    /// Connects, logs on and selects the inbox.
    async fn arrive(endpoint: &Endpoint, mailbox: u32) -> Self;
    /// NOOP.
    async fn noop(&mut self);
    /// Fetches this section of these messages, and returns how many bytes it had.
    async fn fetch(&mut self, uids: Wanted) -> u64;
    /// LOGOUT.
    async fn leave(self);
}

/// What is fetched.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    /// The headers of all messages.
    Headers,
    /// The first message.
    Message,
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

/// CPU time of each kind of command, in µs.
pub fn cost<C: Client + 'static>(endpoint: &Endpoint, sessions: u32, commands: u32) -> [f64; 4] {
    on_one_thread(async |local| {
        let began_ns = own_cpu_ns();
        let mut turns = Vec::new();
        let at_a_time = Rc::new(Semaphore::new(AT_A_TIME));
        let people = Rc::new(RefCell::new(Vec::new()));
        for id in 0..sessions {
            let (endpoint, at_a_time) = (endpoint.clone(), Rc::clone(&at_a_time));
            let people = Rc::clone(&people);
            turns.push(local.spawn_local(async move {
                let turn = at_a_time.acquire().await.unwrap();
                let client = C::arrive(&endpoint, id % MAILBOXES).await;
                drop(turn);
                people.borrow_mut().push(client);
            }));
        }
        finish(turns).await;
        let each_us = |began_ns: u64, count: u32| {
            (own_cpu_ns() - began_ns) as f64 / 1000.0 / f64::from(count)
        };
        let mut costs = [each_us(began_ns, sessions), 0.0, 0.0, 0.0];
        let mut people: Vec<C> = people.take();
        for (kind, cost) in costs.iter_mut().enumerate().skip(1) {
            let began_ns = own_cpu_ns();
            let mut turns = Vec::new();
            for mut client in people.drain(..) {
                turns.push(local.spawn_local(async move {
                    for _ in 0..commands {
                        match kind {
                            1 => client.noop().await,
                            2 => assert!(client.fetch(Wanted::Headers).await > 4000),
                            _ => assert!(client.fetch(Wanted::Message).await > 4000),
                        }
                    }
                    client
                }));
            }
            for turn in turns {
                people.push(turn.await.unwrap());
            }
            *cost = each_us(began_ns, sessions * commands);
        }
        for client in people {
            client.leave().await;
        }
        costs
    })
}

async fn finish(turns: Vec<JoinHandle<()>>) {
    for turn in turns {
        turn.await.unwrap();
    }
}

/// Idle sessions that have fetched something.
pub struct Crowd<C> {
    tasks: Vec<JoinHandle<()>>,
    may_leave: Rc<Semaphore>,
    of: PhantomData<C>,
}

impl<C: Client + 'static> Crowd<C> {
    /// Logs on sessions, which fetch something and wait, each in its own task, as in the engine.
    pub async fn arrive(endpoint: &Endpoint, sessions: u32, local: &LocalSet) -> Self {
        let at_a_time = Rc::new(Semaphore::new(AT_A_TIME));
        let (arrived, may_leave) = (Rc::new(Semaphore::new(0)), Rc::new(Semaphore::new(0)));
        let mut tasks = Vec::with_capacity(sessions as usize);
        let endpoint = Rc::new(endpoint.clone());
        for id in 0..sessions {
            let (endpoint, at_a_time) = (Rc::clone(&endpoint), Rc::clone(&at_a_time));
            let (arrived, may_leave) = (Rc::clone(&arrived), Rc::clone(&may_leave));
            tasks.push(local.spawn_local(async move {
                let turn = at_a_time.acquire().await.unwrap();
                // Boxed, so that memory for the logon is not part of an idle session.
                let mut client = Box::pin(C::arrive(&endpoint, id % MAILBOXES)).await;
                Box::pin(client.fetch(Wanted::Headers)).await;
                drop(turn);
                arrived.add_permits(1);
                may_leave.acquire().await.unwrap().forget();
                Box::pin(client.leave()).await;
            }));
        }
        arrived.acquire_many(sessions).await.unwrap().forget();
        Self {
            tasks,
            may_leave,
            of: PhantomData,
        }
    }

    /// Logs all sessions out.
    pub async fn leave(self) {
        self.may_leave.add_permits(self.tasks.len());
        finish(self.tasks).await;
    }
}
