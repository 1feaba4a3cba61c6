//! The folder in which Headcount may write and delete: one with its marker file.

use std::fs::File;
use std::io::{Read, Write};

use headcount_load::Fault;
use headcount_tree::provision::{Ground, MARKER, MOST_MARKER_BYTES, inscription, marker, root};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::error::ProvisionError;
use crate::calls::{Call, Calls, Failed, Made};
use crate::client::{FilesError, Shared, native};
use crate::errno;

/// The folder of the data set below that of the target.
pub fn own_folder(shared: &Shared) -> Result<String, FilesError> {
    root(&shared.tree.folder)
        .map(|root| native(&root))
        .map_err(FilesError::Options)
}

/// The marker of a folder.
pub fn marker_of(folder: &str) -> String {
    native(&marker(folder))
}

/// The contents of a small file; `None` if it does not exist.
pub fn note(calls: &mut Calls<'_>, path: &str) -> Made<Option<Vec<u8>>> {
    let file = match calls.open(path, OFlags::RDONLY) {
        Ok(file) => File::from(file),
        Err(failed) if failed.is_not_found() => return Ok(None),
        Err(failed) => return Err(failed),
    };
    let mut text = Vec::new();
    let read = file.take(MOST_MARKER_BYTES.into()).read_to_end(&mut text);
    read.map(|_| Some(text))
        .map_err(|error| io_failed(Call::Read, &error))
}

/// Creates or replaces a small file.
pub fn leave_note(calls: &mut Calls<'_>, path: &str, text: &[u8]) -> Made<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
    let mut file = File::from(calls.open(path, flags)?);
    let written = file.write_all(text);
    written.map_err(|error| io_failed(Call::Write, &error))
}

fn io_failed(call: Call, error: &std::io::Error) -> Failed {
    let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
    Failed { call, errno }
}

/// The state of the folder.
pub fn survey(calls: &mut Calls<'_>, folder: &str) -> Made<Ground> {
    if let Some(inscription) = note(calls, &marker_of(folder))? {
        return Ok(Ground::Ours(inscription));
    }
    let opened = match calls.open(folder, OFlags::RDONLY | OFlags::DIRECTORY) {
        Ok(opened) => opened,
        Err(failed) if failed.is_not_found() => return Ok(Ground::Missing),
        Err(failed) => return Err(failed),
    };
    let entries = calls.all_entries(&opened)?;
    if entries.iter().any(|one| one.name == MARKER) {
        // It was marked while it was being listed.
        let inscription = note(calls, &marker_of(folder))?;
        return Ok(Ground::Ours(inscription.unwrap_or_default()));
    }
    Ok(if entries.is_empty() {
        Ground::Empty
    } else {
        Ground::Theirs
    })
}

/// Marks the folder as Headcount's, or makes sure that it is.
pub fn claim(calls: &mut Calls<'_>, shared: &Shared, folder: &str) -> Result<(), ProvisionError> {
    match survey(calls, folder).map_err(|failed| about(failed, folder))? {
        Ground::Ours(_) => return Ok(()),
        Ground::Theirs => return Err(not_ours(shared, folder)),
        Ground::Missing | Ground::Empty => {}
    }
    let text = inscription(&shared.tree.data_set);
    let marked =
        make_folders(calls, folder).and_then(|()| leave_note(calls, &marker_of(folder), &text));
    marked.map_err(|failed| match failed.errno {
        Errno::ACCESS | Errno::PERM | Errno::ROFS => ProvisionError::ReadOnly {
            folder: shared.path.clone(),
            reason: errno::name(failed.errno),
        },
        _ => about(failed, folder).into(),
    })
}

/// Makes a folder and its missing parents.
pub fn make_folders(calls: &mut Calls<'_>, path: &str) -> Made<()> {
    let above = path.match_indices('/').map(|(at, _)| &path[..at]);
    for folder in above.chain([path]) {
        match calls.make_folder(folder) {
            Err(failed) if failed.errno != Errno::EXIST => return Err(failed),
            _ => {}
        }
    }
    Ok(())
}

/// The error of somebody else's folder.
pub fn not_ours(shared: &Shared, folder: &str) -> ProvisionError {
    ProvisionError::NotOurs {
        folder: shared.path.join(folder),
        marker: MARKER,
    }
}

/// The fault of a call about this path.
pub fn about(failed: Failed, path: &str) -> Fault {
    errno::fault(failed, path)
}
