//! The test file: in a folder of the disk, and deleted with the process whatever happens.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{FallocateFlags, OFlags, StatVfs};
use rustix::io::Errno;
use serde::Serialize;

use crate::error::DiskError;
use crate::setup::Setup;

/// What stays free beside the test file, so that others can still write to the disk.
const KEPT_FREE: u64 = 16 << 20;

/// Where a file system stores its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// On a disk, or what the kernel considers one.
    Disk,
    /// In memory.
    Memory,
    /// On another machine, or behind a program: figures include more than a disk.
    Elsewhere,
}

/// Numbers of file systems (`statfs(2)`, linux/magic.h).
const TMPFS: u64 = 0x0102_1994;
const RAMFS: u64 = 0x8584_58f6;
/// NFS, CIFS, SMB2, SMB, Ceph, 9P, FUSE, AFS, Lustre, GPFS.
const ELSEWHERE: [u64; 10] = [
    0x6969,
    0xff53_4d42,
    0xfe53_4d42,
    0x517b,
    0x00c3_6400,
    0x0102_1997,
    0x6573_5546,
    0x5346_414f,
    0x0bd0_0bd0,
    0x4750_4653,
];

/// Where the folder's file system stores its files.
pub fn kept(folder: &Path) -> io::Result<Kept> {
    // The field's width differs between architectures; the numbers have 32 bits.
    let magic = u64::from(rustix::fs::statfs(folder)?.f_type as u32);
    Ok(match magic {
        TMPFS | RAMFS => Kept::Memory,
        magic if ELSEWHERE.contains(&magic) => Kept::Elsewhere,
        _ => Kept::Disk,
    })
}

/// Makes an empty test file, without a name or already unlinked.
pub fn make(setup: &Setup) -> Result<File, DiskError> {
    let folder = &setup.folder;
    let found = std::fs::metadata(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => DiskError::NoFolder(folder.clone()),
        _ => not_writable(folder, &error),
    })?;
    if !found.is_dir() {
        return Err(DiskError::NotAFolder(folder.clone()));
    }
    let kept = kept(folder).map_err(|error| not_writable(folder, &error))?;
    if kept == Kept::Memory && setup.direct {
        return Err(DiskError::Memory(folder.clone()));
    }
    let file = nameless(setup).map_err(|error| not_writable(folder, &error))?;
    if setup.direct {
        let flags = rustix::fs::fcntl_getfl(&file).map_err(io::Error::from);
        let flags = flags.map_err(|error| not_writable(folder, &error))?;
        rustix::fs::fcntl_setfl(&file, flags | OFlags::DIRECT)
            .map_err(|_| DiskError::NoDirect(folder.clone()))?;
    }
    check_space(&file, setup)?;
    Ok(file)
}

/// Reserves the file's space if the file system can, so that it cannot run out half way.
pub fn reserve(file: &File, bytes: u64) -> Result<(), DiskError> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
        Err(errno) => {
            let error = io::Error::from(errno);
            Err(DiskError::of_io("reserving", 0, bytes as usize, error))
        }
    }
}

fn nameless(setup: &Setup) -> io::Result<File> {
    let mut flags = OFlags::empty();
    flags.set(OFlags::DSYNC, setup.sync);
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options.custom_flags((flags | OFlags::TMPFILE).bits().cast_signed());
    match options.open(&setup.folder) {
        Err(error) if cannot_be_nameless(&error) => named_and_removed(setup, flags),
        opened => opened,
    }
}

/// Whether this is the error of a file system or kernel that does not support files without a name.
fn cannot_be_nameless(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(
        errno,
        Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT)
    )
}

/// A file that is unlinked at once: it lives as long as its handle.
fn named_and_removed(setup: &Setup, flags: OFlags) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    options.custom_flags(flags.bits().cast_signed());
    let name = format!(
        "headcount-disk-{}-{:016x}.tmp",
        std::process::id(),
        setup.seed
    );
    let path = setup.folder.join(name);
    let file = options.open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

fn check_space(file: &File, setup: &Setup) -> Result<(), DiskError> {
    let status: StatVfs = rustix::fs::fstatvfs(file).map_err(|errno| {
        let error = io::Error::from(errno);
        not_writable(&setup.folder, &error)
    })?;
    let free = status.f_bavail.saturating_mul(status.f_frsize);
    let needed = setup.size_bytes.saturating_add(KEPT_FREE);
    if free >= needed {
        return Ok(());
    }
    Err(DiskError::NoSpace {
        folder: setup.folder.clone(),
        free: mebibytes(free),
        needed: mebibytes(needed),
    })
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

fn not_writable(folder: &Path, error: &io::Error) -> DiskError {
    let mut reason = match error.kind() {
        io::ErrorKind::PermissionDenied => "you may not write there".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => error.to_string(),
    };
    let mode = std::fs::metadata(folder).map(|found| found.permissions().mode());
    if let (io::ErrorKind::PermissionDenied, Ok(mode)) = (error.kind(), mode) {
        reason = format!("{reason} (its mode is {:o})", mode & 0o7777);
    }
    DiskError::NotWritable {
        folder: folder.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;
    use crate::setup::Engine;

    #[test]
    fn files_that_need_a_name_lose_it_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let setup = Setup {
            folder: folder.path().to_owned(),
            size_bytes: 1 << 20,
            direct: false,
            sync: false,
            verify: false,
            engine: Engine::Threads,
            seed: 9,
            unit_bytes: 4096,
        };
        let file = named_and_removed(&setup, OFlags::empty()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        file.write_all_at(b"still there", 0).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 11);
        let again = named_and_removed(&setup, OFlags::empty());
        assert!(again.is_ok(), "the name is free again");
    }

    #[test]
    fn files_are_named_only_if_nameless_ones_are_unsupported() {
        let errno = |errno: Errno| io::Error::from(errno);
        assert!(cannot_be_nameless(&errno(Errno::OPNOTSUPP)));
        assert!(!cannot_be_nameless(&errno(Errno::ACCESS)));
        assert!(!cannot_be_nameless(&errno(Errno::NOSPC)));
    }
}
