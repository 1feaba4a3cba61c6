//! Listing a folder.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use headcount_script::Entry;
use rustix::fs::{AtFlags, FileType, RawDir, SeekFrom, StatxFlags, seek, statx};
use rustix::io::Errno;

use super::{Call, Calls, Failed, Made, modified_ns};

/// Bytes of entries asked for at a time; glibc's readdir(3) asks for 32 KiB.
const LISTING_BYTES: usize = 32 << 10;
/// The most calls of one listing: a million names or so. A listing without end would block the
/// user.
const MOST_LISTINGS: u32 = 2000;

/// How a folder is listed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listing {
    /// Whether it was listed before.
    pub is_again: bool,
    /// Only the first answer.
    pub once: bool,
    /// Whether sizes and times are asked for.
    pub is_whole: bool,
}

impl Calls<'_> {
    /// Lists an open folder; `see` gets each name, and its type if the file system reports it.
    /// Returns the bytes of the entries, as getdents64(2) lays them out.
    pub fn list(
        &mut self,
        folder: BorrowedFd<'_>,
        listing: Listing,
        see: impl FnMut(&mut Self, &CStr, FileType) -> Made<()>,
    ) -> Made<u64> {
        self.list_within(MOST_LISTINGS, folder, listing, see)
    }

    /// The same; fails if the folder takes more than this many calls.
    fn list_within(
        &mut self,
        most: u32,
        folder: BorrowedFd<'_>,
        listing: Listing,
        mut see: impl FnMut(&mut Self, &CStr, FileType) -> Made<()>,
    ) -> Made<u64> {
        if listing.is_again {
            let sought = seek(folder, SeekFrom::Start(0)).map(drop);
            self.made(Call::Seek, sought)?;
        }
        let mut buffer = vec![MaybeUninit::uninit(); LISTING_BYTES];
        let mut entries = RawDir::new(folder, &mut buffer);
        let (mut listed_bytes, mut rounds) = (0, 0);
        loop {
            if entries.is_buffer_empty() {
                if listing.once && rounds == 1 {
                    return Ok(listed_bytes);
                }
                if rounds == most {
                    let (call, errno) = (Call::List, Errno::OVERFLOW);
                    return Err(Failed { call, errno });
                }
                rounds += 1;
                self.tally.count(Call::List);
            }
            let Some(entry) = entries.next() else {
                return Ok(listed_bytes);
            };
            let call = Call::List;
            let entry = entry.map_err(|errno| Failed { call, errno })?;
            listed_bytes += entry_bytes(entry.file_name().count_bytes());
            see(self, entry.file_name(), entry.file_type())?;
        }
    }

    /// The entries of an open folder whose names are `wanted`, in the order of the listing, and the
    /// bytes of all entries.
    pub fn entries(
        &mut self,
        folder: BorrowedFd<'_>,
        listing: Listing,
        wanted: impl Fn(&str) -> bool,
    ) -> Made<(u64, Vec<Entry>)> {
        let mut found = Vec::new();
        let listed_bytes = self.list(folder, listing, |calls, name, kind| {
            let name = name.to_string_lossy().into_owned();
            if name != "." && name != ".." && wanted(&name) {
                found.extend(calls.described(folder, name, kind, listing.is_whole)?);
            }
            Ok(())
        })?;
        Ok((listed_bytes, found))
    }

    /// All entries of an open folder that has not been listed yet.
    pub fn all_entries(&mut self, folder: &OwnedFd) -> Made<Vec<Entry>> {
        let (_, found) = self.entries(folder.as_fd(), Listing::default(), |_| true)?;
        Ok(found)
    }

    /// The entry of a name in a folder; None if it no longer exists.
    fn described(
        &mut self,
        folder: BorrowedFd<'_>,
        name: String,
        kind: FileType,
        is_whole: bool,
    ) -> Made<Option<Entry>> {
        if !is_whole && kind != FileType::Unknown {
            return Ok(Some(Entry {
                name,
                is_folder: kind == FileType::Directory,
                size: None,
                modified_ns: None,
            }));
        }
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let found = statx(folder, name.as_str(), flags, StatxFlags::BASIC_STATS);
        match self.made(Call::Stat, found) {
            Ok(found) => Ok(Some(Entry {
                name,
                is_folder: FileType::from_raw_mode(found.stx_mode.into()) == FileType::Directory,
                size: Some(found.stx_size),
                modified_ns: Some(modified_ns(&found)),
            })),
            Err(failed) if failed.errno == Errno::NOENT => Ok(None),
            Err(failed) => Err(failed),
        }
    }
}

/// Bytes of an entry whose name has `name_bytes`: its fields and the NUL-terminated name, in whole
/// words (`struct linux_dirent64`, getdents64(2)).
const fn entry_bytes(name_bytes: usize) -> u64 {
    (19 + name_bytes as u64 + 1).next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_listed_to_its_end_is_an_error() {
        let disk = tempfile::tempdir().unwrap();
        for number in 0..1000 {
            std::fs::write(disk.path().join(format!("{number:040}")), "").unwrap();
        }
        let root = std::fs::File::open(disk.path()).unwrap();
        let mut calls = Calls::new(root.as_fd());
        let first = Listing::default();
        let part = calls.list_within(1, root.as_fd(), first, |_, _, _| Ok(()));
        let (call, errno) = (Call::List, Errno::OVERFLOW);
        assert_eq!(part, Err(Failed { call, errno }));
        let again = Listing {
            is_again: true,
            ..first
        };
        let whole = calls.list(root.as_fd(), again, |_, _, _| Ok(()));
        // With "." and "..", which have 24 bytes.
        assert_eq!(whole, Ok(1000 * 64 + 2 * 24));
    }
}
