//! Servers of known behaviour: a simulator of closed queueing networks that change with time.
//!
//! A search for a server's capacity can be judged only where the capacity is known. This crate
//! simulates servers that are described in `systems.json`, far faster than real time: virtual users
//! think, send a request, wait while it queues at processors and disks, and think again. A
//! [`Server`] keeps its queues, caches, leaks and clock from one level to the next, as a real one
//! does. [`simulate`] plays a single level against a fresh one.

mod draw;
mod effect;
mod event;
mod job;
mod level;
mod path;
mod pauses;
mod server;
mod shared;
mod speed;
mod station;
mod system;

pub use draw::Spread;
pub use effect::Effect;
pub use level::{Batch, Level, LevelError, Measured};
pub use pauses::Pauses;
pub use server::{Server, simulate};
pub use system::{CongestedService, Crowding, Limiter, Newcomers, SlowClass, StationSpec, System};

#[cfg(test)]
mod tests {
    use super::{Level, System, simulate};

    #[test]
    fn five_hundred_users_have_the_known_response_time() {
        let system = System::named("cpu").expect("cpu is one of them");
        let level = Level {
            users: 500,
            ..Level::default()
        };
        let measured = simulate(&system, &level).expect("500 users are within the limits");
        assert!((measured.response_mean_s() - 0.0217).abs() < 0.002);
    }
}
