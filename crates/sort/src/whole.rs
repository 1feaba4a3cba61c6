//! A sort that fits: everything is read, sorted in memory and written, without work files.

use crate::budget::Budget;
use crate::crew::{Queue, play};
use crate::error::SortError;
use crate::file::Counted;
use crate::job::{Shared, Tell, Times};
use crate::key::Keys;
use crate::memory::{Arena, room};
use crate::shape::Shape;
use crate::sink::Sink;
use crate::source::{Sorted, Source};
use crate::spill::read_and_sort;
use crate::split::cuts;
use crate::tree::Tree;

/// What a sort in memory uses.
pub struct Whole<'a> {
    /// The memory, and how it is used.
    pub budget: Budget,
    /// The records.
    pub shape: &'a Shape,
    /// Their keys.
    pub keys: &'a Keys,
    /// The data.
    pub input: &'a Counted,
    /// Where they go, sorted.
    pub output: &'a Counted,
    /// Number of records.
    pub records: u64,
    /// The progress.
    pub shared: &'a Shared,
}

impl Whole<'_> {
    /// Sorts: each thread a share of the data, then each a range of the keys.
    pub fn sort(&self, arena: &mut Arena, tell: &mut Tell<'_>) -> Result<Times, SortError> {
        let record_bytes = self.shape.record_bytes();
        let mut rooms = Vec::new();
        let mut first = 0;
        for part in arena.parts() {
            let room = room(part, self.budget.entries(), record_bytes);
            let records = self.budget.run_records.min(self.records - first);
            let entries = &mut room.entries[..records as usize];
            let bytes = &mut room.records[..records as usize * record_bytes];
            rooms.push((first, entries, bytes, room.write));
            first += records;
        }
        let shares: Vec<_> = rooms
            .iter_mut()
            .map(|(first, entries, bytes, _)| (*first, entries, bytes))
            .collect();
        let sorted = play(shares, self.shared, tell, |(first, entries, bytes), job| {
            read_and_sort(
                self.input, first, entries, bytes, self.shape, self.keys, job,
            )
        })?;
        let mut sources = Vec::new();
        let mut writes = Vec::new();
        for (_, entries, records, write) in rooms {
            sources.push(Sorted {
                entries: &*entries,
                records: &*records,
                record_bytes,
            });
            writes.push(write);
        }
        let written = self.write(&sources, writes, tell)?;
        Ok(sorted.and(written))
    }

    fn write(
        &self,
        sources: &[Sorted<'_>],
        writes: Vec<&mut [u8]>,
        tell: &mut Tell<'_>,
    ) -> Result<Times, SortError> {
        let record_bytes = self.shape.record_bytes();
        let rows = cuts(self.keys, sources, record_bytes, writes.len())?;
        let queue = Queue::new(rows.len() as u64 - 1);
        play(writes, self.shared, tell, |write, job| {
            let began_ns = job.now_ns();
            while let Some(range) = queue.take() {
                let (from, to) = (&rows[range as usize], &rows[range as usize + 1]);
                let parts = sources
                    .iter()
                    .zip(from.iter().zip(to))
                    .map(|(source, (&from, &to))| source.part(from..to));
                let offset = from.iter().sum::<u64>() * record_bytes as u64;
                let mut sink = Sink::new(self.output, offset, write, record_bytes);
                if let [one] = sources {
                    let mut rest = *one;
                    while let Some(record) = rest.head() {
                        sink.push(record, job)?;
                        rest.advance()?;
                    }
                } else {
                    let mut tree = Tree::new(self.keys, parts.collect());
                    while let Some(record) = tree.head() {
                        sink.push(record, job)?;
                        tree.advance()?;
                    }
                }
                sink.flush(job)?;
            }
            job.times.merge_ns += job.now_ns() - began_ns;
            Ok(())
        })
    }
}
