//! One sort, from a file to a file.

use std::ops::ControlFlow;
use std::path::PathBuf;

use headcount_load::clock::Origin;
use serde::Serialize;

use crate::budget::{Budget, least_bytes};
use crate::error::SortError;
use crate::file::Counted;
use crate::job::{Shared, Tell, Times};
use crate::key::Keys;
use crate::memory::Arena;
use crate::process::{Moved, cpu_ns, file_bytes, forget_peak, peak_bytes, resident_bytes};
use crate::shape::Shape;
use crate::spill::Spill;
use crate::whole::Whole;

/// Most threads of a sort.
pub const MOST_THREADS: usize = 64;

/// What is sorted, where, and with how much memory.
#[derive(Debug, Clone)]
pub struct Order {
    /// The data: whole records.
    pub input: PathBuf,
    /// A file that exists and is overwritten.
    pub output: PathBuf,
    /// Number of records in the data.
    pub records: u64,
    /// Their shape.
    pub shape: Shape,
    /// Memory the sort may take, in bytes.
    pub sortsize_bytes: usize,
    /// Threads that sort, 1 to [`MOST_THREADS`].
    pub threads: usize,
    /// Folders for runs, used in turn; needed only if the data do not fit.
    pub work: Vec<PathBuf>,
    /// Whether to drop the data from the system's cache first.
    pub cold: bool,
}

/// What a sort did, and what it cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sorted {
    /// How the memory was used.
    pub budget: Budget,
    /// How many times data were merged, the last time included; 0 if everything fitted.
    pub passes: u32,
    /// Written to work files.
    pub temporary_bytes: u64,
    /// Read, from data and work files.
    pub read_bytes: u64,
    /// Written, to work files and output.
    pub written_bytes: u64,
    /// What the system counted meanwhile.
    pub moved: Option<Moved>,
    /// From opening the files to the last write.
    pub exit_s: f64,
    /// The same until everything is on the disk.
    pub durable_s: f64,
    /// Of `exit_s`, reading the data. This and the following times are means over the threads.
    pub read_s: f64,
    /// Sorting in memory.
    pub sort_s: f64,
    /// Writing runs.
    pub runs_s: f64,
    /// Merging with its reading and writing; if everything fitted, writing the output.
    pub merge_s: f64,
    /// CPU time until everything was on the disk.
    pub cpu_s: f64,
    /// Memory resident before, in bytes: the program itself.
    pub baseline_bytes: Option<u64>,
    /// The most memory resident meanwhile, in bytes.
    pub peak_bytes: Option<u64>,
    /// Code of the program that was first used meanwhile, with what the system reads around it, in
    /// bytes: part of the peak, but not memory of the sort.
    pub code_bytes: Option<u64>,
}

/// Sorts. `tell` gets the progress and may cancel.
///
/// The process should do nothing else meanwhile: its memory, CPU and bytes would count too.
pub fn sort(order: &Order, tell: &mut Tell<'_>) -> Result<Sorted, SortError> {
    let budget = budget(order)?;
    let input = Counted::open(&order.input, "the data")?;
    let output = Counted::write(&order.output, "the output")?;
    let expected = order.records * order.shape.record_bytes() as u64;
    let found = input.bytes()?;
    if found != expected || order.records == 0 {
        return Err(SortError::Size { found, expected });
    }
    if order.cold {
        input.drop_cache()?;
    }
    sort_files(order, budget, &input, &output, tell)
}

/// Sorts a little in the first work folder with the least memory, so that the program's code and
/// its threads' stacks are resident before the memory of a sort is measured.
pub fn warm_up(order: &Order) -> Result<(), SortError> {
    let folder = order.work.first().ok_or(SortError::NoWork)?;
    let (input, output) = (Counted::nameless(folder)?, Counted::nameless(folder)?);
    let least = least_bytes(&order.shape, order.threads.clamp(1, MOST_THREADS));
    let records = (least / order.shape.record_bytes() * 2) as u64;
    let record = vec![0; order.shape.record_bytes()];
    for number in 0..records {
        input.write_at(&record, number * record.len() as u64)?;
    }
    let order = Order {
        records,
        sortsize_bytes: least,
        ..order.clone()
    };
    let budget = budget(&order)?;
    sort_files(&order, budget, &input, &output, &mut |_| {
        ControlFlow::Continue(())
    })
    .map(drop)
}

fn budget(order: &Order) -> Result<Budget, SortError> {
    let threads = order.threads.clamp(1, MOST_THREADS);
    Budget::new(&order.shape, order.records, threads, order.sortsize_bytes)
}

/// The state of this process before a sort.
struct Beginning {
    moved: Option<Moved>,
    cpu_ns: u64,
    resident_bytes: Option<u64>,
    code_bytes: Option<u64>,
}

impl Beginning {
    /// The state now; resets the peak of memory.
    fn now() -> Self {
        let now = Self {
            moved: Moved::now(),
            cpu_ns: cpu_ns(),
            resident_bytes: resident_bytes(),
            code_bytes: file_bytes(),
        };
        forget_peak();
        now
    }

    /// Bytes moved since.
    fn moved(&self) -> Option<Moved> {
        let both = Moved::now().zip(self.moved);
        both.map(|(after, before)| after.since(before))
    }
}

fn sort_files(
    order: &Order,
    budget: Budget,
    input: &Counted,
    output: &Counted,
    tell: &mut Tell<'_>,
) -> Result<Sorted, SortError> {
    let threads = order.threads.clamp(1, MOST_THREADS);
    let (shape, records) = (&order.shape, order.records);
    let total_bytes = records * shape.record_bytes() as u64;
    let before = Beginning::now();
    let origin = Origin::now();
    input.in_order();
    let keys = &Keys::of(shape);
    let mut arena = Arena::new(&budget)?;
    let spills = budget.runs > 0;
    let shared = &Shared::new(origin, if spills { 2 * total_bytes } else { total_bytes });
    let (times, passes, work) = if spills {
        let work = work_files(order)?;
        let spill = Spill {
            budget,
            shape,
            keys,
            input,
            output,
            work: &work,
            records,
            shared,
        };
        let (times, passes) = spill.sort(&mut arena, tell)?;
        (times, passes, work)
    } else {
        let whole = Whole {
            budget,
            shape,
            keys,
            input,
            output,
            records,
            shared,
        };
        (whole.sort(&mut arena, tell)?, 0, Vec::new())
    };
    let exit_ns = origin.elapsed_ns();
    output.sync()?;
    let durable_ns = origin.elapsed_ns();
    let peak = peak_bytes();
    let code = file_bytes().zip(before.code_bytes);
    let temporary_bytes: u64 = work.iter().map(Counted::written_bytes).sum();
    let reread: u64 = work.iter().map(Counted::read_bytes).sum();
    let mean_s = |ns: fn(&Times) -> u64| seconds(ns(&times)) / threads as f64;
    Ok(Sorted {
        budget,
        passes,
        temporary_bytes,
        read_bytes: input.read_bytes() + reread,
        written_bytes: temporary_bytes + output.written_bytes(),
        moved: before.moved(),
        exit_s: seconds(exit_ns),
        durable_s: seconds(durable_ns),
        read_s: mean_s(|times| times.read_ns),
        sort_s: mean_s(|times| times.sort_ns),
        runs_s: mean_s(|times| times.runs_ns),
        merge_s: mean_s(|times| times.merge_ns),
        cpu_s: seconds(cpu_ns() - before.cpu_ns),
        baseline_bytes: before.resident_bytes,
        peak_bytes: peak,
        code_bytes: code.map(|(after, before)| after.saturating_sub(before)),
    })
}

fn work_files(order: &Order) -> Result<Vec<Counted>, SortError> {
    if order.work.is_empty() {
        return Err(SortError::NoWork);
    }
    order
        .work
        .iter()
        .map(|folder| Counted::nameless(folder))
        .collect()
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
