//! A sort that does not fit: runs are written to work files, and merged.

use crate::budget::Budget;
use crate::crew::{Queue, play};
use crate::error::SortError;
use crate::file::Counted;
use crate::job::{Job, Shared, Tell, Times};
use crate::key::Keys;
use crate::memory::{Arena, blocks, room};
use crate::order::{self, index};
use crate::shape::Shape;
use crate::sink::Sink;
use crate::source::Run;
use crate::split::cuts;
use crate::tree::Tree;

/// Ranges of the last merge for each thread: with several, one that is too long delays less.
const RANGES_A_THREAD: usize = 4;

/// What all steps of one sort use.
pub struct Spill<'a> {
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
    /// A file in each work folder.
    pub work: &'a [Counted],
    /// Number of records.
    pub records: u64,
    /// The progress.
    pub shared: &'a Shared,
}

impl<'a> Spill<'a> {
    /// Sorts; returns the times of the threads and the number of merge passes, including the last.
    pub fn sort(&self, arena: &mut Arena, tell: &mut Tell<'_>) -> Result<(Times, u32), SortError> {
        let (mut times, mut runs) = self.make_runs(arena, tell)?;
        let mut ends: Vec<u64> = self
            .work
            .iter()
            .map(Counted::bytes)
            .collect::<Result<_, _>>()?;
        let mut passes = 1;
        while runs.len() > self.budget.fan_in {
            let (played, merged) = self.merge_some(&runs, &mut ends, arena, tell)?;
            (times, runs) = (times.and(played), merged);
            passes += 1;
        }
        let played = self.merge_all(&runs, arena, tell)?;
        Ok((times.and(played), passes))
    }

    /// Reads the data a part at a time, sorts each and writes it as a run.
    fn make_runs(
        &self,
        arena: &mut Arena,
        tell: &mut Tell<'_>,
    ) -> Result<(Times, Vec<Run<'a>>), SortError> {
        let runs: Vec<Run<'a>> = (0..self.budget.runs)
            .map(|number| self.run(number))
            .collect();
        let queue = Queue::new(self.budget.runs);
        let times = play(arena.parts(), self.shared, tell, |part, job| {
            let room = room(part, self.budget.entries(), self.shape.record_bytes());
            while let Some(number) = queue.take() {
                let run = runs[number as usize];
                let first = number * self.budget.run_records;
                let bytes = run.bytes() as usize;
                let records = &mut room.records[..bytes];
                let entries = &mut room.entries[..run.records as usize];
                read_and_sort(
                    self.input, first, entries, records, self.shape, self.keys, job,
                )?;
                let began_ns = job.now_ns();
                let mut sink = Sink::new(run.file, run.offset, room.write, run.record_bytes);
                for &entry in entries.iter() {
                    let start = index(entry) * run.record_bytes;
                    sink.push(&records[start..start + run.record_bytes], job)?;
                }
                sink.flush(job)?;
                job.times.runs_ns += job.now_ns() - began_ns;
            }
            Ok(())
        })?;
        Ok((times, runs))
    }

    /// The place of run `number`: the work files take turns.
    fn run(&self, number: u64) -> Run<'a> {
        let first = number * self.budget.run_records;
        let record_bytes = self.shape.record_bytes();
        let files = self.work.len() as u64;
        let bytes = self.budget.run_records * record_bytes as u64;
        Run {
            file: &self.work[(number % files) as usize],
            offset: number / files * bytes,
            records: self.budget.run_records.min(self.records - first),
            record_bytes,
        }
    }

    /// One pass that leaves fewer runs: merges as many groups of neighbours as needed, from the
    /// first on.
    fn merge_some(
        &self,
        runs: &[Run<'a>],
        ends: &mut [u64],
        arena: &mut Arena,
        tell: &mut Tell<'_>,
    ) -> Result<(Times, Vec<Run<'a>>), SortError> {
        let fan_in = self.budget.fan_in;
        let groups = groups(runs.len(), fan_in);
        let taken = (groups * fan_in).min(runs.len());
        let merged: Vec<Run<'a>> = runs[..taken]
            .chunks(fan_in)
            .enumerate()
            .map(|(number, group)| {
                let file = number % self.work.len();
                let offset = ends[file];
                let records = group.iter().map(|run| run.records).sum();
                let run = Run {
                    file: &self.work[file],
                    offset,
                    records,
                    ..group[0]
                };
                ends[file] += run.bytes();
                run
            })
            .collect();
        let queue = Queue::new(merged.len() as u64);
        let times = play(arena.parts(), self.shared, tell, |part, job| {
            while let Some(number) = queue.take() {
                let target = merged[number as usize];
                let from = number as usize * fan_in;
                let group = &runs[from..(from + fan_in).min(taken)];
                self.merge(group, target.file, target.offset, part, job)?;
                for run in group {
                    run.file.release(run.offset, run.bytes());
                }
            }
            Ok(())
        })?;
        Ok((
            times,
            merged
                .into_iter()
                .chain(runs[taken..].iter().copied())
                .collect(),
        ))
    }

    /// The last pass: merges all runs to the output, each thread a range of the keys.
    fn merge_all(
        &self,
        runs: &[Run<'a>],
        arena: &mut Arena,
        tell: &mut Tell<'_>,
    ) -> Result<Times, SortError> {
        let parts = arena.parts();
        let ranges = if parts.len() == 1 {
            1
        } else {
            parts.len() * RANGES_A_THREAD
        };
        let rows = cuts(self.keys, runs, self.shape.record_bytes(), ranges)?;
        let queue = Queue::new(rows.len() as u64 - 1);
        play(parts, self.shared, tell, |part, job| {
            while let Some(range) = queue.take() {
                let (from, to) = (&rows[range as usize], &rows[range as usize + 1]);
                let sources: Vec<Run<'a>> = runs
                    .iter()
                    .zip(from.iter().zip(to))
                    .map(|(run, (&from, &to))| run.part(from..to))
                    .collect();
                let offset = from.iter().sum::<u64>() * self.shape.record_bytes() as u64;
                self.merge(&sources, self.output, offset, part, job)?;
            }
            Ok(())
        })
    }

    /// Merges runs to an offset of a file.
    fn merge(
        &self,
        runs: &[Run<'a>],
        file: &Counted,
        offset: u64,
        part: &mut [order::Entry],
        job: &mut Job<'_>,
    ) -> Result<(), SortError> {
        let began_ns = job.now_ns();
        let block_bytes = self.budget.block_bytes(self.shape, runs.len());
        let (buffers, write) = blocks(part, block_bytes, runs.len(), self.budget.write_bytes);
        let readers = runs
            .iter()
            .zip(buffers)
            .map(|(run, buffer)| run.reader(buffer))
            .collect::<Result<Vec<_>, _>>()?;
        let mut tree = Tree::new(self.keys, readers);
        let mut sink = Sink::new(file, offset, write, self.shape.record_bytes());
        while let Some(record) = tree.head() {
            sink.push(record, job)?;
            tree.advance()?;
        }
        sink.flush(job)?;
        job.times.merge_ns += job.now_ns() - began_ns;
        Ok(())
    }
}

/// How many groups of `fan_in` neighbours a pass merges: as few as leave at most `fan_in` runs, or
/// all if one more pass is not enough.
fn groups(runs: usize, fan_in: usize) -> usize {
    let wanted = (runs - fan_in).div_ceil(fan_in - 1);
    wanted.min(runs.div_ceil(fan_in))
}

/// Reads as many records, from number `first` on, as there are entries, and sorts the entries.
pub fn read_and_sort(
    input: &Counted,
    first: u64,
    entries: &mut [order::Entry],
    records: &mut [u8],
    shape: &Shape,
    keys: &Keys,
    job: &mut Job<'_>,
) -> Result<(), SortError> {
    let record_bytes = shape.record_bytes();
    let began_ns = job.now_ns();
    input.read(records, first * record_bytes as u64)?;
    let read_ns = job.now_ns();
    order::sort(entries, records, record_bytes, keys);
    job.times.read_ns += read_ns - began_ns;
    job.times.sort_ns += job.now_ns() - read_ns;
    job.moved(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_merges_no_more_than_needed() {
        assert_eq!(groups(5, 4), 1); // 4 of 5 become one: 2 are left
        assert_eq!(groups(8, 4), 2);
        assert_eq!(groups(16, 4), 4);
        assert_eq!(groups(17, 4), 5); // all of them, and another pass after it
        assert_eq!(groups(3, 2), 1);
        assert_eq!(groups(100, 2), 50);
    }
}
