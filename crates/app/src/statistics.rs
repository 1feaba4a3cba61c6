//! What the server has done since it started, as it reports it.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Cumulative statistics. Take them before and after a level and subtract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Time since the server started, in s.
    pub uptime_s: f64,
    /// Clients connected.
    pub connections: Connections,
    /// Service threads.
    pub threads: Threads,
    /// Requests waiting for a service thread.
    pub queue: Queue,
    /// How long requests waited for a service thread.
    pub queue_wait: Durations,
    /// Requests done, by kind.
    pub requests: BTreeMap<String, Requests>,
    /// Requests dropped because their client had gone before a thread took them.
    pub abandoned: u64,
}

/// Connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Connections {
    /// Open now, including the one that asks.
    pub now: u64,
    /// Most at a time.
    pub max: u64,
    /// All so far.
    pub total: u64,
    /// Refused because of the limit.
    pub refused: u64,
}

/// Service threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Threads {
    /// Running.
    pub now: usize,
    /// Most that will ever run.
    pub limit: usize,
    /// At work now.
    pub busy: usize,
    /// Most at work at a time.
    pub busy_max: usize,
}

/// The queue before the service threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Queue {
    /// Requests in it now.
    pub now: usize,
    /// Most at a time.
    pub max: usize,
}

/// Requests of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// Requests answered, errors included.
    pub count: u64,
    /// Answered with an error.
    pub failed: u64,
    /// How long the work took, without the wait in the queue.
    pub service: Durations,
}

/// A summary of durations. Mean and sum are exact, percentiles within 1%.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Durations {
    /// How many were recorded.
    pub count: u64,
    /// Their sum, in µs.
    pub sum_us: f64,
    /// Their mean, in µs; 0 when there are none.
    pub mean_us: f64,
    /// The longest, in µs.
    pub max_us: f64,
    /// Half took no longer, in µs.
    pub p50_us: f64,
    /// Nine in ten took no longer, in µs.
    pub p90_us: f64,
    /// 95 in 100 took no longer, in µs.
    pub p95_us: f64,
    /// 99 in 100 took no longer, in µs.
    pub p99_us: f64,
    /// 999 in 1,000 took no longer, in µs.
    pub p999_us: f64,
    /// The histogram: (upper end of the bucket in µs, count), empty buckets left out. The counts
    /// only grow, so those of two moments can be subtracted.
    pub buckets: Vec<(f64, u64)>,
}

impl Durations {
    /// The durations in a histogram of nanoseconds whose values sum to `sum_ns`.
    #[must_use]
    pub fn new(histogram: &Histogram<u64>, sum_ns: u64) -> Self {
        let us = |ns: u64| ns as f64 / 1000.0;
        let count = histogram.len();
        let at = |quantile| us(histogram.value_at_quantile(quantile).min(histogram.max()));
        let buckets = histogram.iter_recorded();
        Self {
            count,
            sum_us: us(sum_ns),
            mean_us: us(sum_ns) / count.max(1) as f64,
            max_us: us(histogram.max()),
            p50_us: at(0.5),
            p90_us: at(0.9),
            p95_us: at(0.95),
            p99_us: at(0.99),
            p999_us: at(0.999),
            buckets: buckets
                .map(|bucket| (us(bucket.value_iterated_to()), bucket.count_at_value()))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_keeps_sums_exactly_and_percentiles_within_one_percent() {
        let mut histogram = Histogram::new_with_bounds(1, 1 << 42, 2).unwrap();
        let times_ns: Vec<u64> = (1..=1000).map(|n| n * 10_000).collect(); // 10 µs to 10 ms
        for ns in &times_ns {
            histogram.record(*ns).unwrap();
        }
        let durations = Durations::new(&histogram, times_ns.iter().sum());
        assert_eq!(durations.count, 1000);
        assert!((durations.mean_us - 5005.0).abs() < 1e-9);
        for (found, expected) in [
            (durations.p50_us, 5000.0),
            (durations.p95_us, 9500.0),
            (durations.p99_us, 9900.0),
            (durations.max_us, 10_000.0),
        ] {
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{found} for {expected}"
            );
        }
        assert_eq!(
            durations
                .buckets
                .iter()
                .map(|(_, count)| count)
                .sum::<u64>(),
            1000
        );
    }

    #[test]
    fn an_empty_summary_is_all_zero() {
        let empty = Durations::new(&Histogram::new(2).unwrap(), 0);
        assert_eq!((empty.count, empty.mean_us, empty.p99_us), (0, 0.0, 0.0));
    }
}
