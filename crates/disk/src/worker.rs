//! One thread's work: submit, wait, count, until the time is over.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use headcount_load::clock::Origin;
use headcount_ring::{Buffer, Completion, Ring, Target};

use crate::content::Content;
use crate::error::DiskError;
use crate::tally::Tally;
use crate::walk::{Step, Walk};

/// Total size of the buffers that writes use in turn, as large as a tile of content: neighbouring
/// blocks of the file must not repeat each other.
const ROTATION_BYTES: usize = 1 << 20;
/// More buffers than this do not help: a tile of content in 4 KiB blocks.
const MOST_BUFFERS: usize = 256;

/// What all threads of a cell share.
#[derive(Debug, Clone)]
pub struct Shared {
    /// The test file.
    pub file: Arc<File>,
    /// Its contents.
    pub content: Arc<Content>,
    /// Compare every byte read.
    pub verify: bool,
    /// Largest block.
    pub largest: usize,
    /// Whether there are reads.
    pub reads: bool,
    /// Whether there are writes.
    pub writes: bool,
    /// The clock.
    pub origin: Origin,
    /// When the work ends.
    pub until_ns: u64,
    /// Cancelled.
    pub stop: Arc<AtomicBool>,
}

impl Shared {
    fn over(&self, now_ns: u64) -> bool {
        now_ns >= self.until_ns || self.stop.load(Ordering::Relaxed)
    }

    fn check(&self, step: Step, read: &[u8]) -> Result<(), DiskError> {
        if self.verify {
            self.content.check_whole(read, step.offset)
        } else {
            self.content.check_head(read, step.offset)
        }
    }

    /// How many buffers `depth` I/Os under way need: for reads, and for writes.
    fn buffers(&self, depth: usize) -> (usize, usize) {
        let rotation = (ROTATION_BYTES / self.largest).clamp(1, MOST_BUFFERS);
        let reads = if self.reads { depth } else { 0 };
        let writes = if self.writes { depth.max(rotation) } else { 0 };
        (reads, writes)
    }
}

/// Buffers that are not in use. Writes take the one that was unused longest.
struct Spare {
    reads: Vec<Buffer>,
    writes: VecDeque<Buffer>,
}

impl Spare {
    fn new(mut buffers: Vec<Buffer>, reads: usize, shared: &Shared, thread: u32) -> Self {
        let mut writes: VecDeque<Buffer> = buffers.split_off(reads).into();
        let mut body = thread.wrapping_mul(7919); // a different start for each thread
        for buffer in &mut writes {
            body = shared.content.lay(buffer, body);
        }
        Self {
            reads: buffers,
            writes,
        }
    }

    fn take(&mut self, step: Step, content: &Content) -> Result<Buffer, DiskError> {
        if step.read {
            return self.reads.pop().ok_or(DiskError::Thread);
        }
        let mut buffer = self.writes.pop_front().ok_or(DiskError::Thread)?;
        content.place(&mut buffer[..step.bytes], step.offset);
        Ok(buffer)
    }

    fn give(&mut self, step: Step, buffer: Buffer) {
        if step.read {
            self.reads.push(buffer);
        } else {
            self.writes.push_back(buffer);
        }
    }
}

/// Works with `depth` concurrent I/Os in a ring.
pub fn by_ring(
    shared: &Shared,
    thread: u32,
    depth: u32,
    mut walk: Walk,
    tally: &mut Tally,
) -> Result<(), DiskError> {
    let mut ring = Ring::new(depth).map_err(DiskError::Resources)?;
    let registered = ring.register_files(vec![Arc::clone(&shared.file)]);
    let target = registered
        .ok()
        .and_then(|mut targets| targets.pop())
        .unwrap_or_else(|| Target::from(Arc::clone(&shared.file)));
    let depth = depth as usize;
    let (reads, writes) = shared.buffers(depth);
    // Registered buffers count as locked memory, of which users may have little: then go without.
    let buffers = match ring.register_buffers((reads + writes) as u16, shared.largest) {
        Ok(buffers) => buffers,
        Err(_) => plain(reads + writes, shared.largest)?,
    };
    let mut spare = Spare::new(buffers, reads, shared, thread);
    let mut under_way: Vec<Option<Step>> = vec![None; depth];
    let mut free: Vec<usize> = (0..depth).collect();
    let mut asked: Vec<(usize, Buffer)> = Vec::with_capacity(depth);
    let mut began_ns = vec![0; depth];
    loop {
        while let Some(place) = free.pop() {
            let step = next_disjoint(&mut walk, &under_way);
            asked.push((place, spare.take(step, &shared.content)?));
            under_way[place] = Some(step);
        }
        let now_ns = shared.origin.elapsed_ns();
        if shared.over(now_ns) {
            break;
        }
        for (place, buffer) in asked.drain(..) {
            began_ns[place] = now_ns;
            ask(&mut ring, &target, under_way[place], buffer, place)?;
        }
        ring.wait(1).map_err(DiskError::Resources)?;
        let now_ns = shared.origin.elapsed_ns();
        while let Some(done) = ring.poll() {
            let place = done.tag as usize;
            let step = under_way[place].take().ok_or(DiskError::Thread)?;
            let buffer = ended(shared, step, done)?;
            tally.count(began_ns[place], now_ns, step.bytes, step.read);
            spare.give(step, buffer);
            free.push(place);
        }
    }
    drain(&mut ring, shared, &under_way)
}

/// The next step that overlaps none under way: a block in two concurrent I/Os could end up half of
/// each.
fn next_disjoint(walk: &mut Walk, under_way: &[Option<Step>]) -> Step {
    loop {
        let step = walk.step();
        let mut others = under_way.iter().flatten();
        if !others.any(|other| other.overlaps(&step)) {
            return step;
        }
    }
}

fn ask(
    ring: &mut Ring,
    target: &Target,
    step: Option<Step>,
    buffer: Buffer,
    place: usize,
) -> Result<(), DiskError> {
    let step = step.ok_or(DiskError::Thread)?;
    let tag = place as u64;
    let asked = if step.read {
        ring.read_at(target, step.offset, buffer, step.bytes, tag)
    } else {
        ring.write_at(target, step.offset, buffer, step.bytes, tag)
    };
    asked.map_err(|_| DiskError::Thread)
}

/// The buffer of a successful I/O.
fn ended(shared: &Shared, step: Step, done: Completion) -> Result<Buffer, DiskError> {
    let bytes = done.result.map_err(|error| failed(step, error))?;
    if bytes != step.bytes {
        return Err(failed(step, short(bytes)));
    }
    let buffer = done.buffer.ok_or(DiskError::Thread)?;
    if step.read {
        shared.check(step, &buffer[..bytes])?;
    }
    Ok(buffer)
}

/// Waits for the I/Os under way when the time is over; they are not counted, but their errors are
/// returned.
fn drain(ring: &mut Ring, shared: &Shared, under_way: &[Option<Step>]) -> Result<(), DiskError> {
    while ring.under_way() > 0 {
        ring.wait(1).map_err(DiskError::Resources)?;
        while let Some(done) = ring.poll() {
            let step = under_way[done.tag as usize].ok_or(DiskError::Thread)?;
            ended(shared, step, done)?;
        }
    }
    Ok(())
}

/// Works with one I/O at a time, by plain calls.
pub fn by_calls(
    shared: &Shared,
    thread: u32,
    mut walk: Walk,
    tally: &mut Tally,
) -> Result<(), DiskError> {
    let (reads, writes) = shared.buffers(1);
    let buffers = plain(reads + writes, shared.largest)?;
    let mut spare = Spare::new(buffers, reads, shared, thread);
    loop {
        let step = walk.step();
        let mut buffer = spare.take(step, &shared.content)?;
        let block = &mut buffer[..step.bytes];
        let began_ns = shared.origin.elapsed_ns();
        if shared.over(began_ns) {
            return Ok(());
        }
        let done = if step.read {
            shared.file.read_at(block, step.offset)
        } else {
            shared.file.write_at(block, step.offset)
        };
        let now_ns = shared.origin.elapsed_ns();
        let bytes = match done {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                spare.give(step, buffer);
                continue;
            }
            Err(error) => return Err(failed(step, error)),
        };
        if bytes != step.bytes {
            return Err(failed(step, short(bytes)));
        }
        if step.read {
            shared.check(step, block)?;
        }
        tally.count(began_ns, now_ns, step.bytes, step.read);
        spare.give(step, buffer);
    }
}

fn plain(count: usize, length: usize) -> Result<Vec<Buffer>, DiskError> {
    let buffers = (0..count).map(|_| Buffer::new(length));
    buffers
        .collect::<io::Result<_>>()
        .map_err(DiskError::Resources)
}

fn failed(step: Step, error: io::Error) -> DiskError {
    let doing = if step.read { "reading" } else { "writing" };
    DiskError::of_io(doing, step.offset, step.bytes, error)
}

fn short(bytes: usize) -> io::Error {
    io::Error::other(format!("only {bytes} bytes were moved"))
}
