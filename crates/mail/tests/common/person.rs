//! Users outside an engine, who log on to a server.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use headcount_load::clock::{Origin, RealClock};
use headcount_load::context::WorkerContext;
use headcount_load::seat::Seat;
use headcount_load::tasks::Tasks;
use headcount_load::timers::Timers;
use headcount_load::{Password, Requests, User};
use headcount_mail::endpoint::Endpoint;
use headcount_mail::imap::{Authentication, Imap};
use headcount_mail::task;

use super::dovecot::PASSWORD;

/// The user with this number, whose tasks and requests are counted. Call it inside a runtime.
pub fn user(id: u32) -> User {
    watched(id).0
}

/// The same, and the tally of its tasks.
pub fn watched(id: u32) -> (User, Tasks) {
    let (user, tasks, _) = timed(id);
    (user, tasks)
}

/// The same, and the timers that wake it, for [`in_time`].
pub fn timed(id: u32) -> (User, Tasks, Rc<Timers>) {
    let clock = RealClock::new(Origin::now()).unwrap();
    let timers = Rc::new(Timers::new(Rc::new(clock)));
    let kinds = task::NAMES.len();
    let context = WorkerContext::new(Rc::clone(&timers), kinds, kinds);
    let tasks = context.tasks.clone();
    (User::outside(id, 1, context), tasks, timers)
}

/// Wakes users as a worker of the engine does, until the future is ready.
pub async fn in_time<T>(timers: &Timers, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut ticks = tokio::time::interval(Duration::from_millis(1));
    poll_fn(|context| {
        while ticks.poll_tick(context).is_ready() {
            timers.fire(timers.now_ns());
        }
        future.as_mut().poll(context)
    })
    .await
}

/// The name that this user logs on with.
pub fn name(id: u32) -> String {
    format!("u{id:05}")
}

/// A user who has logged on.
pub async fn arrive(endpoint: &Endpoint, user: &User) -> Imap {
    let mut imap = Imap::connect(endpoint, user.stopwatch()).await.unwrap();
    let password = Password::new(PASSWORD);
    imap.login(&name(user.id()), &password, Authentication::Plain)
        .await
        .unwrap();
    imap
}
