//! Opening and making files and folders.

use std::os::fd::OwnedFd;

use headcount_tree::parts::{Access, How};
use headcount_tree::program::operation::Wanted as Kind;
use headcount_tree::session::backend::Opening;
use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

use crate::calls::{Call, Calls, Failed, Made};
use crate::options::Mode;

/// Opens or makes a file, a folder or, if it may be either, whatever exists.
pub(super) fn open(
    opening: Opening,
    mode: Mode,
    calls: &mut Calls<'_>,
    path: &str,
) -> Made<Opened> {
    let wanted = Wanted {
        is_folder: opening.kind == Kind::Folder,
        access: opening.access,
        how: opening.how,
        mode,
    };
    match wanted.open(calls, path) {
        Err(failed) if opening.kind == Kind::Either && failed.errno == Errno::ISDIR => {
            let folder = Wanted {
                is_folder: true,
                how: How::Open,
                ..wanted
            };
            folder.open(calls, path)
        }
        opened => opened,
    }
}

/// What is opened, and how.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    is_folder: bool,
    access: Access,
    how: How,
    mode: Mode,
}

/// What was opened.
pub(super) struct Opened {
    pub file: OwnedFd,
    pub is_folder: bool,
    /// Its bytes; 0 for a folder.
    pub end_of_file: u64,
}

impl Wanted {
    fn open(self, calls: &mut Calls<'_>, path: &str) -> Made<Opened> {
        if self.is_folder {
            let file = self.open_folder(calls, path)?;
            return Ok(Opened {
                file,
                is_folder: true,
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
            is_folder: false,
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
                        match calls.make_folder(path) {
                            // Another user has made it meanwhile.
                            Err(failed) if failed.errno == Errno::EXIST => {}
                            made => made?,
                        }
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
            // Nothing is read or written, so the file itself need not be opened.
            Access::Delete | Access::Attributes if how.is_empty() => return OFlags::PATH,
            _ => OFlags::RDONLY,
        };
        // Truncating a file needs the right to write it.
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
    use std::os::fd::AsFd;
    use std::sync::Barrier;

    use headcount_tree::parts::OplockWish;

    use super::*;

    #[test]
    fn access_how_and_mode_become_flags() {
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
        // On Linux, O_TRUNC with O_RDONLY is unspecified.
        let emptied = flags(Access::Read, How::Empty, Mode::Buffered);
        assert_eq!(emptied, OFlags::RDWR | OFlags::TRUNC);
        let doomed = flags(Access::Delete, How::Open, Mode::Direct);
        assert_eq!(doomed, OFlags::PATH);
        let made = flags(Access::All, How::Create, Mode::Buffered);
        assert_eq!(made, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL);
    }

    #[test]
    fn users_who_make_the_same_folder_at_once_all_get_it() {
        let disk = tempfile::tempdir().unwrap();
        let root = std::fs::File::open(disk.path()).unwrap();
        let together = Barrier::new(4);
        let opening = Opening {
            kind: Kind::Folder,
            access: Access::Read,
            how: How::OpenOrCreate,
            oplock: OplockWish::None,
            is_alone: false,
        };
        let make = || {
            let mut calls = Calls::new(root.as_fd());
            let fails = |number: &u32| {
                together.wait();
                let opened = open(opening, Mode::Buffered, &mut calls, &number.to_string());
                opened.is_err()
            };
            (0..300).filter(fails).count()
        };
        let failures: usize = std::thread::scope(|scope| {
            let users: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
            users.into_iter().map(|user| user.join().unwrap()).sum()
        });
        assert_eq!(failures, 0);
    }
}
