//! Servers of known behaviour: a simulator of closed queueing networks.
//!
//! A search for a server's capacity can only be judged where the capacity is known. This crate
//! simulates five servers whose capacity follows from their description, far faster than real time:
//! virtual users think, send a request, wait while it queues at processors and disks, and think
//! again. [`simulate`] plays one level (a fixed number of users) against one [`System`].

mod draw;
mod engine;
mod level;
mod noise;
mod station;
mod system;

pub use engine::simulate;
pub use level::{Batch, Level, LevelError, Measured};
pub use system::{CongestedService, Freezes, PopulationVisits, SpeedNoise, StationSpec, System};

#[cfg(test)]
mod tests {
    use super::{Level, System, simulate};

    #[test]
    fn five_hundred_users_of_the_named_system_wait_as_long_as_is_known() {
        let system = System::named("cpu").expect("cpu is one of the five");
        let level = Level {
            users: 500,
            ..Level::default()
        };
        let measured = simulate(&system, &level).expect("500 users are within the limits");
        assert!((measured.response_mean_s() - 0.0217).abs() < 0.002);
    }
}
