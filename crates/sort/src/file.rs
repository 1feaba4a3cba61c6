//! Files read and written at given offsets, with counts of the bytes.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Advice, FallocateFlags, Mode, OFlags, fadvise, fallocate};

use crate::error::SortError;

/// A file with its name for messages, and counts of what was read and written.
#[derive(Debug)]
pub struct Counted {
    file: File,
    name: String,
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
}

impl Counted {
    /// Opens a file for reading.
    pub fn open(path: &Path, name: &str) -> Result<Self, SortError> {
        Self::take(File::open(path), name)
    }

    /// Opens a file that exists, for writing.
    pub fn write(path: &Path, name: &str) -> Result<Self, SortError> {
        Self::take(File::options().write(true).open(path), name)
    }

    /// A new file in `folder` without a name, so that it disappears with this process.
    ///
    /// If the file system does not support such files, a named one is made and unlinked at once.
    pub fn nameless(folder: &Path) -> Result<Self, SortError> {
        let name = format!("a work file in {}", folder.display());
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let opened = match rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => Ok(File::from(file)),
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR) => unlinked(folder),
            Err(error) => Err(error.into()),
        };
        Self::take(opened, &name)
    }

    fn take(opened: io::Result<File>, name: &str) -> Result<Self, SortError> {
        let file = opened.map_err(|error| SortError::of(format!("open {name}"), error))?;
        Ok(Self {
            file,
            name: name.to_owned(),
            read_bytes: AtomicU64::new(0),
            written_bytes: AtomicU64::new(0),
        })
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> Result<u64, SortError> {
        let found = self.file.metadata();
        Ok(found
            .map_err(|error| SortError::of(format!("look at {}", self.name), error))?
            .len())
    }

    /// Fills `buffer` from `offset` on.
    pub fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), SortError> {
        self.read_bytes
            .fetch_add(buffer.len() as u64, Ordering::Relaxed);
        self.file
            .read_exact_at(buffer, offset)
            .map_err(|error| SortError::of(format!("read {}", self.name), error))
    }

    /// Writes all of `buffer` to `offset`.
    pub fn write_at(&self, buffer: &[u8], offset: u64) -> Result<(), SortError> {
        self.written_bytes
            .fetch_add(buffer.len() as u64, Ordering::Relaxed);
        self.file
            .write_all_at(buffer, offset)
            .map_err(|error| SortError::of(format!("write {}", self.name), error))
    }

    /// Asks the system to begin reading the part that is needed next: the second buffer of a run is
    /// the system's. Errors are ignored.
    pub fn announce(&self, offset: u64, bytes: u64) {
        let _ = fadvise(&self.file, offset, NonZeroU64::new(bytes), Advice::WillNeed);
    }

    /// Tells the system that the file will be read sequentially. Errors are ignored.
    pub fn in_order(&self) {
        let _ = fadvise(&self.file, 0, None, Advice::Sequential);
    }

    /// Drops the pages of the file that are in the system's cache and already on disk.
    pub fn drop_cache(&self) -> Result<(), SortError> {
        fadvise(&self.file, 0, None, Advice::DontNeed)
            .map_err(|error| SortError::of(format!("drop the cache of {}", self.name), error))
    }

    /// Frees the space of a part, if the file system can.
    pub fn release(&self, offset: u64, bytes: u64) {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let _ = fallocate(&self.file, flags, offset, bytes);
    }

    /// Waits until all that was written is on the disk.
    pub fn sync(&self) -> Result<(), SortError> {
        self.file
            .sync_all()
            .map_err(|error| SortError::of(format!("put {} on the disk", self.name), error))
    }

    /// Bytes read so far.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    /// Bytes written so far.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes.load(Ordering::Relaxed)
    }
}

/// A new file that is unlinked as soon as it is open.
fn unlinked(folder: &Path) -> io::Result<File> {
    let path = free_name(folder);
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// A unique name: the process and a count that never repeats within it.
fn free_name(folder: &Path) -> PathBuf {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let count = MADE.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(".headcount-sort-{}-{count}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_file_has_no_name_either_way() {
        let folder = std::env::temp_dir().join(format!("headcount-file-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let nameless = Counted::nameless(&folder).unwrap();
        let other = unlinked(&folder).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        nameless.write_at(b"some bytes", 5).unwrap();
        let mut back = [0; 10];
        nameless.read(&mut back, 5).unwrap();
        assert_eq!(&back, b"some bytes");
        assert_eq!((nameless.read_bytes(), nameless.written_bytes()), (10, 10));
        assert_eq!(nameless.bytes().unwrap(), 15);
        drop(other);
        std::fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = Counted::nameless(Path::new("/nowhere/at-all")).unwrap_err();
        assert!(
            error.to_string().contains("a work file in /nowhere/at-all"),
            "{error}"
        );
    }
}
