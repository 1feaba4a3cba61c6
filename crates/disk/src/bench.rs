//! The test file and the threads that read and write it.

use std::fs::File;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use headcount_load::clock::Origin;
use headcount_load::stream::{Purpose, Stream};
use headcount_ring::{Buffer, available};
use serde::Serialize;

use crate::cell::Cell;
use crate::content::Content;
use crate::cpu::Cpu;
use crate::error::DiskError;
use crate::file::{self, Kept};
use crate::setup::{Engine, Setup};
use crate::tally::{Tally, Window};
use crate::walk::{Walk, Zone};
use crate::worker::{Shared, by_calls, by_ring};

/// How often progress is reported to the caller, who can then cancel.
const TELL_EACH: Duration = Duration::from_millis(100);
/// How long to wait for cancelled threads. A disk answers in milliseconds; one that hangs must not
/// delay Ctrl-C.
const LAST_WAIT: Duration = Duration::from_millis(700);

/// A test file that can be measured.
#[derive(Debug)]
pub struct Bench {
    setup: Setup,
    file: Arc<File>,
    content: Arc<Content>,
    /// Cells measured so far: each reads and writes other places.
    cells: u64,
}

/// The progress of filling or measuring.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Progress {
    /// The share that is done.
    pub done: f64,
}

/// The result of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// How long it was measured.
    pub seconds: f64,
    /// I/Os that read.
    pub reads: u64,
    /// I/Os that wrote.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes moved in each of the equal parts of the time.
    pub batch_bytes: Vec<u64>,
    /// From asking the kernel to seeing the completion.
    pub latency: Latency,
    /// CPU that this process took meanwhile.
    pub process_cpu_s: f64,
    /// Share of the machine that was busy meanwhile, including everything that ran on it; None if
    /// the system does not report it.
    pub machine_busy: Option<f64>,
}

/// Latency of I/Os, in µs; zero if there were none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Latency {
    pub mean_us: f64,
    pub p50_us: f64,
    pub p90_us: f64,
    pub p95_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub max_us: f64,
}

/// Threads at work.
struct Crew {
    results: Receiver<Result<Tally, DiskError>>,
    left: usize,
    stop: Arc<AtomicBool>,
}

impl Bench {
    /// Makes an empty test file. Nothing of it is left, whatever happens to this process.
    pub fn open(setup: Setup) -> Result<Self, DiskError> {
        setup.check()?;
        if setup.engine == Engine::IoUring {
            available().map_err(DiskError::NoRing)?;
        }
        let file = file::make(&setup)?;
        let content = Content::new(setup.seed, setup.unit_bytes);
        Ok(Self {
            setup,
            file: Arc::new(file),
            content: Arc::new(content),
            cells: 0,
        })
    }

    /// Where the folder's file system stores its files.
    #[must_use]
    pub fn kept(&self) -> Kept {
        file::kept(&self.setup.folder).unwrap_or(Kept::Disk)
    }

    /// Writes the whole file, so that every block that will be read is on the disk.
    pub fn fill(
        &self,
        on_progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), DiskError> {
        let (file, content) = (Arc::clone(&self.file), Arc::clone(&self.content));
        let size = self.setup.size_bytes;
        let stop = Arc::new(AtomicBool::new(false));
        let filled = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&filled));
        let work = move || -> Result<(), DiskError> {
            file::reserve(&file, size)?;
            let mut piece = Buffer::new(Setup::PIECE_BYTES as usize);
            let piece = piece.as_mut().map_err(|_| DiskError::Thread)?;
            content.lay(piece, 0);
            for offset in (0..size).step_by(piece.len()) {
                if stopped.load(Ordering::Relaxed) {
                    return Err(DiskError::Cancelled);
                }
                content.place(piece, offset);
                let written = file.write_all_at(piece, offset);
                written.map_err(|e| DiskError::of_io("writing", offset, piece.len(), e))?;
                counted.store(offset, Ordering::Relaxed);
            }
            synced(&file)
        };
        let done = || filled.load(Ordering::Relaxed) as f64 / size as f64;
        run_with_progress(work, &stop, done, on_progress)
    }

    /// Measures a cell.
    pub fn measure(
        &mut self,
        cell: &Cell,
        mut on_progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Measured, DiskError> {
        cell.check(&self.setup)?;
        self.cells += 1;
        let origin = Origin::now();
        let from_ns = (cell.warm_up_s * 1e9) as u64;
        let to_ns = from_ns + (cell.seconds * 1e9) as u64;
        let window = Window { from_ns, to_ns };
        let mut crew = self.start(cell, origin, window)?;
        let mut sum = Tally::new(window, cell.batches);
        let mut marks = Vec::with_capacity(2);
        while crew.left > 0 {
            let now_ns = origin.elapsed_ns();
            for mark_ns in [from_ns, to_ns].into_iter().skip(marks.len()) {
                if now_ns >= mark_ns {
                    marks.push((origin.elapsed_ns(), Cpu::now()));
                }
            }
            let next_ns = [from_ns, to_ns].get(marks.len()).copied();
            let wait = next_ns.map_or(TELL_EACH, |next_ns| {
                Duration::from_nanos(next_ns.saturating_sub(now_ns)).min(TELL_EACH)
            });
            if let Some(tally) = crew.next(wait)? {
                sum.add(&tally);
            }
            let done = (now_ns as f64 / to_ns as f64).min(1.0);
            if on_progress(Progress { done }).is_break() {
                crew.dismiss();
                return Err(DiskError::Cancelled);
            }
        }
        if marks.len() < 2 {
            marks.push((origin.elapsed_ns(), Cpu::now()));
        }
        if cell.read_share < 1.0 {
            // Pending writes belong to this cell, not to the next.
            let file = Arc::clone(&self.file);
            let stop = AtomicBool::new(false);
            run_with_progress(move || synced(&file), &stop, || 1.0, on_progress)?;
        }
        Ok(measured(&sum, cell, &marks))
    }

    fn start(&self, cell: &Cell, origin: Origin, window: Window) -> Result<Crew, DiskError> {
        let stop = Arc::new(AtomicBool::new(false));
        let shared = Shared {
            file: Arc::clone(&self.file),
            content: Arc::clone(&self.content),
            verify: self.setup.verify,
            largest: cell.largest(),
            reads: cell.read_share > 0.0,
            writes: cell.read_share < 1.0,
            origin,
            until_ns: window.to_ns,
            stop: Arc::clone(&stop),
        };
        let (sender, results) = channel();
        let mut crew = Crew {
            results,
            left: 0,
            stop,
        };
        for (thread, walk) in (0..).zip(self.walks(cell)) {
            let (shared, sender) = (shared.clone(), sender.clone());
            let (engine, depth, batches) = (self.setup.engine, cell.depth, cell.batches);
            let work = move || {
                let mut tally = Tally::new(window, batches);
                let done = match engine {
                    Engine::IoUring => by_ring(&shared, thread, depth, walk, &mut tally),
                    Engine::Threads => by_calls(&shared, thread, walk, &mut tally),
                };
                let _ = sender.send(done.map(|()| tally)); // fails if it was cancelled
            };
            let builder = std::thread::Builder::new().name(format!("disk-{thread}"));
            if let Err(error) = builder.spawn(work) {
                crew.dismiss();
                return Err(DiskError::Resources(error));
            }
            crew.left += 1;
        }
        Ok(crew)
    }

    /// One walk for each thread of this process.
    fn walks(&self, cell: &Cell) -> Vec<Walk> {
        let file = Zone {
            start: 0,
            bytes: self.setup.size_bytes,
        };
        let together = match self.setup.engine {
            Engine::IoUring => 1,
            Engine::Threads => cell.depth,
        };
        let zones = file.cut(cell.threads, cell.largest());
        let walks = (0..).zip(zones).flat_map(|(number, zone)| {
            let stream = |walker| {
                let id = number * together + walker;
                Stream::new(self.setup.seed, Purpose::Scenario, id, self.cells)
            };
            Walk::in_zone(cell, zone, (0..together).map(stream).collect())
        });
        walks.collect()
    }
}

impl Crew {
    /// The counts of the next thread to end, if one ends within `wait`.
    fn next(&mut self, wait: Duration) -> Result<Option<Tally>, DiskError> {
        match self.results.recv_timeout(wait) {
            Ok(Ok(tally)) => {
                self.left -= 1;
                Ok(Some(tally))
            }
            Ok(Err(error)) => {
                self.left -= 1;
                self.dismiss();
                Err(error)
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(DiskError::Thread),
        }
    }

    /// Stops all threads, and waits a little for them. One that hangs in the kernel is abandoned:
    /// it ends when the kernel lets it.
    fn dismiss(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let origin = Origin::now();
        while self.left > 0 {
            let spent = Duration::from_nanos(origin.elapsed_ns());
            match self.results.recv_timeout(LAST_WAIT.saturating_sub(spent)) {
                Ok(_) => self.left -= 1,
                Err(_) => return,
            }
        }
    }
}

/// Does slow work on a separate thread, and reports its progress.
fn run_with_progress(
    work: impl FnOnce() -> Result<(), DiskError> + Send + 'static,
    stop: &AtomicBool,
    done: impl Fn() -> f64,
    mut on_progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<(), DiskError> {
    let (sender, result) = channel();
    let builder = std::thread::Builder::new().name("disk-aside".to_owned());
    let spawned = builder.spawn(move || {
        let _ = sender.send(work()); // fails if it was cancelled
    });
    spawned.map_err(DiskError::Resources)?;
    loop {
        match result.recv_timeout(TELL_EACH) {
            Ok(ended) => return ended,
            Err(RecvTimeoutError::Disconnected) => return Err(DiskError::Thread),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if on_progress(Progress { done: done() }).is_break() {
            stop.store(true, Ordering::Relaxed);
            let _ = result.recv_timeout(LAST_WAIT);
            return Err(DiskError::Cancelled);
        }
    }
}

fn synced(file: &File) -> Result<(), DiskError> {
    file.sync_data()
        .map_err(|error| DiskError::of_io("syncing", 0, 0, error))
}

fn measured(sum: &Tally, cell: &Cell, marks: &[(u64, Cpu)]) -> Measured {
    let (began, ended) = (&marks[0], &marks[marks.len() - 1]);
    // The marks are taken slightly later than planned.
    let span_s = (ended.0.saturating_sub(began.0)) as f64 / 1e9;
    let cpu_s = (ended.1.process_ns - began.1.process_ns) as f64 / 1e9;
    let latency = &sum.latency_ns;
    let us = |quantile| latency.value_at_quantile(quantile) as f64 / 1000.0;
    Measured {
        seconds: cell.seconds,
        reads: sum.reads,
        writes: sum.writes,
        read_bytes: sum.read_bytes,
        written_bytes: sum.written_bytes,
        batch_bytes: sum.batch_bytes.clone(),
        latency: Latency {
            mean_us: latency.mean() / 1000.0,
            p50_us: us(0.5),
            p90_us: us(0.9),
            p95_us: us(0.95),
            p99_us: us(0.99),
            p999_us: us(0.999),
            max_us: latency.max() as f64 / 1000.0,
        },
        process_cpu_s: if span_s > 0.0 {
            cpu_s * cell.seconds / span_s
        } else {
            0.0
        },
        machine_busy: ended.1.busy_since(&began.1),
    }
}
