//! Deleting a tree of pages, and nothing else.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode};
use rustix::io::Errno;
use serde::Serialize;

use super::cgi;
use super::set::PageSet;
use super::tree::{FOLDER, MARKER, TreeError, found_inscription, names, split};

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Files: pages, the CGI program.
    pub files: u64,
    /// Files and folders in its folders that are not of the data set. They were left, and so was
    /// the marker.
    pub left: u64,
}

/// Deletes the pages of the data set that the marker of `folder` names, its CGI program, the
/// directories that are then empty, the marker, and the folder itself if nothing else is in it.
/// Returns `None` if there is no folder, or an empty one.
pub fn sweep_tree(folder: &Path) -> Result<Option<Swept>, TreeError> {
    let system = |reason: io::Error| TreeError::System {
        path: folder.into(),
        reason,
    };
    let root = match rustix::fs::openat(CWD, folder, FOLDER, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => return Err(TreeError::NotAFolder(folder.into())),
        other => other.map_err(|errno| system(errno.into()))?,
    };
    let Some(inscription) = found_inscription(&root).map_err(system)? else {
        let empty = names(&root).map_err(system)?.is_empty();
        return if empty {
            Ok(None)
        } else {
            Err(TreeError::NotOurs(folder.into()))
        };
    };
    let set: PageSet = serde_json::from_slice(&inscription)
        .ok()
        .filter(|set: &PageSet| set.check().is_ok())
        .ok_or_else(|| TreeError::NotOurs(folder.into()))?;
    let swept = sweep(&root, &set).map_err(system)?;
    if swept.left == 0 {
        rustix::fs::unlinkat(&root, MARKER, AtFlags::empty())
            .map_err(|errno| system(errno.into()))?;
        let _ = std::fs::remove_dir(folder); // it may be a server's only root, or a mount
    }
    Ok(Some(swept))
}

fn sweep(root: &OwnedFd, set: &PageSet) -> io::Result<Swept> {
    let mut swept = Swept::default();
    let pages = set.files().map(|page| set.path(&page));
    let mut directories = BTreeSet::new();
    for path in pages.chain([cgi::PROGRAM.to_owned()]) {
        let (directory, name) = split(&path);
        let mut above = directory;
        while !above.is_empty() {
            directories.insert((above.matches('/').count(), above.to_owned()));
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
        }
        for name in [name.to_owned(), format!(".{name}.new")] {
            swept.files += u64::from(delete(root, directory, &name, AtFlags::empty())?);
        }
    }
    // The deepest first: what is still in them is not ours.
    for (_, directory) in directories.iter().rev() {
        let (above, name) = split(directory);
        match delete(root, above, name, AtFlags::REMOVEDIR) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                swept.left += names(&enter(root, directory)?)?.len() as u64;
            }
            other => drop(other?),
        }
    }
    let marker = MARKER.as_bytes();
    let mut foreign = names(root)?;
    foreign.retain(|name| name.to_bytes() != marker);
    let kept = |name: &std::ffi::CString| {
        let name = name.to_string_lossy();
        directories
            .iter()
            .any(|(depth, known)| *depth == 0 && *known == name)
    };
    swept.left += foreign.iter().filter(|name| !kept(name)).count() as u64;
    Ok(swept)
}

/// Deletes one name, without following links. Returns whether it existed.
fn delete(root: &OwnedFd, directory: &str, name: &str, flags: AtFlags) -> io::Result<bool> {
    let deleted = if directory.is_empty() {
        rustix::fs::unlinkat(root, name, flags)
    } else {
        match enter(root, directory) {
            Err(error) if is_absent(&error) => return Ok(false),
            folder => rustix::fs::unlinkat(&folder?, name, flags),
        }
    };
    match deleted.map_err(io::Error::from) {
        Err(error) if is_absent(&error) => Ok(false),
        other => other.map(|()| true),
    }
}

/// Whether nothing of ours is there: no such name, or a link or a file in a folder's place.
fn is_absent(error: &io::Error) -> bool {
    let codes = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::ISDIR];
    Errno::from_io_error(error).is_some_and(|errno| codes.contains(&errno))
}

/// Opens a directory below the root, following no links.
fn enter(root: &OwnedFd, directory: &str) -> io::Result<OwnedFd> {
    let mut here: Option<OwnedFd> = None;
    for part in directory.split('/') {
        let above = here.as_ref().unwrap_or(root);
        here = Some(rustix::fs::openat(above, part, FOLDER, Mode::empty())?);
    }
    here.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}
