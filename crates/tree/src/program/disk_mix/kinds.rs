//! What a script does next: something possible, in the proportions of the statistics.

use super::push;
use super::script::{Handle, Script, opening};
use super::statistics::{
    COPY_READ_BYTES, COPY_WRITE_BYTES, Kind, OPERATIONS, READ_SIZES, WRITE_SIZES,
};
use crate::parts::How;
use crate::program::answer::Answer;
use crate::program::operation::{Action, Creation, Wanted};
use crate::query::Query;

/// Files open at a time; the trace has up to 23.
const MOST_OPEN: usize = 12;
/// Files in the folder of a script at a time.
const MOST_FILES: usize = 40;
/// No file grows beyond this: the largest of the trace has 1.87 MB.
const MOST_BYTES: u64 = 1_835_008;
/// The offset of a lock: far beyond the end, as databases lock.
const LOCK_AT: u64 = 0x7FFF_0000;

impl Script<'_> {
    /// Does something that is possible now.
    pub(super) fn act(&mut self) {
        let (closed, open) = (self.closed().len(), self.open_with(0).len());
        let (handles, files) = (self.handles.len(), self.there().count());
        let possible = |at: usize| match OPERATIONS[at].0 {
            Kind::Open => handles < MOST_OPEN && files > 0,
            Kind::OpenEither => handles < MOST_OPEN,
            Kind::Create => handles < MOST_OPEN && files < MOST_FILES,
            Kind::Close => handles > 0,
            Kind::Read
            | Kind::Write
            | Kind::Flush
            | Kind::QueryFile
            | Kind::SetFile
            | Kind::Lock => open > 0,
            Kind::Unlink => closed > 0 && files > 2,
            Kind::Rename => closed > 0,
            _ => true,
        };
        let Some(drawn) = self.drawn.operations.draw(&mut self.drawn.stream, possible) else {
            return;
        };
        match OPERATIONS[drawn].0 {
            Kind::Open | Kind::OpenEither | Kind::Create | Kind::OpenMissing => {
                self.act_open(OPERATIONS[drawn].0);
            }
            Kind::Close => {
                let at = self.drawn.stream.below(handles as u64) as usize;
                self.close(at);
            }
            Kind::Read => self.act_read(),
            Kind::Write => self.act_write(),
            Kind::Unlink | Kind::Rename => self.act_name(OPERATIONS[drawn].0),
            kind => self.act_ask(kind),
        }
    }

    fn act_open(&mut self, kind: Kind) {
        let Some(slot) = self.builder.take_slot() else {
            return;
        };
        let folder = self.folder.clone();
        let there: Vec<usize> = self.there().collect();
        let is_folder = kind == Kind::OpenEither && self.drawn.stream.unit() < 0.5;
        let file = if is_folder { None } else { self.pick(&there) };
        match (kind, file) {
            (Kind::Create, _) => {
                self.builder.free_slot(slot);
                self.create();
                return;
            }
            (Kind::OpenMissing, _) => {
                let name = self.new_name('m');
                let path = self.path(&name);
                let action = opening(path, slot, How::Open, false);
                self.add(kind, action, Answer::Missing);
                self.builder.free_slot(slot);
                return;
            }
            (Kind::Open, Some(file)) => {
                let action = opening(self.files[file].path, slot, How::Open, false);
                self.add(kind, action, Answer::Done);
            }
            (_, file) => {
                let path = match file {
                    Some(file) => self.files[file].path,
                    None => self.builder.path(&folder, false),
                };
                let creation = Creation {
                    how: How::Open,
                    kind: Wanted::Either,
                    is_read_only: true,
                };
                let action = Action::Open {
                    path,
                    slot,
                    creation,
                };
                self.add(Kind::OpenEither, action, Answer::Done);
            }
        }
        if let Some(file) = file {
            self.files[file].opened += 1;
        }
        // A name opened as `OpenEither` is only queried.
        self.handles.push(Handle {
            slot,
            file: file.filter(|_| kind == Kind::Open),
            position: None,
        });
        if kind != Kind::Open
            && let Some(file) = file
        {
            self.files[file].opened -= 1;
            self.close(self.handles.len() - 1);
        }
    }

    fn act_read(&mut self) {
        let sizes = READ_SIZES.map(|(bytes, _)| self.open_with(bytes.into()).len());
        let possible = |at: usize| sizes[at] > 0 && READ_SIZES[at].0 != COPY_READ_BYTES;
        let Some(size) = self.drawn.reads.draw(&mut self.drawn.stream, possible) else {
            return self.open_largest();
        };
        let bytes = READ_SIZES[size].0;
        let fit = self.open_with(bytes.into());
        let Some(at) = self.pick(&fit) else {
            return;
        };
        let room = self.bytes_of(at) - u64::from(bytes);
        let goes_on = self.drawn.reads_on.draw(&mut self.drawn.stream, |_| true) == Some(0);
        let offset = self.offset(at, room, bytes, goes_on);
        self.transfer_on(at, offset, bytes, false);
    }

    /// Opens the largest file, to have something to read.
    fn open_largest(&mut self) {
        let largest = self.there().max_by_key(|at| self.files[*at].bytes);
        let (Some(file), Some(slot)) = (largest, self.builder.take_slot()) else {
            return;
        };
        let action = opening(self.files[file].path, slot, How::Open, false);
        self.add(Kind::Open, action, Answer::Done);
        self.files[file].opened += 1;
        self.handles.push(Handle {
            slot,
            file: Some(file),
            position: None,
        });
    }

    fn act_write(&mut self) {
        let possible = |at: usize| WRITE_SIZES[at].0 != COPY_WRITE_BYTES;
        let open = self.open_with(0);
        let drawn = self.drawn.writes.draw(&mut self.drawn.stream, possible);
        let (Some(size), Some(at)) = (drawn, self.pick(&open)) else {
            return;
        };
        let bytes = WRITE_SIZES[size].0;
        let end = self.bytes_of(at);
        let offset = if bytes == 1 && end < MOST_BYTES - 65_536 {
            // One byte at the future end of the file: how programs allocate space.
            let grown = (end + 1).next_multiple_of(4096) + 4096 * self.drawn.stream.below(8);
            grown - 1
        } else {
            let room = end.min(MOST_BYTES - 65_536);
            let goes_on = self.drawn.writes_on.draw(&mut self.drawn.stream, |_| true) == Some(0);
            self.offset(at, room, bytes, goes_on)
        };
        self.transfer_on(at, offset, bytes, true);
        let now = offset + u64::from(bytes);
        if let Some(file) = self.handles[at].file {
            self.files[file].bytes = end.max(now);
        }
    }

    fn bytes_of(&self, handle: usize) -> u64 {
        self.handles[handle]
            .file
            .map_or(0, |file| self.files[file].bytes)
    }

    /// A read or write on an open file.
    fn transfer_on(&mut self, handle: usize, offset: u64, bytes: u32, is_write: bool) {
        let goes_on = self.handles[handle].position == Some(offset);
        self.transfer(
            self.handles[handle].slot,
            offset,
            bytes,
            (is_write, goes_on),
        );
        self.handles[handle].position = Some(offset + u64::from(bytes));
    }

    /// Where a transfer starts: where the last one ended, if it continues there and that is at most
    /// `last`; otherwise at a random multiple of its size, or of a unit if that is smaller.
    fn offset(&mut self, handle: usize, last: u64, bytes: u32, goes_on: bool) -> u64 {
        match self.handles[handle].position {
            Some(position) if goes_on && position <= last => position,
            _ => {
                let grain = u64::from(bytes.clamp(512, 4096));
                self.drawn.stream.below(last / grain + 1) * grain
            }
        }
    }

    fn act_name(&mut self, kind: Kind) {
        let closed = self.closed();
        let Some(at) = self.pick(&closed) else {
            return;
        };
        if kind == Kind::Unlink {
            return self.unlink(at);
        }
        let name = self.new_name('r');
        let to = self.path(&name);
        let path = std::mem::replace(&mut self.files[at].path, to);
        self.files[at].name = name;
        self.add(kind, Action::Rename { path, to }, Answer::Done);
    }

    fn act_ask(&mut self, kind: Kind) {
        let there: Vec<usize> = self.there().collect();
        let open = self.open_with(0);
        let handle = self.pick(&open).map(|at| self.handles[at].slot);
        let slot = handle.unwrap_or_default();
        let file = self.pick(&there);
        let folder = self.folder.clone();
        let folder = self.builder.path(&folder, false);
        let (action, expected) = match kind {
            Kind::QueryMissing => {
                let name = self.new_name('m');
                let path = self.path(&name);
                let query = Query::Basic;
                (Action::QueryPath { path, query }, Answer::Missing)
            }
            Kind::QueryPath => {
                let query = match self.drawn.stream.below(4) {
                    0 => Query::NetworkOpen,
                    _ => Query::Basic,
                };
                let path = file.map_or(folder, |at| self.files[at].path);
                (Action::QueryPath { path, query }, Answer::Done)
            }
            Kind::Find | Kind::FindNone => {
                let name = match (kind, file) {
                    (Kind::FindNone, _) => self.new_name('m'),
                    (_, Some(at)) if self.drawn.stream.unit() < 0.1 => self.files[at].name.clone(),
                    _ => "*".to_owned(),
                };
                let mask = self.builder.mask(&name);
                let expected = if kind == Kind::Find {
                    Answer::Done
                } else {
                    Answer::Missing
                };
                (Action::Find { folder, mask }, expected)
            }
            Kind::Flush => (Action::Flush { slot }, Answer::Done),
            Kind::QueryFile => {
                let query = Query::Standard;
                (Action::QueryFile { slot, query }, Answer::Done)
            }
            Kind::SetFile => (Action::SetFile { slot }, Answer::Done),
            Kind::Lock => return self.act_lock(slot),
            _ => {
                let query = Query::FileSystemSize;
                (Action::QueryFs { query }, Answer::Done)
            }
        };
        self.add(kind, action, expected);
    }

    /// Locks a byte and unlocks it.
    fn act_lock(&mut self, slot: u16) {
        let (offset, bytes) = (LOCK_AT, 1);
        let lock = Action::Lock {
            slot,
            offset,
            bytes,
        };
        self.add(Kind::Lock, lock, Answer::Done);
        let unlock = Action::Unlock {
            slot,
            offset,
            bytes,
        };
        push(self.builder, unlock, Answer::Done);
    }
}
