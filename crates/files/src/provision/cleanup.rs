//! Deleting a data set, and nothing else.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use headcount_script::Entry;
use headcount_tree::data_set::COMMON_FOLDERS;
use headcount_tree::provision::{Cleaned, Ground, OnProgress, is_common};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::crew::{Log, each};
use super::error::ProvisionError;
use super::territory::{about, marker_of, not_ours, own_folder, survey};
use crate::calls::{Calls, Made};
use crate::client::{Files, Shared};
use crate::options::FilesOptions;

/// Deletes the data set below the folder of the options. Symbolic links in it are deleted, never
/// followed.
pub fn cleanup(
    options: FilesOptions,
    on_progress: &mut OnProgress<'_>,
) -> Result<Cleaned, ProvisionError> {
    clear(&Files::new(options)?.shared, on_progress)
}

/// Deletes the data set.
pub(super) fn clear(
    shared: &Arc<Shared>,
    on_progress: &mut OnProgress<'_>,
) -> Result<Cleaned, ProvisionError> {
    let root = own_folder(shared)?;
    let mut calls = Calls::new(shared.root.as_fd());
    let about_root = |failed| about(failed, &root);
    match survey(&mut calls, &root).map_err(about_root)? {
        Ground::Missing | Ground::Empty => return Ok(Cleaned::default()),
        Ground::Theirs => return Err(not_ours(shared, &root)),
        Ground::Ours(_) => {}
    }
    let (mut homes, mut left) = (Vec::new(), 0);
    for Entry { name, .. } in entries_in(&mut calls, &root).map_err(about_root)? {
        let number = shared
            .tree
            .folder
            .number(&format!("{root}/{name}").replace('/', "\\"));
        match number {
            Some(number) => homes.push(number),
            None if is_common(&name) => {}
            None => left += 1,
        }
    }
    homes.sort_unstable();
    let users = homes.len() as u32;
    let files = Arc::new(AtomicU64::new(0));
    let errand = {
        let (shared, files) = (Arc::clone(shared), Arc::clone(&files));
        move |number, log: &Log| {
            let home = shared.tree.folder.text(number).replace('\\', "/");
            remove_tree(&shared, &home, &files, log)
        }
    };
    each(homes, &Arc::new(Log::default()), on_progress, errand)?;
    for name in COMMON_FOLDERS {
        let folder = format!("{root}/{name}");
        remove_tree(shared, &folder, &files, &Log::default())?;
    }
    if left == 0 {
        let marker = marker_of(&root);
        remove(&mut calls, &marker, false).map_err(|failed| about(failed, &marker))?;
        remove(&mut calls, &root, true).map_err(about_root)?;
    }
    Ok(Cleaned {
        users,
        files: files.load(Ordering::Relaxed),
        shares: 1,
        left,
    })
}

/// Deletes a folder with everything in it; files are counted.
fn remove_tree(
    shared: &Shared,
    folder: &str,
    files: &AtomicU64,
    log: &Log,
) -> Result<(), ProvisionError> {
    let mut calls = Calls::new(shared.root.as_fd());
    // Folders found on the way down are deleted on the way up.
    let mut folders = vec![folder.to_owned()];
    let mut at = 0;
    while let Some(current) = folders.get(at).cloned() {
        let entries = entries_in(&mut calls, &current).map_err(|failed| about(failed, &current))?;
        for entry in entries {
            log.check()?;
            let path = format!("{current}/{}", entry.name);
            if entry.is_folder {
                folders.push(path);
            } else {
                remove(&mut calls, &path, false).map_err(|failed| about(failed, &path))?;
                files.fetch_add(1, Ordering::Relaxed);
            }
        }
        at += 1;
    }
    for folder in folders.iter().rev() {
        remove(&mut calls, folder, true).map_err(|failed| about(failed, folder))?;
    }
    Ok(())
}

/// The entries of a folder; none if it does not exist.
fn entries_in(calls: &mut Calls<'_>, folder: &str) -> Made<Vec<Entry>> {
    let opened = match calls.open(folder, OFlags::RDONLY | OFlags::DIRECTORY) {
        Ok(opened) => opened,
        Err(failed) if failed.is_not_found() => return Ok(Vec::new()),
        Err(failed) => return Err(failed),
    };
    calls.all_entries(&opened)
}

/// Deletes one file or empty folder, if it exists.
fn remove(calls: &mut Calls<'_>, path: &str, is_folder: bool) -> Made<()> {
    match calls.unlink(path, is_folder) {
        Err(failed) if failed.errno == Errno::NOENT => Ok(()),
        other => other,
    }
}
