//! Names, opening, and asking about names.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};
use headcount_ring::Target;
use headcount_tree::data_set::Place;
use headcount_tree::parts::{Access, How, Name, Open};
use headcount_tree::query::Query;
use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

use super::session::{FilesSession, Handle};
use crate::calls::{Call, Calls, Failed, Made};
use crate::errno;
use crate::options::Mode;

impl FilesSession {
    /// The place that a name means, and its path below the folder.
    pub(super) fn resolve(
        &self,
        name: &Name,
        slot: u8,
        user: &mut User,
    ) -> Result<(Place, Arc<str>), Fault> {
        let drawn = name
            .draw(&self.shared.data_set, user.stream())
            .map_err(|sentence| Fault::step(FaultKind::Refused, sentence))?;
        let place = match drawn {
            Some(place) => place,
            None => self.last[usize::from(name.of.unwrap_or(slot))].ok_or_else(|| {
                let sentence = "\"same\" means the name last opened in this slot; none was";
                Fault::step(FaultKind::Refused, sentence)
            })?,
        };
        let path = self.shared.path_of(self.number, place);
        Ok((place, around(&path, &name.before, &name.after).into()))
    }

    pub(super) async fn open_file(&mut self, open: &Open, user: &mut User) -> Result<(), Fault> {
        let slot = usize::from(open.slot);
        let (place, path) = self.resolve(&open.path, open.slot, user)?;
        let earlier = self.handles[slot].take(); // left by a scenario that failed in the middle
        self.last[slot] = Some(place);
        let wanted = Wanted {
            is_folder: open.folder || place.group.is_folder(),
            access: open.access,
            how: open.how,
            mode: self.shared.mode,
        };
        let opened = {
            let path = Arc::clone(&path);
            self.calls(&Arc::clone(&path), move |calls| {
                if let Some(earlier) = earlier {
                    earlier.end(calls)?;
                }
                wanted.open(calls, &path)
            })
            .await?
        };
        self.handles[slot] = Some(Handle {
            file: Target::open(File::from(opened.file)),
            place,
            path,
            position: 0,
            end_of_file: opened.end_of_file,
            is_folder: wanted.is_folder,
            is_doomed: false,
            is_listed: false,
        });
        Ok(())
    }

    /// Asks for a name that must not be there.
    pub(super) async fn probe(&self, name: &Name, user: &mut User) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        let asked = Arc::clone(&path);
        let found = self
            .attempt(move |calls| {
                let file = calls.open(&asked, OFlags::PATH)?;
                calls.close(file);
                Ok(())
            })
            .await?;
        missing(found, &path)
    }

    /// Asks about a name. `is_missing`: that there is nothing of this name is the success.
    pub(super) async fn inspect(
        &self,
        name: &Name,
        class: Query,
        is_missing: bool,
        user: &mut User,
    ) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        let asked = Arc::clone(&path);
        let found = self
            .attempt(move |calls| calls.inspect(&asked, class))
            .await?;
        if is_missing {
            return missing(found, &path);
        }
        found.map_err(|failed| errno::fault(failed, &path))
    }
}

fn missing(found: Made<()>, path: &str) -> Result<(), Fault> {
    match found {
        Err(failed) if failed.is_not_found() => Ok(()),
        Err(failed) => Err(errno::fault(failed, path)),
        Ok(()) => {
            let sentence = format!("openat2 \"{path}\": it exists, but should not");
            Err(Fault::step(FaultKind::Refused, sentence))
        }
    }
}

/// A path with something put around its last part.
fn around(path: &str, before: &str, after: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, last)) => format!("{folder}/{before}{last}{after}"),
        None => format!("{before}{path}{after}"),
    }
}

/// What is opened, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub is_folder: bool,
    pub access: Access,
    pub how: How,
    pub mode: Mode,
}

/// What was opened.
pub(super) struct Opened {
    pub file: OwnedFd,
    pub end_of_file: u64,
}

impl Wanted {
    pub fn open(self, calls: &mut Calls<'_>, path: &str) -> Made<Opened> {
        if self.is_folder {
            let file = self.open_folder(calls, path)?;
            return Ok(Opened {
                file,
                end_of_file: 0,
            });
        }
        let file = calls.open(path, self.flags())?;
        let found = calls.stat(&file)?;
        let kind = FileType::from_raw_mode(u32::from(found.stx_mode));
        if kind == FileType::Directory {
            calls.close(file);
            let (call, errno) = (Call::Open, Errno::ISDIR);
            return Err(Failed { call, errno });
        }
        Ok(Opened {
            file,
            end_of_file: found.stx_size,
        })
    }

    fn open_folder(self, calls: &mut Calls<'_>, path: &str) -> Made<OwnedFd> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY;
        match self.how {
            How::Open | How::Empty => calls.open(path, flags),
            How::Create => {
                calls.make_folder(path)?;
                calls.open(path, flags)
            }
            How::OpenOrCreate | How::EmptyOrCreate | How::ReplaceOrCreate => {
                match calls.open(path, flags) {
                    Err(failed) if failed.is_not_found() => {
                        calls.make_folder(path)?;
                        calls.open(path, flags)
                    }
                    other => other,
                }
            }
        }
    }

    fn flags(self) -> OFlags {
        let how = match self.how {
            How::Open => OFlags::empty(),
            How::Create => OFlags::CREATE | OFlags::EXCL,
            How::OpenOrCreate => OFlags::CREATE,
            How::EmptyOrCreate | How::ReplaceOrCreate => OFlags::CREATE | OFlags::TRUNC,
            How::Empty => OFlags::TRUNC,
        };
        let access = match self.access {
            Access::Write => OFlags::WRONLY,
            Access::ReadWrite | Access::All => OFlags::RDWR,
            // Nothing is read or written, so nothing need be asked of the file itself.
            Access::Delete | Access::Attributes if how.is_empty() => return OFlags::PATH,
            _ => OFlags::RDONLY,
        };
        // Whoever empties a file must be let write it.
        let access = if how.contains(OFlags::TRUNC) && access == OFlags::RDONLY {
            OFlags::RDWR
        } else {
            access
        };
        let mode = match self.mode {
            Mode::Buffered => OFlags::empty(),
            Mode::Direct => OFlags::DIRECT,
            Mode::Dsync => OFlags::DSYNC,
        };
        access | how | mode
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_put_around_the_last_part() {
        assert_eq!(around("a/b/c.doc", "~$", ".tmp"), "a/b/~$c.doc.tmp");
        assert_eq!(around("c.doc", "~", ""), "~c.doc");
    }

    #[test]
    fn what_is_opened_becomes_flags() {
        let flags = |access, how, mode| {
            let wanted = Wanted {
                is_folder: false,
                access,
                how,
                mode,
            };
            wanted.flags()
        };
        let write = flags(Access::Write, How::EmptyOrCreate, Mode::Dsync);
        let expected = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::DSYNC;
        assert_eq!(write, expected);
        let read = flags(Access::Read, How::Open, Mode::Direct);
        assert_eq!(read, OFlags::RDONLY | OFlags::DIRECT);
        // Linux leaves open what O_TRUNC does without the right to write.
        let emptied = flags(Access::Read, How::Empty, Mode::Buffered);
        assert_eq!(emptied, OFlags::RDWR | OFlags::TRUNC);
        let doomed = flags(Access::Delete, How::Open, Mode::Direct);
        assert_eq!(doomed, OFlags::PATH);
        let made = flags(Access::All, How::Create, Mode::Buffered);
        assert_eq!(made, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL);
    }
}
