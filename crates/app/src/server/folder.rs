//! The folder of the data set: marked as Headcount's, and never left through a link.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::error::FolderError;

/// The file that marks a folder as Headcount's.
pub(crate) const MARKER: &str = ".headcount";

const MARKER_TEXT: &[u8] = b"This folder belongs to Headcount's application server. Files named \
client-*.dat and data-set.json are written and deleted by it.\n";

/// An open folder with the marker.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder, creating it if it is missing and marking it if it is empty.
    pub(crate) fn open(path: &Path) -> Result<Self, FolderError> {
        let system = |reason: io::Error| FolderError::System {
            path: path.into(),
            reason,
        };
        match std::fs::create_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other.map_err(system)?,
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(FolderError::NotAFolder(path.into())),
            other => other.map_err(|errno| system(errno.into()))?,
        };
        let folder = Self {
            handle,
            path: path.into(),
        };
        if !folder.is_marked().map_err(system)? {
            if !folder.names().map_err(system)?.is_empty() {
                return Err(FolderError::NotOurs(path.into()));
            }
            let mut marker = folder.create(MARKER).map_err(system)?;
            marker.write_all(MARKER_TEXT).map_err(system)?;
        }
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn is_marked(&self) -> io::Result<bool> {
        match rustix::fs::statat(&self.handle, MARKER, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => Ok(FileType::from_raw_mode(status.st_mode) == FileType::RegularFile),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The names of everything in it, `.` and `..` left out.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Opens a regular file in it; a symbolic link is an error.
    pub(crate) fn open_file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        debug_assert!(!name.contains('/'));
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::openat(
            &self.handle,
            name,
            flags,
            Mode::RUSR | Mode::WUSR,
        )?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{name} is not a file"),
            ))
        }
    }

    /// Creates a file, replacing one that already has this name.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        self.remove(name)?;
        self.open_file(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
    }

    /// Renames a file within the folder, replacing the one that has the new name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, from, &self.handle, to)?)
    }

    /// Deletes a file, if it exists.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Length of a file, or `None` when there is no regular file of this name.
    pub(crate) fn length(&self, name: &str) -> Option<u64> {
        let status = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let regular = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
        regular.then_some(status.st_size.cast_unsigned())
    }

    /// Bytes that may still be written to its file system.
    pub(crate) fn free_bytes(&self) -> io::Result<u64> {
        let status = rustix::fs::fstatvfs(&self.handle)?;
        Ok(status.f_bavail.saturating_mul(status.f_frsize))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn new_and_empty_folders_are_marked_and_opened_again() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b");
        let folder = Folder::open(&path).unwrap();
        assert_eq!(folder.names().unwrap(), [MARKER]);
        fs::write(path.join("something"), "x").unwrap();
        assert!(
            Folder::open(&path).is_ok(),
            "marked, so it may hold something"
        );
    }

    #[test]
    fn folders_of_others_are_refused_and_left_alone() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("letter"), "x").unwrap();
        assert!(matches!(
            Folder::open(home.path()),
            Err(FolderError::NotOurs(_))
        ));
        assert!(!home.path().join(MARKER).exists());
        let link = home.path().join("link");
        symlink("/tmp", &link).unwrap();
        assert!(matches!(
            Folder::open(&link),
            Err(FolderError::NotAFolder(_))
        ));
        let letter = home.path().join("letter");
        assert!(matches!(
            Folder::open(&letter),
            Err(FolderError::NotAFolder(_))
        ));
    }

    #[test]
    fn a_marker_that_is_a_link_does_not_count() {
        let home = tempfile::tempdir().unwrap();
        symlink("/etc/hostname", home.path().join(MARKER)).unwrap();
        assert!(matches!(
            Folder::open(home.path()),
            Err(FolderError::NotOurs(_))
        ));
    }

    #[test]
    fn links_are_not_followed_and_creating_replaces_the_link_itself() {
        let home = tempfile::tempdir().unwrap();
        let outside = home.path().join("outside");
        fs::write(&outside, "precious").unwrap();
        let folder = Folder::open(&home.path().join("data")).unwrap();
        symlink(&outside, home.path().join("data/client-000000.dat")).unwrap();
        assert!(folder.open_file("client-000000.dat", OFlags::RDWR).is_err());
        assert_eq!(folder.length("client-000000.dat"), None);
        folder
            .create("client-000000.dat")
            .unwrap()
            .write_all(b"ours")
            .unwrap();
        assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
    }
}
