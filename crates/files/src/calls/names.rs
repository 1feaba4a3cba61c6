//! Making, deleting and renaming: calls about a name in its parent folder, which is opened for
//! them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, mkdirat, renameat_with, statat, unlinkat};
use rustix::io::Errno;

use super::{Call, Calls, Failed, Made};

/// The folder that holds a name.
enum Holder<'a> {
    Root(BorrowedFd<'a>),
    Below(OwnedFd),
}

impl AsFd for Holder<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Root(root) => *root,
            Self::Below(folder) => folder.as_fd(),
        }
    }
}

impl<'a> Calls<'a> {
    /// The folder that holds a name, and the name's last part.
    fn holder<'p>(&mut self, path: &'p str) -> Made<(Holder<'a>, &'p str)> {
        match path.rsplit_once('/') {
            None => Ok((Holder::Root(self.root), path)),
            Some((folder, last)) => {
                let flags = OFlags::PATH | OFlags::DIRECTORY;
                Ok((Holder::Below(self.open(folder, flags)?), last))
            }
        }
    }

    fn leave(&mut self, holder: Holder<'_>) {
        if let Holder::Below(folder) = holder {
            self.close(folder);
        }
    }

    /// Makes a folder.
    pub fn make_folder(&mut self, path: &str) -> Made<()> {
        let (holder, last) = self.holder(path)?;
        let made = mkdirat(&holder, last, Mode::from_raw_mode(0o777));
        let made = self.made(Call::MakeFolder, made);
        self.leave(holder);
        made
    }

    /// Deletes a file, or an empty folder.
    pub fn unlink(&mut self, path: &str, is_folder: bool) -> Made<()> {
        let (holder, last) = self.holder(path)?;
        let flags = if is_folder {
            AtFlags::REMOVEDIR
        } else {
            AtFlags::empty()
        };
        let gone = unlinkat(&holder, last, flags);
        let gone = self.made(Call::Unlink, gone);
        self.leave(holder);
        gone
    }

    /// Deletes a folder with everything in it. Symbolic links are deleted, never followed.
    pub fn unlink_tree(&mut self, folder: &str) -> Made<()> {
        // Folders found on the way down are deleted on the way up.
        let mut folders = vec![folder.to_owned()];
        let mut at = 0;
        while let Some(current) = folders.get(at).cloned() {
            let opened = self.open(&current, OFlags::RDONLY | OFlags::DIRECTORY)?;
            let entries = self.all_entries(&opened);
            self.close(opened);
            for entry in entries? {
                let path = format!("{current}/{}", entry.name);
                if entry.is_folder {
                    folders.push(path);
                } else {
                    self.unlink(&path, false)?;
                }
            }
            at += 1;
        }
        let mut up = folders.iter().rev();
        up.try_for_each(|folder| self.unlink(folder, true))
    }

    /// Renames a file. Not every file system can refuse to replace an existing name (NFS cannot):
    /// there the name is looked up first.
    pub fn rename(&mut self, from: &str, to: &str, replace: bool) -> Made<()> {
        let (old, name) = self.holder(from)?;
        let shared = from.rsplit_once('/').map(|it| it.0) == to.rsplit_once('/').map(|it| it.0);
        let (new, to_name) = if shared {
            (None, to.rsplit_once('/').map_or(to, |it| it.1))
        } else {
            let (new, to_name) = self.holder(to)?;
            (Some(new), to_name)
        };
        let target = new.as_ref().unwrap_or(&old).as_fd();
        let flags = if replace {
            RenameFlags::empty()
        } else {
            RenameFlags::NOREPLACE
        };
        let renamed = renameat_with(&old, name, target, to_name, flags);
        let mut renamed = self.made(Call::Rename, renamed);
        if !replace && renamed.is_err_and(|failed| failed.errno == Errno::INVAL) {
            let there = statat(target, to_name, AtFlags::SYMLINK_NOFOLLOW);
            renamed = if self.made(Call::Stat, there).is_ok() {
                let (call, errno) = (Call::Rename, Errno::EXIST);
                Err(Failed { call, errno })
            } else {
                let flags = RenameFlags::empty();
                let renamed = renameat_with(&old, name, target, to_name, flags);
                self.made(Call::Rename, renamed)
            };
        }
        self.leave(old);
        if let Some(new) = new {
            self.leave(new);
        }
        renamed
    }
}
