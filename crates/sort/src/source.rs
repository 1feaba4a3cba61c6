//! Sorted records, one after the other: from memory, or from a run on disk.

use std::ops::Range;

use crate::error::SortError;
use crate::file::Counted;
use crate::order::{Entry, index};

/// Sorted records, the least first.
pub trait Source {
    /// The next record; None at the end.
    fn head(&self) -> Option<&[u8]>;
    /// Moves to the record after it.
    fn advance(&mut self) -> Result<(), SortError>;
}

/// Sorted records that can be looked up by their number.
pub trait Lookup {
    /// How many there are.
    fn records(&self) -> u64;
    /// Copies record `at` to `record`.
    fn look(&self, at: u64, record: &mut [u8]) -> Result<(), SortError>;
}

/// Records in memory in the order of their entries.
#[derive(Debug, Clone, Copy)]
pub struct Sorted<'a> {
    /// In order.
    pub entries: &'a [Entry],
    /// As they were read.
    pub records: &'a [u8],
    /// Length of a record.
    pub record_bytes: usize,
}

impl<'a> Sorted<'a> {
    /// A part of them.
    #[must_use]
    pub fn part(&self, range: Range<u64>) -> Self {
        let entries = &self.entries[range.start as usize..range.end as usize];
        Self { entries, ..*self }
    }

    #[inline]
    fn record(&self, entry: Entry) -> &'a [u8] {
        let start = index(entry) * self.record_bytes;
        &self.records[start..start + self.record_bytes]
    }
}

impl Source for Sorted<'_> {
    #[inline]
    fn head(&self) -> Option<&[u8]> {
        self.entries.first().map(|&entry| self.record(entry))
    }

    #[inline]
    fn advance(&mut self) -> Result<(), SortError> {
        self.entries = self.entries.get(1..).unwrap_or_default();
        Ok(())
    }
}

impl Lookup for Sorted<'_> {
    fn records(&self) -> u64 {
        self.entries.len() as u64
    }

    fn look(&self, at: u64, record: &mut [u8]) -> Result<(), SortError> {
        record.copy_from_slice(self.record(self.entries[at as usize]));
        Ok(())
    }
}

/// A run: sorted records in a work file.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The work file.
    pub file: &'a Counted,
    /// Where in it the run begins.
    pub offset: u64,
    /// How many records it has.
    pub records: u64,
    /// Length of a record.
    pub record_bytes: usize,
}

impl<'a> Run<'a> {
    /// A part of it.
    #[must_use]
    pub fn part(&self, range: Range<u64>) -> Self {
        Self {
            offset: self.offset + range.start * self.record_bytes as u64,
            records: range.end - range.start,
            ..*self
        }
    }

    /// Its length in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.records * self.record_bytes as u64
    }

    /// Begins to read it through `buffer`, which holds whole records.
    pub fn reader<'b>(&self, buffer: &'b mut [u8]) -> Result<Reader<'a, 'b>, SortError> {
        let mut reader = Reader {
            run: *self,
            buffer,
            filled: 0,
            at: 0,
        };
        reader.fill()?;
        Ok(reader)
    }
}

impl Lookup for Run<'_> {
    fn records(&self) -> u64 {
        self.records
    }

    fn look(&self, at: u64, record: &mut [u8]) -> Result<(), SortError> {
        self.file
            .read(record, self.offset + at * self.record_bytes as u64)
    }
}

/// A run being read: a block of it in memory, the next one announced to the system.
#[derive(Debug)]
pub struct Reader<'a, 'b> {
    /// What is still on disk.
    run: Run<'a>,
    buffer: &'b mut [u8],
    filled: usize,
    at: usize,
}

impl Reader<'_, '_> {
    #[cold]
    fn fill(&mut self) -> Result<(), SortError> {
        let bytes = self.run.bytes().min(self.buffer.len() as u64);
        (self.at, self.filled) = (0, bytes as usize);
        if bytes > 0 {
            self.run
                .file
                .read(&mut self.buffer[..bytes as usize], self.run.offset)?;
            let records = bytes / self.run.record_bytes as u64;
            self.run = self.run.part(records..self.run.records);
            if self.run.records > 0 {
                self.run
                    .file
                    .announce(self.run.offset, self.run.bytes().min(bytes));
            }
        }
        Ok(())
    }
}

impl Source for Reader<'_, '_> {
    #[inline]
    fn head(&self) -> Option<&[u8]> {
        let end = self.at + self.run.record_bytes;
        (end <= self.filled).then(|| &self.buffer[self.at..end])
    }

    #[inline]
    fn advance(&mut self) -> Result<(), SortError> {
        self.at += self.run.record_bytes;
        if self.at >= self.filled {
            self.fill()
        } else {
            Ok(())
        }
    }
}
