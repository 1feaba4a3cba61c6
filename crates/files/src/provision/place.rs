//! Making one file or folder: an existing one of the right size is kept.

use std::fs::File;
use std::os::unix::fs::FileExt;

use headcount_load::Fault;
use headcount_tree::block::{Owner, stamp, verify};
use headcount_tree::data_set::Place;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::crew::Log;
use super::error::ProvisionError;
use super::territory::{about, make_folders};
use crate::calls::{Call, Calls, Failed};
use crate::client::Shared;

/// Bytes of each write.
const CHUNK_BYTES: usize = 1 << 20;

/// Makes a folder of this user's data set and its parents, or a file, whose folder must exist:
/// [`headcount_tree::data_set::DataSet::prepared`] has the order. A file of the right size is kept,
/// unless it is read through and found damaged. Returns the bytes written.
pub fn make(
    calls: &mut Calls<'_>,
    shared: &Shared,
    number: u32,
    place: Place,
    read_through: bool,
    log: &Log,
) -> Result<u64, ProvisionError> {
    let path = shared.path_of(number, place);
    if place.group.is_folder() {
        make_folders(calls, &path).map_err(|failed| about(failed, &path))?;
        return Ok(0);
    }
    let fault = |failed| about(failed, &path);
    let opened = calls
        .open(&path, OFlags::RDWR | OFlags::CREATE)
        .map_err(fault)?;
    let there_bytes = calls.stat(&opened).map_err(fault)?.stx_size;
    let (owner, bytes) = (
        shared.tree.data_set.owner(number, place),
        shared.tree.data_set.bytes(number, place),
    );
    let file = File::from(opened);
    let failed = |call, error: &std::io::Error| {
        let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
        fault(Failed { call, errno })
    };
    let is_whole = there_bytes == bytes
        && (!read_through
            || is_whole(&file, owner, bytes, log, |error| failed(Call::Read, error))?);
    if is_whole {
        return Ok(0);
    }
    let mut data = vec![0; CHUNK_BYTES.min(bytes as usize)];
    let mut offset = 0;
    while offset < bytes {
        log.check()?;
        let chunk = (bytes - offset).min(CHUNK_BYTES as u64) as usize;
        stamp(&mut data[..chunk], owner, offset);
        file.write_all_at(&data[..chunk], offset)
            .map_err(|error| failed(Call::Write, &error))?;
        offset += chunk as u64;
        log.wrote(chunk as u64);
    }
    if there_bytes > bytes {
        calls.truncate(&file, bytes).map_err(fault)?;
    }
    Ok(bytes)
}

/// Whether every byte of a file is what belongs there.
fn is_whole(
    file: &File,
    owner: Owner,
    bytes: u64,
    log: &Log,
    failed: impl Fn(&std::io::Error) -> Fault,
) -> Result<bool, ProvisionError> {
    let mut data = vec![0; CHUNK_BYTES.min(bytes as usize)];
    let mut offset = 0;
    while offset < bytes {
        log.check()?;
        let chunk = (bytes - offset).min(CHUNK_BYTES as u64) as usize;
        match file.read_exact_at(&mut data[..chunk], offset) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(failed(&error).into()),
        }
        if verify(&data[..chunk], owner, offset).is_err() {
            return Ok(false);
        }
        offset += chunk as u64;
    }
    Ok(true)
}
