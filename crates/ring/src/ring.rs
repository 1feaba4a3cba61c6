//! The ring itself: requests in, completions out.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use io_uring::{IoUring, opcode, squeue, types};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;

use crate::buffer::Buffer;
use crate::request::{Completion, Fixed, Refusal, Refused, Target};

/// How long dropping a ring waits for requests under way before it leaks them. Disks answer within
/// milliseconds; a network mount whose server is gone may never answer.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Distinguishes rings: what is registered with one is not valid for another.
static RINGS: AtomicU64 = AtomicU64::new(0);

/// Requests to files, submitted to the kernel together and completed in any order.
///
/// A ring stays on the thread that made it: newer kernels then do its work only when that thread
/// asks for completions, instead of interrupting it. Dropping a ring carries out its pending
/// requests.
#[derive(Debug)]
pub struct Ring {
    /// Dropped manually, after the requests under way are back.
    uring: ManuallyDrop<Uring>,
    /// The requests under way, by their number in the kernel.
    slots: ManuallyDrop<Vec<Slot>>,
    free: Vec<u32>,
    /// Registered files, by their index in the kernel.
    files: Vec<Arc<File>>,
    event: Option<OwnedFd>,
    id: u64,
    /// Not `Send`.
    thread: PhantomData<*const ()>,
}

/// A request under way, or a free slot.
#[derive(Debug, Default)]
struct Slot {
    tag: u64,
    buffer: Option<Buffer>,
    /// Held, never read: keeps the handle open until the kernel is done with it.
    _file: Option<Arc<File>>,
}

struct Uring(IoUring);

impl std::fmt::Debug for Uring {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("IoUring")
    }
}

/// Reads or writes.
#[derive(Clone, Copy)]
enum Way {
    Read,
    Write,
}

impl Ring {
    /// A ring for up to `depth` concurrent requests, 1 to 32,768.
    ///
    /// [`available`](crate::available()) tells the reason in words if this fails.
    pub fn new(depth: u32) -> io::Result<Self> {
        if !(1..=32_768).contains(&depth) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let uring = set_up(depth)?;
        Ok(Self {
            uring: ManuallyDrop::new(Uring(uring)),
            slots: ManuallyDrop::new((0..depth).map(|_| Slot::default()).collect()),
            free: (0..depth).rev().collect(),
            files: Vec::new(),
            event: None,
            id: RINGS.fetch_add(1, Ordering::Relaxed),
            thread: PhantomData,
        })
    }

    /// How many requests may be under way at once.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.slots.len()
    }

    /// How many requests are under way: taken, and their completions not yet returned by `poll`.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Asks to read `length` bytes at `offset` of the file into the beginning of the buffer.
    pub fn read_at(
        &mut self,
        target: &Target,
        offset: u64,
        buffer: Buffer,
        length: usize,
        tag: u64,
    ) -> Result<(), Refused> {
        self.transfer(Way::Read, target, offset, buffer, length, tag)
    }

    /// Asks to write the first `length` bytes of the buffer at `offset` of the file.
    pub fn write_at(
        &mut self,
        target: &Target,
        offset: u64,
        buffer: Buffer,
        length: usize,
        tag: u64,
    ) -> Result<(), Refused> {
        self.transfer(Way::Write, target, offset, buffer, length, tag)
    }

    /// Asks to flush the file to disk; `data_only` leaves out metadata that is not needed to read
    /// the data back (as `fdatasync` does). Only *completed* writes are certain to be synced:
    /// requests are not carried out in order.
    pub fn sync(&mut self, target: &Target, data_only: bool, tag: u64) -> Result<(), Refused> {
        let Some(number) = self.free.pop() else {
            return Err(refused(Refusal::Full, None));
        };
        let mut flags = types::FsyncFlags::empty();
        flags.set(types::FsyncFlags::DATASYNC, data_only);
        let place = self.place(target);
        let entry = opcode::Fsync::new(place.file).flags(flags).build();
        self.push(number, tag, target, None, entry.flags(place.flags))
    }

    /// Submits the requests to the kernel, without waiting. `poll` and `wait` do so by themselves.
    pub fn submit(&mut self) -> io::Result<()> {
        settled(self.uring.0.submit())
    }

    /// Submits the requests and waits until `completions` are ready for `poll`, or all that are
    /// under way if those are fewer. A signal may end the wait early.
    pub fn wait(&mut self, completions: usize) -> io::Result<()> {
        let wanted = completions.min(self.under_way());
        settled(self.uring.0.submit_and_wait(wanted))
    }

    /// As [`wait`](Self::wait), at most for `limit`.
    pub fn wait_for(&mut self, completions: usize, limit: Duration) -> io::Result<()> {
        let wanted = completions.min(self.under_way());
        let limit = types::Timespec::from(limit);
        let args = types::SubmitArgs::new().timespec(&limit);
        settled(self.uring.0.submitter().submit_with_args(wanted, &args))
    }

    /// A completion, if there is one. Never waits.
    pub fn poll(&mut self) -> Option<Completion> {
        let mut done = self.uring.0.completion().next();
        if done.is_none() && self.uring.0.submission().taskrun() {
            // Completions wait in the kernel for this thread to fetch them. If that fails, the next
            // call fetches them.
            let _ = self.uring.0.submit();
            done = self.uring.0.completion().next();
        }
        let done = done?;
        let number = done.user_data() as u32;
        let slot = std::mem::take(&mut self.slots[number as usize]);
        self.free.push(number);
        let result = match done.result() {
            bytes @ 0.. => Ok(bytes as usize),
            errno => Err(io::Error::from_raw_os_error(-errno)),
        };
        Some(Completion {
            tag: slot.tag,
            result,
            buffer: slot.buffer,
        })
    }

    /// An eventfd that becomes readable when requests complete: wait for it in an async runtime,
    /// read it, then `poll` until there is nothing left. Created at the first call; it costs the
    /// kernel a little for each completion.
    pub fn event(&mut self) -> io::Result<BorrowedFd<'_>> {
        if self.event.is_none() {
            let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
            let submitter = self.uring.0.submitter();
            submitter.register_eventfd(event.as_raw_fd())?;
            self.event = Some(event);
        }
        let event = self.event.as_ref().ok_or(io::ErrorKind::NotFound)?;
        Ok(event.as_fd())
    }

    /// Makes buffers that this ring's requests use at less cost: the kernel looks up their pages
    /// once, here. At most once per ring, up to 1024 buffers, within the limit on locked memory.
    pub fn register_buffers(&mut self, count: u16, length: usize) -> io::Result<Vec<Buffer>> {
        let mut buffers = Vec::with_capacity(usize::from(count));
        for index in 0..count {
            let mut buffer = Buffer::new(length)?;
            buffer.register(self.id, index);
            buffers.push(buffer);
        }
        let areas: Vec<_> = buffers.iter_mut().map(area).collect();
        let submitter = self.uring.0.submitter();
        #[expect(unsafe_code, reason = "the kernel takes addresses")]
        // SAFETY: each area is the whole of a live buffer. The kernel pins the pages behind the
        // addresses now and never looks the addresses up again, so buffers may be dropped before the
        // ring; and a request uses a registered buffer only while it owns it.
        unsafe { submitter.register_buffers(&areas) }?;
        Ok(buffers)
    }

    /// Registers files, so that the kernel need not look them up for each request. At most once per
    /// ring; the ring keeps them open until it is dropped.
    pub fn register_files(&mut self, files: Vec<Arc<File>>) -> io::Result<Vec<Target>> {
        let handles: Vec<_> = files.iter().map(AsRawFd::as_raw_fd).collect();
        self.uring.0.submitter().register_files(&handles)?;
        self.files = files;
        let ring = self.id;
        let target = |(index, file): (u32, &Arc<File>)| Target {
            file: Arc::clone(file),
            fixed: Some(Fixed { ring, index }),
        };
        Ok((0..).zip(&self.files).map(target).collect())
    }

    fn transfer(
        &mut self,
        way: Way,
        target: &Target,
        offset: u64,
        mut buffer: Buffer,
        length: usize,
        tag: u64,
    ) -> Result<(), Refused> {
        let Some(bytes) = u32::try_from(length)
            .ok()
            .filter(|bytes| length <= buffer.len() && *bytes <= i32::MAX.cast_unsigned())
        else {
            return Err(refused(Refusal::TooLong, Some(buffer)));
        };
        let Some(number) = self.free.pop() else {
            return Err(refused(Refusal::Full, Some(buffer)));
        };
        let memory = Memory {
            start: buffer.start(),
            bytes,
            registered: buffer.registered_with(self.id),
        };
        let place = self.place(target);
        let entry = memory.entry(way, place.file, offset).flags(place.flags);
        self.push(number, tag, target, Some(buffer), entry)
    }

    fn place(&self, target: &Target) -> Place {
        match target.registered_with(self.id) {
            Some(index) => Place {
                file: types::Fd(index.cast_signed()),
                flags: squeue::Flags::FIXED_FILE,
            },
            None => Place {
                file: types::Fd(target.file.as_raw_fd()),
                flags: squeue::Flags::empty(),
            },
        }
    }

    fn push(
        &mut self,
        number: u32,
        tag: u64,
        target: &Target,
        buffer: Option<Buffer>,
        entry: squeue::Entry,
    ) -> Result<(), Refused> {
        let entry = entry.user_data(u64::from(number));
        let kept_by_ring = target.registered_with(self.id).is_some();
        self.slots[number as usize] = Slot {
            tag,
            buffer,
            _file: (!kept_by_ring).then(|| Arc::clone(&target.file)),
        };
        #[expect(
            unsafe_code,
            reason = "the kernel will use the entry's buffer and file"
        )]
        // SAFETY: both are in the slot, which nothing touches before the completion is back: the
        // number is not free, and dropping the ring waits for it or leaks it. A registered file is
        // kept by the ring itself.
        let pushed = unsafe { self.uring.0.submission().push(&entry) };
        if pushed.is_err() {
            // Impossible: the kernel's queue is at least as long as there are slots.
            let slot = std::mem::take(&mut self.slots[number as usize]);
            self.free.push(number);
            return Err(refused(Refusal::Full, slot.buffer));
        }
        Ok(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        while self.under_way() > 0 {
            let before = self.under_way();
            let waited = self.wait_for(1, LAST_WAIT);
            while self.poll().is_some() {}
            if waited.is_err() || self.under_way() == before {
                break;
            }
        }
        let all_back = self.under_way() == 0;
        #[expect(unsafe_code, reason = "the order of dropping depends on the kernel")]
        // SAFETY: `self` is being dropped, so nothing uses the field again.
        unsafe {
            ManuallyDrop::drop(&mut self.uring);
        }
        if all_back {
            #[expect(unsafe_code, reason = "as above; otherwise the slots are leaked")]
            // SAFETY: as above; the kernel has given back every buffer.
            unsafe {
                ManuallyDrop::drop(&mut self.slots);
            }
        }
    }
}

/// The file of a request, as the kernel gets it.
struct Place {
    file: types::Fd,
    flags: squeue::Flags,
}

/// The memory of a request.
struct Memory {
    start: *mut u8,
    bytes: u32,
    registered: Option<u16>,
}

impl Memory {
    fn entry(&self, way: Way, file: types::Fd, offset: u64) -> squeue::Entry {
        let Self { start, bytes, .. } = *self;
        match (way, self.registered) {
            (Way::Read, None) => opcode::Read::new(file, start, bytes).offset(offset).build(),
            (Way::Write, None) => opcode::Write::new(file, start, bytes)
                .offset(offset)
                .build(),
            (Way::Read, Some(index)) => opcode::ReadFixed::new(file, start, bytes, index)
                .offset(offset)
                .build(),
            (Way::Write, Some(index)) => opcode::WriteFixed::new(file, start, bytes, index)
                .offset(offset)
                .build(),
        }
    }
}

/// A ring that processes completions when this thread asks for them (Linux 6.1), or else as older
/// kernels do.
fn set_up(depth: u32) -> io::Result<IoUring> {
    let mut modern = IoUring::builder();
    modern.setup_single_issuer().setup_defer_taskrun();
    modern.setup_taskrun_flag().setup_submit_all();
    match modern.build(depth) {
        Err(error) if Errno::from_io_error(&error) == Some(Errno::INVAL) => {
            IoUring::builder().build(depth)
        }
        built => built,
    }
}

/// A wait that a signal or its time limit ended early is not an error: nothing is lost.
fn settled(entered: io::Result<usize>) -> io::Result<()> {
    match entered {
        Ok(_) => Ok(()),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::INTR | Errno::TIME) => Ok(()),
            _ => Err(error),
        },
    }
}

fn refused(why: Refusal, buffer: Option<Buffer>) -> Refused {
    Refused { why, buffer }
}

fn area(buffer: &mut Buffer) -> libc::iovec {
    libc::iovec {
        iov_base: buffer.start().cast(),
        iov_len: buffer.len(),
    }
}
