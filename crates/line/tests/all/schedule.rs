//! Due times: what must hold for any sequence of arrivals.

use std::time::Duration;

use headcount_line::{Conditions, Fate, Schedule};
use proptest::prelude::*;

const PACKETS: u64 = 100_000;
/// 99.9% of binomial counts are within this many standard deviations of the mean.
const WITHIN: f64 = 3.29;

fn conditions(latency_us: u64, jitter_us: u64, loss: f64, reorder: f64) -> Conditions {
    let us = Duration::from_micros;
    Conditions::of_round_trip(us(latency_us), us(jitter_us), loss, reorder).unwrap()
}

fn is_share(count: usize, of: u64, share: f64) -> bool {
    let mean = of as f64 * share;
    (count as f64 - mean).abs() <= WITHIN * (mean * (1.0 - share)).sqrt()
}

fn count(conditions: &Conditions, seed: u64, fate: Fate) -> usize {
    let mut schedule = Schedule::new(conditions, seed);
    let fates = (0..PACKETS).map(|number| schedule.fate(number * 1000));
    fates.filter(|found| *found == fate).count()
}

#[test]
fn the_given_shares_are_lost_or_overtake() {
    for (seed, share) in [(1, 0.001), (2, 0.01), (3, 0.3)] {
        let lossy = conditions(15_000, 0, share, 0.0);
        assert!(is_share(count(&lossy, seed, Fate::Lost), PACKETS, share));
        let mixed = conditions(15_000, 0, 0.0, share);
        assert!(is_share(count(&mixed, seed, Fate::Now), PACKETS, share));
    }
}

#[test]
fn shares_of_one_and_zero_are_exact() {
    assert_eq!(
        count(&conditions(10, 0, 1.0, 0.0), 1, Fate::Lost),
        PACKETS as usize
    );
    assert_eq!(
        count(&conditions(10, 0, 0.0, 1.0), 1, Fate::Now),
        PACKETS as usize
    );
    let mut plain = Schedule::new(&conditions(15_000, 0, 0.0, 0.0), 1);
    for now_ns in (0..PACKETS).map(|number| number * 977) {
        assert_eq!(plain.fate(now_ns), Fate::At(now_ns + 7_500_000));
    }
}

#[test]
fn jitter_is_uniform_where_packets_are_far_apart() {
    let mut schedule = Schedule::new(&conditions(10_000, 4_000, 0.0, 0.0), 5);
    let mut tenths = [0_usize; 10];
    for now_ns in (0..PACKETS).map(|number| number * 10_000_000) {
        let Fate::At(due_ns) = schedule.fate(now_ns) else {
            panic!("nothing is lost here");
        };
        tenths[((due_ns - now_ns - 3_000_000) / 400_001) as usize] += 1;
    }
    assert!(tenths.iter().all(|count| is_share(*count, PACKETS, 0.1)));
}

#[test]
fn the_same_seed_gives_the_same_fates() {
    let given = conditions(10_000, 4_000, 0.1, 0.1);
    let fates = |seed| {
        let mut schedule = Schedule::new(&given, seed);
        (0..1000).map(move |now_ns| schedule.fate(now_ns)).collect()
    };
    let (first, again, other): (Vec<_>, Vec<_>, Vec<_>) = (fates(7), fates(7), fates(8));
    assert_eq!(first, again);
    assert_ne!(first, other);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Each packet that is not reordered is due within its bounds, in order of arrival.
    #[test]
    fn packets_keep_their_order_and_their_bounds(
        gaps_us in prop::collection::vec(0_u64..5_000, 1..300),
        latency_us in 0_u64..200_000,
        part in 0_u64..=100,
        loss in 0.0..0.5,
        reorder in 0.0..0.5,
        seed in any::<u64>(),
    ) {
        let jitter_us = latency_us * part / 100;
        let given = conditions(latency_us, jitter_us, loss, reorder);
        let (delay_ns, spread_ns) = (latency_us * 500, jitter_us * 500);
        let mut schedule = Schedule::new(&given, seed);
        let (mut now_ns, mut last_ns) = (1_u64 << 50, 0);
        for gap_us in gaps_us {
            now_ns += gap_us * 1000;
            if let Fate::At(due_ns) = schedule.fate(now_ns) {
                prop_assert!(due_ns >= last_ns);
                prop_assert!(due_ns >= now_ns + delay_ns - spread_ns);
                prop_assert!(due_ns <= now_ns + delay_ns + spread_ns);
                last_ns = due_ns;
            }
        }
    }
}
