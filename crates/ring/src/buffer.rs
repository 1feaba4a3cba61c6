//! Memory that direct I/O accepts.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Bytes that start at a multiple of [`Buffer::ALIGNMENT`], as direct I/O requires; initially zero.
#[derive(Debug)]
pub struct Buffer {
    start: NonNull<u8>,
    length: usize,
    registration: Option<Registration>,
}

/// Where a buffer is registered with the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Registration {
    /// The ring.
    pub ring: u64,
    /// The index among its buffers.
    pub index: u16,
}

impl Buffer {
    /// A page of memory: no known device requires more.
    pub const ALIGNMENT: usize = 4096;

    /// `length` bytes, all zero. Fails if memory is refused, or `length` is 0.
    pub fn new(length: usize) -> io::Result<Self> {
        let layout = layout(length).ok_or(io::ErrorKind::InvalidInput)?;
        #[expect(unsafe_code, reason = "aligned memory has no safe constructor in std")]
        // SAFETY: `layout` refuses a length of 0, the one thing that alloc_zeroed must not get.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self {
            start,
            length,
            registration: None,
        })
    }

    pub(crate) fn start(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn register(&mut self, ring: u64, index: u16) {
        self.registration = Some(Registration { ring, index });
    }

    /// Its index in the kernel, if it is registered with this ring.
    pub(crate) fn registered_with(&self, ring: u64) -> Option<u16> {
        let here = self.registration.filter(|place| place.ring == ring)?;
        Some(here.index)
    }
}

fn layout(length: usize) -> Option<Layout> {
    let layout = Layout::from_size_align(length, Buffer::ALIGNMENT).ok()?;
    (length > 0).then_some(layout)
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        #[expect(unsafe_code, reason = "a slice over memory allocated by hand")]
        // SAFETY: `start` points to `length` bytes that are initialised, owned by `self` and not
        // written by the kernel: while it may write them, `self` is inside the ring.
        unsafe {
            std::slice::from_raw_parts(self.start.as_ptr(), self.length)
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        #[expect(unsafe_code, reason = "a slice over memory allocated by hand")]
        // SAFETY: as for `deref`; `&mut self` makes this the only slice.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length)
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some(layout) = layout(self.length) else {
            return; // impossible: `new` made the same layout of the same length
        };
        #[expect(unsafe_code, reason = "frees memory allocated by hand")]
        // SAFETY: `start` came from alloc_zeroed with this layout and is freed only here. A kernel
        // with which it is registered keeps the pages pinned, not the addresses.
        unsafe {
            dealloc(self.start.as_ptr(), layout);
        }
    }
}

#[expect(unsafe_code, reason = "a raw pointer takes the automatic Send away")]
// SAFETY: a Buffer owns its memory as a Vec<u8> does; nothing in it belongs to a thread.
unsafe impl Send for Buffer {}
#[expect(unsafe_code, reason = "a raw pointer takes the automatic Sync away")]
// SAFETY: a shared Buffer can only be read.
unsafe impl Sync for Buffer {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_zero_and_writable() {
        for length in [1, 511, 4096, 4097, 1 << 20] {
            let mut buffer = Buffer::new(length).unwrap();
            assert_eq!(buffer.as_ptr().addr() % Buffer::ALIGNMENT, 0);
            assert_eq!(buffer.len(), length);
            assert!(buffer.iter().all(|byte| *byte == 0));
            buffer[length - 1] = 9;
            assert_eq!(buffer.last(), Some(&9));
        }
    }

    #[test]
    fn impossible_lengths_are_refused() {
        for length in [0, usize::MAX, usize::MAX / 2] {
            assert!(Buffer::new(length).is_err());
        }
    }

    #[test]
    fn a_buffer_can_be_filled_by_another_thread() {
        let mut buffer = Buffer::new(4096).unwrap();
        let buffer = std::thread::spawn(move || {
            buffer.fill(3);
            buffer
        });
        assert!(buffer.join().unwrap().iter().all(|byte| *byte == 3));
    }
}
