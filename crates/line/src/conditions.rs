//! What a line does to packets.

use std::time::Duration;

/// What happens to each packet, each way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// The delay of a packet, without jitter.
    pub delay: Duration,
    /// The jitter: the delay varies uniformly by up to this much either way; at most `delay`.
    pub spread: Duration,
    /// Share of packets that are lost, from 0 to 1.
    pub loss: f64,
    /// Share of packets, from 0 to 1, that are sent without delay and so overtake earlier ones.
    pub reorder: f64,
}

impl Conditions {
    /// The conditions that lengthen a round trip by `latency`, plus or minus `jitter`, half of it
    /// each way. `None` if the jitter exceeds the latency, or a share is not between 0 and 1.
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

    /// Whether each packet is lost or reordered on its own, so that several cannot be handled as
    /// one.
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
    fn each_way_takes_half_of_a_round_trip() {
        let found = Conditions::of_round_trip(15 * MS, 2 * MS, 0.001, 0.0).unwrap();
        assert_eq!(found.delay, Duration::from_micros(7500));
        assert_eq!(found.spread, MS);
        assert!(found.is_by_packet());
        let plain = Conditions::of_round_trip(15 * MS, 2 * MS, 0.0, 0.0).unwrap();
        assert!(!plain.is_by_packet());
    }

    #[test]
    fn impossible_conditions_are_refused() {
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
