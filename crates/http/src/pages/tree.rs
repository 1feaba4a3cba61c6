//! The pages as files in a local folder, for a server to serve.
//!
//! The folder has a marker, a file called `.headcount`, which describes the data set. A folder that
//! has files and no marker is not written to, nothing outside the folder is touched, and links in
//! it are not followed.

mod error;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use serde::Serialize;

pub use error::TreeError;

use super::cgi;
use super::content::fill;
use super::set::{Page, PageSet};

/// The file that marks a folder as Headcount's.
pub const MARKER: &str = ".headcount";

/// Space left free on the volume, so that nothing else on the machine runs out of it.
const RESERVE_BYTES: u64 = 64 << 20;

/// Bytes generated at a time.
const CHUNK: usize = 256 << 10;

/// The progress of writing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Pages looked at so far.
    pub pages_done: u64,
    /// Pages to look at.
    pub pages: u64,
    /// Bytes written so far.
    pub written_bytes: u64,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Pages that were written.
    pub created: u64,
    /// Pages that were there already.
    pub kept: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

/// The callback that gets the progress, and may cancel the writing.
pub type OnProgress<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// Pages between two reports of progress.
const TELL_EVERY: u64 = 200;

/// When an existing page is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// If its length is right.
    Long,
    /// If every byte is right, for which it is read.
    Right,
}

/// Writes the pages of `set` into `folder`, which is created if it is missing. Existing pages are
/// kept as `kept` says; what another data set has left is deleted first.
pub fn write_tree(
    folder: &Path,
    set: &PageSet,
    kept: Kept,
    on_progress: &mut OnProgress<'_>,
) -> Result<Written, TreeError> {
    set.check().map_err(TreeError::Options)?;
    let mut ground = Ground::claim(folder, set)?;
    ground.check_space(set)?;
    let pages = set.files().count() as u64;
    let mut written = Written::default();
    for (page, done) in set.files().zip(0u64..) {
        if done % TELL_EVERY == 0 {
            let written_bytes = written.written_bytes;
            let progress = Progress {
                pages_done: done,
                pages,
                written_bytes,
            };
            if on_progress(progress).is_break() {
                return Err(TreeError::Cancelled);
            }
        }
        if ground.provide(set, &page, kept)? {
            written.created += 1;
            written.written_bytes += page.bytes;
        } else {
            written.kept += 1;
        }
    }
    if set.classes.iter().any(|class| class.cgi) {
        ground.provide_program()?;
    }
    Ok(written)
}

/// The folder that the pages are written to.
struct Ground {
    root: OwnedFd,
    path: PathBuf,
    /// The directory used last, because pages come directory by directory.
    last: Option<(String, OwnedFd)>,
}

pub(super) const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Pages are readable by all: a server may run as another user.
const READABLE: Mode = Mode::from_raw_mode(0o644);
const EXECUTABLE: Mode = Mode::from_raw_mode(0o755);

impl Ground {
    /// Opens the folder. Creates and marks it if needed, and clears it of another data set.
    fn claim(folder: &Path, set: &PageSet) -> Result<Self, TreeError> {
        let system = |reason| TreeError::System {
            path: folder.into(),
            reason,
        };
        match std::fs::create_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other.map_err(system)?,
        }
        let root = match rustix::fs::openat(CWD, folder, FOLDER, Mode::empty()) {
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(TreeError::NotAFolder(folder.into())),
            other => other.map_err(|errno| system(errno.into()))?,
        };
        let ground = Self {
            root,
            path: folder.into(),
            last: None,
        };
        let inscription = inscription(set);
        match found_inscription(&ground.root).map_err(system)? {
            Some(found) if found == inscription => {}
            Some(_) => {
                clear(&ground.root, Some(MARKER)).map_err(system)?;
                ground.mark(&inscription)?;
            }
            None => {
                if !names(&ground.root).map_err(system)?.is_empty() {
                    return Err(TreeError::NotOurs(folder.into()));
                }
                ground.mark(&inscription)?;
            }
        }
        Ok(ground)
    }

    fn system(&self, below: &str, reason: impl Into<io::Error>) -> TreeError {
        TreeError::System {
            path: self.path.join(below),
            reason: reason.into(),
        }
    }

    fn mark(&self, inscription: &[u8]) -> Result<(), TreeError> {
        let write = |out: &mut dyn Write| out.write_all(inscription);
        replace(&self.root, MARKER, READABLE, write).map_err(|error| self.system(MARKER, error))
    }

    /// Fails if the pages do not fit, before any of them is written.
    fn check_space(&mut self, set: &PageSet) -> Result<(), TreeError> {
        let mut needed_bytes = 0;
        for page in set.files() {
            if !self.is_there(set, &page)? {
                needed_bytes += page.bytes;
            }
        }
        let status = rustix::fs::fstatvfs(&self.root).map_err(|errno| self.system("", errno))?;
        let free_bytes = status.f_bavail.saturating_mul(status.f_frsize);
        if needed_bytes > 0 && needed_bytes.saturating_add(RESERVE_BYTES) > free_bytes {
            return Err(TreeError::NoSpace {
                folder: self.path.clone(),
                needed_bytes: needed_bytes.saturating_add(RESERVE_BYTES),
                free_bytes,
            });
        }
        Ok(())
    }

    /// Writes a page unless it may be kept. Returns whether it was written.
    fn provide(&mut self, set: &PageSet, page: &Page, kept: Kept) -> Result<bool, TreeError> {
        if self.is_there(set, page)? && (kept == Kept::Long || self.is_right(set, page)?) {
            return Ok(false);
        }
        let path = set.path(page);
        let (directory, name) = split(&path);
        let folder = self.enter(directory)?;
        let write = |out: &mut dyn Write| write_page(set, page, out);
        replace(folder, name, READABLE, write).map_err(|error| self.system(&path[1..], error))?;
        Ok(true)
    }

    fn is_there(&mut self, set: &PageSet, page: &Page) -> Result<bool, TreeError> {
        let path = set.path(page);
        let (directory, name) = split(&path);
        let folder = self.enter(directory)?;
        let Ok(status) = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return Ok(false);
        };
        let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
        Ok(is_file && status.st_size.cast_unsigned() == page.bytes)
    }

    /// Whether a file of the right length holds the page; false if it cannot be read.
    fn is_right(&mut self, set: &PageSet, page: &Page) -> Result<bool, TreeError> {
        let path = set.path(page);
        let (directory, name) = split(&path);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(self.enter(directory)?, name, flags, Mode::empty());
        let mut found = Vec::with_capacity(page.bytes as usize);
        let read = opened
            .map_err(io::Error::from)
            .and_then(|file| io::Read::read_to_end(&mut std::fs::File::from(file), &mut found));
        Ok(read.is_ok() && super::content::check(set.owner(page), 0, &found).is_ok())
    }

    fn provide_program(&mut self) -> Result<(), TreeError> {
        let (directory, name) = split(cgi::PROGRAM);
        let folder = self.enter(directory)?;
        let write = |out: &mut dyn Write| out.write_all(cgi::program().as_bytes());
        replace(folder, name, EXECUTABLE, write).map_err(|error| self.system(cgi::PROGRAM, error))
    }

    /// Opens a directory below the root, created if it is missing.
    fn enter(&mut self, directory: &str) -> Result<&OwnedFd, TreeError> {
        if directory.is_empty() {
            return Ok(&self.root);
        }
        if self.last.as_ref().is_none_or(|(name, _)| name != directory) {
            let entered = walk(&self.root, directory);
            let entered = entered.map_err(|error| self.system(directory, error))?;
            self.last = Some((directory.to_owned(), entered));
        }
        Ok(self.last.as_ref().map_or(&self.root, |(_, folder)| folder))
    }
}

/// The contents of the marker: the data set, so that a later run can recognise it.
fn inscription(set: &PageSet) -> Vec<u8> {
    let mut text = serde_json::to_vec(set).unwrap_or_default(); // plain data: cannot fail
    text.push(b'\n');
    text
}

/// The contents of the marker; `None` if there is none, or it is not a regular file.
pub(super) fn found_inscription(root: &OwnedFd) -> io::Result<Option<Vec<u8>>> {
    let status = match rustix::fs::statat(root, MARKER, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        other => other?,
    };
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(root, MARKER, flags, Mode::empty())?;
    let mut found = Vec::new();
    io::Read::read_to_end(&mut std::fs::File::from(file), &mut found)?;
    Ok(Some(found))
}

pub(super) fn split(path: &str) -> (&str, &str) {
    let path = path.trim_start_matches('/');
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Opens a directory below `root`, creating what is missing and following no links.
fn walk(root: &OwnedFd, directory: &str) -> io::Result<OwnedFd> {
    let mut here = None;
    for part in directory.split('/') {
        let above = here.as_ref().unwrap_or(root);
        match rustix::fs::mkdirat(above, part, EXECUTABLE) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        here = Some(rustix::fs::openat(above, part, FOLDER, Mode::empty())?);
    }
    here.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Writes a file under another name and renames it, so that readers find either the old or the new
/// one whole.
fn replace(
    folder: &OwnedFd,
    name: &str,
    mode: Mode,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let beside = format!(".{name}.new");
    match rustix::fs::unlinkat(folder, &*beside, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = std::fs::File::from(rustix::fs::openat(folder, &*beside, flags, mode)?);
    write(&mut file)?;
    rustix::fs::fchmod(&file, mode)?; // regardless of the umask
    Ok(rustix::fs::renameat(folder, &*beside, folder, name)?)
}

fn write_page(set: &PageSet, page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK.min(page.bytes as usize)];
    let mut offset = 0;
    while offset < page.bytes {
        let length = chunk.len().min((page.bytes - offset) as usize);
        fill(set.owner(page), offset, &mut chunk[..length]);
        out.write_all(&chunk[..length])?;
        offset += length as u64;
    }
    Ok(())
}

pub(super) fn names(folder: &OwnedFd) -> io::Result<Vec<std::ffi::CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    Ok(names)
}

/// Deletes what is in a folder, except for one name.
fn clear(folder: &OwnedFd, keep: Option<&str>) -> io::Result<()> {
    for name in names(folder)? {
        if keep.is_some_and(|keep| keep.as_bytes() == name.to_bytes()) {
            continue;
        }
        let status = rustix::fs::statat(folder, &*name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(status.st_mode) == FileType::Directory {
            let below = rustix::fs::openat(folder, &*name, FOLDER, Mode::empty())?;
            clear(&below, None)?;
            rustix::fs::unlinkat(folder, &*name, AtFlags::REMOVEDIR)?;
        } else {
            rustix::fs::unlinkat(folder, &*name, AtFlags::empty())?;
        }
    }
    Ok(())
}
