//! What stands in a folder.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use headcount_script::Entry;
use rustix::fs::{AtFlags, FileType, RawDir, SeekFrom, StatxFlags, seek, statat, statx};
use rustix::io::Errno;

use super::{Call, Calls, Failed, Made, modified_ns};

/// Bytes of entries asked for at a time; glibc's readdir(3) asks for 32 KiB.
const LISTING_BYTES: usize = 32 << 10;
/// Calls of one listing: a million names or so. A file system that never ends would hold the user.
const MOST_LISTINGS: u32 = 2000;

/// How a folder is listed.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    /// Whether it was listed before.
    pub is_again: bool,
    /// Only what comes first.
    pub once: bool,
    /// Whether sizes and times are asked for.
    pub is_whole: bool,
}

impl Calls<'_> {
    /// Lists an open folder to its end, or once; `again` if it was listed before. Returns the bytes
    /// of the entries, as getdents64(2) lays them out.
    pub fn list(&mut self, folder: &File, again: bool, once: bool) -> Made<u64> {
        if again {
            let sought = seek(folder, SeekFrom::Start(0)).map(drop);
            self.made(Call::Seek, sought)?;
        }
        let mut buffer = vec![MaybeUninit::uninit(); LISTING_BYTES];
        let mut entries = RawDir::new(folder, &mut buffer);
        let (mut listed_bytes, mut rounds) = (0, 0);
        loop {
            if entries.is_buffer_empty() {
                if rounds == MOST_LISTINGS || (once && rounds == 1) {
                    return Ok(listed_bytes);
                }
                rounds += 1;
                self.tally.count(Call::List);
            }
            match entries.next() {
                None => return Ok(listed_bytes),
                Some(Ok(entry)) => listed_bytes += entry_bytes(entry.file_name().count_bytes()),
                Some(Err(errno)) => {
                    let call = Call::List;
                    return Err(Failed { call, errno });
                }
            }
        }
    }

    /// What is in an open folder with a name that is `wanted`, in the order in which it comes, and the bytes
    /// of all entries.
    pub fn entries(
        &mut self,
        folder: &File,
        listing: Listing,
        wanted: impl Fn(&str) -> bool,
    ) -> Made<(u64, Vec<Entry>)> {
        if listing.is_again {
            let sought = seek(folder, SeekFrom::Start(0)).map(drop);
            self.made(Call::Seek, sought)?;
        }
        let mut buffer = vec![MaybeUninit::uninit(); LISTING_BYTES];
        let mut entries = RawDir::new(folder, &mut buffer);
        let (mut listed_bytes, mut rounds, mut found) = (0, 0, Vec::new());
        loop {
            if entries.is_buffer_empty() {
                if rounds == MOST_LISTINGS || (listing.once && rounds == 1) {
                    return Ok((listed_bytes, found));
                }
                rounds += 1;
                self.tally.count(Call::List);
            }
            let entry = match entries.next() {
                None => return Ok((listed_bytes, found)),
                Some(Ok(entry)) => entry,
                Some(Err(errno)) => {
                    let call = Call::List;
                    return Err(Failed { call, errno });
                }
            };
            listed_bytes += entry_bytes(entry.file_name().count_bytes());
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == "." || name == ".." || !wanted(&name) {
                continue;
            }
            let kind = entry.file_type();
            if let Some(entry) = self.described(folder, name, kind, listing.is_whole)? {
                found.push(entry);
            }
        }
    }

    /// What is known of a name in a folder; None if it is not there any more.
    fn described(
        &mut self,
        folder: &File,
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

    /// The names in an open folder and whether each is a folder, without `.` and `..`.
    pub fn names(&mut self, folder: &OwnedFd) -> Made<Vec<(String, bool)>> {
        let mut buffer = vec![MaybeUninit::uninit(); LISTING_BYTES];
        let mut entries = RawDir::new(folder, &mut buffer);
        let mut names = Vec::new();
        loop {
            if entries.is_buffer_empty() {
                self.tally.count(Call::List);
            }
            let Some(entry) = entries.next() else { break };
            let entry = entry.map_err(|errno| Failed {
                call: Call::List,
                errno,
            })?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type();
            if name != "." && name != ".." {
                names.push((name, kind));
            }
        }
        let sure = names.into_iter().map(|(name, kind)| {
            // Some file systems do not tell kinds with names.
            let kind = match kind {
                FileType::Unknown => {
                    let found = statat(folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW);
                    let found = self.made(Call::Stat, found)?;
                    FileType::from_raw_mode(found.st_mode)
                }
                known => known,
            };
            Ok((name, kind == FileType::Directory))
        });
        sure.collect()
    }
}

/// Bytes of an entry with a name of so many: its fields and the name with its end, in whole words
/// (`struct linux_dirent64`, getdents64(2)).
const fn entry_bytes(name_bytes: usize) -> u64 {
    (19 + name_bytes as u64 + 1).next_multiple_of(8)
}
