//! What works in a folder.

use std::os::fd::AsFd;

use rustix::fs::{Mode as FileMode, OFlags, StatVfsMountFlags, fstatvfs, openat};
use rustix::io::Errno;
use serde::Serialize;

use super::error::ProvisionError;
use super::territory::about;
use crate::calls::{Call, Failed};
use crate::client::{Files, FilesError, Shared};
use crate::errno;
use crate::options::{FilesOptions, Mode};

/// What works in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// How reads and writes are made: `io_uring` or `threads`.
    pub engine: &'static str,
    /// Why `io_uring` is not used, if it is not.
    pub without_ring: Option<String>,
    /// The most threads that wait for calls.
    pub threads: u16,
    /// Bytes that this user may still write there.
    pub free_bytes: u64,
}

/// Examines the folder. Writes nothing that has a name.
pub fn hello(options: FilesOptions) -> Result<Hello, ProvisionError> {
    let files = Files::new(options)?;
    let shared = &files.shared;
    let free_bytes = free_bytes(shared)?;
    check_direct(shared)?;
    Ok(Hello {
        engine: if shared.without_ring.is_none() {
            "io_uring"
        } else {
            "threads"
        },
        without_ring: shared.without_ring.clone(),
        threads: shared.threads,
        free_bytes,
    })
}

/// Bytes that this user may still write; an error if none.
pub(super) fn free_bytes(shared: &Shared) -> Result<u64, ProvisionError> {
    let found = fstatvfs(&shared.root).map_err(|errno| {
        let call = Call::StatFs;
        about(Failed { call, errno }, &shared.path.display().to_string())
    })?;
    if found.f_flag.contains(StatVfsMountFlags::RDONLY) {
        return Err(ProvisionError::ReadOnly {
            folder: shared.path.clone(),
            reason: "its file system is mounted read-only".to_owned(),
        });
    }
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Checks, with an unnamed file, that files can be opened past the page cache. Where there are no
/// unnamed files (NFS), the first real one will tell.
fn check_direct(shared: &Shared) -> Result<(), FilesError> {
    if shared.mode != Mode::Direct {
        return Ok(());
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::DIRECT | OFlags::CLOEXEC;
    let opened = openat(
        shared.root.as_fd(),
        ".",
        flags,
        FileMode::from_raw_mode(0o600),
    );
    match opened {
        Err(Errno::INVAL) => Err(FilesError::Folder {
            path: shared.path.clone(),
            why: format!(
                "its file system does not offer direct I/O ({}); leave out --client mode=direct",
                errno::name(Errno::INVAL)
            ),
        }),
        _ => Ok(()),
    }
}
