//! Making what is missing of the users' files.

use std::os::fd::AsFd;
use std::sync::Arc;

use headcount_tree::provision::{
    Ground, OnProgress, Order, Prepared, Progress, RESERVE_BYTES, inscription,
};

use super::cleanup::clear;
use super::crew::{Log, each};
use super::error::ProvisionError;
use super::hello::free_bytes;
use super::place;
use super::territory::{about, claim, leave_note, marker_of, not_ours, note, own_folder, survey};
use crate::calls::Calls;
use crate::client::{Files, Shared};
use crate::options::FilesOptions;

/// Makes the missing files of the order's users. A data set of another seed or size is deleted
/// first.
pub fn prepare(
    options: FilesOptions,
    order: &Order,
    on_progress: &mut OnProgress<'_>,
) -> Result<Prepared, ProvisionError> {
    let files = Files::new(options)?;
    let shared = &files.shared;
    let root = own_folder(shared)?;
    let (missing, kept) = missing(shared, &root, order, on_progress)?;
    let all = order.last - order.first + 1;
    let mut tell = |progress: Progress| {
        on_progress(Progress {
            users_done: kept + progress.users_done,
            users: all,
            ..progress
        })
    };
    let log = Arc::new(Log::default());
    let made = {
        let (shared, read_through) = (Arc::clone(shared), order.read_through);
        let errand = move |id, log: &Log| make(&shared, &root, id, read_through, log);
        each(missing, &log, &mut tell, errand)?
    };
    let whole = made.iter().filter(|created| !**created).count() as u32;
    Ok(Prepared {
        created: made.len() as u32 - whole,
        kept: kept + whole,
        written_bytes: log.written_bytes(),
    })
}

/// The users whose files have to be made, and how many have theirs.
fn missing(
    shared: &Arc<Shared>,
    root: &str,
    order: &Order,
    on_progress: &mut OnProgress<'_>,
) -> Result<(Vec<u32>, u32), ProvisionError> {
    let mut calls = Calls::new(shared.root.as_fd());
    let ground = survey(&mut calls, root).map_err(|failed| about(failed, root))?;
    match ground {
        Ground::Theirs => return Err(not_ours(shared, root)),
        Ground::Ours(found) if found != inscription(&shared.tree.data_set) => {
            clear(shared, on_progress)?;
        }
        _ => {}
    }
    let mut missing = Vec::new();
    for id in order.first..=order.last {
        if order.read_through || !is_complete(&mut calls, shared, shared.tree.number(id))? {
            missing.push(id);
        }
    }
    let kept = order.last - order.first + 1 - missing.len() as u32;
    if !order.read_through {
        check_space(shared, &missing)?;
    }
    // Claim the folder before any errand does: a problem with it is then reported once.
    claim(&mut calls, shared, root)?;
    Ok((missing, kept))
}

/// Refuses a data set that does not fit, with what users will add during the run, before any of it
/// is written.
fn check_space(shared: &Shared, missing: &[u32]) -> Result<(), ProvisionError> {
    let of_user = |id: &u32| {
        let own = shared.tree.data_set.own_bytes(shared.tree.number(*id));
        let common = if *id == 0 {
            shared.tree.data_set.shared_bytes()
        } else {
            0
        };
        own + common
    };
    if missing.is_empty() {
        return Ok(());
    }
    let data_bytes: u64 = missing.iter().map(of_user).sum();
    let needed_bytes = data_bytes.saturating_add(RESERVE_BYTES);
    let free_bytes = free_bytes(shared)?;
    if needed_bytes <= free_bytes {
        return Ok(());
    }
    Err(ProvisionError::NoSpace {
        folder: shared.path.clone(),
        needed_bytes,
        free_bytes,
    })
}

/// Makes one user's files and notes that they are complete. Returns whether anything was missing or
/// damaged.
fn make(
    shared: &Shared,
    root: &str,
    id: u32,
    read_through: bool,
    log: &Log,
) -> Result<bool, ProvisionError> {
    let mut calls = Calls::new(shared.root.as_fd());
    claim(&mut calls, shared, root)?;
    let number = shared.tree.number(id);
    let common = (id == 0).then(|| shared.tree.data_set.shared());
    let places = common
        .into_iter()
        .flatten()
        .chain(shared.tree.data_set.prepared());
    let mut own_bytes = 0;
    for place in places {
        log.check()?;
        own_bytes += place::make(&mut calls, shared, number, place, read_through, log)?;
    }
    let was_complete = is_complete(&mut calls, shared, number)?;
    if !was_complete {
        let note = completion(shared, number);
        let text = inscription(&shared.tree.data_set);
        leave_note(&mut calls, &note, &text).map_err(|failed| about(failed, &note))?;
    }
    Ok(own_bytes > 0 || !was_complete)
}

/// The file that marks a user's files as complete.
fn completion(shared: &Shared, number: u32) -> String {
    marker_of(&shared.tree.folder.text(number))
}

fn is_complete(
    calls: &mut Calls<'_>,
    shared: &Shared,
    number: u32,
) -> Result<bool, ProvisionError> {
    let path = completion(shared, number);
    let found = note(calls, &path).map_err(|failed| about(failed, &path))?;
    Ok(found.is_some_and(|text| text == inscription(&shared.tree.data_set)))
}
