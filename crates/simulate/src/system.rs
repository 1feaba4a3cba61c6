//! What a simulated server consists of, and the five that the search is judged on.

/// One kind of resource: `count` equal stations, each a FIFO queue before `servers` servers.
///
/// A visit goes to one of the stations at random.
#[derive(Debug, Clone, PartialEq)]
pub struct StationSpec {
    /// Stations of this kind, at least 1.
    pub count: u32,
    /// Servers of each station, at least 1.
    pub servers: u32,
    /// Mean service time of one visit at nominal speed, seconds.
    pub service_s: f64,
    /// Phases of the Erlang service time: 1 is exponential; `k` has squared coefficient of
    /// variation 1 / `k`.
    pub shape: u32,
    /// Mean visits of one request. The whole part is fixed, the fraction is a coin toss.
    pub visits: f64,
}

/// Slow drift of the server's speed: an AR(1) process of the log of the speed, stepped each second.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedNoise {
    /// Standard deviation of the log of the speed.
    pub deviation: f64,
    /// Time in which the autocorrelation falls to 1/e, seconds.
    pub memory_s: f64,
}

/// Periodic stalls during which no service progresses at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Freezes {
    /// From the start of one freeze to the start of the next, seconds. The phase is random.
    pub period_s: f64,
    /// Length of one freeze, seconds.
    pub length_s: f64,
}

/// Service that slows as the queue grows: context switches, lock contention, paging.
#[derive(Debug, Clone, PartialEq)]
pub struct CongestedService {
    /// Relative growth of the service time for each waiting request beyond `free`.
    pub growth: f64,
    /// Waiting requests that cost nothing.
    pub free: usize,
}

/// Visits that grow with the number of users: a cache too small for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationVisits {
    /// Relative growth of the visits to the last kind of station for each user beyond `users`.
    pub growth: f64,
    /// Users that fit.
    pub users: u32,
}

/// A simulated server and its users' think time.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// Mean of the exponential think time, seconds.
    pub think_s: f64,
    /// Response time above which a request is slow, seconds.
    pub limit_s: f64,
    /// Kinds of stations, visited in this order.
    pub stations: Vec<StationSpec>,
    /// Standard deviation of the log of the speed from run to run.
    pub run_deviation: f64,
    /// Drift of the speed within a run.
    pub noise: Option<SpeedNoise>,
    /// Periodic stalls.
    pub freezes: Option<Freezes>,
    /// Slowing under a long queue.
    pub congested: Option<CongestedService>,
    /// Visits that grow with the users.
    pub crowding: Option<PopulationVisits>,
}

impl System {
    /// The names that [`System::named`] knows.
    pub const NAMES: [&'static str; 5] = ["cpu", "disk", "noisy", "thrash", "memcliff"];

    /// One of the five reference servers; `None` when the name is not one of [`System::NAMES`].
    ///
    /// All think 5 s on average and do about 190 requests a second at their capacity.
    ///
    /// * `cpu`: 4 processors of 20 ms, limit 200 ms, speed varies 1 % from run to run.
    /// * `disk`: 4 processors of 9 ms, then 3 visits of 16 ms to 12 disks, limit 250 ms.
    /// * `noisy`: `cpu` with a speed drifting by 10 % (memory 20 s), a freeze of 150 ms every
    ///   15 s and 3 % from run to run.
    /// * `thrash`: `cpu` whose service grows 0.1 % for each waiting request beyond 12.
    /// * `memcliff`: the stations of `disk` with one disk visit, growing 0.4 % for each user
    ///   beyond 700.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let cpu = Self {
            think_s: 5.0,
            limit_s: 0.2,
            stations: vec![StationSpec::exponential(1, 4, 0.020)],
            run_deviation: 0.01,
            noise: None,
            freezes: None,
            congested: None,
            crowding: None,
        };
        // Seek plus rotation plus transfer vary less than an exponential; see DISK_SHAPE.
        let disks = StationSpec {
            shape: DISK_SHAPE,
            ..StationSpec::exponential(12, 1, 0.016)
        };
        let disk = Self {
            limit_s: 0.25,
            stations: vec![
                StationSpec::exponential(1, 4, 0.009),
                StationSpec {
                    visits: 3.0,
                    ..disks.clone()
                },
            ],
            ..cpu.clone()
        };
        match name {
            "cpu" => Some(cpu),
            "disk" => Some(disk),
            "noisy" => Some(Self {
                run_deviation: 0.03,
                noise: Some(SpeedNoise {
                    deviation: 0.10,
                    memory_s: 20.0,
                }),
                freezes: Some(Freezes {
                    period_s: 15.0,
                    length_s: 0.150,
                }),
                ..cpu
            }),
            "thrash" => Some(Self {
                congested: Some(CongestedService {
                    growth: 0.001,
                    free: 12,
                }),
                ..cpu
            }),
            "memcliff" => Some(Self {
                stations: vec![StationSpec::exponential(1, 4, 0.009), disks],
                crowding: Some(PopulationVisits {
                    growth: 0.004,
                    users: 700,
                }),
                ..disk
            }),
            _ => None,
        }
    }

    /// Mean visits of one request to the station kind `kind` while `users` users are present.
    pub(crate) fn visits(&self, kind: usize, users: u32) -> f64 {
        let visits = self.stations[kind].visits;
        match &self.crowding {
            Some(crowding) if kind + 1 == self.stations.len() => {
                visits * (1.0 + crowding.growth * f64::from(users.saturating_sub(crowding.users)))
            }
            _ => visits,
        }
    }
}

/// Erlang phases of a disk's service time: a squared coefficient of variation of 1/3, which lies
/// between a constant and an exponential time. With 2 the capacity of `disk` is 4 % lower, with 4 it
/// is 2 % higher.
const DISK_SHAPE: u32 = 3;

impl StationSpec {
    /// Stations with exponential service, visited once by every request.
    #[must_use]
    pub fn exponential(count: u32, servers: u32, service_s: f64) -> Self {
        Self {
            count,
            servers,
            service_s,
            shape: 1,
            visits: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::System;

    #[test]
    fn every_name_is_a_system_and_nothing_else_is() {
        assert!(
            System::NAMES
                .iter()
                .all(|name| System::named(name).is_some())
        );
        assert_eq!(System::named("mainframe"), None);
    }

    #[test]
    fn crowding_multiplies_the_disk_visits_only() {
        let system = System::named("memcliff").expect("known");
        assert!((system.visits(1, 700) - 1.0).abs() < 1e-12);
        assert!((system.visits(1, 900) - 1.8).abs() < 1e-12);
        assert!((system.visits(0, 900) - 1.0).abs() < 1e-12);
    }
}
