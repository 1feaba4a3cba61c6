//! Where sorted records go: a file, through a block of memory.

use crate::error::SortError;
use crate::file::Counted;
use crate::job::Job;

/// Writes records one after the other, starting at an offset of a file.
#[derive(Debug)]
pub struct Sink<'a> {
    file: &'a Counted,
    offset: u64,
    buffer: &'a mut [u8],
    used: usize,
    record_bytes: usize,
}

impl<'a> Sink<'a> {
    /// Begins to write at `offset`; `buffer` holds at least one record.
    pub fn new(file: &'a Counted, offset: u64, buffer: &'a mut [u8], record_bytes: usize) -> Self {
        Self {
            file,
            offset,
            buffer,
            used: 0,
            record_bytes,
        }
    }

    /// Writes a record, now or later.
    #[inline]
    pub fn push(&mut self, record: &[u8], job: &mut Job<'_>) -> Result<(), SortError> {
        let end = self.used + self.record_bytes;
        if end > self.buffer.len() {
            return self.push_after_flush(record, job);
        }
        self.buffer[self.used..end].copy_from_slice(record);
        self.used = end;
        Ok(())
    }

    #[cold]
    fn push_after_flush(&mut self, record: &[u8], job: &mut Job<'_>) -> Result<(), SortError> {
        self.flush(job)?;
        self.buffer[..self.record_bytes].copy_from_slice(record);
        self.used = self.record_bytes;
        Ok(())
    }

    /// Writes what is still buffered.
    pub fn flush(&mut self, job: &mut Job<'_>) -> Result<(), SortError> {
        self.file.write_at(&self.buffer[..self.used], self.offset)?;
        self.offset += self.used as u64;
        let written = self.used;
        self.used = 0;
        job.moved(written as u64)
    }
}
