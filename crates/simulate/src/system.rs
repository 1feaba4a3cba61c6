//! Descriptions of simulated servers, and those on which the search is judged.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::draw::Spread;
use crate::effect::Effect;
use crate::pauses::Pauses;

/// One kind of resource: `count` equal stations of `servers` servers each.
///
/// A visit goes to one of the stations at random.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StationSpec {
    /// Stations of this kind, at least 1.
    #[serde(default = "one")]
    pub count: u32,
    /// Servers of each station, at least 1.
    #[serde(default = "one")]
    pub servers: u32,
    /// Mean service time of one visit at nominal speed, seconds.
    pub service_s: f64,
    /// How the service times spread.
    #[serde(default)]
    pub spread: Spread,
    /// Mean visits of one request. The whole part is fixed, the fraction is a coin toss.
    #[serde(default = "once")]
    pub visits: f64,
    /// Whether all requests present share the servers, without a FIFO queue before them.
    #[serde(default)]
    pub shared: bool,
    /// Most requests that wait; more are refused.
    #[serde(default = "no_bound")]
    pub backlog: usize,
}

/// Service that slows as the queue grows: context switches, lock contention, paging.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CongestedService {
    /// Relative growth of the service time for each waiting request beyond `free`.
    pub growth: f64,
    /// Waiting requests that cost nothing.
    pub free: usize,
}

/// Visits that grow with the number of users: a cache too small for all of them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crowding {
    /// Users that fit.
    pub users: u32,
    /// Relative growth of the visits to the last kind of station for each user beyond `users`.
    #[serde(default)]
    pub growth: f64,
    /// Relative growth by the first user beyond `users`.
    #[serde(default)]
    pub step: f64,
}

/// Users who have just joined are not in the caches yet.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Newcomers {
    /// Relative growth of a newcomer's visits to the last kind of station.
    pub extra: f64,
    /// Time in which this falls to 1/e, seconds.
    pub warm_s: f64,
}

/// Requests that need more service than the others.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowClass {
    /// Their share.
    pub share: f64,
    /// Their service time as a multiple of the others'.
    pub factor: f64,
}

/// A token bucket: requests beyond it are refused at once.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limiter {
    /// Requests per second.
    pub per_s: f64,
    /// Requests that may arrive at once.
    pub burst: f64,
}

/// A simulated server and its users' think time.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// What it stands for.
    pub about: String,
    /// Mean of the exponential think time, seconds.
    #[serde(default = "five")]
    pub think_s: f64,
    /// Response time above which a request is slow, seconds.
    pub limit_s: f64,
    /// Share of the requests that may be slow or refused at the capacity.
    #[serde(default = "a_twentieth")]
    pub allowed: f64,
    /// Kinds of stations, visited in this order.
    pub stations: Vec<StationSpec>,
    /// Standard deviation of the log of the speed from level to level.
    #[serde(default)]
    pub run_deviation: f64,
    /// Changes of the speed.
    #[serde(default)]
    pub effects: Vec<Effect>,
    /// When it stands still.
    #[serde(default)]
    pub pauses: Vec<Pauses>,
    /// Slowdown under a long queue.
    pub congested: Option<CongestedService>,
    /// Visits that grow with the users.
    pub crowding: Option<Crowding>,
    /// Visits that grow with newcomers.
    pub newcomers: Option<Newcomers>,
    /// A class of slow requests.
    pub slow_class: Option<SlowClass>,
    /// A limit on the rate.
    pub limiter: Option<Limiter>,
}

impl System {
    /// The system of this name in `systems.json`; `None` when there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        known().get(name).cloned()
    }

    /// The names that [`System::named`] knows, in order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        known().keys().map(String::as_str)
    }

    /// Mean visits of one request to the station kind `kind` while `users` users are present, a
    /// share `new` of whom has just joined.
    pub(crate) fn visits(&self, kind: usize, users: u32, new: f64) -> f64 {
        let mut visits = self.stations[kind].visits;
        if kind + 1 < self.stations.len() {
            return visits;
        }
        if let Some(crowding) = &self.crowding
            && users > crowding.users
        {
            let beyond = f64::from(users - crowding.users);
            visits *= 1.0 + crowding.step + crowding.growth * beyond;
        }
        if let Some(newcomers) = &self.newcomers {
            visits *= 1.0 + newcomers.extra * new;
        }
        visits
    }
}

/// The systems of `systems.json`.
///
/// # Panics
///
/// When the file, which is part of the program, is invalid.
fn known() -> &'static BTreeMap<String, System> {
    static KNOWN: OnceLock<BTreeMap<String, System>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        serde_json::from_str(include_str!("../systems.json"))
            .expect("systems.json describes systems")
    })
}

fn one() -> u32 {
    1
}

fn once() -> f64 {
    1.0
}

fn five() -> f64 {
    5.0
}

fn a_twentieth() -> f64 {
    0.05
}

fn no_bound() -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::System;

    #[test]
    fn every_name_is_a_system_and_nothing_else_is() {
        assert!(System::names().all(|name| System::named(name).is_some()));
        assert!(System::names().count() >= 20);
        assert_eq!(System::named("mainframe"), None);
    }

    #[test]
    fn crowding_multiplies_the_disk_visits_only() {
        let system = System::named("memcliff").expect("known");
        assert!((system.visits(1, 700, 0.0) - 1.0).abs() < 1e-12);
        assert!((system.visits(1, 900, 0.0) - 1.8).abs() < 1e-12);
        assert!((system.visits(0, 900, 0.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn newcomers_visit_the_last_kind_more_often() {
        let system = System::named("newcomers").expect("known");
        assert!(system.visits(1, 10, 1.0) > system.visits(1, 10, 0.0));
        assert!((system.visits(0, 10, 1.0) - system.visits(0, 10, 0.0)).abs() < 1e-12);
    }
}
