//! What a thread counts.

use hdrhistogram::Histogram;

/// An hour: longer latencies count as this.
const LONGEST_NS: u64 = 3_600_000_000_000;
/// Three significant figures, as everywhere in Headcount.
const FIGURES: u8 = 3;

/// The time of the measurement, on the clock of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// From here, ns.
    pub from_ns: u64,
    /// To here, ns; not included.
    pub to_ns: u64,
}

/// The I/Os of a thread that completed within the window.
#[derive(Debug)]
pub struct Tally {
    window: Window,
    batch: usize,
    batch_ends_ns: u64,
    /// Bytes moved in each of the equal parts of the time.
    pub batch_bytes: Vec<u64>,
    /// How many read.
    pub reads: u64,
    /// How many wrote.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// From asking the kernel to seeing the completion, ns.
    pub latency_ns: Histogram<u64>,
}

impl Tally {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(window: Window, batches: u32) -> Self {
        let mut tally = Self {
            window,
            batch: 0,
            batch_ends_ns: 0,
            batch_bytes: vec![0; batches as usize],
            reads: 0,
            writes: 0,
            read_bytes: 0,
            written_bytes: 0,
            latency_ns: no_latency(),
        };
        tally.batch_ends_ns = tally.end_of(0);
        tally
    }

    /// Counts an I/O that began and ended at these moments.
    pub fn count(&mut self, began_ns: u64, ended_ns: u64, bytes: usize, read: bool) {
        if ended_ns < self.window.from_ns || ended_ns >= self.window.to_ns {
            return;
        }
        while ended_ns >= self.batch_ends_ns && self.batch + 1 < self.batch_bytes.len() {
            self.batch += 1;
            self.batch_ends_ns = self.end_of(self.batch);
        }
        let bytes = bytes as u64;
        self.batch_bytes[self.batch] += bytes;
        if read {
            self.reads += 1;
            self.read_bytes += bytes;
        } else {
            self.writes += 1;
            self.written_bytes += bytes;
        }
        self.latency_ns.saturating_record(ended_ns - began_ns);
    }

    /// Adds what another thread counted in the same window.
    pub fn add(&mut self, other: &Self) {
        for (sum, bytes) in self.batch_bytes.iter_mut().zip(&other.batch_bytes) {
            *sum += bytes;
        }
        self.reads += other.reads;
        self.writes += other.writes;
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
        let added = self.latency_ns.add(&other.latency_ns);
        debug_assert!(added.is_ok(), "histograms of equal bounds");
    }

    fn end_of(&self, batch: usize) -> u64 {
        let length = u128::from(self.window.to_ns - self.window.from_ns);
        let parts = self.batch_bytes.len() as u128;
        self.window.from_ns + (length * (batch as u128 + 1) / parts) as u64
    }
}

fn no_latency() -> Histogram<u64> {
    #[expect(clippy::expect_used, reason = "constant bounds that are valid")]
    Histogram::new_with_bounds(1, LONGEST_NS, FIGURES).expect("valid bounds")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WINDOW: Window = Window {
        from_ns: 1000,
        to_ns: 11_000,
    };

    #[test]
    fn only_operations_that_end_in_the_window_count() {
        let mut tally = Tally::new(WINDOW, 2);
        tally.count(0, 999, 1, true);
        tally.count(0, 1000, 10, true);
        tally.count(900, 10_999, 100, false);
        tally.count(900, 11_000, 1000, false);
        assert_eq!((tally.reads, tally.writes), (1, 1));
        assert_eq!((tally.read_bytes, tally.written_bytes), (10, 100));
        assert_eq!(tally.batch_bytes, [10, 100]);
        assert_eq!(tally.latency_ns.len(), 2);
    }

    proptest! {
        /// Batches and percentiles against a plain count over all samples.
        #[test]
        fn figures_match_the_samples(
            mut ends in prop::collection::vec((1000_u64..11_000, 1_u64..1_000_000), 1..300),
            batches in 1_u32..30,
            split in any::<prop::sample::Index>(),
        ) {
            ends.sort_unstable();
            let (mut one, mut two) = (Tally::new(WINDOW, batches), Tally::new(WINDOW, batches));
            let cut = split.index(ends.len());
            for (index, (end, took)) in ends.iter().enumerate() {
                let tally = if index < cut { &mut one } else { &mut two };
                let began = end.saturating_sub(*took);
                tally.count(began, *end, 7, true);
            }
            one.add(&two);
            prop_assert_eq!(one.reads, ends.len() as u64);
            for (batch, bytes) in one.batch_bytes.iter().enumerate() {
                let from = 1000 + 10_000 * batch as u64 / u64::from(batches);
                let to = 1000 + 10_000 * (batch as u64 + 1) / u64::from(batches);
                let inside = ends.iter().filter(|(end, _)| (from..to).contains(end)).count();
                prop_assert_eq!(*bytes, 7 * inside as u64);
            }
            let mut took: Vec<u64> = ends.iter().map(|(end, took)| *took.min(end)).collect();
            took.sort_unstable();
            for quantile in [0.5, 0.95, 0.99] {
                let rank = (quantile * took.len() as f64).ceil().max(1.0) as usize;
                let exact = took[rank - 1] as f64;
                let estimate = one.latency_ns.value_at_quantile(quantile) as f64;
                prop_assert!((estimate - exact).abs() <= exact * 0.001 + 1.0, "{estimate} for {exact}");
            }
        }
    }
}
