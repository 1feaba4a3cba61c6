//! Load files of dbench: a line for each operation, its last word the status that is expected.
//!
//! `OPERATION arguments NT_STATUS_...`, blanks between words, paths and masks in quotes. Lines that
//! are empty or begin with `#` are skipped.

mod line;
mod path;

use std::collections::HashMap;

use super::Program;
use super::answer::Answer;
use super::builder::{Builder, MOST_SLOTS};
use super::operation::{Action, Creation, Kind, Operation, Span, Wanted};
use crate::parts::How;
use crate::program::WORK;
use line::{Line, file_system_query, query};
use path::{OTHER, below, split_mask};

/// The largest read or write of SMB servers.
const MOST_SPAN_BYTES: u64 = 8 << 20;
/// Operations of the longest program: some 400 MB of memory.
const MOST_OPERATIONS: usize = 10_000_000;

/// What is wrong with a load file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct LoadFileError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// Parses a load file. With `ignores_times`, time stamps before operations are skipped; without it
/// they are an error, since operations are played without pauses.
pub fn parse(text: &str, ignores_times: bool) -> Result<Program, LoadFileError> {
    let mut reader = Reader::default();
    for (index, text) in text.lines().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let wrong = |problem| LoadFileError {
            line: number,
            problem,
        };
        let read = Line::of(text, ignores_times).map_err(wrong)?;
        if let Some(line) = read {
            reader.read(&line, number).map_err(wrong)?;
        }
    }
    reader.finish()
}

/// A load file being read.
#[derive(Debug, Default)]
struct Reader {
    builder: Builder,
    count: usize,
    /// Open files by their number in the load file.
    handles: HashMap<u64, u16>,
    makes_work: bool,
    needs_other: bool,
}

impl Reader {
    fn finish(mut self) -> Result<Program, LoadFileError> {
        if self.count == 0 {
            return Err(LoadFileError {
                line: 1,
                problem: "this file has no operations, so it is not a load file".into(),
            });
        }
        if !self.makes_work {
            self.builder.folder(WORK);
        }
        if self.needs_other {
            self.builder.folder(OTHER);
        }
        Ok(self.builder.build(|_| None))
    }

    fn read(&mut self, line: &Line<'_>, number: u32) -> Result<(), String> {
        if self.count == MOST_OPERATIONS {
            return Err(format!(
                "this is the {MOST_OPERATIONS}th operation; no more are played"
            ));
        }
        if self.count == 0 {
            self.builder.entry();
        }
        let action = self.action(line)?;
        self.builder.push(Operation {
            action,
            expected: line.expected,
            line: number,
        });
        self.count += 1;
        Ok(())
    }

    fn action(&mut self, line: &Line<'_>) -> Result<Action, String> {
        Ok(match line.kind {
            Kind::Open => self.open(line)?,
            Kind::Close => self.close(line)?,
            Kind::Read => {
                let (slot, span, returned) = self.transfer(line)?;
                Action::Read {
                    slot,
                    span,
                    returned,
                }
            }
            Kind::Write => {
                let (slot, span, returned) = self.transfer(line)?;
                if returned != span.bytes {
                    return Err(format!(
                        "{returned} of {} bytes are to be written; only whole writes are played",
                        span.bytes
                    ));
                }
                Action::Write { slot, span }
            }
            Kind::Flush => {
                line.has(&["handle"])?;
                Action::Flush {
                    slot: self.slot(line)?,
                }
            }
            Kind::QueryPath => {
                line.has(&["path", "level"])?;
                Action::QueryPath {
                    path: self.path(line, 0)?,
                    query: query(line.number(1, "level")?),
                }
            }
            Kind::QueryFile => {
                line.has(&["handle", "level"])?;
                Action::QueryFile {
                    slot: self.slot(line)?,
                    query: query(line.number(1, "level")?),
                }
            }
            Kind::QueryFs => {
                line.has(&["level"])?;
                Action::QueryFs {
                    query: file_system_query(line.number(0, "level")?),
                }
            }
            Kind::SetFile => {
                line.has(&["handle", "level"])?;
                Action::SetFile {
                    slot: self.slot(line)?,
                }
            }
            Kind::Find => {
                line.has(&["mask", "level", "most", "count"])?;
                let (folder, mask) = split_mask(line.text(0))?;
                Action::Find {
                    folder: self.number_of(&folder),
                    mask: self.builder.mask(mask),
                }
            }
            Kind::Lock | Kind::Unlock => self.lock(line)?,
            Kind::Unlink | Kind::Rename | Kind::Mkdir | Kind::Rmdir | Kind::DeleteTree => {
                self.name(line)?
            }
        })
    }

    fn close(&mut self, line: &Line<'_>) -> Result<Action, String> {
        line.has(&["handle"])?;
        let slot = self.slot(line)?;
        if line.expected == Answer::Done {
            self.handles.remove(&line.number(0, "handle")?);
            self.builder.free_slot(slot);
        }
        Ok(Action::Close { slot })
    }

    /// Operations on names alone.
    fn name(&mut self, line: &Line<'_>) -> Result<Action, String> {
        match line.kind {
            Kind::Unlink if line.words() == 2 => {} // with the file's allowed attributes
            Kind::Rename => line.has(&["path", "new path"])?,
            _ => line.has(&["path"])?,
        }
        let path = self.path(line, 0)?;
        Ok(match line.kind {
            Kind::Unlink => Action::Unlink { path },
            Kind::Rename => Action::Rename {
                path,
                to: self.path(line, 1)?,
            },
            Kind::Mkdir => {
                self.note_work(line, 0)?;
                Action::Mkdir { path }
            }
            Kind::Rmdir => Action::Rmdir { path },
            _ => Action::DeleteTree { path },
        })
    }

    fn open(&mut self, line: &Line<'_>) -> Result<Action, String> {
        line.has(&["path", "options", "disposition", "handle"])?;
        let path = self.path(line, 0)?;
        let options = line.number(1, "options")?;
        if options & 0x1000 != 0 {
            return Err("option 0x1000 (deleted when closed) is not played; use Unlink".into());
        }
        let kind = match options & 0x41 {
            0x01 => Wanted::Folder,
            0x40 => Wanted::File,
            0x00 => Wanted::Either,
            _ => {
                return Err(
                    "options 0x1 (a folder) and 0x40 (no folder) exclude each other".into(),
                );
            }
        };
        let how = match line.number(2, "disposition")? {
            0 => How::ReplaceOrCreate,
            1 => How::Open,
            2 => How::Create,
            3 => How::OpenOrCreate,
            4 => How::Empty,
            5 => How::EmptyOrCreate,
            other => {
                return Err(format!(
                    "the disposition must be from 0 to 5; it is {other}"
                ));
            }
        };
        if kind == Wanted::Folder && how != How::Open {
            self.note_work(line, 0)?;
        }
        let handle = line.number(3, "handle")?;
        let is_opened = line.expected == Answer::Done;
        // An open that is expected to fail has no handle: the number in the file may be another
        // file's.
        let slot = match self.handles.get(&handle) {
            Some(slot) if is_opened => *slot,
            _ => self.builder.take_slot().ok_or_else(|| {
                format!("more than {MOST_SLOTS} files are open: are there lines with Close?")
            })?,
        };
        if is_opened {
            self.handles.insert(handle, slot);
        } else {
            self.builder.free_slot(slot);
        }
        Ok(Action::Open {
            path,
            slot,
            creation: Creation {
                how,
                kind,
                is_read_only: false,
            },
        })
    }

    fn transfer(&self, line: &Line<'_>) -> Result<(u16, Span, u32), String> {
        line.has(&["handle", "offset", "size", "returned"])?;
        let (offset, bytes) = (line.number(1, "offset")?, line.number(2, "size")?);
        let returned = line.number(3, "returned size")?;
        if bytes > MOST_SPAN_BYTES || returned > bytes || offset > i64::MAX as u64 - bytes {
            return Err(format!(
                "the size must be up to {MOST_SPAN_BYTES}, the returned size no more than that, \
                 and offset and size together below 2^63; they are {bytes}, {returned}, {offset}"
            ));
        }
        let span = Span {
            offset,
            bytes: bytes as u32,
            contents: 0,
        };
        Ok((self.slot(line)?, span, returned as u32))
    }

    fn lock(&self, line: &Line<'_>) -> Result<Action, String> {
        line.has(&["handle", "offset", "size"])?;
        let slot = self.slot(line)?;
        let (offset, bytes) = (line.number(1, "offset")?, line.number(2, "size")?);
        Ok(if line.kind == Kind::Lock {
            Action::Lock {
                slot,
                offset,
                bytes,
            }
        } else {
            Action::Unlock {
                slot,
                offset,
                bytes,
            }
        })
    }

    /// The slot of an operation's handle, its first word.
    fn slot(&self, line: &Line<'_>) -> Result<u16, String> {
        let handle = line.number(0, "handle")?;
        self.handles.get(&handle).copied().ok_or_else(|| {
            let word = line.kind.name();
            format!("{word} on handle {handle}, which no NTCreateX before it has opened")
        })
    }

    fn path(&mut self, line: &Line<'_>, at: usize) -> Result<u32, String> {
        let path = below(line.text(at))?;
        Ok(self.number_of(&path))
    }

    fn number_of(&mut self, path: &str) -> u32 {
        self.needs_other |= path.split('\\').next() == Some(OTHER);
        self.builder.path(path, false)
    }

    /// Notes if this operation makes the client's folder.
    fn note_work(&mut self, line: &Line<'_>, at: usize) -> Result<(), String> {
        self.makes_work |= line.expected == Answer::Done && below(line.text(at))? == WORK;
        Ok(())
    }
}
