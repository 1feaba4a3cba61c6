//! Where a thread reads and writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use headcount_load::stream::Stream;

use crate::cell::{Access, Block, Cell};

/// The part of the test file that one thread has to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone {
    /// Where it begins.
    pub start: u64,
    /// How long it is: a multiple of the largest block.
    pub bytes: u64,
}

impl Zone {
    /// Cuts it into equal zones, each a multiple of `grain` bytes long.
    #[must_use]
    pub fn cut(self, parts: u32, grain: usize) -> Vec<Self> {
        let grain = grain as u64;
        let bytes = self.bytes / u64::from(parts) / grain * grain;
        let zone = |part: u64| Self {
            start: self.start + part * bytes,
            bytes,
        };
        (0..u64::from(parts)).map(zone).collect()
    }
}

/// One I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub offset: u64,
    /// How much.
    pub bytes: usize,
    /// Reads; otherwise writes.
    pub read: bool,
}

impl Step {
    /// Whether two I/Os touch the same bytes.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let (end, other_end) = (
            self.offset + self.bytes as u64,
            other.offset + other.bytes as u64,
        );
        self.offset < other_end && other.offset < end
    }
}

/// The I/Os of one thread, in order.
#[derive(Debug)]
pub struct Walk {
    zone: Zone,
    /// Number of the next block if sequential; shared by the walks of a zone.
    next: Option<Arc<AtomicU64>>,
    blocks: Vec<Block>,
    total_share: f64,
    read_share: f64,
    stream: Stream,
}

impl Walk {
    /// The walks that share a zone, one for each stream. Sequential walks take turns; random ones
    /// each stay in their own part, so that two never write the same block at once.
    #[must_use]
    pub fn in_zone(cell: &Cell, zone: Zone, mut streams: Vec<Stream>) -> Vec<Self> {
        let walkers = streams.len() as u32;
        let (zones, next) = match cell.access {
            Access::Sequential => {
                // Not always from the start: the disk's own cache may still hold it.
                let blocks = zone.bytes / cell.largest() as u64;
                let first = streams.first_mut().map_or(0, |stream| stream.below(blocks));
                let next = Some(Arc::new(AtomicU64::new(first)));
                (vec![zone; streams.len()], next)
            }
            Access::Random => (zone.cut(walkers, cell.largest()), None),
        };
        let walk = |(zone, stream)| Self {
            zone,
            next: next.clone(),
            blocks: cell.blocks.clone(),
            total_share: cell.blocks.iter().map(|block| block.share).sum(),
            read_share: cell.read_share,
            stream,
        };
        zones.into_iter().zip(streams).map(walk).collect()
    }

    /// The next I/O.
    pub fn step(&mut self) -> Step {
        let bytes = self.block_bytes();
        let blocks = self.zone.bytes / bytes as u64;
        let number = match &self.next {
            Some(next) => next.fetch_add(1, Ordering::Relaxed) % blocks,
            None => self.stream.below(blocks),
        };
        Step {
            offset: self.zone.start + number * bytes as u64,
            bytes,
            read: self.reads(),
        }
    }

    fn block_bytes(&mut self) -> usize {
        if let [only] = self.blocks[..] {
            return only.bytes;
        }
        let mut left = self.stream.unit() * self.total_share;
        for block in &self.blocks {
            left -= block.share;
            if left < 0.0 {
                return block.bytes;
            }
        }
        self.blocks.last().map_or(0, |block| block.bytes)
    }

    fn reads(&mut self) -> bool {
        if self.read_share >= 1.0 {
            return true;
        }
        self.read_share > 0.0 && self.stream.unit() < self.read_share
    }
}

#[cfg(test)]
mod tests {
    use headcount_load::stream::Purpose;
    use proptest::prelude::*;

    use super::*;

    fn cell(access: Access, blocks: &[(usize, f64)], read_share: f64) -> Cell {
        let block = |&(bytes, share): &(usize, f64)| Block { bytes, share };
        Cell {
            threads: 1,
            depth: 1,
            access,
            read_share,
            blocks: blocks.iter().map(block).collect(),
            warm_up_s: 0.0,
            seconds: 1.0,
            batches: 1,
        }
    }

    fn stream(number: u32) -> Stream {
        Stream::new(5, Purpose::Scenario, number, 1)
    }

    fn walks(cell: &Cell, zone: Zone, walkers: u32) -> Vec<Walk> {
        Walk::in_zone(cell, zone, (0..walkers).map(stream).collect())
    }

    proptest! {
        #[test]
        fn every_step_is_a_whole_block_of_its_zone(
            random in any::<bool>(),
            parts in 1_u32..9,
            walkers in 1_u32..9,
            power in 9_u32..19,
            seed in any::<u64>(),
        ) {
            let access = if random { Access::Random } else { Access::Sequential };
            let bytes = 1_usize << power;
            let cell = cell(access, &[(bytes, 1.0)], 0.5);
            let file = Zone { start: 0, bytes: 64 << 20 };
            let zones = file.cut(parts, bytes);
            for pair in zones.windows(2) {
                prop_assert!(pair[0].start + pair[0].bytes <= pair[1].start);
            }
            let zone = zones[(seed % u64::from(parts)) as usize];
            prop_assert!(zone.bytes * u64::from(parts) + u64::from(parts) * bytes as u64 > file.bytes);
            for walk in &mut walks(&cell, zone, walkers) {
                for _ in 0..50 {
                    let step = walk.step();
                    prop_assert_eq!(step.bytes, bytes);
                    prop_assert_eq!((step.offset - zone.start) % bytes as u64, 0);
                    prop_assert!(step.offset + bytes as u64 <= zone.start + zone.bytes);
                }
            }
        }
    }

    #[test]
    fn sequential_walkers_take_turns_through_the_whole_zone_and_start_again() {
        let cell = cell(Access::Sequential, &[(4096, 1.0)], 1.0);
        let zone = Zone {
            start: 8192,
            bytes: 10 * 4096,
        };
        let mut walkers = walks(&cell, zone, 3);
        let offsets: Vec<u64> = (0..20).map(|n| walkers[n % 3].step().offset).collect();
        for pair in offsets.windows(2) {
            let next = if pair[0] + 4096 == zone.start + zone.bytes {
                zone.start
            } else {
                pair[0] + 4096
            };
            assert_eq!(pair[1], next);
        }
        assert_eq!(offsets[..10], offsets[10..]);
    }

    #[test]
    fn random_walkers_never_touch_each_others_blocks() {
        let cell = cell(Access::Random, &[(4096, 1.0)], 0.0);
        let zone = Zone {
            start: 0,
            bytes: 64 * 4096,
        };
        let mut seen = vec![None; 64];
        for (number, walk) in walks(&cell, zone, 4).iter_mut().enumerate() {
            for _ in 0..1000 {
                let block = (walk.step().offset / 4096) as usize;
                assert!(seen[block].is_none_or(|owner| owner == number));
                seen[block] = Some(number);
            }
        }
        assert!(seen.iter().all(Option::is_some), "a block never comes up");
    }

    #[test]
    fn sizes_and_reads_have_their_shares() {
        let cell = cell(
            Access::Random,
            &[(512, 1.0), (4096, 6.0), (65_536, 3.0)],
            0.8,
        );
        let zone = Zone {
            start: 0,
            bytes: 64 << 20,
        };
        let mut walk = walks(&cell, zone, 1).remove(0);
        let steps: Vec<Step> = (0..100_000).map(|_| walk.step()).collect();
        let share = |test: &dyn Fn(&Step) -> bool| {
            steps.iter().filter(|step| test(step)).count() as f64 / steps.len() as f64
        };
        // 0.006 is four standard errors of a share of one half.
        assert!((share(&|step| step.bytes == 512) - 0.1).abs() < 0.006);
        assert!((share(&|step| step.bytes == 4096) - 0.6).abs() < 0.006);
        assert!((share(&|step| step.bytes == 65_536) - 0.3).abs() < 0.006);
        assert!((share(&|step| step.read) - 0.8).abs() < 0.006);
    }

    #[test]
    fn steps_overlap_if_they_share_bytes() {
        let step = |offset, bytes| Step {
            offset,
            bytes,
            read: true,
        };
        assert!(step(0, 10).overlaps(&step(9, 1)));
        assert!(step(9, 1).overlaps(&step(0, 10)));
        assert!(!step(0, 10).overlaps(&step(10, 5)));
        assert!(!step(10, 5).overlaps(&step(0, 10)));
    }
}
