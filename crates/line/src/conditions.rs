//! What a line does to packets.

use std::time::Duration;

/// What happens to each packet, each way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// How long a packet is under way.
    pub delay: Duration,
    /// By how much its delay may be less or more, uniformly; at most `delay`.
    pub spread: Duration,
    /// Share of packets that are lost, from 0 to 1.
    pub loss: f64,
    /// Share of packets that are sent at once and so overtake those before them, from 0 to 1.
    pub reorder: f64,
}

impl Conditions {
    /// Of a round trip that takes `latency` longer, by up to `jitter` more or less: half of it each
    /// way. `None` where this is not possible: a jitter above the latency, a share above 1.
    #[must_use]
    pub fn of_round_trip(
        latency: Duration,
        jitter: Duration,
        loss: f64,
        reorder: f64,
    ) -> Option<Self> {
        let are_shares = [loss, reorder].iter().all(|one| (0.0..=1.0).contains(one));
        (jitter <= latency && are_shares).then(|| Self {
            delay: latency / 2,
            spread: jitter / 2,
            loss,
            reorder,
        })
    }

    /// Whether each packet has a fate of its own, so that several may not be handled as one.
    #[must_use]
    pub fn is_by_packet(&self) -> bool {
        self.loss > 0.0 || self.reorder > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn half_of_a_round_trip_is_each_way() {
        let found = Conditions::of_round_trip(15 * MS, 2 * MS, 0.001, 0.0).unwrap();
        assert_eq!(found.delay, Duration::from_micros(7500));
        assert_eq!(found.spread, MS);
        assert!(found.is_by_packet());
        let plain = Conditions::of_round_trip(15 * MS, 2 * MS, 0.0, 0.0).unwrap();
        assert!(!plain.is_by_packet());
    }

    #[test]
    fn what_is_not_possible_is_refused() {
        for (latency, jitter, loss, reorder) in [
            (1, 2, 0.0, 0.0),
            (2, 1, 1.1, 0.0),
            (2, 1, 0.0, -0.1),
            (2, 1, f64::NAN, 0.0),
        ] {
            assert!(Conditions::of_round_trip(latency * MS, jitter * MS, loss, reorder).is_none());
        }
    }
}
