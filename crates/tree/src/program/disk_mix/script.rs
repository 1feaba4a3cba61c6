//! One run of a script: its files, what is open, and what it does next.

use super::statistics::{
    COPY_READ_BYTES, COPY_WRITE_BYTES, Kind, OPERATIONS, READ_SIZES, WRITE_SIZES,
};
use super::{Proportions, push};
use crate::parts::How;
use crate::program::WORK;
use crate::program::answer::Answer;
use crate::program::builder::Builder;
use crate::program::operation::{Action, Creation, Span, Wanted};

/// What is prepared for a user.
#[derive(Debug)]
pub(super) struct Place {
    /// The files of the workspace, below the user's folder.
    pub workspace: Vec<Box<str>>,
    /// The files that all users share.
    pub shared: Vec<Box<str>>,
    /// Bytes of each.
    pub file_bytes: u64,
}

#[derive(Debug)]
pub(super) struct File {
    pub path: u32,
    pub name: String,
    pub bytes: u64,
    pub is_there: bool,
    pub opened: u32,
}

#[derive(Debug)]
pub(super) struct Handle {
    pub slot: u16,
    /// `None`: the folder.
    pub file: Option<usize>,
    pub position: Option<u64>,
}

/// One run of a script.
pub(super) struct Script<'a> {
    pub(super) folder: String,
    place: &'a Place,
    pub(super) builder: &'a mut Builder,
    pub(super) drawn: &'a mut Proportions,
    pub(super) files: Vec<File>,
    pub(super) handles: Vec<Handle>,
    names: u32,
}

impl<'a> Script<'a> {
    pub fn new(
        name: &str,
        place: &'a Place,
        builder: &'a mut Builder,
        drawn: &'a mut Proportions,
    ) -> Self {
        Self {
            folder: format!("{WORK}\\{name}"),
            place,
            builder,
            drawn,
            files: Vec::new(),
            handles: Vec::new(),
            names: 0,
        }
    }

    /// Writes a script of about this length; returns its actual length.
    pub fn write(mut self, length: usize) -> usize {
        let began = self.builder.len();
        self.copy();
        loop {
            let left = self.there().count() + self.handles.len();
            if self.builder.len() - began + left >= length {
                break;
            }
            // Copy a file when reads of copies have fallen behind their share.
            let stream = &mut self.drawn.stream;
            let next = self.drawn.reads.draw(stream, |_| true);
            if next.is_some_and(|size| READ_SIZES[size].0 == COPY_READ_BYTES) && self.wants_read() {
                self.copy();
            } else {
                self.act();
            }
        }
        while let Some(last) = self.handles.len().checked_sub(1) {
            self.close(last);
        }
        let left: Vec<usize> = self.there().collect();
        for file in left {
            self.unlink(file);
        }
        self.builder.len() - began
    }

    /// Whether a read would be drawn now.
    fn wants_read(&mut self) -> bool {
        let drawn = self.drawn.operations.draw(&mut self.drawn.stream, |_| true);
        drawn.is_some_and(|at| OPERATIONS[at].0 == Kind::Read)
    }

    pub(super) fn there(&self) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let there = |(at, file): (usize, &File)| file.is_there.then_some(at);
        self.files.iter().enumerate().filter_map(there)
    }

    pub(super) fn closed(&self) -> Vec<usize> {
        self.there()
            .filter(|at| self.files[*at].opened == 0)
            .collect()
    }

    /// Handles of files with at least `bytes` bytes.
    pub(super) fn open_with(&self, bytes: u64) -> Vec<usize> {
        let fits = |handle: &Handle| handle.file.is_some_and(|at| self.files[at].bytes >= bytes);
        (0..self.handles.len())
            .filter(|at| fits(&self.handles[*at]))
            .collect()
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        let at = self.drawn.stream.below(from.len() as u64) as usize;
        from.get(at).copied()
    }

    pub(super) fn add(&mut self, kind: Kind, action: Action, expected: Answer) {
        if let Some(at) = OPERATIONS.iter().position(|(each, _)| *each == kind) {
            self.drawn.operations.count(at);
        }
        push(self.builder, action, expected);
    }

    pub(super) fn path(&mut self, name: &str) -> u32 {
        let path = format!("{}\\{name}", self.folder);
        self.builder.path(&path, false)
    }

    pub(super) fn new_name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{:04}.dat", self.names)
    }

    /// Copies a file of the workspace into the folder, or reads one that all users share.
    fn copy(&mut self) {
        let size = |(bytes, _): &(u32, f64)| *bytes == COPY_WRITE_BYTES;
        let copied = WRITE_SIZES.iter().position(size).unwrap_or_default();
        let is_shared = !self.files.is_empty() && self.drawn.writes.is_ahead(copied);
        let place = self.place;
        let from = if is_shared {
            &place.shared
        } else {
            &place.workspace
        };
        let source = from[self.drawn.stream.below(from.len() as u64) as usize].clone();
        let path = self.builder.path(&source, is_shared);
        let Some(slot) = self.builder.take_slot() else {
            return;
        };
        self.add(
            Kind::Open,
            opening(path, slot, How::Open, true),
            Answer::Done,
        );
        let mut at = 0;
        while at < place.file_bytes {
            let left = place.file_bytes - at;
            // The rest of a copied file is read in units or at once; the rest of a shared file is
            // not read.
            let bytes = match u64::from(COPY_READ_BYTES) {
                whole if left >= whole => COPY_READ_BYTES,
                _ if is_shared => break,
                _ if self.drawn.stream.unit() < 0.5 => left as u32,
                _ => left.min(4096) as u32,
            };
            self.transfer(slot, at, bytes, (false, at > 0));
            at += u64::from(bytes);
        }
        if is_shared {
            self.add(Kind::Close, Action::Close { slot }, Answer::Done);
            self.builder.free_slot(slot);
            return;
        }
        let Some((to, file)) = self.create() else {
            return;
        };
        let mut at = 0;
        while at < place.file_bytes {
            let bytes = (place.file_bytes - at).min(COPY_WRITE_BYTES.into()) as u32;
            self.transfer(to, at, bytes, (true, at > 0));
            at += u64::from(bytes);
        }
        self.files[file].bytes = at;
        self.add(Kind::SetFile, Action::SetFile { slot: to }, Answer::Done);
        if let Some(handle) = self.handles.iter().position(|handle| handle.slot == to) {
            self.close(handle);
        }
        self.add(Kind::Close, Action::Close { slot }, Answer::Done);
        self.builder.free_slot(slot);
    }

    /// A read or write, also counted by its size, and by whether it continues where the last one
    /// ended.
    pub(super) fn transfer(
        &mut self,
        slot: u16,
        offset: u64,
        bytes: u32,
        (is_write, goes_on): (bool, bool),
    ) {
        let span = Span {
            offset,
            bytes,
            contents: 0,
        };
        let on = usize::from(!goes_on);
        if is_write {
            self.drawn.writes_on.count(on);
            if let Some(at) = WRITE_SIZES.iter().position(|(size, _)| *size == bytes) {
                self.drawn.writes.count(at);
            }
            self.add(Kind::Write, Action::Write { slot, span }, Answer::Done);
        } else {
            self.drawn.reads_on.count(on);
            if let Some(at) = READ_SIZES.iter().position(|(size, _)| *size == bytes) {
                self.drawn.reads.count(at);
            }
            let returned = bytes;
            self.add(
                Kind::Read,
                Action::Read {
                    slot,
                    span,
                    returned,
                },
                Answer::Done,
            );
        }
    }

    /// Makes a file under a new name and leaves it open.
    pub(super) fn create(&mut self) -> Option<(u16, usize)> {
        let name = self.new_name('n');
        let path = self.path(&name);
        let slot = self.builder.take_slot()?;
        self.add(
            Kind::Create,
            opening(path, slot, How::Create, false),
            Answer::Done,
        );
        self.files.push(File {
            path,
            name,
            bytes: 0,
            is_there: true,
            opened: 1,
        });
        let file = self.files.len() - 1;
        self.handles.push(Handle {
            slot,
            file: Some(file),
            position: None,
        });
        Some((slot, file))
    }

    pub(super) fn close(&mut self, at: usize) {
        let handle = self.handles.swap_remove(at);
        if let Some(file) = handle.file {
            self.files[file].opened -= 1;
        }
        let slot = handle.slot;
        self.add(Kind::Close, Action::Close { slot }, Answer::Done);
        self.builder.free_slot(slot);
    }

    pub(super) fn unlink(&mut self, at: usize) {
        self.files[at].is_there = false;
        let path = self.files[at].path;
        self.add(Kind::Unlink, Action::Unlink { path }, Answer::Done);
    }
}

/// Opens a file.
pub(super) const fn opening(path: u32, slot: u16, how: How, is_read_only: bool) -> Action {
    Action::Open {
        path,
        slot,
        creation: Creation {
            how,
            kind: Wanted::File,
            is_read_only,
        },
    }
}
