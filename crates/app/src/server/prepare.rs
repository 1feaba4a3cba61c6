//! Creating, verifying and deleting the files of the data set.

use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use rustix::fs::OFlags;

use super::files::{Failure, Files, is_ours, name_of, system};
use crate::block::{Generation, Place, UNIT_BYTES, stamp, verify};
use crate::frame::MAX_PAYLOAD_BYTES;
use crate::message::{Cleaned, DataSet, Order, Prepared, Progress};
use crate::reply::Code;

/// Left free on the disk, so that nothing else on the machine runs out of space.
const RESERVE_BYTES: u64 = 16 << 20;
/// Files are written and read through in pieces of this size.
const PIECE_BYTES: usize = MAX_PAYLOAD_BYTES as usize;

/// Called with the progress of the preparation; returns whether to go on.
pub(crate) type Report<'a> = dyn FnMut(Progress) -> bool + 'a;

enum Found {
    Missing,
    Whole,
    Damaged,
}

/// Carries out the order. Files that are right are kept.
pub(crate) fn prepare(
    files: &Files,
    order: &Order,
    report: &mut Report<'_>,
) -> Result<Prepared, Failure> {
    let is_other_set = files.data_set().is_some_and(|old| old.shape != order.shape);
    let mut progress = Progress {
        files: order.files(),
        ..Progress::default()
    };
    let found = if is_other_set {
        (order.first..=order.last).map(|_| Found::Missing).collect()
    } else {
        survey(files, order, &mut progress, report)?
    };
    let freed_bytes = if is_other_set {
        our_files(files)?.iter().map(|(_, length)| length).sum()
    } else {
        0
    };
    check_space(files, order, &found, freed_bytes)?;
    if is_other_set {
        cleanup(files)?;
    }
    let mut piece = vec![0; PIECE_BYTES];
    let mut prepared = Prepared::default();
    for (file, found) in (order.first..).zip(found) {
        match found {
            Found::Whole => prepared.kept += 1,
            Found::Missing => prepared.created += 1,
            Found::Damaged => prepared.repaired += 1,
        }
        if !matches!(found, Found::Whole) {
            create(files, order, file, &mut piece, &mut |written_bytes| {
                progress.written_bytes += written_bytes;
                report(progress)
            })?;
            progress.files_done += 1; // the survey counted those that are right
        }
        go_on(report(progress))?;
    }
    prepared.written_bytes = progress.written_bytes;
    let data_set = DataSet {
        shape: order.shape,
        files: our_files(files)?.len() as u32,
    };
    let noted = files.set_data_set(Some(data_set));
    noted.map_err(|error| system("noting the data set", &error))?;
    Ok(prepared)
}

/// Deletes every file of the data set, and nothing else.
pub(crate) fn cleanup(files: &Files) -> Result<Cleaned, Failure> {
    let failed = |error: io::Error| system("deleting the data set", &error);
    files.set_data_set(None).map_err(failed)?;
    let mut cleaned = Cleaned::default();
    for (name, length) in our_files(files)? {
        files.folder.remove(&name).map_err(failed)?;
        cleaned.files += 1;
        cleaned.bytes += length;
    }
    Ok(cleaned)
}

/// Names and lengths of the data set's files, unfinished ones included.
fn our_files(files: &Files) -> Result<Vec<(String, u64)>, Failure> {
    let names = files
        .folder
        .names()
        .map_err(|error| system("listing the data folder", &error))?;
    let ours = names.into_iter().filter(|name| is_ours(name));
    Ok(ours
        .filter_map(|name| files.folder.length(&name).map(|length| (name, length)))
        .collect())
}

/// Looks at the files of the order. Those that are right are done: to read them through may take
/// hours, in which the client must see that the preparation goes on.
fn survey(
    files: &Files,
    order: &Order,
    progress: &mut Progress,
    report: &mut Report<'_>,
) -> Result<Vec<Found>, Failure> {
    let mut piece = vec![0; PIECE_BYTES];
    let look = |file| {
        let mut wanted = || report(*progress);
        go_on(wanted())?;
        let found = match files.folder.length(&name_of(file)) {
            None => Found::Missing,
            Some(length) if length != order.shape.file_bytes => Found::Damaged,
            Some(_) if is_whole(files, order, file, &mut piece, &mut wanted)? => Found::Whole,
            Some(_) => Found::Damaged,
        };
        progress.files_done += u32::from(matches!(found, Found::Whole));
        Ok(found)
    };
    (order.first..=order.last).map(look).collect()
}

/// Whether the file holds the right data: all of it, or at both ends, as the order says. `wanted`
/// returns whether to go on.
fn is_whole(
    files: &Files,
    order: &Order,
    file: u32,
    piece: &mut [u8],
    wanted: &mut dyn FnMut() -> bool,
) -> Result<bool, Failure> {
    let Ok(handle) = files.folder.open_file(&name_of(file), OFlags::RDONLY) else {
        return Ok(false);
    };
    let end = order.shape.file_bytes;
    let mut holds = |offset: u64, length: usize| {
        let place = Place {
            file,
            offset,
            seed: order.shape.seed,
        };
        let block = &mut piece[..length];
        handle.read_exact_at(block, offset).is_ok()
            && verify(block, place, |_| Generation::default()).is_ok()
    };
    if !order.read_through {
        let unit = UNIT_BYTES as usize;
        return Ok(holds(0, unit) && holds(end - u64::from(UNIT_BYTES), unit));
    }
    for (offset, length) in pieces(end) {
        go_on(wanted())?;
        if !holds(offset, length) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The pieces of a file: offsets and lengths.
fn pieces(file_bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    let length = move |offset: u64| (file_bytes - offset).min(PIECE_BYTES as u64) as usize;
    (0..file_bytes)
        .step_by(PIECE_BYTES)
        .map(move |offset| (offset, length(offset)))
}

fn check_space(
    files: &Files,
    order: &Order,
    found: &[Found],
    freed_bytes: u64,
) -> Result<(), Failure> {
    let missing = found
        .iter()
        .filter(|found| matches!(found, Found::Missing))
        .count() as u64;
    // A damaged file is replaced only when its successor is complete.
    let spare = u64::from(found.iter().any(|found| matches!(found, Found::Damaged)));
    if missing + spare == 0 {
        return Ok(());
    }
    let needed = (missing + spare) * order.shape.file_bytes + RESERVE_BYTES;
    let free = files
        .folder
        .free_bytes()
        .map_err(|error| system("asking for free space", &error))?;
    if needed <= free.saturating_add(freed_bytes) {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let sentence = format!(
        "the data set needs {} MiB more in {}, but only {} MiB are free there: use fewer or smaller \
         files, or another folder",
        mib(needed),
        files.folder.path().display(),
        mib(free + freed_bytes),
    );
    Err((Code::NoSpace, sentence))
}

/// Writes a file under another name first, so that a file of the right name is always complete.
fn create(
    files: &Files,
    order: &Order,
    file: u32,
    piece: &mut [u8],
    written: &mut dyn FnMut(u64) -> bool,
) -> Result<(), Failure> {
    let name = name_of(file);
    let part = format!("{name}.part");
    let failed = |error: io::Error| system(&format!("creating file {file}"), &error);
    let mut write = || {
        let mut handle = files.folder.create(&part).map_err(failed)?;
        for (offset, length) in pieces(order.shape.file_bytes) {
            let block = &mut piece[..length];
            let place = Place {
                file,
                offset,
                seed: order.shape.seed,
            };
            stamp(block, place, Generation::default());
            handle.write_all(block).map_err(failed)?;
            go_on(written(length as u64))?;
        }
        // Otherwise these pages would be flushed during the first level of the run.
        handle.sync_data().map_err(failed)?;
        files.folder.rename(&part, &name).map_err(failed)
    };
    let result = write();
    if result.is_err() {
        let _ = files.folder.remove(&part); // the first error is reported
    }
    result
}

fn go_on(wanted: bool) -> Result<(), Failure> {
    let gone = || (Code::Conflict, "the preparation was cancelled".to_owned());
    if wanted { Ok(()) } else { Err(gone()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Shape;
    use crate::server::folder::Folder;
    use crate::server::settings::WriteMode;

    #[test]
    fn files_that_are_read_through_count_one_by_one() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::open(&home.path().join("data")).unwrap();
        let files = Files::open(folder, WriteMode::Buffered).unwrap();
        let order = Order {
            first: 0,
            last: 3,
            shape: Shape {
                seed: 7,
                file_bytes: 16_384,
                range_bytes: 16_384,
            },
            read_through: true,
        };
        prepare(&files, &order, &mut |_| true).unwrap();
        let mut done = Vec::new();
        let mut report = |progress: Progress| {
            done.push(progress.files_done);
            true
        };
        let again = prepare(&files, &order, &mut report).unwrap();
        assert_eq!(again.kept, 4);
        // Before each file and each of its pieces.
        assert_eq!(done[..4], [0, 0, 1, 1]);
        assert_eq!(done.last(), Some(&4));
    }
}
