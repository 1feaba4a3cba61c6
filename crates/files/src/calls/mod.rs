//! The system calls, each below the folder of the target and counted.
//!
//! Names are resolved by `openat2` with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS` (Linux 5.6): a
//! symbolic link anywhere below the folder is an error, so nothing outside can be reached, no
//! matter who puts links there and when. Calls that take a name but no such flags get its parent
//! folder, opened this way, and do not follow a link in the last part.

pub mod listing;
mod names;

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use headcount_tree::lock::Lock;
use headcount_tree::query::{Known, Query};
use rustix::fs::{
    AtFlags, Mode, OFlags, ResolveFlags, Statx, StatxFlags, Timespec, Timestamps, UTIME_NOW,
    UTIME_OMIT, fgetxattr, flistxattr, fstatfs, ftruncate, futimens, openat2, statx,
};
use rustix::io::Errno;

macro_rules! calls {
    ($($call:ident = $name:literal),* $(,)?) => {
        /// A kind of system call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Call { $($call),* }

        impl Call {
            /// Their names in results: as in the manual, without the suffix for 64-bit offsets.
            pub const NAMES: &'static [&'static str] = &[$($name),*];
        }
    };
}

calls! {
    Open = "openat2",
    Close = "close",
    Read = "pread",
    Write = "pwrite",
    Sync = "fsync",
    List = "getdents",
    Stat = "statx",
    StatFs = "fstatfs",
    GetXattr = "fgetxattr",
    ListXattr = "flistxattr",
    Rename = "renameat2",
    Unlink = "unlinkat",
    MakeFolder = "mkdirat",
    Truncate = "ftruncate",
    Times = "utimensat",
    Lock = "fcntl",
    Seek = "lseek",
}

impl Call {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// A call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed {
    /// Which.
    pub call: Call,
    /// How.
    pub errno: Errno,
}

impl Failed {
    /// Whether it failed because the name does not exist.
    pub const fn is_not_found(self) -> bool {
        matches!((self.call, self.errno), (Call::Open, Errno::NOENT))
    }
}

/// The result of a call.
pub type Made<T> = Result<T, Failed>;

/// The number of calls of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally([u32; Call::NAMES.len()]);

impl Tally {
    /// Counts a call.
    pub fn count(&mut self, call: Call) {
        self.0[call as usize] += 1;
    }

    /// The kinds of the calls made, each repeated as often as it was made.
    pub fn each(&self) -> impl Iterator<Item = usize> {
        let kinds = self.0.iter().enumerate();
        kinds.flat_map(|(kind, count)| (0..*count).map(move |_| kind))
    }
}

/// How often to resolve a name again that was moved while it was resolved; more than once is rare.
const TRIES: u32 = 8;
/// The longest answer about extended attributes that is read.
const XATTR_BYTES: usize = 4 << 10;
/// The access list, as the kernel keeps it (acl(5)).
const ACCESS_LIST: &str = "system.posix_acl_access";

/// Makes calls below a folder, on a thread that may wait for them.
pub struct Calls<'a> {
    root: BorrowedFd<'a>,
    /// The calls made.
    pub tally: Tally,
}

impl<'a> Calls<'a> {
    /// No calls made yet.
    pub fn new(root: BorrowedFd<'a>) -> Self {
        Self {
            root,
            tally: Tally::default(),
        }
    }

    fn made<T>(&mut self, call: Call, result: rustix::io::Result<T>) -> Made<T> {
        self.tally.count(call);
        result.map_err(|errno| Failed { call, errno })
    }

    /// Opens a name below the folder. The umask decides who may read and write what is created.
    pub fn open(&mut self, path: &str, flags: OFlags) -> Made<OwnedFd> {
        let mode = if flags.contains(OFlags::CREATE) {
            Mode::from_raw_mode(0o666)
        } else {
            Mode::empty()
        };
        let beneath =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let mut tries = 0;
        loop {
            let opened = openat2(self.root, path, flags | OFlags::CLOEXEC, mode, beneath);
            tries += 1;
            match self.made(Call::Open, opened) {
                Err(failed) if failed.errno == Errno::AGAIN && tries < TRIES => {}
                other => return other,
            }
        }
    }

    /// Closes a file. Over a network, data may be written out only now, so it can take long.
    pub fn close(&mut self, file: impl Into<OwnedFd>) {
        self.tally.count(Call::Close);
        drop(file.into());
    }

    /// The status of an open file.
    pub fn stat(&mut self, file: impl AsFd) -> Made<Statx> {
        let found = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS);
        self.made(Call::Stat, found)
    }

    /// Opens a name, asks about it, and closes it.
    pub fn inspect(&mut self, path: &str, class: Query) -> Made<Known> {
        // Extended attributes can be read only if the file was opened for reading.
        let flags = match class {
            Query::Stream | Query::Security => OFlags::RDONLY,
            _ => OFlags::PATH,
        };
        let file = self.open(path, flags)?;
        let answer = self.ask(class, file.as_fd());
        self.close(file);
        answer
    }

    /// Asks about an open file what the class asks for. A file system without such attributes is
    /// not an error.
    pub fn ask(&mut self, class: Query, file: BorrowedFd<'_>) -> Made<Known> {
        let mut buffer = [MaybeUninit::uninit(); XATTR_BYTES];
        let asked = match class {
            Query::All | Query::Basic | Query::Standard | Query::NetworkOpen => {
                let found = self.stat(file)?;
                return Ok(Known {
                    size: Some(found.stx_size),
                    modified_ns: Some(modified_ns(&found)),
                });
            }
            Query::FileSystemSize | Query::Volume => {
                let found = fstatfs(file).map(drop);
                self.made(Call::StatFs, found)
            }
            Query::Stream => {
                let listed = flistxattr(file, &mut buffer).map(drop);
                without_is_fine(self.made(Call::ListXattr, listed))
            }
            Query::Security => {
                self.stat(file)?;
                let found = fgetxattr(file, ACCESS_LIST, &mut buffer).map(drop);
                without_is_fine(self.made(Call::GetXattr, found))
            }
        };
        asked.map(|()| Known::default())
    }

    /// Sets the length of a file.
    pub fn truncate(&mut self, file: impl AsFd, bytes: u64) -> Made<()> {
        let cut = ftruncate(file, bytes);
        self.made(Call::Truncate, cut)
    }

    /// Sets the time of the last write to now.
    pub fn touch(&mut self, file: impl AsFd) -> Made<()> {
        let at = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
        let times = Timestamps {
            last_access: at(UTIME_OMIT),
            last_modification: at(UTIME_NOW),
        };
        let touched = futimens(file, &times);
        self.made(Call::Times, touched)
    }

    /// Locks a range of bytes for this handle (an open file description lock, fcntl(2)), or unlocks
    /// it; never waits. Where the handle cannot write, an exclusive lock becomes a shared one, as
    /// Samba does: POSIX has no other.
    pub fn lock(&mut self, file: impl AsFd, kind: Lock, offset: u64, bytes: u64) -> Made<()> {
        use nix::libc;
        let range = |kind: Lock| libc::flock {
            l_type: match kind {
                Lock::Shared => libc::F_RDLCK,
                Lock::Exclusive => libc::F_WRLCK,
                Lock::None => libc::F_UNLCK,
            } as libc::c_short,
            l_whence: libc::SEEK_SET as libc::c_short,
            l_start: offset.cast_signed(),
            l_len: bytes.cast_signed(),
            l_pid: 0,
        };
        let mut set = |kind| {
            let range = range(kind);
            let done = nix::fcntl::fcntl(file.as_fd(), nix::fcntl::F_OFD_SETLK(&range));
            let done = done.map(drop);
            let done = done.map_err(|errno| Errno::from_raw_os_error(errno as i32));
            let done = done.map_err(lock_error);
            self.made(Call::Lock, done)
        };
        match set(kind) {
            Err(failed) if failed.errno == Errno::BADF && kind == Lock::Exclusive => {
                set(Lock::Shared)
            }
            other => other,
        }
    }
}

/// When a file was last written, in ns of Unix time.
fn modified_ns(found: &Statx) -> i64 {
    let time = found.stx_mtime;
    time.tv_sec
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec.into())
}

/// For a range that somebody else has locked, a file system may say EAGAIN or EACCES (fcntl(2));
/// mounts of SMB shares say EACCES.
fn lock_error(errno: Errno) -> Errno {
    if errno == Errno::ACCESS {
        Errno::AGAIN
    } else {
        errno
    }
}

fn without_is_fine(made: Made<()>) -> Made<()> {
    match made {
        Err(failed) if matches!(failed.errno, Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
        // A list that is too long to read was found all the same.
        Err(failed) if failed.errno == Errno::RANGE => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_error_of_a_locked_range_means_that_it_is_locked() {
        assert_eq!(lock_error(Errno::ACCESS), Errno::AGAIN);
        assert_eq!(lock_error(Errno::AGAIN), Errno::AGAIN);
        assert_eq!(lock_error(Errno::NOLCK), Errno::NOLCK);
    }
}
