//! Users outside an engine, who log on to a server.

use std::rc::Rc;

use headcount_load::clock::{Origin, RealClock};
use headcount_load::seat::Seat;
use headcount_load::tasks::Tasks;
use headcount_load::timers::Timers;
use headcount_load::{Password, Requests, User};
use headcount_mail::endpoint::Endpoint;
use headcount_mail::imap::{Authentication, Imap};
use headcount_mail::task;

use super::dovecot::PASSWORD;

/// The user with this number, whose tasks and requests are counted. To be called inside a runtime.
pub fn user(id: u32) -> User {
    let clock = RealClock::new(Origin::now()).unwrap();
    let timers = Rc::new(Timers::new(Rc::new(clock)));
    User::new(id, 1, Rc::new(Seat::new()), timers)
        .counting(Rc::new(Requests::new(task::NAMES.len())))
        .timing(Rc::new(Tasks::new(task::NAMES.len())))
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
